"""Which names can be a document: the walk's rules for one name, asked before anything is kept of an event."""

from __future__ import annotations

import os
from collections.abc import Collection

from ...core.model import raw, unraw
from ...core.tables import Source
from ...sources.patterns import IGNORE_FILE, Patterns, ignored_by, included, lines_of
from ...sources.rules import junk
from ...sources.walk import skipped_folder


class Relevance:
    """The rules of one source; ``rules`` below are those in force in the folder a name lies in."""

    def __init__(self, source: Source, suffixes: Collection[str]) -> None:
        self.endings, self.include = frozenset(map(raw, suffixes)), source.include
        self.top = Patterns("", source.exclude) if source.exclude else None

    def document(self, path: bytes, rules: Patterns | None) -> bool:
        """Whether a file of this name is a candidate, or changes what is one."""
        name = path.rpartition(b"/")[2]
        if name == IGNORE_FILE:
            return True
        dot = name.rfind(b".")
        if dot <= 0 or name[dot:].lower() not in self.endings or junk(name):
            return False
        if rules is None and not self.include:
            return True
        text = unraw(path)
        return not ignored_by(rules, text) and included(self.include, text)

    def folder(self, path: bytes, rules: Patterns | None) -> bool:
        """Whether the walk enters a folder of this name."""
        if skipped_folder(path.rpartition(b"/")[2]):
            return False
        return rules is None or not ignored_by(rules, unraw(path) + "/")

    def rules(self, root: bytes, path: bytes, above: Patterns | None) -> Patterns | None:
        """The rules in a folder: those above it and its own file's."""
        try:
            lines = lines_of(os.path.join(root, path, IGNORE_FILE))
        except OSError:  # the folder counts as unreadable: the look says so
            return above
        return Patterns(unraw(path) + "/" if path else "", lines, above) if lines else above
