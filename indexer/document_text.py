"""The text of a document, put together from its stored chunks: now, and at any commit within the retention.

Chunks overlap, and between two of them white space may have been dropped. Positions are kept exactly: what
a hit or a citation calls ``start`` and ``end`` are characters of this text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from .core.errors import StoreDamaged
from .store.catalog import Catalog, Spans, unpack_ids

_MANY = 20_000
"""Lines above which a comparison is made of whole blocks: difflib's time grows with the square."""


class Stretch(NamedTuple):
    """A part of the text with one place."""

    start: int
    end: int
    headings: tuple[str, ...]
    page: int | None
    place: str


class DocumentText(NamedTuple):
    """``commit``: the one that brought this version; ``sha256``: of the file's bytes."""

    text: str
    sections: tuple[Stretch, ...]
    commit: int
    sha256: str


class Line(NamedTuple):
    """A line of a comparison; ``kind`` is same, added or removed."""

    kind: str
    text: str


def text_at(catalog: Catalog, document: int, text_of: Callable[[int], str], commit: int | None) -> DocumentText | None:
    """A document's text at a commit (None: the newest), None when it was not shown then.

    ``text_of``: a passage's text by its id. Raises StoreDamaged when a passage is not there.
    """
    shown, args = ("removed IS NULL", ()) if commit is None else ("added<=? AND (removed IS NULL OR removed>?)", (commit, commit))  # fmt: skip
    row = catalog.db.one(
        "SELECT v.added,c.sha,c.spans,c.passages FROM version v JOIN content c ON c.id=v.content "
        f"WHERE v.document=? AND {shown}",
        (document, *args),
    )
    if row is None:
        return None
    added, sha, spans, ids = row
    unpacked = Spans.unpack(spans)
    try:
        texts = [text_of(i) for i in unpack_ids(ids)]
    except KeyError as e:
        raise StoreDamaged("The catalog names a passage it does not hold; run `indexer repair`.") from e
    return DocumentText(joined(unpacked.spans, texts), tuple(_sections(unpacked)), added, sha[:32].hex())


def joined(spans: Sequence[tuple[int, int, int, int]], texts: Sequence[str]) -> str:
    """The chunks laid over each other at their positions; what lies between two is white space."""
    parts: list[str] = []
    at = last = 0
    for (start, end, where, _), text in sorted(zip(spans, texts, strict=True), key=lambda x: x[0][:2]):
        if end <= at:
            continue
        body = text[len(text) - (end - start) :]  # a table's header lines may stand before it
        if start > at:
            parts.append(_between(start - at, where == last and "\n" not in body and bool(parts)))
        parts.append(body[max(0, at - start) :])
        at, last = end, where
    return "".join(parts)


def _between(length: int, prose: bool) -> str:
    """White space for a gap: a space within a paragraph, else the ends of lines."""
    return " " if length == 1 and prose else "\n" * length


def _sections(spans: Spans) -> Iterator[Stretch]:
    """Neighbouring chunks of one place as one stretch, in the order of the text."""
    open_: Stretch | None = None
    for start, end, where, page in sorted(spans.spans):
        headings, place = spans.places[where]
        here = Stretch(start, end, headings, page or None, place)
        if open_ is not None and open_[2:] == here[2:]:
            open_ = open_._replace(end=max(end, open_.end))
            continue
        if open_ is not None:
            yield open_
        open_ = here
    if open_ is not None:
        yield open_


def compared(old: str, new: str) -> list[Line]:
    """Two texts line by line."""
    a, b = old.splitlines(), new.splitlines()
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    found = [Line("same", line) for line in a[:head]]
    if len(middle_a) + len(middle_b) > _MANY:
        found += [*_lines("removed", middle_a), *_lines("added", middle_b)]
    else:
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, middle_a, middle_b, autojunk=False).get_opcodes():
            if tag == "equal":
                found += _lines("same", middle_a[i1:i2])
            else:
                found += [*_lines("removed", middle_a[i1:i2]), *_lines("added", middle_b[j1:j2])]
    return found + _lines("same", a[len(a) - tail :])


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _lines(kind: str, texts: Sequence[str]) -> list[Line]:
    return [Line(kind, text) for text in texts]
