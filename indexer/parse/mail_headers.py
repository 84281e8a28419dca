"""Headers of a message as a person reads them: encoded words (RFC 2047), raw 8-bit bytes, dates.

Own decoding, since `email.header` keeps each encoded word apart (Chinese programs cut a
character in two between them) and fails on what real programs write.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from email.utils import parsedate_to_datetime

_WORD = re.compile(r"=\?([\w.:+-]{1,40}+)(?:\*[\w-]{0,20}+)?\?([BbQq])\?([^?]*+)\?=")
_BETWEEN = re.compile(r"(\?=)[ \t\r\n]++(?==\?[\w.:+-]{1,40}+(?:\*[\w-]{0,20}+)?\?[BbQq]\?)")
_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")
_SPACE = re.compile(r"\s+")
# Labels that programs read as a larger set of characters, and names Python does not know.
_CODECS = {
    **dict.fromkeys(
        ("gb2312", "gbk", "x-gbk", "cp936", "ms936", "gb_2312-80", "euc-cn", "hz-gb", "chinese"), "gb18030"
    ),
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-latin-1", "x-ansi"), "cp1252"),
    **dict.fromkeys(("ks_c_5601-1987", "ks_c_5601", "euc-kr", "korean"), "cp949"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), "cp932"),
    **{"big5": "big5hkscs", "unicode-1-1-utf-7": "utf-7", "utf8": "utf-8", "iso-8859-8-i": "iso8859-8"},
    **{"iso-8859-9": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874", "iso-2022-jp": "iso2022_jp_ext"},
}
_NO_CODECS = frozenset(("us-ascii", "ascii", "unknown-8bit", "x-unknown", "unknown", "default", "binary", "8bit", ""))
MOST = 20_000  # characters of one header


def codec_of(charset: str) -> str:
    """The codec for a declared character set; "" for none that can be used."""
    name = charset.strip().strip("\"'").lower()
    if name in _NO_CODECS:
        return ""
    try:
        info = codecs.lookup(_CODECS.get(name, name))
    except (LookupError, ValueError):
        return ""
    # rot13 and base64 are codecs too, but no character sets
    return info.name if getattr(info, "_is_text_encoding", True) else ""


def to_text(data: bytes, charset: str = "") -> str:
    """Bytes to text by their declared set; when that is wrong or missing, by what they look like."""
    codec = codec_of(charset)
    for name in (codec, "utf-8"):
        if name:
            try:
                return data.decode(name)
            except (UnicodeDecodeError, ValueError):
                continue
    from indexer.core.errors import ParseRefused

    from .decode import decode

    try:
        return decode(data).text
    except ParseRefused:
        return data.decode(codec or "gb18030", "replace")


def header_text(raw: object, charset: str = "") -> str:
    """A header on one line; ``charset`` is that of the body, for headers of raw bytes."""
    text = str(raw)[:MOST]
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # bytes kept as surrogates by the email package
        text = to_text(text.encode("utf-8", "surrogateescape"), charset)
    if "=?" in text:
        text = _decoded(_BETWEEN.sub(r"\1", text))
    return _SPACE.sub(" ", text).strip()


def _decoded(text: str) -> str:
    out: list[str] = []
    held, codec, at = b"", "", 0
    for match in _WORD.finditer(text):
        charset, data = match[1], _bytes(match[2], match[3])
        if held and (match.start() > at or charset.lower() != codec):
            out.append(to_text(held, codec))
            held = b""
        out.append(text[at : match.start()])
        held, codec, at = held + data, charset.lower(), match.end()
    if held:
        out.append(to_text(held, codec))
    return "".join([*out, text[at:]])


def _bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "Qq":
        return _HEX.sub(lambda m: bytes((int(m[1], 16),)), data.replace(b"_", b" "))
    return from_base64(data)


def from_base64(data: bytes) -> bytes:
    """What can be decoded of base64: foreign characters are skipped, missing padding is added."""
    clean = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    if len(clean) % 4 == 1:
        clean = clean[:-1]
    try:
        return base64.b64decode(clean + b"=" * (-len(clean) % 4))
    except (binascii.Error, ValueError):
        return b""


def date_text(raw: str) -> str:
    """A date as ``2026-11-30 02:00 +0800``; as it is written when it is no date."""
    try:
        when = parsedate_to_datetime(raw[:200])
        return f"{when:%Y-%m-%d %H:%M %z}".strip()
    except (TypeError, ValueError, IndexError, OverflowError):
        return raw
