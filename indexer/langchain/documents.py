"""Hits as LangChain documents, and the ids they go by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_core.documents import Document

from ..care.handmade import SOURCE
from ..core.model import Key
from ..names import Named

if TYPE_CHECKING:
    from ..core.model import Hit

_CHUNK = re.compile(r"(?P<source>[^/]+)/(?P<path>.+)#char=(?P<start>\d+),(?P<end>\d+)", re.DOTALL)


class Place(NamedTuple):
    """A chunk of a file: its document and its characters in the parsed text."""

    key: Key
    start: int
    end: int


def id_of(key: Key, start: int, end: int) -> str:
    """The id of a document: its own when it was added by id, else ``source/path#char=start,end`` (RFC 5147)."""
    return key.path if key.source == SOURCE else f"{key.source}/{key.path}#char={start},{end}"


def place_of(id: str) -> Place | None:
    """Inverse of :func:`id_of` for chunks of files; None for any other id."""
    m = _CHUNK.fullmatch(id)
    return Place(Key(m["source"], m["path"]), int(m["start"]), int(m["end"])) if m else None


def document(hit: Hit, *, score: bool = False) -> Document:
    """A hit as a document; a document added by hand has exactly the metadata it was added with.

    ``score``: put the cosine into the metadata too, unless it has a ``score`` already.
    """
    if hit.key.source == SOURCE:
        metadata = dict(hit.metadata)
    else:
        metadata = file_metadata(
            hit.key,
            (hit.headings, hit.place),
            hit.page,
            hit.start,
            hit.end,
            Named(hit.title, hit.label),
            hit.sha256,
            hit.commit,
        )
    if score:
        metadata.setdefault("score", hit.score)
    return Document(id=id_of(hit.key, hit.start, hit.end), page_content=hit.text, metadata=metadata)


def file_metadata(
    key: Key,
    where: tuple[tuple[str, ...], str],
    page: int | None,
    start: int,
    end: int,
    named: Named,
    sha256: str,
    commit: int,
) -> dict[str, Any]:
    """What a chunk of a file says of itself; every key is always there, so prompts may name it.

    ``source`` is the full name as the product shows it (``source/path``), which is what
    LangChain's chains cite; ``path`` is relative to the source's folder. ``page`` counts from
    1 (None where there are no pages); ``place`` is the format's own locator (lines, cells, time;
    mostly ""); ``start`` and ``end`` count characters of the parsed text; ``label`` is the
    document's version label ("v3.1").
    """
    return {
        "source": f"{key.source}/{key.path}",
        "path": key.path,
        "page": page,
        "headings": list(where[0]),
        "place": where[1],
        "title": named.title,
        "label": named.label,
        "start": start,
        "end": end,
        "sha256": sha256,
        "commit": commit,
    }


def plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as it can be kept (JSON); raises UsageError naming the key that cannot."""
    import json

    from ..core.errors import UsageError

    kept = {}
    for key, value in metadata.items():
        try:
            kept[str(key)] = json.loads(json.dumps(value, default=_plain))
        except (TypeError, ValueError) as e:
            raise UsageError(
                "The metadata {key} of a document cannot be kept ({why}); give text, numbers, lists or dictionaries.",
                key=key,
                why=e,
            ) from e
    return kept


def _plain(value: object) -> object:
    """Dates, paths, UUIDs and the like become text, NumPy's numbers plain ones, sets lists."""
    from datetime import date, time
    from decimal import Decimal
    from pathlib import PurePath
    from uuid import UUID

    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, UUID | PurePath | Decimal):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if callable(listed := getattr(value, "tolist", None)):
        return listed()
    raise TypeError(f"{type(value).__name__} is no JSON")
