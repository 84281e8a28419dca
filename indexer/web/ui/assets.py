"""The files a browser fetches: a handful, kept in memory, named with a digest so that they may be cached for ever."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import NamedTuple

from .words import FOLDER

_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Asset(NamedTuple):
    """One file as it is sent."""

    body: bytes
    type: str


@cache
def assets() -> dict[str, Asset]:
    """Name to file; read once."""
    files = sorted(p for p in (FOLDER / "static").iterdir() if p.suffix in _TYPES)
    return {p.name: Asset(p.read_bytes(), _TYPES[p.suffix]) for p in files}


@cache
def version() -> str:
    """The digest in the addresses: other files, other addresses."""
    digest = hashlib.sha256()
    for name, asset in assets().items():
        digest.update(name.encode() + b"\0" + asset.body + b"\0")
    return digest.hexdigest()[:12]


def url(name: str) -> str:
    """Where a file is; raises KeyError for one there is not."""
    assets()[name]
    return f"/static/{version()}/{name}"
