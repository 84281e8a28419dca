"""Text drawn in Windows metafiles, the previews that programs leave in documents."""

from __future__ import annotations

import struct

import pytest

from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse.metafile import metafile_lines
from indexer.parse.rtf import parse


def emf(*runs: tuple[str, int, int]) -> bytes:
    """A picture with texts at (left, line); each character is ten units wide."""
    header = struct.pack("<II", 1, 108) + bytes(32) + b" EMF" + bytes(64)
    records = b""
    for text, left, line in runs:
        raw = text.encode("utf-16-le")
        raw += bytes(-len(raw) % 4)
        widths = struct.pack(f"<{len(text)}I", *[10] * len(text))
        body = bytes(28) + struct.pack("<iiIII", left, line, len(text), 76, 0) + bytes(16)
        body += struct.pack("<I", 76 + len(raw)) + raw + widths
        records += struct.pack("<II", 84, len(body) + 8) + body
    return header + records + struct.pack("<III", 14, 12, 0)


def wmf(text: str, codec: str) -> bytes:
    """A placeable picture with one text."""
    raw = text.encode(codec)
    record = struct.pack("<hhHH", 5, 7, len(raw), 0) + raw + bytes(len(raw) % 2)
    body = struct.pack("<IH", len(record) // 2 + 3, 0x0A32) + record + struct.pack("<IH", 3, 0)
    return b"\xd7\xcd\xc6\x9a" + bytes(18) + struct.pack("<HHHIHIH", 1, 9, 0x300, 0, 0, 0, 0) + body


def test_runs_of_a_line_are_joined() -> None:
    """A word drawn in pieces is one word; a gap is a blank; another height is another line."""
    assert metafile_lines(emf(("季度", 0, 0), ("报表", 20, 0), ("2026", 60, 0), ("合计", 0, 30))) == [
        "季度报表 2026",
        "合计",
    ]


def test_old_metafiles_have_a_code_page() -> None:
    """Guessed by the bytes."""
    assert metafile_lines(wmf("Budget 2026", "ascii")) == ["Budget 2026"]


@pytest.mark.parametrize("data", [b"", b"\x89PNG", emf(("a", 0, 0))[:130], b"\1\0\x09\0" + b"\xff" * 60])
def test_other_pictures_have_no_text(data: bytes) -> None:
    """Nothing is guessed from damaged ones."""
    assert metafile_lines(data) == []


def test_damage_anywhere_raises_nothing() -> None:
    """A picture is never a reason to lose the document."""
    whole = emf(("abc", 0, 0), ("def", 0, 9))
    for at in range(44, len(whole)):
        metafile_lines(whole[:at] + b"\xff" + whole[at + 1 :])
        metafile_lines(whole[:at])


def test_the_preview_of_an_object_is_read_in_rtf() -> None:
    """Once: the copy for old readers is left out."""
    picture = emf(("预算", 0, 0)).hex()
    body = "{\\object\\objemb{\\*\\objclass Excel.Sheet.8}{\\result{\\*\\shppict{\\pict\\emfblip\\bliptag-1{\\*\\blipuid 00}%s}}{\\nonshppict{\\pict\\wmetafile8 %s}}}}"
    parsed = parse(("{\\rtf1 a" + body % (picture, picture) + "\\par}").encode(), ParseLimits())
    assert parsed.text == "a\n预算\n"
    assert parsed.state is State.WARNED
