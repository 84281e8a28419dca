"""Which names in a source are no documents: editor temporaries, system files, user rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = b".indexerignore"

# Exact patterns only: `temp*` or `*.bak` may well be somebody's document.
_JUNK = {
    "Office owner file": rb"~\$.*|\.~lock\..*#",
    "Word temporary": rb"~WR[A-Z]\d*\.tmp|~\$?[0-9a-f]+\.tmp|~DF[0-9A-F]+\.tmp",
    "editor temporary": rb"\..*\.sw[a-px]|.*~|#.*#|\.#.*|\.goutputstream-.*|4913|.*___jb_(?:tmp|old)___",
    "unfinished download": rb".*\.(?:part|partial|crdownload|download|opdownload|!ut|aria2|filepart)",
    "sync temporary": rb"\.syncthing\..*\.tmp|~syncthing~.*\.tmp|\.sync\..*|.*\.tmp\.driveupload|\.nfs[0-9a-f]+|\.owncloudsync\.log.*",
    "system file": rb"\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.localized|Icon\r",
    "rules of the indexer": rb"\.indexerignore",
}
_ANY_JUNK = re.compile(b"|".join(b"(?:%s)" % p for p in _JUNK.values()), re.IGNORECASE | re.DOTALL)
_SKIPPED_FOLDERS = frozenset(
    (
        b".git", b".hg", b".svn", b".bzr", b"__pycache__", b"node_modules", b"@eaDir", b".stversions", b".stfolder",
        b"$RECYCLE.BIN", b"System Volume Information", b"lost+found", b".Trash", b".Trashes", b".fseventsd",
        b".Spotlight-V100", b".indexer",
    )
)  # fmt: skip


def junk(name: bytes) -> str | None:
    """The rule that makes a file name no document, or None."""
    if not _ANY_JUNK.fullmatch(name):
        return None
    return next(
        rule for rule, p in _JUNK.items() if re.fullmatch(p, name, re.IGNORECASE | re.DOTALL)
    )


def skipped_folder(name: bytes) -> bool:
    """Whether a folder of this name is never entered."""
    return name in _SKIPPED_FOLDERS or name.startswith(b".Trash-")


def suffix(name: bytes) -> str:
    """Lower-case suffix with its dot, "" when there is none."""
    dot = name.rfind(b".")
    return name[dot:].lower().decode("utf-8", "surrogateescape") if dot > 0 else ""


_LITERAL = re.compile(r"/[^*?\[\]!\\\s]+(?<!/)")


class Patterns:
    """gitignore rules of one folder, in force for it and everything below.

    Later and deeper rules win, ``!`` re-includes, a re-include does not reach into an
    excluded folder (as git has it). Rules that are plain anchored names (``/README.md``)
    are compared as such: pathspec's import alone costs a third of a no-change run.
    """

    def __init__(self, base: str, lines: Sequence[str], parent: Patterns | None = None) -> None:
        self.base, self.parent = base, parent
        self.literal = frozenset(lines) if all(_LITERAL.fullmatch(x) for x in lines) else None
        self.spec: GitIgnoreSpec | None = None
        if self.literal is None:
            from pathspec import GitIgnoreSpec

            self.spec = GitIgnoreSpec.from_lines(lines)

    def match(self, path: str) -> bool | None:
        """True: excluded, False: re-included, None: no rule speaks of it. Folders end in /."""
        inside = path[len(self.base) :]
        if self.spec is None:
            verdict = True if "/" + inside.removesuffix("/") in (self.literal or ()) else None
        else:
            verdict = self.spec.check_file(inside).include
        if verdict is None and self.parent is not None:
            return self.parent.match(path)
        return verdict


def ignored_by(patterns: Patterns | None, path: str) -> bool:
    """Whether the rules exclude a path relative to the source (folders end in /)."""
    return patterns is not None and patterns.match(path) is True


def included(include: Sequence[str], path: str) -> bool:
    """Whether a file is among the source's ``include`` patterns (empty: all are)."""
    if not include:
        return True
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(include).match_file(path)
