"""A LangChain ``VectorStore`` over a knowledge base: files and documents added by hand, found together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from ..api import KnowledgeBase
from ..core.errors import UsageError
from ..embed.text import clean
from ..store.author import Author
from . import reading, writing
from .documents import document, place_of, plain
from .embeddings import IndexerEmbeddings, knowledge_base_with
from .filters import Filter

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_core.embeddings import Embeddings

    from ..care.handmade import Made
    from ..core.model import Hit


class IndexerVectorStore(VectorStore):
    """Searches everything the knowledge base holds; adds and deletes documents of its own.

    An added document is one passage under its id, in the same catalog and commits as the
    files: it survives updates, and is found by ``KnowledgeBase.search`` and in time travel.
    Adding under an id that is there replaces it. Chunks of files can be searched and got by
    id; they are deleted by deleting the file.

    Scores are cosines in [-1, 1], higher is closer. Searches take ``filter`` (a dictionary of
    metadata or a function of it, applied exactly: ``k`` matching documents are found if there
    are so many), ``inside`` (a glob or folder over ``source/path``), ``as_of`` (a commit or
    time) and ``score_threshold`` (a least cosine). May be used from several threads.
    """

    def __init__(
        self, knowledge_base: KnowledgeBase, *, busy_seconds: float = 10.0, actor: str = "", client: str = ""
    ) -> None:
        """``busy_seconds``: how long to wait for another writer before Busy is raised.

        ``actor`` and ``client``: who adds and deletes, and from where, for the audit trail; "" is the user of this process.
        """
        self.knowledge_base = knowledge_base
        self.busy_seconds = busy_seconds
        self.author = Author(actor, client)

    @classmethod
    def open(cls, home: str | os.PathLike[str], embedding: Embeddings | None = None, **options: Any) -> Self:
        """The store of the knowledge base in ``home``; with ``embedding``, of that very object's vectors."""
        return cls(KnowledgeBase(home) if embedding is None else knowledge_base_with(home, embedding), **options)

    @property
    def embeddings(self) -> IndexerEmbeddings:
        """The model the vectors are made with."""
        return IndexerEmbeddings(self.knowledge_base)

    # ---- adding and deleting -------------------------------------------------------

    def add_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        """Add or replace by id, in one commit; returns the ids, made up where there was none.

        ``ids`` (one each) goes before ``Document.id``. Of an id given twice the last counts.
        Raises UsageError, EmbeddingFailed, Busy, DiskFull; then nothing of it is there.
        """
        ids = _ids(documents, kwargs.get("ids"))
        writing.put(
            self.knowledge_base,
            [_made(i, d) for i, d in zip(ids, documents, strict=True)],
            self.busy_seconds,
            self.author,
        )
        return ids

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Like :meth:`add_documents`, in parts."""
        listed = list(texts)
        facts = metadatas or [{}] * len(listed)
        if len(facts) != len(listed):
            raise UsageError(
                "There are {texts} texts but {metadatas} metadatas; give one each.",
                texts=len(listed),
                metadatas=len(facts),
            )
        documents = [Document(page_content=t, metadata=m) for t, m in zip(listed, facts, strict=True)]
        return self.add_documents(documents, ids=ids, **kwargs)

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Delete added documents by id (None: all of them), in one commit; unknown ids are no error.

        Raises UsageError for a chunk of a file: the file is the truth.
        """
        for i in ids or ():
            if (place := place_of(i)) and any(s.name == place.key.source for s in self.knowledge_base.settings.sources):
                raise UsageError("{document} comes from a file; delete the file and update.", document=str(place.key))
        writing.drop(self.knowledge_base, ids if ids is None else list(map(str, ids)), self.busy_seconds, self.author)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of these ids that are there, in their order."""
        return reading.by_ids(self.knowledge_base, list(map(str, ids)))

    # ---- searching -----------------------------------------------------------------

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The ``k`` closest documents, best first."""
        return [document(h) for h in self._hits(query, k, **kwargs)]

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        """The ``k`` closest documents and their cosines, best first."""
        return [(document(h), h.score) for h in self._hits(query, k, **kwargs)]

    def similarity_search_by_vector(self, embedding: Sequence[float], k: int = 4, **kwargs: Any) -> list[Document]:
        """The ``k`` documents closest to a vector of the model's dimension; its length does not matter."""
        return [document(h) for h in self._hits(embedding, k, **kwargs)]

    def similarity_search_with_score_by_vector(
        self, embedding: Sequence[float], k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The same with cosines."""
        return [(document(h), h.score) for h in self._hits(embedding, k, **kwargs)]

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """``k`` of the ``fetch_k`` closest documents, chosen to be close and unlike each other."""
        return self._diverse(self.knowledge_base.model().embed_query(query), k, fetch_k, lambda_mult, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self, embedding: Sequence[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """The same for a vector."""
        return self._diverse(embedding, k, fetch_k, lambda_mult, **kwargs)

    def _diverse(self, embedding: Any, k: int, fetch_k: int, lambda_mult: float, **kwargs: Any) -> list[Document]:
        import numpy as np

        hits, rows = reading.with_vectors(self.knowledge_base, embedding, max(k, fetch_k), **_known(kwargs))
        if not hits:
            return []
        listed = [row.tolist() for row in rows]
        chosen = maximal_marginal_relevance(np.asarray(embedding, np.float32), listed, lambda_mult, k)
        return [document(hits[i]) for i in chosen]

    def _hits(self, query: str | Sequence[float], k: int, **kwargs: Any) -> list[Hit]:
        return reading.hits(self.knowledge_base, query, k, **_known(kwargs))

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        """Relevance is the cosine, negative ones count as 0."""
        return relevance

    # ---- making one ----------------------------------------------------------------

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Add texts to the knowledge base in the folder ``home`` (or to ``knowledge_base``) and return its store.

        ``embedding`` None: the configured model. Raises UsageError when neither is named.
        """
        knowledge_base, home = kwargs.pop("knowledge_base", None), kwargs.pop("home", None)
        options = {name: kwargs.pop(name) for name in ("busy_seconds",) if name in kwargs}
        if knowledge_base is not None:
            store = cls(knowledge_base, **options)
        elif home is not None:
            store = cls.open(home, embedding, **options)
        else:
            raise UsageError('Name the folder of the knowledge base: from_texts(texts, embedding, home="my-folder").')
        store.add_texts(texts, metadatas, ids=ids, **kwargs)
        return store


def relevance(cosine: float) -> float:
    """A cosine as a relevance in [0, 1]: itself, negative ones count as 0."""
    return min(1.0, max(0.0, cosine))


_OPTIONS = ("filter", "inside", "as_of", "score_threshold")


def _known(kwargs: dict[str, Any]) -> dict[str, Any]:
    """What a search of ours understands; other stores' hints (``fetch_k``) say nothing here."""
    return {name: kwargs[name] for name in _OPTIONS if kwargs.get(name) is not None}


def _ids(documents: Sequence[Document], given: Sequence[str | None] | None) -> list[str]:
    if given is not None and len(given) != len(documents):
        raise UsageError(
            "There are {documents} documents but {ids} ids; give one each.", documents=len(documents), ids=len(given)
        )
    wanted: Iterator[Any] = iter(given if given is not None else [d.id for d in documents])
    return [str(i) if i not in (None, "") else str(uuid4()) for i in wanted]


def _made(id: str, document: Document) -> Made:
    from ..care.handmade import Made

    try:
        id.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as e:
        raise UsageError("The id {id} is no valid text.", id=ascii(id)) from e
    return Made(id, clean(document.page_content), plain(document.metadata))


__all__ = ["Filter", "IndexerVectorStore", "relevance"]
