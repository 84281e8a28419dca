"""Strings of JSON: escapes decoded, exports of mistaken programs repaired, bytes of pictures left out."""

from __future__ import annotations

import json
import re

_BASE64 = re.compile(r"(?:data:[\w.+;=/-]{0,100}?;base64,)?+([A-Za-z0-9+/_-]{200,}+={0,2})")
_LATIN_ESCAPE = re.compile(r"\\u00[89a-fA-F][0-9a-fA-F]")


def decoded(raw: str) -> str:
    """A string without its quotes and escapes. Chat exports that wrote UTF-8 bytes as Latin letters are repaired."""
    if "\\" not in raw:
        return raw[1:-1]
    try:
        text = str(json.loads(raw, strict=False))
    except ValueError:
        return raw[1:-1]
    if _LATIN_ESCAPE.search(raw):
        try:
            return text.encode("latin-1").decode()
        except UnicodeError:
            return text
    return text


def shown(text: str) -> str:
    """A value without the bytes of pictures in it."""
    found = _BASE64.fullmatch(text) if len(text) >= 200 else None
    return text[: found.start(1)] + "..." if found else text
