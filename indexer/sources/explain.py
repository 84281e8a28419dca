"""Why a file is or is not a candidate: the walk's rules, asked about one path."""

from __future__ import annotations

import os
import stat as stat_
from collections.abc import Collection

from ..core.model import Message, raw
from ..core.tables import Source
from .patterns import IGNORE_FILE, Patterns, ignored_by, included, lines_of
from .rules import junk, suffix
from .walk import skipped_folder


def explain(source: Source, path: str, suffixes: Collection[str]) -> Message | None:
    """The rule that keeps the walk from taking this path, or None when it takes it.

    Follows the walk's own order: every folder on the way down, then the file.
    """
    rules = Patterns("", source.exclude) if source.exclude else None
    full = os.fsencode(source.path)
    parts = raw(path).split(b"/")
    at = ""
    for i, name in enumerate(parts):
        rules = _own_rules(full, at, rules)
        full = os.path.join(full, name)
        at += name.decode("utf-8", "surrogateescape") + ("/" if i < len(parts) - 1 else "")
        try:
            mode = os.lstat(full).st_mode
        except PermissionError:
            return Message("the folder cannot be read; give the indexer permission")
        except OSError:
            return Message("there is no such file")
        if stat_.S_ISLNK(mode):
            return Message("a link is not followed")
        if i < len(parts) - 1 and (skipped_folder(name) or ignored_by(rules, at)):
            return Message("its folder {folder} is ignored", {"folder": at.rstrip("/")})
    return _file(source, at, parts[-1], mode, rules, suffixes)


def _own_rules(folder: bytes, at: str, rules: Patterns | None) -> Patterns | None:
    try:
        lines = lines_of(os.path.join(folder, IGNORE_FILE))
    except OSError:
        return rules
    return Patterns(at, lines, rules) if lines else rules


def _file(
    source: Source, path: str, name: bytes, mode: int, rules: Patterns | None, suffixes: Collection[str]
) -> Message | None:
    if stat_.S_ISDIR(mode):
        return Message("it is a folder")
    if not stat_.S_ISREG(mode):
        return Message("a pipe, socket or device is not read")
    if rule := junk(name):
        return Message("ignored by rule: {rule}", {"rule": rule})
    if suffix(name) not in suffixes:
        return Message("there is no parser for the type {suffix}", {"suffix": suffix(name) or "-"})
    if ignored_by(rules, path):
        return Message("a pattern in .indexerignore or `exclude` matches it")
    if not included(source.include, path):
        return Message("no pattern of the source's `include` matches it")
    return None
