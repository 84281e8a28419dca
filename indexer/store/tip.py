"""A second witness of the newest commit, in a small file beside the catalog.

SQLite takes a damaged byte in its log for a write that a crash cut short and drops the rest of
the log without a word, commits and all. The witness is written after a commit is durable and
never waited for, so it may be behind the catalog; if it is ahead, commits were lost.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from . import disk

NAME = "tip"


class Tip(NamedTuple):
    """Number and hash of a published commit."""

    commit: int
    hash: bytes


def note(folder: Path, commit: int, hash_: bytes) -> None:
    """Put the newest commit on record."""
    line = f"{commit:016d} {hash_.hex()}".encode()
    disk.write_hint(folder / NAME, line + b" " + _check(line))


def read(folder: Path) -> Tip | None:
    """The commit on record, None when there is none or the file does not hold."""
    try:
        line, _, check = (folder / NAME).read_bytes().rpartition(b" ")
        commit, hash_ = line.split(b" ")
        return Tip(int(commit), bytes.fromhex(hash_.decode("ascii"))) if check == _check(line) else None
    except (OSError, ValueError):
        return None


def _check(line: bytes) -> bytes:
    return hashlib.sha256(line).hexdigest()[:16].encode()
