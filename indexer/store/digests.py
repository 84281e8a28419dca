"""What makes the catalog self-checking: hashes of rows, contents, visible documents and commits."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence

_WORD = 2**256


def proof(row: Iterable[object]) -> bytes:
    """8 bytes that make a row self-checking: each value with its length, so none can pass for another."""
    data = [v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogatepass") for v in row]
    return hashlib.sha256(b"".join(b"%d " % len(d) + d for d in data)).digest()[:8]


def content_digest(
    sha: bytes, state: str, words: tuple[str | None, str, str], spans: bytes, keys: Sequence[bytes]
) -> bytes:
    """What makes a content self-checking: its identity, locators and passage keys.

    ``words``: notes, title and details.
    """
    h = hashlib.sha256(sha + proof((state, *words)))
    h.update(zlib.decompress(spans))
    h.update(b"".join(keys))
    return h.digest()


def term(source: str, path: bytes, content_sha: bytes, digest: bytes) -> int:
    """One visible document as a number; the sum over all is the state of a commit."""
    data = b"\0".join((source.encode(), path)) + content_sha + digest
    return int.from_bytes(hashlib.sha256(data).digest(), "big")


def add_terms(state: bytes, plus: Iterable[int], minus: Iterable[int]) -> bytes:
    """A state (32 bytes) after documents came and went; order does not matter."""
    return ((int.from_bytes(state, "big") + sum(plus) - sum(minus)) % _WORD).to_bytes(32, "big")


def chain(previous: bytes, n: int, at: int, run: int, note: str, counts: tuple[int, int], state: bytes) -> bytes:
    """The hash of a commit over its parent's: the audit chain. ``counts``: versions begun and ended."""
    return hashlib.sha256(previous + json.dumps([n, at, run, note, *counts, state.hex()]).encode()).digest()
