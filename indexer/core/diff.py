"""What changed between the catalog and a look: a pure comparison of two maps.

Keys are folder paths (bytes, "" for the root), values the packed files of the folder. Equal
blobs are never unpacked, so the cost follows the change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .model import FileStat

Files = dict[bytes, FileStat]
Unpack = Callable[[bytes], Files]


class Candidate(NamedTuple):
    """A file whose bytes must be looked at: new, or its stat is not the recorded one."""

    folder: bytes
    name: bytes
    stat: FileStat
    known: bool

    @property
    def path(self) -> bytes:
        """Path relative to the source."""
        return self.folder + b"/" + self.name if self.folder else self.name


class Gone(NamedTuple):
    """A file the catalog knows and the look did not see, in a folder the look could see."""

    path: bytes
    stat: FileStat


class ChangeSet(NamedTuple):
    """The difference for one source. ``folders`` are those whose blob must be rewritten."""

    candidates: tuple[Candidate, ...] = ()
    gone: tuple[Gone, ...] = ()
    folders: frozenset[bytes] = frozenset()
    vanished: tuple[bytes, ...] = ()
    unknown: int = 0
    known: int = 0


def diff(
    known: Mapping[bytes, bytes],
    seen: Mapping[bytes, bytes],
    unpack: Unpack,
    unknown: Callable[[bytes], bool],
    count: Callable[[bytes], int],
) -> ChangeSet:
    """Compare folder by folder. Files in a folder that could not be seen are *unknown*."""
    candidates: list[Candidate] = []
    gone: list[Gone] = []
    changed: set[bytes] = set()
    vanished: list[bytes] = []
    hidden = total = 0
    for folder, blob in known.items():
        total += count(blob)
        new = seen.get(folder)
        if new == blob:
            continue
        if new is None and unknown(folder):
            hidden += count(blob)
            continue
        old_files = unpack(blob)
        new_files = unpack(new) if new is not None else {}
        (changed.add if new is not None else vanished.append)(folder)
        gone += [Gone(_join(folder, n), s) for n, s in old_files.items() if n not in new_files]
        candidates += _differing(folder, old_files, new_files)
    for folder in seen.keys() - known.keys():
        changed.add(folder)
        candidates += _differing(folder, {}, unpack(seen[folder]))
    candidates.sort(key=lambda c: (c.folder, c.name))
    return ChangeSet(tuple(candidates), tuple(gone), frozenset(changed), tuple(vanished), hidden, total)


def _differing(folder: bytes, old: Files, new: Files) -> list[Candidate]:
    return [Candidate(folder, n, s, n in old) for n, s in new.items() if old.get(n) != s]


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name
