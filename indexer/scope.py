"""Which documents a search may return: the commit searched and the filters, as documents and as passages."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from . import names
from .core.errors import UsageError
from .core.model import Filters, Key, unraw

if TYPE_CHECKING:
    from .store.catalog import Catalog
    from .store.vectors import Bitmap
    from .store.view import View

NONE = Filters()
_LAST = 9e9  # seconds; nanoseconds are numbers of 64 bits up to the year 2262


class Scope(NamedTuple):
    """What one search may return: ``at`` None is the newest commit, ``documents`` None every visible one."""

    at: int | None
    documents: frozenset[int] | None
    passages: Bitmap


class Visible(NamedTuple):
    """One document with a chunk, visible at a commit."""

    content: int
    document: int
    key: Key


def scope(view: View, at: int | None, filters: Filters, only: Bitmap | None = None) -> Scope:
    """The passages and documents that pass; ``only`` gives the passages instead, the documents are filtered as well."""
    if at is None and filters == NONE and view.live is not None:
        return Scope(None, None, view.live if only is None else only)
    rows = list(visible(view.catalog, at, filters))
    documents = None if filters == NONE else frozenset(row.document for row in rows)
    return Scope(at, documents, _passages(view, {row.content for row in rows}) if only is None else only)


def _passages(view: View, contents: set[int]) -> Bitmap:
    import numpy as np

    allowed = view.bitmap()
    for (blob,) in view.catalog.db.among("SELECT passages FROM content WHERE id IN ({})", sorted(contents)):
        allowed.set(np.frombuffer(blob, dtype=np.int64))
    return allowed


def visible(catalog: Catalog, at: int | None, filters: Filters = NONE) -> Iterator[Visible]:
    """Every document with a chunk that is visible at a commit (None: the newest) and passes the filters."""
    where, args = shown(at)
    log = ""
    if filters.after or filters.before:
        log = "JOIN log l ON l.n=v.added "
        for sign, text in ((">=", filters.after), ("<", filters.before)):
            if text:
                where, args = f"{where} AND l.at{sign}?", (*args, time_ns(text))
    sql = (
        "SELECT v.content,d.id,s.name,d.path,c.title,c.details FROM version v JOIN document d ON d.id=v.document "
        f"JOIN source s ON s.id=d.source JOIN content c ON c.id=v.content {log}WHERE length(c.passages)>0 AND {where}"
    )
    for content, document, source, path, title, details in catalog.db.all(sql, args):
        key = Key(source, unraw(path))
        if _passes(key, title or "", details, filters):
            yield Visible(content, document, key)


def _passes(key: Key, title: str, details: str | None, filters: Filters) -> bool:
    if filters.source and key.source != filters.source:
        return False
    if filters.types and not key.path.casefold().endswith(tuple(map(_suffix, filters.types))):
        return False
    if filters.inside and not matches(filters.inside, key.source, key.path):
        return False
    return not filters.label or _same_label(names.shown(title, details, key.path).label, filters.label)


def _suffix(kind: str) -> str:
    """``pdf``, ``.PDF`` → ``.pdf``."""
    return ("" if kind.startswith(".") else ".") + kind.casefold()


def _same_label(one: str, other: str) -> bool:
    """``v3.1``, ``V3.1`` and ``3.1`` are one version."""
    return _bare(one) == _bare(other)


def _bare(label: str) -> str:
    label = " ".join(label.casefold().split())
    return label[1:] if label[:1] == "v" and label[1:2].isdigit() else label


def shown(at: int | None) -> tuple[str, tuple[int, ...]]:
    """SQL over ``version v`` and its values: visible at a commit (None: the newest)."""
    return ("v.removed IS NULL", ()) if at is None else ("v.added<=? AND (v.removed IS NULL OR v.removed>?)", (at, at))


def time_ns(text: str) -> int:
    """An ISO time (of this machine's zone where it names none) in ns; raises UsageError."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError as e:
        raise UsageError(
            "{text} is neither a commit number nor a time such as 2026-11-30 or 2026-11-30T02:00.", text=text
        ) from e
    try:
        seconds = (when if when.tzinfo else when.astimezone()).timestamp()
    except (OverflowError, ValueError, OSError):  # year 1, year 9999, where the system's clock does not reach
        seconds = -_LAST if when.year < 2000 else _LAST
    return int(min(max(seconds, -_LAST), _LAST) * 1e9)


def matches(pattern: str, source: str, path: str) -> bool:
    """Whether a glob (``*`` crosses folders) or a folder name matches a document."""
    full = f"{source}/{path}"
    return any(
        fnmatch.fnmatchcase(x, pattern) or x == pattern or x.startswith(pattern.rstrip("/") + "/") for x in (path, full)
    )
