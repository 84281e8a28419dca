"""What became of the documents an answer rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import names
from ..core.model import raw
from .model import Citation, Standing

if TYPE_CHECKING:
    from ..store.catalog import Catalog

_NOW = (
    "SELECT v.added,hex(substr(c.sha,1,32)),c.title,c.details FROM version v JOIN document d ON d.id=v.document "
    "JOIN source s ON s.id=d.source JOIN content c ON c.id=v.content WHERE s.name=? AND d.path=? AND v.removed IS NULL"
)


def standing(catalog: Catalog | None, citations: Sequence[Citation]) -> tuple[Standing, ...]:
    """One entry for each citation, in order. Without an index everything is gone."""
    if catalog is None:
        return tuple(Standing(c.n, "gone") for c in citations)
    with catalog.db.read():
        return tuple(_one(catalog, c) for c in citations)


def _one(catalog: Catalog, citation: Citation) -> Standing:
    row = catalog.db.one(_NOW, (citation.source, raw(citation.path)))
    if row is None:
        return Standing(citation.n, "gone")
    added, digest, title, details = row
    sha = digest.lower()
    label = names.shown(title or "", details, citation.path).label
    return Standing(citation.n, "unchanged" if sha == citation.sha256 else "changed", added, sha, label)
