"""The storages of an Outlook message and what they say."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

from .mail import Attached, Mail
from .mail_body import Body
from .mail_headers import codec_of, to_text
from .mail_signed import signed_content
from .msg_rtf import decompressed

if TYPE_CHECKING:
    from olefile import OleFileIO

SUBJECT, HEADERS, BODY, HTML, RTF = 0x0037, 0x007D, 0x1000, 0x1013, 0x1009
SENDER_NAME, SENDER_MAIL, SENDER_SMTP, TO, CC = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03
SENT, DELIVERED, CODE_PAGE, INTERNET_PAGE, CLASS = 0x0039, 0x0E06, 0x3FFD, 0x3FDE, 0x001A
NAME, ADDRESS, SMTP, RECIPIENT_TYPE = 0x3001, 0x3003, 0x39FE, 0x0C15
DATA, SHORT_NAME, LONG_NAME, METHOD, CONTENT_ID, FLAGS, HIDDEN, MIME = (
    *(0x3701, 0x3704, 0x3707, 0x3705, 0x3712, 0x3714, 0x7FFE, 0x370E),
)
EMBEDDED = "__substg1.0_3701000D"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".webp")
DEEPEST = 8  # messages in messages


def read_message(data: bytes, limits: ParseLimits) -> Mail:
    """The message in these bytes. Raises ParseRefused."""
    from olefile import OleFileIO

    try:
        with OleFileIO(BytesIO(data)) as ole:
            if not ole.exists("__properties_version1.0"):
                raise ParseRefused("The file is no Outlook message; open it with the program that made it")
            return _Storage(ole, [], 32).mail(limits, 1)
    except (OSError, ValueError, IndexError, TypeError, struct.error) as error:
        raise ParseRefused(
            "The file is damaged: it is no whole Outlook message. Restore it from a good copy"
        ) from error


class _Storage:
    """One storage with its properties: the message, a recipient or an attachment."""

    def __init__(self, ole: OleFileIO, path: list[str], header: int, page: int = 0) -> None:
        self._ole = ole
        self._path = path
        self._names = {
            entry[len(path)]
            for entry in ole.listdir(streams=True, storages=True)
            if entry[: len(path)] == path and len(entry) > len(path)
        }
        self._fixed = dict(self._properties(header))
        self._page = self.number(CODE_PAGE) or self.number(INTERNET_PAGE) or page

    def _properties(self, header: int) -> Iterator[tuple[int, bytes]]:
        data = self._stream("__properties_version1.0")
        for at in range(header, len(data) - 15, 16):
            tag, value = struct.unpack_from("<I4x8s", data, at)
            yield tag >> 16, value

    def _stream(self, name: str) -> bytes:
        if name not in self._names:
            return b""
        data: bytes = self._ole.openstream([*self._path, name]).read()
        return data

    def number(self, tag: int) -> int:
        """A property of fixed size as a number; 0 when it is not set."""
        return int.from_bytes(self._fixed.get(tag, b"")[:4], "little")

    def text(self, tag: int) -> str:
        """A text property, in Unicode or in the code page of the message."""
        wide = self._stream(f"__substg1.0_{tag:04X}001F")
        if wide:
            return wide.decode("utf-16-le", "replace").replace("\0", "")
        return to_text(self._stream(f"__substg1.0_{tag:04X}001E"), self._charset()).replace("\0", "")

    def binary(self, tag: int) -> bytes:
        """A property of bytes."""
        return self._stream(f"__substg1.0_{tag:04X}0102")

    def mail(self, limits: ParseLimits, depth: int) -> Mail:
        """The message of this storage with everything in it."""
        mail = Mail(" ".join(self.text(SUBJECT).split()))
        sender = _address(self.text(SENDER_NAME), self.text(SENDER_SMTP) or self.text(SENDER_MAIL))
        people = list(self._recipients())
        to = ", ".join(text for kind, text in people if kind in (0, 1)) or self.text(TO)
        copy = ", ".join(text for kind, text in people if kind == 2) or self.text(CC)
        fields = (("From", sender), ("To", to), ("Cc", copy), ("Date", self._date()))
        mail.fields = [(name, " ".join(value.split())) for name, value in fields if value.strip()]
        mail.bodies = [self._body(limits)]
        if self.text(CLASS).lower().startswith("ipm.note.smime"):
            self._signed(mail)
        else:
            self._attachments(mail, limits, depth)
        return mail

    def _signed(self, mail: Mail) -> None:
        """A signed or enciphered message: what it says stands in its one attachment."""
        from .eml_mime import ENCRYPTED, read_mail

        for item in self._children("__attach_version1.0_"):
            data = item.binary(DATA)
            content = data if b"content-type:" in data[:2000].lower() else signed_content(data)
            if content is None:
                mail.notes.append(ENCRYPTED)
                continue
            inner = read_mail(content)
            mail.bodies = inner.bodies or mail.bodies
            mail.attached.extend(inner.attached)
            mail.notes.extend(inner.notes)

    def _charset(self) -> str:
        return {0: "", 65001: "utf-8", 20127: ""}.get(self._page, f"cp{self._page}")

    def _body(self, limits: ParseLimits) -> Body:
        html = self.binary(HTML)
        charset = {0: "", 65001: "utf-8"}.get(self.number(INTERNET_PAGE), f"cp{self.number(INTERNET_PAGE)}")
        page = to_text(html, charset if codec_of(charset) else self._charset()) if html else self.text(HTML)
        plain = self.text(BODY)
        if not plain.strip() and not page.strip() and (packed := self.binary(RTF)):
            from .rtf import parse

            plain = parse(decompressed(packed), limits).text
        return Body(plain, page)

    def _date(self) -> str:
        for tag in (SENT, DELIVERED):
            ticks = int.from_bytes(self._fixed.get(tag, b""), "little")
            if 0 < ticks < 1 << 62:
                try:
                    when = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
                except OverflowError:
                    continue
                return f"{when:%Y-%m-%d %H:%M %z}"
        return ""

    def _children(self, prefix: str) -> Iterator[_Storage]:
        for name in sorted(name for name in self._names if name.startswith(prefix)):
            yield _Storage(self._ole, [*self._path, name], 8, self._page)

    def _recipients(self) -> Iterator[tuple[int, str]]:
        for person in self._children("__recip_version1.0_"):
            text = _address(person.text(NAME), person.text(SMTP) or person.text(ADDRESS))
            if text:
                yield person.number(RECIPIENT_TYPE) & 0xF, text

    def _attachments(self, mail: Mail, limits: ParseLimits, depth: int) -> None:
        shown = "".join(body.html for body in mail.bodies)
        for item in self._children("__attach_version1.0_"):
            name = (item.text(LONG_NAME) or item.text(SHORT_NAME) or item.text(NAME)).replace("\\", "/")
            name = name.rpartition("/")[2].strip()[:200]
            if EMBEDDED in item._names:
                inner = _Storage(self._ole, [*item._path, EMBEDDED], 24, self._page)
                if "__properties_version1.0" in inner._names and depth < DEEPEST:
                    mail.attached.append(Attached("", mail=inner.mail(limits, depth + 1)))
                else:  # an object of another program, shown in the body
                    mail.attached.append(Attached(name))
            elif not item._is_in_body(name, shown):
                mail.attached.append(Attached(name, item.binary(DATA)))

    def _is_in_body(self, name: str, html: str) -> bool:
        """A picture that the body shows: logos, signatures."""
        if not name.lower().endswith(_PICTURES) and not self.text(MIME).startswith("image/"):
            return False
        content_id = self.text(CONTENT_ID)
        return bool(self.number(HIDDEN) & 1 or self.number(FLAGS) & 4 or (content_id and f"cid:{content_id}" in html))


def _address(name: str, mail: str) -> str:
    name, mail = " ".join(name.split()).strip("'\""), mail.strip()
    if "@" not in mail or mail.lower() == name.lower():
        return name or mail  # an address of Exchange's own kind says nothing
    return f"{name} <{mail}>" if name else mail
