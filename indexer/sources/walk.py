"""The walk over one folder tree: names and stats, nothing is opened.

Imports next to nothing, because the no-change path runs it before the product is loaded. A
folder's files are packed into one blob (sorted names, size, mtime, ctime, inode), so an
unchanged folder is one bytes comparison: measured at 100,000 files this keeps a no-change
look within 2 x of ``find``.
"""

from __future__ import annotations

import errno
import os
from struct import Struct

from .patterns import IGNORE_FILE, Patterns, ignored_by, included, lines_of

STAT = Struct("<QqqQ")
COUNT = Struct("<I")

_SKIPPED_FOLDERS = frozenset(
    (
        b".git", b".hg", b".svn", b".bzr", b"__pycache__", b"node_modules", b"@eaDir", b".stversions", b".stfolder",
        b"$RECYCLE.BIN", b"System Volume Information", b"lost+found", b".Trash", b".Trashes", b".fseventsd",
        b".Spotlight-V100", b".indexer",
    )
)  # fmt: skip
_JUNK_STARTS = b"~.#4$"


def skipped_folder(name: bytes) -> bool:
    """Whether a folder of this name is never entered."""
    return name in _SKIPPED_FOLDERS or name.startswith(b".Trash-")


def pack(names: list[bytes], stats: list[bytes]) -> bytes:
    """One folder's files as bytes, names sorted; equal contents give equal bytes."""
    return COUNT.pack(len(names)) + b"".join(stats) + b"\0".join(names)


class Walk:
    """What one walk sees. Folder paths are bytes relative to the root, "" for the root.

    ``endings``: supported suffixes as lower-case bytes. ``plain``: those of ordinary documents:
    such a name that starts with a letter needs no look at the rules for temporaries. ``stop``
    is called once per folder and may raise.
    """

    def __init__(self, root: bytes, endings, include=(), exclude=(), stop=lambda: None) -> None:  # type: ignore[no-untyped-def]
        self.root, self.endings, self.stop = root, frozenset(endings), stop
        self.include, self.exclude = tuple(include), tuple(exclude)
        self.rules = Patterns("", exclude) if exclude else None
        self.plain = self.endings & _PLAIN
        self.folders: dict[bytes, bytes] = {}
        self.unreadable: dict[bytes, str] = {}
        self.ignored: set[bytes] = set()
        self.skipped: list[tuple[bytes, str]] = []

    def like(self, other: Walk) -> bool:
        """Whether the other walk looks at the same root by the same rules."""
        mine, its = ((w.root, w.endings, w.include, w.exclude) for w in (self, other))
        return mine == its

    def go(self) -> Walk:
        """Walk it all."""
        pending = [(b"", self.rules)]
        while pending:
            self.stop()
            pending += self.folder(*pending.pop())
        return self

    def folder(self, path: bytes, rules: Patterns | None, only=None) -> list[tuple[bytes, Patterns | None]]:  # type: ignore[no-untyped-def]
        """List one folder, or only these names in it; returns the folders below it."""
        below: list[tuple[bytes, Patterns | None]] = []
        prefix = path + b"/" if path else b""
        full = os.path.join(self.root, path) if path else self.root
        try:
            with os.scandir(full) as it:
                entries = sorted(it, key=_name)
            if any(e.name == IGNORE_FILE for e in entries):
                lines = lines_of(os.path.join(full, IGNORE_FILE))
                rules = Patterns(_text(prefix), lines, rules) if lines else rules
            if only is not None:
                entries = [e for e in entries if e.name in only]
            names, stats = [], []
            for entry in entries:
                name = entry.name
                if entry.is_symlink():
                    self.skipped.append((prefix + name, "a link is not followed"))
                elif entry.is_dir(follow_symlinks=False):
                    if rules and ignored_by(rules, _text(prefix + name) + "/"):
                        self.ignored.add(prefix + name)
                    elif not skipped_folder(name):
                        below.append((prefix + name, rules))
                elif self._candidate(entry, name, prefix, rules) and (stat := _stat(entry)):
                    names.append(name)
                    stats.append(stat)
        except OSError as e:
            if not path or e.errno not in (errno.ENOENT, errno.ENOTDIR):  # else removed while we walked
                self.unreadable[path] = e.strerror or str(e)
            return []
        if names:
            self.folders[path] = pack(names, stats)
        return below

    def _candidate(self, entry, name: bytes, prefix: bytes, rules: Patterns | None) -> bool:  # type: ignore[no-untyped-def]
        dot = name.rfind(b".")
        if dot <= 0 or (name[dot:] not in self.endings and name[dot:].lower() not in self.endings):
            return False
        if (name[0] in _JUNK_STARTS or name[dot:] not in self.plain) and _junk(name):
            return False
        if not entry.is_file(follow_symlinks=False):
            self.skipped.append((prefix + name, "a pipe, socket or device is not read"))
            return False
        if rules is not None or self.include:
            path = _text(prefix + name)
            if ignored_by(rules, path) or not included(self.include, path):
                self.ignored.add(prefix + name)
                return False
        return True


_PLAIN = frozenset(
    b".txt .text .log .md .markdown .pdf .docx .docm .dotx .html .htm .xhtml .mht .mhtml .epub .rst .ipynb .json .jsonl .ndjson .xml"
    b" .srt .vtt .csv .tsv .xlsx .xlsm .ods .pptx .pptm .odt .odp .rtf .eml .msg .doc .xls .ppt .wps .et .dps"
    b" .png .jpg .jpeg .tif .tiff .bmp .webp .gif .py .js .ts .tsx .go .java .rs .c .h .cpp .hpp .cs .sh .sql .yaml .yml .toml".split()
)
"""Suffixes no temporary file has unless its name starts with a mark (a test holds this against the rules)."""


def _name(entry) -> bytes:  # type: ignore[no-untyped-def]
    return entry.name  # type: ignore[no-any-return]


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _junk(name: bytes) -> bool:
    from .rules import junk

    return junk(name) is not None


def _stat(entry) -> bytes | None:  # type: ignore[no-untyped-def]
    try:
        st = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return STAT.pack(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)
