"""What must be found, computed from the folder's bytes alone.

Independent of the product but for the splitter, which is a pure function: a plain walk, plain
decoding, and a small model of what is kept when something cannot be looked at (DESIGN 3, invariants
3 and 4). The histories write UTF-8 or bytes that must be refused, so "decode" is strict UTF-8.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from indexer.core.model import Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.split import make_splitter

SUFFIXES = (".txt", ".md", ".bin")
JUNK = ("~$*", "*~", ".*.swp")
KILLER = b"DIE"


@dataclass(frozen=True)
class Version:
    """One good reading of a file."""

    text: str
    sha256: str
    chunks: frozenset[str]
    profile: int  # under which it was read; carried over, it stays what it was


def version(path: str, data: bytes, split: SplitSettings, profile: int) -> Version:
    """What is found of a file with these bytes; ValueError when they cannot be read."""
    text = data.decode()
    if "\0" in text or (path.endswith(".bin") and data.startswith(KILLER)):
        raise ValueError("refused")
    pieces = re.split(r"(?m)^(?=# )", text) if path.endswith(".md") else [text]
    sections = [Section(p, (p[2:].splitlines()[0],) if p.startswith("# ") else ()) for p in pieces if p]
    chunks = make_splitter(split)(Parsed(tuple(sections)))
    return Version(text, hashlib.sha256(data).hexdigest(), frozenset(c.text for c in chunks), profile)


@dataclass
class Walk:
    """The documents of a folder (None: not permitted to read), and the folders that cannot be listed."""

    files: dict[str, bytes | None] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)

    def __init__(self, root: Path) -> None:
        self.files, self.closed = {}, set()
        top = os.fsencode(root)
        rules = _rules(root)

        def shut(error: OSError) -> None:
            path = _name(os.fsencode(error.filename), top)
            if not ignored(path + "/", rules):
                self.closed.add(path)

        for folder, _, names in os.walk(top, onerror=shut):
            for name in names:
                full = os.path.join(folder, name)
                path = _name(full, top)
                if is_document(full, path) and not ignored(path, rules):
                    self.files[path] = _bytes(full)

    def hidden(self, path: str) -> bool:
        """Whether a path lies where the walk could not look."""
        return any(not c or path.startswith(c + "/") for c in self.closed)


def _name(full: bytes, top: bytes) -> str:
    return full[len(top) + 1 :].decode("utf-8", "surrogateescape")


def _bytes(full: bytes) -> bytes | None:
    try:
        with open(full, "rb") as f:
            return f.read()
    except PermissionError:
        return None


def is_document(full: bytes, path: str) -> bool:
    """A regular file with a known suffix that is no editor's temporary."""
    name = path.rpartition("/")[2]
    known = os.path.splitext(name)[1].lower() in SUFFIXES
    return known and not any(fnmatchcase(name, j) for j in JUNK) and stat.S_ISREG(os.lstat(full).st_mode)


def _rules(root: Path) -> list[str]:
    file = root / ".indexerignore"
    return file.read_text("utf-8").splitlines() if file.exists() else []


def ignored(path: str, rules: list[str]) -> bool:
    """gitignore as far as the histories use it: the last rule wins, an excluded folder is final."""
    parts = path.rstrip("/").split("/")
    steps = ["/".join(parts[: i + 1]) + "/" for i in range(len(parts) - 1)] + [path]
    return any(_verdict(step, rules) for step in steps)


def _verdict(path: str, rules: list[str]) -> bool:
    out = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        subject = path.rstrip("/") if "/" in pattern.rstrip("/") else path.rstrip("/").rpartition("/")[2]
        if fnmatchcase(subject, pattern.strip("/")) and (path.endswith("/") or not pattern.endswith("/")):
            out = not rule.startswith("!")
    return out


class Reference:
    """One source: what is found after each look, and why what is not in the folder is still found."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: dict[str, Version] = {}
        self.state: dict[str, str] = {}
        self.known: dict[str, bytes | None] = {}  # bytes at the last look, of files that were there
        self.last: dict[str, bytes | None] = {}  # the same, kept while a deletion is held
        self.held: set[str] = set()
        self.denied: Counter[str] = Counter()
        self.pinned: dict[str, bytes | None] = {}
        self.problems = self.unavailable = self.unknown = False

    def look(self, split: SplitSettings, profile: int = 0, *, allow: bool = False, inside: str = "") -> None:
        """One update. ``inside``: only this file or folder."""
        self.unavailable = not self.root.is_dir()
        if self.unavailable:
            return
        walk = Walk(self.root)
        within = {p: d for p, d in walk.files.items() if _inside(p, inside)}
        emptied = self._missing(walk, within, allow, inside)
        self.held -= walk.files.keys()
        for path, data in within.items():
            self._take(path, data, split, profile)
        self.unavailable = emptied
        bad = any(s in ("stale", "failed") for s in self.state.values())
        self.problems = bool(self.held or bad or walk.closed)
        self.unknown = any(walk.hidden(p) for p in self.found)

    def _take(self, path: str, data: bytes | None, split: SplitSettings, profile: int) -> None:
        """The core: a readable file is found as it is, an unreadable one as it was."""
        self.known[path] = self.last[path] = data
        if path in self.pinned and data is not None and self.pinned[path] == data:
            return
        self.pinned.pop(path, None)
        self.denied[path] = 0 if data is not None else self.denied[path] + 1
        if self.denied[path] > 1:
            self.found.pop(path, None)
        try:
            if data is None:
                raise ValueError("denied")
            self.found[path] = version(path, data, split, profile)
            self.state[path] = "indexed" if self.found[path].chunks else "no_text"
        except ValueError:
            self.state[path] = "stale" if path in self.found else "failed"

    def _missing(self, walk: Walk, within: dict[str, bytes | None], allow: bool, inside: str) -> bool:
        """Remove or hold what is gone; True when the whole folder seems to have been emptied."""
        here = walk.files
        fresh = {
            p for p in self.known if p not in here and not walk.hidden(p) and p not in self.held and _inside(p, inside)
        }
        old = {p for p in self.held if p not in here and not walk.hidden(p)}
        ruled = {p for p in fresh | old if self._ruled_out(p)}
        fresh, old = fresh - ruled, old - ruled
        total = len(self.known.keys() | self.held)
        if old or self._suspicious(fresh, total, here):
            moved = self._moved(sorted(fresh | old, key=os.fsencode), within)
            fresh, old, ruled = fresh - moved, old - moved, ruled | moved
        hold = self._suspicious(fresh, total, here)
        emptied = bool(fresh | old) and not here and total >= 5 and not allow
        release = ruled | (old if allow else set()) | (fresh if not hold or (allow and not old) else set())
        kept = (fresh | old) - release
        for path in release:
            self._forget(path)
        self.held |= kept
        if not (emptied and kept):
            for path in kept:
                self.known.pop(path, None)
        return bool(emptied and kept)

    def _suspicious(self, fresh: set[str], total: int, here: dict[str, bytes | None]) -> bool:
        """More than 10 and more than a fifth gone in one look, or five and all."""
        return bool(fresh) and ((len(fresh) > 10 and len(fresh) > 0.2 * total) or (not here and total >= 5))

    def _moved(self, gone: list[str], here: dict[str, bytes | None]) -> set[str]:
        """Gone files whose bytes lie under a new name, each new file standing for one of them."""
        new = Counter(d for p, d in here.items() if p not in self.known and d is not None)
        moved = set()
        for path in gone:
            if (data := self.last.get(path)) is not None and new[data] > 0:
                new[data] -= 1
                moved.add(path)
        return moved

    def _ruled_out(self, path: str) -> bool:
        """Whether a file (or a folder above it) is still there and a rule excludes it now."""
        full = os.path.join(os.fsencode(self.root), path.encode("utf-8", "surrogateescape"))
        rules = _rules(self.root)
        if os.path.lexists(full):
            return ignored(path, rules)
        above = path.split("/")[:-1]
        steps = ["/".join(above[: i + 1]) for i in range(len(above))]
        return any((self.root / s).is_dir() and ignored(s + "/", rules) for s in steps)

    def _forget(self, path: str) -> None:
        for book in (self.found, self.state, self.known, self.last, self.denied, self.pinned):
            book.pop(path, None)
        self.held.discard(path)

    def roll_back(self, then: dict[str, Version]) -> None:
        """Show what an earlier commit showed; what differs stays so until its file changes."""
        for path in [p for p in self.found.keys() | then.keys() if self.found.get(p) != then.get(p)]:
            self.pinned[path] = self.known.get(path)
            self.held.discard(path)
            self.denied[path] = 0
            if path in then:
                self.found[path] = then[path]
                self.state[path] = "indexed" if then[path].chunks else "no_text"
            else:
                self.found.pop(path, None)
                self.state.pop(path, None)

    def release(self) -> None:
        """End the pins: the next look judges those files as if it had never read them."""
        for path in self.pinned:
            if path in self.found or path in self.known:
                self.known[path] = self.last[path] = None
        self.pinned.clear()

    def hits(self) -> Iterator[tuple[str, str]]:
        """Every (path, chunk text) that a search for everything returns, once each."""
        return ((path, text) for path, v in self.found.items() for text in v.chunks)


def _inside(path: str, wanted: str) -> bool:
    return not wanted or path == wanted or path.startswith(wanted + "/")
