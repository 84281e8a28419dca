"""The id of a document in URLs: base64url without padding of the raw bytes of ``source/path``.

A source's name holds no "/", so the first one ends it; the id names one document and can be
computed by anybody who knows where the document lies.
"""

from __future__ import annotations

import base64
import binascii

from .core.errors import UsageError
from .core.model import Key, raw, unraw

MOST = 8192
"""Characters an id may have: four bytes of base64 for three of the longest path Linux knows, and its source."""


def docid(key: Key) -> str:
    """The id of a document."""
    return base64.urlsafe_b64encode(raw(f"{key.source}/{key.path}")).rstrip(b"=").decode()


def key_of(text: str) -> Key:
    """The document an id names; raises UsageError for a text that no document has as its id."""
    data = b""
    if len(text) <= MOST and text.isascii():
        try:
            data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            data = b""
    source, slash, path = data.partition(b"/")
    key = Key(unraw(source), unraw(path))
    if not (source and slash and path) or b"\0" in data or docid(key) != text:
        raise UsageError("{id} is not the id of a document.", id=text[:100])
    return key
