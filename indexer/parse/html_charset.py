"""The characters of a page: its mark, UTF-8 if it is UTF-8, then what it states, then what fits.

A statement is often wrong: editors copy "charset=gb2312" into UTF-8 pages, and pages that say
GB 2312 use the larger GB 18030. Labels mean what browsers take them for (the superset).
"""

from __future__ import annotations

import codecs
import re

from .charsets import rank
from .decode import BOMS, SAMPLE, Decoded, decode, decode_stated

_META = re.compile(rb"<meta\b[^>]{0,400}?charset\s{0,8}=\s{0,8}[\"']?\s{0,8}([\w.:-]{2,40})", re.I)
_XML = re.compile(rb"\s{0,64}<\?xml[^>]{0,200}?encoding\s{0,8}=\s{0,8}[\"']([\w.:-]{2,40})", re.I)
_RUN = re.compile(rb"[\x80-\xff]{4,}+")
_MARKUP = re.compile(rb"<[^<>]{0,2000}+>")
_HIGH = re.compile(rb"[\x80-\xff]")
CERTAIN = 0.8  # confidence from which the bytes overrule a statement
HEAD = 1 << 14  # bytes looked at: saved pages put long comments and styles before the statement
SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312": "gb18030",
    "x-gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "cp936": "gb18030",
    "ms936": "gb18030",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}
DOUBLE = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"})
# Characters of three UTF-8 bytes and more: two-byte ones also arise by accident from hanzi in GBK.
_SURELY_UTF8 = re.compile("[\u0800-\U0010ffff]")


def decode_page(data: bytes, stated: str = "") -> Decoded:
    """The text of an HTML or XML page. ``stated`` is what its container says. Raises ParseRefused for binary data."""
    if data.startswith(tuple(mark for mark, _ in BOMS)):
        return decode(data)
    codec = codec_of(stated) or codec_of(statement(data))
    if codec is None:
        return decode(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _trusted(data, codec) or decode(data)
    if codec in DOUBLE and not text.isascii() and not _SURELY_UTF8.search(text):
        return _trusted(data, codec) or decode(data)
    if codec.startswith("iso2022") or codec == "hz":
        return _trusted(data, codec) or decode(data)
    return decode(data) if "\0" in text or text.isascii() else Decoded(text, "utf-8")


def statement(data: bytes) -> str:
    """The encoding a page or an XML file states for itself, "" for none."""
    head = data[:HEAD]
    found = _XML.match(head) or _META.search(head)
    return found[1].decode("ascii").lower() if found else ""


def codec_of(label: str) -> str | None:
    """Python's codec for a label; None for one that is unknown or cannot be true of ASCII-like bytes."""
    label = label.strip().lower()
    if not label or label.startswith(("utf-16", "utf-32", "ucs", "unicode", "raw", "iso-10646")):
        return None
    try:
        name = codecs.lookup(SUPERSETS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    return name if name in DOUBLE or _is_text_codec(name) else None


def _is_text_codec(name: str) -> bool:
    try:
        return "<a>".encode(name) == b"<a>"
    except (LookupError, UnicodeError, TypeError, AttributeError):
        return False


def _trusted(data: bytes, codec: str) -> Decoded | None:
    """What the page states, if it makes sense of the bytes."""
    if codec == "utf-8" or b"\0" in data:
        return None  # bad places in UTF-8 are for `decode` to weigh
    found = decode_stated(data, codec)
    if found is None:
        return None
    guess = _guessed(data)
    if codec == "cp1252" and 2 * sum(map(len, _RUN.findall(data))) > len(_HIGH.findall(data)):
        return guess  # what editors write by default; no Latin text has so many accents in a row
    other = guess.encoding in DOUBLE and guess.encoding != codec and guess.confidence >= CERTAIN
    return guess if other else found


def _guessed(data: bytes) -> Decoded:
    """What the words alone look like: the detector would believe a statement in the markup."""
    for codec, confidence in rank(_MARKUP.sub(b" ", data[:SAMPLE])):
        found = decode_stated(data, codec)
        if found is not None:
            return found._replace(confidence=confidence)
    return decode(data)
