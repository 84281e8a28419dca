"""The Python API: a knowledge base that is updated and searched."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .care.generations import Profile
from .core.errors import IndexerError, StoreDamaged, UsageError
from .core.model import EmbeddingSettings, Filters, Hit
from .core.ports import Embedder, Parser, Splitter
from .settings import Settings
from .store.catalog import Catalog
from .store.local import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .ask import Answer, Kept, Question, Turn
    from .ask.answering import Tell
    from .langchain import IndexerEmbeddings, IndexerRetriever, IndexerVectorStore
    from .parse import Parsers
    from .search import Only, Reader
    from .update import Report, World

Warn = Callable[[str], None]
MODES = ("hybrid", "vector", "lexical")


class _Asked(NamedTuple):
    query: str | Sequence[float]
    k: int
    mode: str
    per_document: int


class KnowledgeBase:
    """Folders of documents and the index over them.

    ``home`` is the folder with ``indexer.toml``. Cheap to make: the model is loaded by the
    first search, or by the first update that has something to embed.
    """

    def __init__(
        self,
        home: str | os.PathLike[str] | Settings,
        *,
        flags: Mapping[str, object] | None = None,
        warn: Warn = lambda text: None,
    ) -> None:
        if isinstance(home, Settings):
            self.settings = home
        else:
            from .config import load_settings

            self.settings = load_settings(Path(home), flags or {})
        self.layout = Layout(Path(self.settings.metadata), Path(self.settings.vectorstore))
        self.warn = warn
        self._reader: Reader | None = None
        self._generation = ""
        self._models: dict[str, Embedder] = {}
        self._asked: tuple[Embedder, str, NDArray[np.float32]] | None = None
        self._loading = threading.RLock()
        self.lock = threading.RLock()
        """Held while the reader is used: searches may come from several threads."""

    def twin(self) -> KnowledgeBase:
        """Another reader of the same knowledge base with the same models in memory: the two search side by side."""
        twin = KnowledgeBase(self.settings, warn=self.warn)
        twin.share(self)
        return twin

    def share(self, other: KnowledgeBase) -> None:
        """Use the other's models: they are loaded once."""
        self._models, self._loading = other._models, other._loading

    # ---- updating ------------------------------------------------------------------

    def world(self, **edges: Any) -> World:
        """The edges of a run with this configuration; ``edges`` replace single ones."""
        from .update import World

        parser = edges.get("parser") or self.parser()
        defaults: dict[str, Any] = {
            "settings": self.settings, "parser": parser, "split": self._splitter(),
            "profile": self.profile(parser), "now_ns": time.time_ns,
        }  # fmt: skip
        return World(**{**defaults, **edges})

    def parser(self) -> Parsers:
        """The configured parsers; their processes start with the first file that needs one."""
        from .batches import workers_of
        from .parse import Parsers

        s = self.settings
        return Parsers(s.limits, dict(s.loaders), workers_of(s.workers), network=s.loaders_network == "allowed")

    def _splitter(self) -> Splitter:
        from .split import make_splitter

        return make_splitter(self.settings.split)

    def profile(self, parser: Parser) -> Profile:
        """What this configuration makes of the documents."""
        from . import embed, split

        s = self.settings
        facts = {
            "embedding": embed.describe(s.embedding),
            "split": {"size": s.split.size, "overlap": s.split.overlap, "version": split.VERSION},
            "parsers": dict(parser.fingerprint()),
        }
        return Profile(facts, _public_json(s.embedding), lambda: self.embedder(s.embedding))

    def embedder(self, settings: EmbeddingSettings) -> Embedder:
        """The model of these settings, loaded once."""
        from . import embed

        name = repr(settings)
        with self._loading:
            if name not in self._models:
                self._models[name] = embed.load(settings)
            return self._models[name]

    def adopt(self, model: Embedder) -> None:
        """Take an embedder made elsewhere for the configured one."""
        self._models[repr(self.settings.embedding)] = model

    def model(self, catalog: Catalog | None = None) -> Embedder:
        """The model the served vectors (or a catalog's) were made with; the configured one before there are any."""
        if catalog is not None:
            return self.embedder(self._served_model(catalog))
        with self.lock:
            return self.embedder(
                self._served_model(self.reader().catalog) if self.layout.served() else self.settings.embedding
            )

    def update(
        self, *, dry_run: bool = False, allow_deletions: bool = False, verify_content: bool = False,
        actor: str = "", client: str = "", **edges: Any,
    ) -> Report:  # fmt: skip
        """Bring the index up to date with the folders; raises IndexerError.

        ``actor``, ``client``: who asks, and from where, for the audit trail; "" is the user of this process.
        """
        from .update import Request, update

        request = Request(dry_run, allow_deletions, verify_content, trigger="api", actor=actor, client=client)
        return update(self.world(**edges), request)

    # ---- searching -----------------------------------------------------------------

    def reader(self) -> Reader:
        """The reader of the served generation, reopened when another is served."""
        from .search import open_reader

        served = self.layout.served()
        if self._reader is None or served != self._generation:
            if self._reader is not None:
                self._reader.close()
            self._reader, self._generation = open_reader(self.layout, self.warn)
        return self._reader

    def catalog(self) -> Catalog | None:
        """The served catalog, read only; None before the first update. Close it after use."""
        while served := self.layout.served():
            try:
                catalog = Catalog.open(self.layout.metadata / served, readonly=True)
                catalog.head()
            except IndexerError:
                if self.layout.served() == served:
                    raise
                continue
            if self.layout.served() == served:
                return catalog
            catalog.close()
        return None

    def search(
        self, query: str | Sequence[float], k: int = 5, *, inside: str = "", as_of: str = "", only: Only | None = None,
        mode: str = "", filters: Filters = Filters(), per_document: int = 0,  # noqa: B008 - it is immutable
    ) -> list[Hit]:  # fmt: skip
        """The best ``k`` chunks, best first. Empty before the first update.

        ``query``: a text, or a vector of the model's dimension (its length does not matter; mode "vector").
        ``mode``: "hybrid", "vector" or "lexical"; "" is the configured one. ``inside`` is short for that filter.
        ``per_document``: so many chunks of one document go first, its others after all the rest;
        0: as configured, else hybrid search puts no four of one document in a row while there are others.
        ``only``: see :meth:`indexer.search.Reader.search`.
        """
        filters = filters._replace(inside=inside) if inside else filters
        with self.lock:
            asked = _Asked(query, k, self._mode(query, mode), per_document)
            return self._found(asked, {"as_of": as_of, "only": only, "filters": filters})

    def _mode(self, query: str | Sequence[float], mode: str) -> str:
        mode = mode or self.settings.search.mode
        if mode not in MODES:
            raise UsageError("A search has the mode {known}, not {given}.", known=", ".join(MODES), given=mode)
        return mode if isinstance(query, str) else "vector"

    def _found(self, asked: _Asked, options: Mapping[str, Any]) -> list[Hit]:
        while True:
            try:
                served = self.layout.served()
            except StoreDamaged as e:
                self.warn(str(e))
                return []
            if served is None:
                return []
            try:
                hits = self._search(self.reader(), asked, options)
                if self.layout.served() == served:
                    return hits
                # else it was opened while it was replaced and removed: perhaps without its log
            except IndexerError as e:
                if self.layout.served() != served:
                    continue  # not damaged: replaced by another generation while we looked
                if not isinstance(e, StoreDamaged):
                    raise
                return self._search(self._fallback(e), asked, options)

    def _search(self, reader: Reader, asked: _Asked, options: Mapping[str, Any]) -> list[Hit]:
        query, k, mode, per_document = asked
        if not isinstance(query, str):
            from .embed.vectors import checked

            vector = checked([query], 1, reader.catalog.meta("dimension"), self._served_model(reader.catalog).model)[0]
            return reader.search(vector, k, per_document=per_document, **options)
        text = "" if mode == "vector" else query
        spoken = query if mode == "vector" else query.replace('"', " ")
        model = None if mode == "lexical" else self.model(reader.catalog)
        if mode == "hybrid":
            per_document = per_document or self.settings.search.per_document
        found = None if model is None else self.embedded(model, spoken)
        return reader.search(found, k, text=text, per_document=per_document, **options)

    def embedded(self, model: Embedder, text: str) -> NDArray[np.float32]:
        """The vector of a question. The last one is remembered: an answer needs it after its search. Hold the lock."""
        if self._asked is None or self._asked[0] is not model or self._asked[1] != text:
            self._asked = (model, text, model.embed_query(text))
        return self._asked[2]

    def _fallback(self, damage: StoreDamaged) -> Reader:
        from .search import from_snapshot

        if self._reader is not None:
            self._reader.close()
        self._reader = from_snapshot(self.layout, self._generation or self.layout.served() or "", damage, self.warn)
        return self._reader

    def _served_model(self, catalog: Catalog) -> EmbeddingSettings:
        """The model the served vectors were made with, whatever is configured by now."""
        stored, configured = catalog.meta("embedding"), self.settings.embedding
        if stored == _public_json(configured):
            return configured
        return EmbeddingSettings(**{**json.loads(stored), "api_key": configured.api_key})

    def searchable(self, as_of: str = "") -> set[str]:
        """Paths of the documents a search could return."""
        try:
            if self.layout.served() is None:
                return set()
            reader = self.reader()
            with reader.catalog.db.read():
                return {k.path for k in reader.documents(reader.commit_of(as_of) if as_of else None)}
        except StoreDamaged as e:
            self.warn(str(e))
            return set()

    # ---- answering -----------------------------------------------------------------

    def ask(
        self, question: str | Question, k: int = 8, *, as_of: str = "", filters: Filters = Filters(),  # noqa: B008
        history: Sequence[Turn] = (), tell: Tell = lambda kind, facts: None, stop: Callable[[], bool] = lambda: False,
    ) -> Answer:  # fmt: skip
        """An answer from the documents, with citations, kept; see :func:`indexer.ask.ask`.

        Without a model in the configuration it is made of sentences of the best passages.
        """
        from . import ask

        if isinstance(question, str):
            question = ask.Question(question, k, as_of, filters, tuple(history))
        return ask.ask(self, question, tell=tell, stop=stop)

    def answer(self, name: str) -> Kept:
        """A kept answer by its id, and what became of its documents since. Raises UsageError."""
        from .ask import kept

        return kept(self, name)

    # ---- LangChain -----------------------------------------------------------------

    def as_retriever(self, k: int = 5, **options: Any) -> IndexerRetriever:
        """A LangChain retriever; options: ``inside``, ``as_of``, ``score_threshold``, ``filter``."""
        from .langchain import IndexerRetriever

        return IndexerRetriever(knowledge_base=self, k=k, **options)

    def vectorstore(self) -> IndexerVectorStore:
        """A LangChain vector store over everything indexed, with documents of its own."""
        from .langchain import IndexerVectorStore

        return IndexerVectorStore(self)

    def embeddings(self) -> IndexerEmbeddings:
        """The index's model as LangChain ``Embeddings``."""
        from .langchain import IndexerEmbeddings

        return IndexerEmbeddings(self)

    def export_langchain(self, directory: str | os.PathLike[str], *, inner_product: bool = False) -> int:
        """Write a folder for the stock ``FAISS.load_local``; returns the number of documents in it."""
        from .langchain import export

        return export(self, directory, inner_product=inner_product)

    def close(self) -> None:
        """Let go of files and connections."""
        with self.lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None


def _public_json(e: EmbeddingSettings) -> str:
    """Embedding settings as stored in a catalog: everything but secrets."""
    from .embed import public_options

    plain = {f: getattr(e, f) for f in e._fields if f not in ("api_key", "options")}
    return json.dumps({**plain, "options": public_options(e.options)}, sort_keys=True, default=str)
