"""What lies in the folder, as somebody without special rights sees it: a plain walk of its own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import reference
from rights import ordinary

SUFFIXES = (".txt", ".md", ".docx")
OUTSIDE = ("__pycache__", ".git")
"""Folders that nobody enters, whatever lies in them."""


class Folder:
    """``files``: the bytes of each document by path, None where reading is forbidden; ``closed``: folders nobody can list."""

    def __init__(self, root: Path) -> None:
        self._top = os.fsencode(root)
        self.files: dict[str, bytes | None] = {}
        self.closed: set[str] = set()
        with ordinary():
            self._rules = reference._rules(root)
            for folder, below, names in os.walk(self._top, onerror=self._shut):
                below[:] = [n for n in below if os.fsdecode(n) not in OUTSIDE]
                for name in names:
                    self._take(os.path.join(folder, name))

    def hidden(self, path: str) -> bool:
        """Whether a path lies where nobody could look; the root itself may be away."""
        return any(not c or path.startswith(c + "/") for c in self.closed)

    def _shut(self, error: OSError) -> None:
        path = self._name(os.fsencode(error.filename))
        if not reference.ignored(path + "/", self._rules):  # what rules exclude need not be looked at
            self.closed.add(path)

    def _name(self, full: bytes) -> str:
        return full[len(self._top) + 1 :].decode("utf-8", "surrogateescape")

    def _take(self, full: bytes) -> None:
        path = self._name(full)
        name = path.rpartition("/")[2]
        junk = name.startswith(("~$", "._")) or name.endswith("~") or (name.startswith(".") and name.endswith(".swp"))
        known = os.path.splitext(name)[1].lower() in SUFFIXES
        if known and not junk and stat.S_ISREG(os.lstat(full).st_mode) and not reference.ignored(path, self._rules):
            try:
                with open(full, "rb") as file:
                    self.files[path] = file.read()
            except PermissionError:
                self.files[path] = None
