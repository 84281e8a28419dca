"""Decisions about a change set, as values: what is withheld, and in which order work is done."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import NamedTuple

from .diff import Candidate, ChangeSet


class HoldRule(NamedTuple):
    """More than ``documents`` *and* more than ``share`` of a source gone in one look: held.

    A source that shows no file at all is withheld from ``emptied`` documents on: below that,
    somebody cleared a small folder; and whatever the number when the root is another folder
    than before (an empty mount point).
    """

    documents: int = 10
    share: float = 0.20
    emptied: int = 5


class Deletions(NamedTuple):
    """What happens to the files that are gone: removed now, or held until confirmed."""

    remove: tuple[bytes, ...] = ()
    hold: tuple[bytes, ...] = ()
    emptied: bool = False


def withhold(
    gone: Sequence[bytes],
    held_before: Collection[bytes],
    total: int,
    *,
    empty: bool,
    same_root: bool,
    allow: bool,
    rule: HoldRule,
    exactly: Collection[bytes] | None = None,
) -> Deletions:
    """Decide about the paths that are gone; ``held_before`` are those shown to somebody already.

    ``allow`` releases exactly the held ones; when none were held, what this look found is the
    shown set. Newly gone files are judged by themselves, so old holds never drag one along.
    ``exactly``: the set that was shown, where it is known; it goes, everything else is judged as ever.
    """
    if exactly is not None:
        rest = withhold(
            [p for p in gone if p not in exactly],
            held_before,
            total,
            empty=empty,
            same_root=same_root,
            allow=False,
            rule=rule,
        )
        return rest._replace(remove=tuple(p for p in gone if p in exactly) + rest.remove)
    fresh = [p for p in gone if p not in held_before]
    old = [p for p in gone if p in held_before]
    emptied = empty and bool(gone) and (not same_root or total >= rule.emptied)
    many = len(fresh) > rule.documents and len(fresh) > rule.share * max(total, 1)
    suspicious = bool(fresh) and (many or emptied)
    if allow:
        release = fresh if not old or not suspicious else []
        return Deletions(tuple(old + release), tuple(fresh if not release else ()))
    if suspicious:
        return Deletions((), tuple(old + fresh), emptied)
    return Deletions(tuple(fresh), tuple(old), emptied and bool(old))


def first_and_rest(changes: ChangeSet, sizes: Container[int]) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates that may be a moved file come first: ``sizes`` are those of the files that are gone, in any source.

    So a moved document is never missing in between: its old name ends after its new name is there,
    or with it.
    """
    first = [c for c in changes.candidates if c.stat.size in sizes]  # also over a name that was there
    chosen = {(c.folder, c.name) for c in first}
    return first, [c for c in changes.candidates if (c.folder, c.name) not in chosen]
