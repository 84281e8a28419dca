"""A walk that visits only what somebody asked about: the cost of a saved file is its folder, not the source.

A module of its own, so that the no-change path does not load it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import TypeAlias

from .walk import Walk

Tree: TypeAlias = "dict[bytes, Tree] | None"
"""Names below a folder; None: the folder is wanted whole."""


def tree(wanted: Iterable[bytes]) -> Tree:
    """The wanted paths as nested names; what lies in a wanted folder adds nothing."""
    top: dict[bytes, Tree] = {}
    for path in wanted:
        if not path:
            return None
        at, (*above, name) = top, path.split(b"/")
        for step in above:
            below = at.setdefault(step, {})
            if below is None:
                break
            at = below
        else:
            at[name] = None
    return top


def visit(walk: Walk, wanted: Collection[bytes]) -> Walk:
    """Walk only as far as these paths need; what it says of them is what a whole walk says.

    A wanted file: its folder is listed whole. A wanted folder: it and everything below. The folders
    on the way are read for their rules and for the one name that leads down; what was known below a
    name that is no folder any more is gone.
    """
    pending = [(b"", walk.rules, tree(wanted))]
    while pending:
        walk.stop()
        path, rules, names = pending.pop()
        if names is None:
            pending += [(p, r, None) for p, r in walk.folder(path, rules)]
            continue
        way = None not in names.values() and _searchable(walk.root, path)
        found = walk.folder(path, rules, names if way else None)
        pending += [(p, r, names[name]) for p, r in found if (name := p.rpartition(b"/")[2]) in names]
    return walk


def shows_nothing(walk: Walk) -> bool:
    """Whether there is no candidate in the whole source; stops at the first one."""
    whole = Walk(walk.root, walk.endings, walk.include, walk.exclude, walk.stop)
    pending = [(b"", whole.rules)]
    while pending and not whole.folders:
        whole.stop()
        pending += whole.folder(*pending.pop())
    return not whole.folders


def _searchable(root: bytes, path: bytes) -> bool:
    """Whether names in a folder can be looked up: where not, a whole listing says what is unknown."""
    try:
        os.lstat(os.path.join(root, path, b"."))
    except OSError:
        return False
    return True
