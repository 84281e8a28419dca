"""Outlook messages: headers, body once, attachments and messages inside."""

from __future__ import annotations

import struct
from datetime import UTC, datetime

import msg_builder as b
import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.msg import parse
from indexer.parse.msg_rtf import decompressed

SUBJECT, SENDER, ADDRESS, BODY, HTML, RTF = 0x0037, 0x0C1A, 0x5D01, 0x1000, 0x1013, 0x1009
SENT, CODE_PAGE, NAME, SMTP, KIND, DATA, FILE = 0x0039, 0x3FFD, 0x3001, 0x39FE, 0x0C15, 0x3701, 0x3707
TICKS = int((datetime(2026, 5, 31, 10, tzinfo=UTC) - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7


def read(*arguments: object, **options: object) -> Parsed:
    return parse(b.compound(b.message(*arguments, **options)), ParseLimits())  # type: ignore[arg-type]


def test_headers_body_and_receivers() -> None:
    """Names with their addresses, copies apart, the date of sending."""
    own = b.Properties(
        {SUBJECT: "年假 通知", SENDER: "王五", ADDRESS: "w@x.cn", BODY: "正文\r\n第二行"}, numbers={SENT: TICKS}
    )
    people = [
        b.Properties({NAME: "李四", SMTP: "l@x.cn"}, numbers={KIND: 1}),
        b.Properties({NAME: "c@x.cn", SMTP: "c@x.cn"}, numbers={KIND: 2}),
    ]
    parsed = read(own, people)
    assert parsed.text == (
        "年假 通知\nFrom: 王五 <w@x.cn>\nTo: 李四 <l@x.cn>\nCc: c@x.cn\nDate: 2026-05-31 10:00 +0000\n\n正文\n第二行\n\n"
    )
    assert parsed.title == "年假 通知"
    assert parsed.state is State.INDEXED


def test_texts_in_an_old_code_page() -> None:
    """Messages of Outlook 2000 and of programs that write no Unicode."""
    own = b.Properties({SUBJECT: "年假管理办法", BODY: "各部门"}, numbers={CODE_PAGE: 936}, page="gbk")
    assert read(own).text == "年假管理办法\n\n各部门\n\n"


def test_a_page_alone() -> None:
    """HTML is stored as bytes in a code page of its own."""
    own = b.Properties({SUBJECT: "s"}, {HTML: "<html><p>通知</p></html>".encode("gbk")}, {0x3FDE: 936})
    assert read(own).text.split() == ["s", "通知"]


def test_a_body_of_compressed_rtf() -> None:
    """When there is no other form."""
    rtf = b"{\\rtf1\\ansi hello}"
    packed = struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    assert read(b.Properties({SUBJECT: "s"}, {RTF: packed})).text == "s\n\nhello\n\n"


def test_compressed_rtf() -> None:
    """The example of the specification; a damaged stream gives what can be read."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0".replace(
            " ", ""
        )
    )
    assert decompressed(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert decompressed(packed[:30]).startswith(b"{\\rtf1")
    assert decompressed(b"short") == b""


def test_attachments_and_messages_inside() -> None:
    """Each under its name or subject; pictures of the body are none."""
    note = b.Properties({FILE: "说明.txt"}, {DATA: "附件正文".encode()})
    logo = b.Properties({FILE: "image001.png"}, {DATA: b"xx"}, {0x7FFE: 1})
    inner = b.message(b.Properties({SUBJECT: "内层", BODY: "内层正文"}), header=24)
    parsed = read(b.Properties({SUBJECT: "外层", BODY: "x"}), attached=[note, logo], inside=[inner])
    assert [(s.headings, s.text) for s in parsed.sections[2:]] == [
        (("外层", "说明.txt"), "说明.txt\n"),
        (("外层", "说明.txt"), "附件正文\n"),
        (("外层", "内层"), "内层\n\n"),
        (("外层", "内层"), "内层正文\n\n"),
    ]
    assert parsed.state is State.INDEXED


def test_signed_messages() -> None:
    """What they say stands in their attachment; an enciphered one says so."""
    mime = b"Content-Type: multipart/signed; boundary=B\n\n--B\nContent-Type: text/plain\n\nsigned text\n--B--\n"
    own = b.Properties({SUBJECT: "s", 0x001A: "IPM.Note.SMIME.MultipartSigned"})
    parsed = read(own, attached=[b.Properties({FILE: "smime.p7m"}, {DATA: mime})])
    assert parsed.text == "s\n\nsigned text\n\n"
    own = b.Properties({SUBJECT: "s", 0x001A: "IPM.Note.SMIME"})
    parsed = read(own, attached=[b.Properties({FILE: "smime.p7m"}, {DATA: b"0\x03xyz"})])
    assert "encrypted" in str(parsed.notes[0])


def test_an_attachment_that_cannot_be_read_is_said() -> None:
    """Its name stays findable."""
    parsed = read(b.Properties({SUBJECT: "s"}), attached=[b.Properties({FILE: "a.mp3"}, {DATA: b"x"})])
    assert parsed.state is State.WARNED
    assert "a.mp3" in str(parsed.notes[0])
    assert parsed.sections[-1].text == "a.mp3\n"


@pytest.mark.parametrize(
    "data", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504), b"no message", b.compound({"x": b"y"})]
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    """With a reason, not a traceback."""
    with pytest.raises(ParseRefused):
        parse(data, ParseLimits())


def test_a_message_cut_anywhere_is_read_or_refused() -> None:
    """Nothing but ParseRefused comes out of a damaged file."""
    whole = b.compound(b.message(b.Properties({SUBJECT: "s", BODY: "text"}), [b.Properties({NAME: "n"})]))
    for length in range(0, len(whole), 97):
        try:
            parse(whole[:length], ParseLimits())
        except ParseRefused:
            continue
