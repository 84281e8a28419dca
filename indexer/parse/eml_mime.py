"""The MIME tree of a message: what is body, what is attachment, what is a message inside."""

from __future__ import annotations

import binascii
import contextlib
import quopri
import re
from email import message_from_bytes
from email.message import Message as Part
from email.policy import Compat32

from indexer.core.errors import ParseRefused
from indexer.core.model import Message

from .mail import Attached, Mail
from .mail_body import Body
from .mail_headers import date_text, from_base64, header_text, to_text
from .mail_signed import signed_content

SHOWN = ("From", "To", "Cc", "Date")
DEEPEST = 40  # multiparts in multiparts
# Parts that are a form of what is said elsewhere, or proof of it.
_NO_TEXT = """application/pgp-signature application/pkcs7-signature application/x-pkcs7-signature application/pgp-keys
    text/x-amp-html text/calendar application/ics text/css application/x-javascript text/javascript
    application/x-mso application/vnd.ms-officetheme application/pgp-encrypted text/x-vcard text/vcard"""
_SILENT = frozenset(_NO_TEXT.split())
_REPORTS = frozenset(("message/delivery-status", "message/disposition-notification", "text/rfc822-headers"))
ENCRYPTED = Message("The message is encrypted: only its headers were read. Decrypt it and save it again to index it")


class _Raw(Compat32):
    """Headers as they stand in the file: bytes that are no ASCII stay, as surrogates, for `header_text`."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


_POLICY = _Raw()


def read_mail(data: bytes) -> Mail:
    """The message in these bytes."""
    return _mail(message_from_bytes(data.lstrip(b"\r\n\xef\xbb\xbf"), policy=_POLICY), 1)


def _mail(message: Part, depth: int) -> Mail:
    charset = next((found for part in message.walk() if (found := _parameter(part, "charset"))), "")
    mail = Mail(_header(message, "Subject", charset))
    for name in SHOWN:
        value = _header(message, name, charset)
        if value:
            mail.fields.append((name, date_text(value) if name == "Date" else value))
    _Tree(mail, depth).take(message)
    return mail


def _header(message: Part, name: str, charset: str) -> str:
    values = [header_text(value, charset) for value in message.get_all(name, [])]
    return ", ".join(dict.fromkeys(value for value in values if value))


class _Tree:
    """Goes through the parts of one message."""

    def __init__(self, mail: Mail, depth: int) -> None:
        self._mail = mail
        self._depth = depth  # of messages and multiparts around

    def take(self, part: Part, resource: bool = False) -> None:
        """Adds a part to the message; a ``resource`` is shown inside a page (picture, style)."""
        kind = _kind(part)
        if self._depth > DEEPEST:
            raise ParseRefused(
                "The file is nested too deeply, as no mail program writes it; save the message again, or exclude it"
            )
        if kind == "multipart/encrypted":
            self._mail.notes.append(ENCRYPTED)
        elif kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
            self._signed(part)
        elif kind == "message/rfc822" or kind == "message/global":
            self._message(part)
        elif part.is_multipart():
            self._depth += 1
            self._multipart(kind, [p for p in part.get_payload() if isinstance(p, Part)], resource)
            self._depth -= 1
        elif kind not in _SILENT:
            self._leaf(part, kind, resource)

    def _multipart(self, kind: str, parts: list[Part], resource: bool) -> None:
        if kind == "multipart/alternative":
            self._alternative(parts)
        elif kind == "multipart/related":
            for index, part in enumerate(parts):
                self.take(part, resource=resource or index > 0)
        else:
            for part in parts:
                self.take(part, resource)

    def _alternative(self, parts: list[Part]) -> None:
        """One body in several forms; pictures and files that hang on one of them are kept."""
        before = len(self._mail.bodies)
        for part in parts:
            self.take(part)
        forms = self._mail.bodies[before:]
        plain = "\n".join(body.plain for body in forms if body.plain)
        html = "\n".join(body.html for body in forms if body.html)
        self._mail.bodies[before:] = [Body(plain, html)] if plain or html else []

    def _signed(self, part: Part) -> None:
        """A part whose content stands inside its signature, or is enciphered."""
        content = signed_content(_content(part))
        if content is None:
            self._mail.notes.append(ENCRYPTED)
        else:
            self._depth += 1
            self.take(message_from_bytes(content, policy=_POLICY))
            self._depth -= 1

    def _message(self, part: Part) -> None:
        inner = part.get_payload()
        message = inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], Part) else part
        encoding = _encoding(part)
        if message is part or (encoding and not message.keys() and not message.is_multipart()):
            # base64, which the standard forbids and GroupWise writes
            message = message_from_bytes(_decoded(_bytes(message), encoding).lstrip(), policy=_POLICY)
        if self._depth > DEEPEST:
            raise ParseRefused(
                "The file is nested too deeply, as no mail program writes it; save the message again, or exclude it"
            )
        self._mail.attached.append(Attached(_name(part), mail=_mail(message, self._depth + 1)))

    def _leaf(self, part: Part, kind: str, resource: bool) -> None:
        name = _name(part)
        disposition = str(part.get("Content-Disposition", "")).strip().lower()
        attached = disposition.startswith("attachment") or (bool(name) and not kind.startswith("text/"))
        if kind in ("text/html", "application/xhtml+xml") and not attached:
            self._mail.bodies.append(Body(html=_text(part)))
        elif (kind == "text/plain" or kind == "text/enriched" or kind in _REPORTS) and not attached:
            text = _flowed(part, _text(part))
            if "-----BEGIN PGP MESSAGE-----" in text:
                self._mail.notes.append(ENCRYPTED)
            self._mail.bodies.append(Body(plain=text))
        elif resource and not disposition.startswith("attachment"):
            return
        elif name or (attached and not kind.startswith("image/")):
            if kind.startswith("image/") and part.get("Content-ID") and not disposition.startswith("attachment"):
                return  # a picture in the body: logos, signatures
            self._mail.attached.append(Attached(name or _unnamed(kind), _content(part)))


def _kind(part: Part) -> str:
    try:
        return part.get_content_type()
    except (ValueError, TypeError, AttributeError, IndexError):
        return "application/octet-stream"


def _parameter(part: Part, name: str, header: str = "Content-Type") -> str:
    try:
        value = part.get_param(name, "", header)
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""
    if isinstance(value, tuple):  # RFC 2231: charset, language, percent-encoded bytes
        return to_text(str(value[2]).encode("latin-1", "replace"), str(value[0] or ""))
    return str(value or "")


def _name(part: Part) -> str:
    """The file name of a part, without the folders some programs leave in it."""
    raw = _parameter(part, "filename", "Content-Disposition") or _parameter(part, "name")
    name = header_text(raw, _parameter(part, "charset")) if raw else ""
    return name.replace("\\", "/").rpartition("/")[2].strip()[:200]


def _unnamed(kind: str) -> str:
    return {"application/pdf": "attachment.pdf", "text/html": "attachment.html"}.get(kind, "attachment")


def _encoding(part: Part) -> str:
    value = str(part.get("Content-Transfer-Encoding", "")).lower()
    match = re.search(r"base64|quoted-printable|uuencode|x-uue", value)
    return match[0] if match else ""


def _content(part: Part) -> bytes:
    encoding = _encoding(part)
    return _decoded(_bytes(part), encoding)


def _bytes(part: Part) -> bytes:
    """The payload as it stands in the file: without its header the library decodes nothing."""
    del part["Content-Transfer-Encoding"]
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _decoded(data: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        return from_base64(data)
    if encoding == "quoted-printable":
        return quopri.decodestring(data)
    return _uudecoded(data) if encoding else data


def _uudecoded(data: bytes) -> bytes:
    out = bytearray()
    for line in data.splitlines():
        if line.startswith((b"begin ", b"end")) or not line.strip():
            continue
        try:
            out += binascii.a2b_uu(line)
        except binascii.Error:
            length = (((line[0] - 32) & 63) * 4 + 5) // 3  # as the standard library mends it
            with contextlib.suppress(binascii.Error):
                out += binascii.a2b_uu(line[:length])
    return bytes(out)


def _text(part: Part) -> str:
    return to_text(_content(part), _parameter(part, "charset")).replace("\0", "")


def _flowed(part: Part, text: str) -> str:
    """Lines that end with a blank go on in the next one (RFC 3676)."""
    if _parameter(part, "format").lower() != "flowed":
        return text
    space = "" if _parameter(part, "delsp").lower() == "yes" else " "
    lines: list[str] = []
    joined = False
    for line in text.replace("\r\n", "\n").split("\n"):
        goes_on = line.endswith(" ") and line != "-- "
        if joined and lines and not line.startswith(">"):
            lines[-1] = lines[-1].rstrip(" ") + space + line
        else:
            lines.append(line)
        joined = goes_on and not line.startswith(">")
    return "\n".join(lines)
