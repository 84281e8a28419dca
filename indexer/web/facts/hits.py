"""What a search found, as the API tells it."""

from __future__ import annotations

from typing import Any

from ... import names
from ...core.model import Hit, display
from ...docid import docid
from . import plain


def told(hit: Hit) -> dict[str, Any]:
    """One hit."""
    document = docid(hit.key)
    return {
        "document": document, "source": display(hit.key.source), "path": display(hit.key.path),
        "title": plain(hit.title), "label": plain(hit.label), "headings": [plain(h) for h in hit.headings],
        "page": hit.page, "place": plain(hit.place), "start": hit.start, "end": hit.end, "text": plain(hit.text),
        "score": round(float(hit.score), 6), "fused": round(float(hit.fused), 6), "found_by": list(hit.found_by),
        "citation": plain(names.citation(hit)), "commit": hit.commit, "sha256": hit.sha256, "passage": hit.passage,
        "url": f"/documents/{document}?commit={hit.commit}&start={hit.start}&end={hit.end}",
    }  # fmt: skip
