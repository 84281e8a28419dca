"""Mail: headers, body once, attachments and messages inside, whatever real programs write."""

from __future__ import annotations

import base64
import time
from email.message import EmailMessage

import docx_builder
import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.eml import parse

LIMITS = ParseLimits()


def read(raw: str | bytes) -> Parsed:
    return parse(raw if isinstance(raw, bytes) else raw.encode(), LIMITS)


def body(raw: str | bytes) -> str:
    """What stands after the headers."""
    return read(raw).text.split("\n\n", 1)[1]


def mixed(*parts: str, kind: str = "mixed", head: str = "Subject: s\n") -> str:
    return f'{head}Content-Type: multipart/{kind}; boundary="B"\n\n' + "".join(f"--B\n{p}\n" for p in parts) + "--B--\n"


def test_headers_are_lines_and_the_subject_is_the_heading() -> None:
    """Sender, receivers, date in one form; the rest of the headers is no text."""
    raw = (
        "Received: from x\nFrom: 王五 <w@x.cn>\nTo: a@x.cn,\n b@x.cn\nCc: c@x.cn\nSubject: 关于\n 年假\n"
        "Date: Mon, 30 Nov 2026 02:00:00 +0800\nX-Spam: no\n\n正文\n"
    )
    parsed = read(raw)
    assert parsed.text == (
        "关于 年假\nFrom: 王五 <w@x.cn>\nTo: a@x.cn, b@x.cn\nCc: c@x.cn\nDate: 2026-11-30 02:00 +0800\n\n正文\n\n"
    )
    assert parsed.title == "关于 年假"
    assert {s.headings for s in parsed.sections} == {("关于 年假",)}


@pytest.mark.parametrize(
    ("raw", "subject"),
    [
        ("=?utf-8?B?5bm05YGH?=", "年假"),
        ("=?gb2312?B?xOo=?= =?gb2312?B?vNk=?=", "年假"),
        ("=?UTF-8?Q?=E5=B9?=\n =?UTF-8?Q?=B4?= x", "年 x"),  # a character cut in two between the words
        ("Re: =?iso-8859-1?Q?caf=E9_x?=", "Re: café x"),
        ("=?utf-8*zh?B?5bm0?=", "年"),
        ("=?utf-8?B?5bm05YGH", "=?utf-8?B?5bm05YGH"),
        ("=?x-none?Q?a?=", "a"),
        ("=?gb2312?B?xOq82Q?=", "年假"),  # padding lost
    ],
)
def test_encoded_words(raw: str, subject: str) -> None:
    """RFC 2047 as it is written, not only as it should be."""
    assert read(f"Subject: {raw}\n\nx\n").title == subject


def test_headers_of_raw_bytes() -> None:
    """Programs that write Chinese headers without encoding them."""
    raw = "Subject: 年假管理办法通知\nContent-Type: text/plain; charset=gb2312\n\n各部门：\n"
    assert read(raw.encode("gbk")).title == "年假管理办法通知"


@pytest.mark.parametrize(
    ("head", "data"),
    [
        ("Content-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: 8bit", "镕基".encode("gbk")),
        ("Content-Transfer-Encoding: base64", base64.b64encode("镕基".encode())),
        ("Content-Transfer-Encoding: BASE64", base64.b64encode("镕基".encode()).rstrip(b"=") + b"\n!"),
        ("Content-Transfer-Encoding: quoted-printable", b"=E9=95=\n=95=E5=9F=BA"),
        ('Content-Type: text/plain; charset = "UTF-8"Content-Transfer-Encoding: 8bit', "镕基".encode()),
        ("Content-Type: text/plain; charset=us-ascii", "镕基".encode()),
        ("Content-Type: text/plain; charset=x-none", "镕基".encode()),
        ("Content-Type: text/plain; charset=rot13", "镕基".encode()),
        ("Content-Type: nonsense", "镕基".encode()),
    ],
)
def test_bodies_of_every_encoding(head: str, data: bytes) -> None:
    """Declared rightly, wrongly or not at all."""
    assert body(b"Subject: s\n" + head.encode() + b"\n\n" + data) == "镕基\n\n"


PLAIN = "Content-Type: text/plain\n\n"
HTML = "Content-Type: text/html\n\n"


def test_two_forms_of_one_body_are_written_once() -> None:
    """The plain text, when the page says the same."""
    forms = (PLAIN + "各部门请于周五前提交计划", HTML + "<p>各部门请于<b>周五</b>前提交计划</p>")
    assert body(mixed(*forms, kind="alternative")) == "各部门请于周五前提交计划\n\n"


def test_a_stub_gives_way_to_the_page() -> None:
    """A plain text that only says less than the page is left out."""
    forms = (PLAIN + "各部门", HTML + "<p>各部门请于周五前提交计划，逾期不候，特此通知</p>")
    assert body(mixed(*forms, kind="alternative")).strip() == "各部门请于周五前提交计划，逾期不候，特此通知"


def test_two_forms_that_differ_are_both_written() -> None:
    """Neither is lost."""
    forms = (PLAIN + "alpha beta gamma", HTML + "<p>one two three four</p>")
    found = body(mixed(*forms, kind="alternative"))
    assert "alpha beta gamma" in found
    assert "one two three four" in found


def test_a_page_alone() -> None:
    """Scripts, styles and tags are no text."""
    found = body("Subject: s\n" + HTML + "<style>p{}</style><script>x()</script><p>通知</p><p>正文</p>")
    assert found.split() == ["通知", "正文"]


def test_attachments_are_parts_of_their_own() -> None:
    """Each under its file name, read by the parser of its format."""
    message = EmailMessage()
    message["Subject"] = "s"
    message.set_content("see attached")
    docx = docx_builder.docx(docx_builder.para("合同正文"))
    message.add_attachment(docx, maintype="application", subtype="octet-stream", filename="合同.docx")
    message.add_attachment("说明", filename="notes.txt")
    parsed = read(message.as_bytes())
    assert [(s.headings, s.text) for s in parsed.sections[2:]] == [
        (("s", "合同.docx"), "合同.docx\n"),
        (("s", "合同.docx"), "合同正文\n"),
        (("s", "notes.txt"), "notes.txt\n"),
        (("s", "notes.txt"), "说明\n"),
    ]
    assert parsed.state is State.INDEXED
    assert parsed.details["attachments"] == ["合同.docx", "notes.txt"]


def test_names_of_attachments() -> None:
    """RFC 2231 in pieces, encoded words, folders left in the name."""
    part = "Content-Type: application/x-none\nContent-Disposition: attachment; {}\n\nxx"
    names = (
        "filename*0*=UTF-8''%E5%90%88; filename*1*=%E5%90%8C.abc",
        'filename="=?gb2312?B?us/NrA==?=.abc"',
        'filename="C:\\\\tmp\\\\合同.abc"',
    )
    for name in names:
        parsed = read(mixed(PLAIN + "x", part.format(name)))
        assert parsed.sections[-1].text == "合同.abc\n", name


def test_an_attachment_that_cannot_be_read_is_said() -> None:
    """Its name stays findable; the message is indexed all the same."""
    part = 'Content-Type: audio/mpeg; name="a.mp3"\nContent-Disposition: attachment\n\nxx'
    broken = 'Content-Type: application/x; name="b.docx"\nContent-Disposition: attachment\n\nPK\x03\x04xx'
    parsed = read(mixed(PLAIN + "hello", part, broken))
    assert parsed.state is State.WARNED
    assert "a.mp3, b.docx" in str(parsed.notes[0])
    assert "hello" in parsed.text
    assert "a.mp3" in parsed.text


def test_pictures_of_the_body_are_no_attachments() -> None:
    """Logos and signatures that a page shows."""
    picture = "Content-Type: image/png; name=logo.png\nContent-ID: <a>\nContent-Disposition: inline\n\nxx"
    parsed = read(mixed(HTML + '<p>hi<img src="cid:a"></p>', picture, kind="related"))
    assert parsed.state is State.INDEXED
    assert "logo" not in parsed.text


def test_a_forwarded_message_is_read() -> None:
    """Under its own subject, also when it is encoded, which it should not be."""
    inner = "Subject: 内层\nFrom: a@x\n\n内层正文\n"
    parsed = read(mixed(PLAIN + "外层", "Content-Type: message/rfc822\n\n" + inner))
    assert parsed.sections[-1].headings == ("s", "内层")
    assert parsed.sections[-1].text.strip() == "内层正文"
    coded = (
        "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
        + base64.b64encode(inner.encode()).decode()
    )
    assert "内层正文" in read(mixed(PLAIN + "外层", coded)).text


def test_messages_within_messages_end() -> None:
    """Beyond a depth they are named, not read; a hostile depth is refused."""
    raw = "Subject: deep\n\nend\n"
    for level in range(5):
        raw = f"Subject: m{level}\nContent-Type: message/rfc822\n\n{raw}"
    parsed = read(raw)
    assert parsed.state is State.WARNED
    for level in range(400):
        raw = f"Subject: m{level}\nContent-Type: message/rfc822\n\n{raw}"
    with pytest.raises(ParseRefused, match="nested"):
        read(raw)


def test_encrypted_messages_say_so() -> None:
    """Their headers are read, their ciphers are not."""
    pgp = mixed("Content-Type: application/pgp-encrypted\n\nVersion: 1", "Content-Type: a/b\n\nhQEMA", kind="encrypted")
    smime = "Subject: s\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nMIIB"
    inline = "Subject: s\n\nbefore\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"
    for raw in (pgp, smime, inline):
        parsed = read(raw)
        assert parsed.state is State.WARNED, raw
        assert "encrypted" in str(parsed.notes[0])
        assert "hQEMA" not in parsed.text
        assert "MIIB" not in parsed.text


def der(tag: int, *parts: bytes, unsaid: bool = False) -> bytes:
    """One element of the encoding that signatures are written in."""
    inner = b"".join(parts)
    if unsaid:
        return bytes((tag, 0x80)) + inner + b"\0\0"
    size = bytes((len(inner),)) if len(inner) < 128 else b"\x82" + len(inner).to_bytes(2, "big")
    return bytes((tag,)) + size + inner


@pytest.mark.parametrize("unsaid", [False, True])
def test_a_message_inside_its_signature_is_read(unsaid: bool) -> None:
    """S/MIME of the opaque kind: nothing is enciphered, only wrapped."""
    text = "Content-Type: text/plain; charset=utf-8\n\n签名正文\n".encode()
    data_id, signed_id = bytes.fromhex("06092a864886f70d010701"), bytes.fromhex("06092a864886f70d010702")
    octets = der(0x24, der(4, text[:20]), der(4, text[20:]), unsaid=unsaid)
    content = der(0x30, data_id, der(0xA0, octets, unsaid=unsaid), unsaid=unsaid)
    signed = der(0x30, der(2, b"\1"), der(0x31), content, der(0x31), unsaid=unsaid)
    cms = der(0x30, signed_id, der(0xA0, signed, unsaid=unsaid), unsaid=unsaid)
    head = "Subject: s\nContent-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\n"
    assert body(head + base64.b64encode(cms).decode()) == "签名正文\n\n"
    for length in range(0, len(cms), 7):  # damage is taken for a cipher, never a reason to fail
        assert read(head + base64.b64encode(cms[:length]).decode()).title == "s"


def test_signatures_are_no_text() -> None:
    """Neither those of their own part nor armour in the text."""
    parts = (
        PLAIN + "signed text",
        "Content-Type: application/pgp-signature; name=a.asc\n\n-----BEGIN PGP SIGNATURE-----\nxx",
    )
    assert body(mixed(*parts, kind="signed")) == "signed text\n\n"
    armour = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\ntext\n-----BEGIN PGP SIGNATURE-----\nxx\n-----END PGP SIGNATURE-----\n"
    assert body(f"Subject: s\n\n{armour}") == "text\n\n"


def test_flowed_lines_are_joined() -> None:
    """format=flowed: a blank at the end goes on in the next line."""
    assert body("Subject: s\nContent-Type: text/plain; format=flowed\n\none \ntwo\nthree\n") == "one two\nthree\n\n"


def test_a_web_archive_shows_its_page() -> None:
    """MHTML as browsers and Word save it: the page, not its pictures and styles."""
    page = "Content-Type: text/html\nContent-Location: http://x/a.htm\n\n<h1>标题</h1><p>正文</p>"
    style = "Content-Type: text/css\nContent-Location: http://x/a.css\n\np{}"
    picture = "Content-Type: image/png\nContent-Location: http://x/a.png\n\nxx"
    parsed = read(mixed(page, style, picture, kind="related", head="MIME-Version: 1.0\n"))
    assert parsed.text.split() == ["标题", "正文"]
    assert parsed.state is State.INDEXED


def test_nothing_to_read() -> None:
    """White space, and headers without any text."""
    assert read(" \n \n").state is State.NO_TEXT
    assert read("X-Nothing: 1\n\n").state is State.NO_TEXT


@pytest.mark.parametrize(
    "unit",
    ["Subject: =?utf-8?B?5bm0?=\n", "--B\n\n", "=?", "> ", "a;", "Content-Type: multipart/mixed; boundary=B\n\n--B\n"],
)
def test_time_is_linear_on_hostile_mail(unit: str) -> None:
    """A hundred kilobytes of any unit is read in seconds, or refused."""
    begin = time.process_time()
    for head in ("", "Subject: ", "Content-Type: multipart/mixed; boundary=B\n\n"):
        try:
            read(head + unit * (100_000 // len(unit)))
        except ParseRefused:
            continue
    assert time.process_time() - begin < 10
