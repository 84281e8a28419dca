"""Old Office files go through LibreOffice: a stand-in shows what happens when it fails, the real one that it reads."""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from docx import Document

from indexer.core.errors import ParserDied, ParseRefused
from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, soffice
from indexer.parse.legacy import protected
from indexer.parse.sniff import check

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
WORD = OLE + "WordDocument".encode("utf-16-le")
LIMITS = ParseLimits(wall_seconds=20, page_seconds=1)


def docx(text: str) -> bytes:
    document = Document()
    document.add_paragraph(text)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _look_again() -> Iterator[None]:
    """Where LibreOffice is, is looked up once a process."""
    soffice.find.cache_clear()
    soffice.release.cache_clear()
    yield
    soffice.find.cache_clear()
    soffice.release.cache_clear()


@pytest.fixture(name="program")
def fixture_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a stand-in for LibreOffice goes; nothing else of the kind is found."""
    folder = tmp_path / "program"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(soffice, "NAMES", ("soffice",))
    monkeypatch.setattr(soffice, "PLACES", ())
    return folder / "soffice"


def stand_in(program: Path, script: str) -> Parsers:
    """Parsers whose LibreOffice is a script; in it ``$OUT`` is the folder its output belongs into."""
    program.write_text('#!/bin/sh\nfor last; do :; done\nOUT=$(dirname "$last")/out\n' + script)
    program.chmod(0o755)
    return Parsers(LIMITS)


def making(data: bytes) -> str:
    return f'base64 -d > "$OUT/document.docx" <<END\n{base64.encodebytes(data).decode()}END\n'


def reason(parsers: Parsers, data: bytes = WORD) -> str:
    with pytest.raises(ParseRefused) as caught:
        parsers.parse("a.doc", data)
    parsers.close()
    return str(caught.value)


def test_without_libreoffice_the_reason_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is guessed from the bytes of an old file: what to install, or how to save it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(soffice, "PLACES", ())
    parsers = Parsers(LIMITS)
    assert parsers.fingerprint()["legacy:doc"] == "1; LibreOffice absent"
    assert reason(parsers) == (
        "Files of Office 97 to 2003 (.doc, .xls, .ppt) are read through LibreOffice, which is not installed;"
        " install it, or save the file as .docx"
    )


def test_what_libreoffice_makes_is_read(program: Path) -> None:
    """The newer format's own parser reads the output; the version shows that the program is there."""
    parsers = stand_in(program, making(docx("婚假十天")))
    parsed = parsers.parse("a.doc", WORD)
    assert (parsed.text.strip(), parsed.parser, parsed.state) == ("婚假十天", "legacy:doc", State.INDEXED)
    own = parsers.fingerprint()
    assert own["legacy:doc"] == f"1; LibreOffice present; docx {own['docx']}"
    assert "LibreOffice" not in parsers.fingerprint()["docx"]
    parsers.close()


def test_a_wish_to_be_started_again_is_granted(program: Path) -> None:
    """The first start fills the profile and ends with 81."""
    parsers = stand_in(program, f"[ -e here ] || {{ touch here; exit 81; }}\n{making(docx('x'))}")
    assert parsers.parse("a.doc", WORD).text == "x\n"
    parsers.close()


def test_no_output_is_a_reason(program: Path) -> None:
    """LibreOffice says that all is well also when it could not open the file."""
    assert "could not read the file (no output)" in reason(stand_in(program, "exit 0\n"))
    assert "could not read the file (no output)" in reason(stand_in(program, ': > "$OUT/document.docx"\n'))


def test_a_crash_is_a_reason(program: Path) -> None:
    """Whatever it dies of, the file is refused and the next one is served."""
    assert "could not read the file (exit code -11)" in reason(stand_in(program, "kill -SEGV $$\n"))
    assert "could not read the file (exit code 77)" in reason(stand_in(program, "exit 77\n"))


def test_a_password_is_named(program: Path) -> None:
    """An encrypted file is told from a damaged one by its header."""
    header = b"\xec\xa5" + bytes(9) + b"\x01"
    assert "protected by a password" in reason(stand_in(program, "exit 1\n"), WORD[:512] + header + WORD[512:])


def test_a_time_out_ends_it_with_its_children(program: Path) -> None:
    """A child that ignores signals is gone too, when the clock ends the program."""
    parsers = stand_in(program, '( trap "" TERM HUP; exec sleep 987 ) &\nexec sleep 986\n')
    parsers._limits = LIMITS._replace(wall_seconds=2)
    with pytest.raises(ParserDied, match="longer than the limit"):
        parsers.parse("a.doc", WORD)
    assert gone("986", "987")
    parsers.close()


def test_what_it_leaves_running_is_ended(program: Path) -> None:
    """A helper that stays in the background does not outlive the file."""
    parsers = stand_in(program, f"sleep 985 &\n{making(docx('x'))}")
    assert parsers.parse("a.doc", WORD).text == "x\n"
    assert gone("985")
    parsers.close()


def gone(*seconds: str) -> bool:
    """Whether no `sleep` of so many seconds is left, within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
        if not any(line[:1] == ["sleep"] and line[1:] == [each] for line in lines for each in seconds):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("form", "data", "encrypted"),
    [
        ("doc", bytes(512) + b"\xec\xa5" + bytes(9) + b"\x01", True),
        ("doc", bytes(512) + b"\xec\xa5" + bytes(10), False),
        ("doc", bytes(512) + b"\xec\xa5", False),
        ("doc", b"", False),
        ("xls", bytes(512) + b"\x09\x08\x02\0ab" + b"\x2f\0\x02\0", True),
        ("xls", bytes(512) + b"\x09\x08\x02\0ab" + bytes(40), False),
        ("ppt", "EncryptedSummary".encode("utf-16-le"), True),
        ("ppt", bytes(4096), False),
    ],
)
def test_encryption_is_seen_in_the_header(form: str, data: bytes, encrypted: bool) -> None:
    """One flag in Word's header, one record in Excel's, one stream in PowerPoint's."""
    assert protected(data, form) is encrypted


def test_what_other_programs_name_xls_is_read_for_what_it_is() -> None:
    """Reports are often text with tabs or pages under an old ending."""
    assert check("legacy:xls", "名称\t数量\n螺钉\t5\n".encode())[0] == "csv"
    assert check("legacy:doc", b"plain words")[0] == "text"
    assert check("legacy:doc", b"{\\rtf1 x}")[0] == "rtf"
    assert check("legacy:xls", b"<html><table></table></html>")[0] == "html"
    assert check("legacy:doc", OLE) == ("legacy:doc", None)
    assert check("legacy:doc", WORD) == ("legacy:doc", None)
    assert check("docx", WORD)[0] == "legacy:doc"


@pytest.mark.skipif(not soffice.find(), reason="LibreOffice is not installed")
@pytest.mark.parametrize("suffix", ["doc", "xls", "ppt"])
def test_libreoffice_itself(tmp_path: Path, suffix: str) -> None:
    """A file that it wrote in the old format is read back, in the sandbox."""
    source = {"doc": "a.txt", "xls": "a.csv", "ppt": "a.fodp"}[suffix]
    (tmp_path / source).write_text(SLIDE if suffix == "ppt" else "婚假十天\n", "utf-8")
    command = [soffice.find(), f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless"]
    command += ["--convert-to", suffix, "--outdir", str(tmp_path), str(tmp_path / source)]
    if suffix != "ppt":
        command.insert(2, "--infilter=" + {"doc": "Text (encoded):UTF8", "xls": "CSV:44,34,76"}[suffix])
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    parsers = Parsers(ParseLimits())
    parsed = parsers.parse(f"a.{suffix}", (tmp_path / f"a.{suffix}").read_bytes())
    parsers.close()
    assert "婚假十天" in parsed.text
    assert (parsed.parser, parsed.state) == (f"legacy:{suffix}", State.INDEXED)


SLIDE = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:body><office:presentation><draw:page draw:name="p1">
<draw:frame svg:width="10cm" svg:height="3cm" svg:x="1cm" svg:y="1cm"><draw:text-box><text:p>婚假十天</text:p></draw:text-box></draw:frame>
</draw:page></office:presentation></office:body></office:document>
"""
