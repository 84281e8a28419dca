"""Bytes to text without ever losing a byte silently.

BOM, then strict UTF-8, then UTF-16/32 without BOM, then UTF-8 with a few bad bytes, then the
legacy encodings in the order chardet ranks them. The choice and every replaced byte are
reported; ``errors="ignore"`` is never used.
"""

from __future__ import annotations

import codecs
import re
import threading
from typing import NamedTuple

from indexer.core.errors import ParseRefused

BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE = 1 << 18  # bytes shown to the detector
ESCAPED = rb"\x1b[$(]|~\{"  # 7-bit encodings: ISO-2022-*, HZ
# What texts are made of: line ends and tab, ASCII, Latin to Arabic, kana, hanzi, Hangul, their signs.
PLAUSIBLE = (
    "[\t\n\f\r -~\u00a0-\u06ff\u2010-\u2027\u2030-\u205e\u20ac\u2100-\u2bff\u3000-\u30ff"
    "\u3105-\u312f\u3200-\u33ff\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee\U0001f300-\U0001faff"
    "\U00020000-\U0002ebe0\ufeff]"
)
FREQUENT = "[ \n\r\ta-zA-Z0-9的是一不在有人、。，：；！？《》（）のはをに이다의 ]"
# Bytes no text has: C0 controls but tab, line ends, form feed, SUB (DOS end mark) and ESC.
CONTROLS = bytes(c for c in (*range(0x20), 0x7F) if c not in b"\t\n\f\r\x1a\x1b")


class Decoded(NamedTuple):
    """The text, the codec that made it, and the byte offsets it could not read (U+FFFD there)."""

    text: str
    encoding: str
    bad: tuple[int, ...] = ()
    zeros: int = 0  # zero bytes left out
    confidence: float = 1.0


def decode(data: bytes) -> Decoded:
    """The text of a file. Raises ParseRefused for binary data."""
    for mark, codec in BOMS:
        if data.startswith(mark):
            return _marked(data, codec, len(mark))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _not_utf8(data)
    if "\0" in text:
        return _wide(data) or _padded(data) or _binary(data)
    if text.isascii() and re.search(ESCAPED, data):
        return _escaped(data) or Decoded(text, "ascii")
    if _is_binary(data):
        return _wide(data) or _binary(data)
    if len(data) <= 64 and not text.isascii() and _accident(data, text):
        return Decoded(data.decode("gb18030"), "gb18030", confidence=0.5)
    return Decoded(text, "utf-8")


def decode_stated(data: bytes, codec: str) -> Decoded | None:
    """The text in the encoding the document states for itself, with a few bad bytes; None when that does not hold."""
    try:
        return _replacing(data, codec, 0, most=1 + len(data) // 1000)
    except (_TooMany, LookupError, UnicodeError):
        return None


def _accident(data: bytes, text: str) -> bool:
    from .charsets import accident

    return accident(data, text)


def _not_utf8(data: bytes) -> Decoded:
    if b"\0" in data:
        return _wide(data) or _padded(data) or _binary(data)
    mostly = _mostly_utf8(data)
    if mostly is not None:
        return mostly
    if _is_binary(data):
        return _wide(data) or _binary(data)
    return _legacy(data)


def _padded(data: bytes) -> Decoded | None:
    """A text with a few runs of zero bytes, as a crash leaves in a log file."""
    runs = len(re.findall(rb"\0+", data))
    rest = data.replace(b"\0", b"")
    if runs > 1 + len(data) // 2000 or len(rest) < 16 or _is_binary(rest):
        return None
    try:
        return Decoded(rest.decode("utf-8"), "utf-8", zeros=len(data) - len(rest))
    except UnicodeDecodeError:
        return None


def _binary(data: bytes) -> Decoded:
    from .sniff import identify, refusal

    kind = identify(data, binary=True)
    if kind is not None and kind != "plain text file":
        raise refusal(kind)
    raise ParseRefused("The file is binary, not a text in any known encoding; exclude it, or save it as UTF-8")


def _is_binary(data: bytes) -> bool:
    """More than 1 % control characters among the first and the last bytes."""
    sample = data if len(data) <= 2 * SAMPLE else data[:SAMPLE] + data[-SAMPLE:]
    controls = len(sample) - len(sample.translate(None, CONTROLS))
    return controls * 100 > len(sample)


# ---- decoding with a few bad bytes ----------------------------------------------------


class _TooMany(Exception):
    """More unreadable sequences than the caller puts up with."""


class _Budget(threading.local):
    """Offsets noted by the error handler of the decoding that runs in this thread."""

    def __init__(self) -> None:
        self.bad: list[int] = []
        self.most = 0


_budget = _Budget()


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if len(_budget.bad) >= _budget.most:
        raise _TooMany
    _budget.bad.append(error.start)
    return "\ufffd", error.end


codecs.register_error("indexer-replace", _replace)


def _replacing(data: bytes, codec: str, start: int, most: int) -> Decoded:
    """Decodes with U+FFFD for each unreadable sequence and lists their offsets in the file."""
    _budget.bad, _budget.most = [], most
    text = data[start:].decode(codec, "indexer-replace")
    return Decoded(text, codec, tuple(start + at for at in _budget.bad))


def _marked(data: bytes, codec: str, start: int) -> Decoded:
    """A file with a BOM: its word is taken, unless more than a twentieth cannot be read."""
    try:
        return _replacing(data, codec, start, most=1 + len(data) // 20)
    except _TooMany:
        return _binary(data)


def _mostly_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with damage: at least four good multi-byte characters for each bad sequence.

    Legacy text read as UTF-8 has more bad sequences than good ones, so three bad bytes must
    not flip a whole file to another code page, and a GBK file is never taken for UTF-8.
    """
    try:
        found = _replacing(data, "utf-8", 0, most=4 + len(data) // 20)
    except _TooMany:
        return None
    # counted by what ASCII leaves out: a list of the characters would take 30 times the text
    good = len(found.text) - len(found.text.encode("ascii", "ignore")) - len(found.bad)
    cut_at_end = len(found.bad) == 1 and found.bad[0] >= len(data) - 3 and good > 0
    return found if good >= 4 * len(found.bad) or cut_at_end else None


# ---- no mark, no UTF-8 ---------------------------------------------------------------


def _wide(data: bytes) -> Decoded | None:
    """UTF-16 or UTF-32 without a mark: the byte order whose characters are those of a text."""
    best: tuple[float, str] = (0.0, "")
    for codec, unit in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        sample = data[: min(len(data), SAMPLE) // unit * unit]
        try:
            text = sample.decode(codec)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                continue
            text = sample[: error.start].decode(codec)
        if text and len(re.findall(PLAUSIBLE, text)) >= 0.9 * len(text):
            best = max(best, (1 + len(re.findall(FREQUENT, text)) / len(text), codec))
    if not best[1]:
        return None
    try:
        found = _replacing(data, best[1], 0, most=1 + len(data) // 200)
    except _TooMany:
        return None
    return None if "\0" in found.text else found


def _escaped(data: bytes) -> Decoded | None:
    """7-bit encodings: HZ and the ISO-2022 family."""
    for codec in ("hz", "iso2022_jp_2", "iso2022_kr"):
        try:
            text = data.decode(codec)
        except (UnicodeDecodeError, ValueError):
            continue
        if not text.isascii():
            return Decoded(text, codec)
    return None


def _legacy(data: bytes) -> Decoded:
    from .charsets import MULTIBYTE, SURE, rank

    for codec, confidence in rank(data[:SAMPLE]):
        damage = 1 + len(data) // 1000 if confidence >= SURE and codec in MULTIBYTE else len(data) // 2000
        try:
            found = _replacing(data, codec, 0, most=damage)
        except _TooMany:
            continue
        return found._replace(confidence=confidence)
    # Every byte has a character in Latin-1, but no detector found sense in them.
    return _replacing(data, "cp1252", 0, most=len(data))
