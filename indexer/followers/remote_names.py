"""How a document is called at a server that knows file names only: unique, readable, and not too long.

Servers cut folders off a name, so they are written into it. Letters of all scripts stay as they are: a person reads
these names in answers. What a file system, a URL or the server itself may read as something else is percent-encoded.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from urllib.parse import quote

from ..core.model import Key, raw

MOST_BYTES = 200  # a file name has 255 bytes, and servers put something before it or behind
_KEPT = frozenset("-_.()（）【】《》、，。 ")


def remote_name(key: Key) -> str:
    """``knowledge_base%2Fhr%2F婚假管理办法 v3.1.md``; a long one is cut and ends with a hash and the suffix."""
    name = "".join(map(_safe, f"{key.source}/{key.path}"))
    name = name.replace(".[", "%2E[").strip()
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name.encode()) <= MOST_BYTES:
        return name
    digest = hashlib.sha256(key.source.encode() + b"/" + raw(key.path)).hexdigest()[:16]
    suffix = "".join(map(_safe, PurePosixPath(key.path).suffix))
    suffix = suffix if len(suffix.encode()) <= 20 else ""
    room = MOST_BYTES - len(suffix) - 18
    return _cut(name, room) + "~" + digest + suffix


def _safe(character: str) -> str:
    if character.isalnum() or character in _KEPT:
        return character
    return quote(raw(character), safe="")


def _cut(name: str, room: int) -> str:
    """The beginning, never in the middle of a character or of a percent code."""
    cut = name.encode()[: max(room, 1)].decode(errors="ignore")
    tail = cut[-2:]
    return cut[: -2 + tail.index("%")] if "%" in tail else cut
