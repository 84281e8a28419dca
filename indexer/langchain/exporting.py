"""The index as a folder of LangChain's own FAISS store.

    FAISS.load_local(folder, embeddings, allow_dangerous_deserialization=True)

opens it without this package and finds what ``KnowledgeBase.search`` finds, in its order.
The vectors have norm 1, so the squared L2 distance d of FAISS's default is 2 - 2 cos: the
cosine is 1 - d / 2. L2 is the default here because it is the default there: relevance scores
and thresholds are right as they are, and equal distances come in the order of the rows (with
the inner product FAISS returns them backwards).
"""

from __future__ import annotations

import io
import json
import os
import pickle  # written for the stock class to load; nothing here ever loads one
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import UsageError
from ..store import disk
from ..store.passages import Passages
from .documents import id_of
from .reading import again, consistent
from .standing import standing

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..search import Reader

MANIFEST = "indexer-export.json"
"""Marks a folder as an export of ours, which another export may replace."""


class _Row(NamedTuple):
    id: str
    passage: int
    metadata: dict[str, Any]


def export(kb: KnowledgeBase, directory: str | os.PathLike[str], *, inner_product: bool = False) -> int:
    """Write everything findable now to ``directory``; returns how many documents (chunks) there are.

    The folder appears whole, by a rename, or not at all; an earlier export in its place is
    replaced, any other folder with something in it is refused (UsageError). ``inner_product``:
    scores are the cosines themselves; load it with
    ``distance_strategy=DistanceStrategy.MAX_INNER_PRODUCT``. Raises DiskFull, StoreDamaged.
    """
    target = Path(directory).expanduser().absolute()
    _check(target)
    if kb.layout.served() is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    files, count = again(lambda: consistent(kb, lambda reader, passages: _files(reader, passages, inner_product)))
    _put(target, files)
    return count


# ---- what is in it ----------------------------------------------------------------------


def _files(reader: Reader, passages: Passages, inner_product: bool) -> tuple[dict[str, bytes | memoryview], int]:
    import faiss
    import numpy as np

    passages.open_all()
    rows = _rows(reader)
    dimension = int(reader.catalog.meta("dimension"))
    vectors = np.empty((len(rows), dimension), np.float32)
    for i, row in enumerate(rows):
        vectors[i] = passages.vector(row.passage)
    index = faiss.IndexFlatIP(dimension) if inner_product else faiss.IndexFlatL2(dimension)
    index.add(vectors)
    manifest = {
        "format": "langchain",
        "commit": reader.catalog.head(),
        "documents": len(rows),
        "dimension": dimension,
        "metric": "inner_product" if inner_product else "l2",
        "embedding": json.loads(reader.catalog.meta("embedding")),
    }
    files: dict[str, bytes | memoryview] = {
        "index.faiss": faiss.serialize_index(index).data,
        "index.pkl": _pickled(rows, passages),
        MANIFEST: json.dumps(manifest, indent=1, ensure_ascii=False).encode(),
    }
    return files, len(rows)


def _rows(reader: Reader) -> list[_Row]:
    """One row a document and passage, in the order in which a search returns equal scores."""
    commit = reader.catalog.head()
    rows = [
        (shown.key, chunk.start, _Row(id_of(shown.key, chunk.start, chunk.end), chunk.passage, chunk.metadata))
        for shown in standing(reader.catalog, None)
        for chunk in shown.chunks(commit)
    ]
    rows.sort(key=lambda r: (r[0], r[1]))
    return [r for _, _, r in rows]


def _pickled(rows: list[_Row], passages: Passages) -> bytes:
    """What ``FAISS.save_local`` pickles: the documents, and which row is which."""
    from langchain_core.documents import Document

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the package announces its end, its format stays
        from langchain_community.docstore.in_memory import InMemoryDocstore

    ids = _unique([r.id for r in rows])
    documents = {
        i: Document(id=i, page_content=passages.text(r.passage), metadata=r.metadata)
        for i, r in zip(ids, rows, strict=True)
    }
    out = io.BytesIO()
    pickle.dump((InMemoryDocstore(documents), dict(enumerate(ids))), out)
    return out.getvalue()


def _unique(ids: list[str]) -> list[str]:
    """An id given by hand may look like a chunk's; the later one gets a suffix."""
    seen: set[str] = set()
    for n, i in enumerate(ids):
        if i in seen:
            ids[n] = f"{i}#{n}"
        seen.add(ids[n])
    return ids


# ---- putting it in place ------------------------------------------------------------------


def _check(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError("{path} is no folder; name one that is empty or does not exist.", path=str(target))
    if target.is_dir() and any(target.iterdir()) and not (target / MANIFEST).is_file():
        raise UsageError("{path} holds other things; name a folder that is empty or does not exist.", path=str(target))


def _put(target: Path, files: dict[str, bytes | memoryview]) -> None:
    """Write beside the target, then swap by renames; what a crash leaves beside it the next export removes."""
    fresh, old = (target.with_name(f"{disk.TEMPORARY}{target.name}-{suffix}") for suffix in ("new", "old"))
    disk.remove_tree(fresh)
    if not target.exists() and old.exists():
        disk.rename(old, target)  # a crash came between the two renames
    disk.remove_tree(old)
    disk.make_folder(fresh)
    try:
        for name, data in files.items():
            disk.write_new(fresh / name, data)
        _check(target)
        if target.exists():
            disk.rename(target, old)
        disk.rename(fresh, target)
    except BaseException:
        disk.remove_tree(fresh)
        if old.exists() and not target.exists():
            disk.rename(old, target)
        raise
    disk.remove_tree(old)
