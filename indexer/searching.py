"""The searching half of a knowledge base: the reader that follows the served index, and the models of its vectors."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .core.errors import IndexerError, StoreDamaged, UsageError
from .core.model import Filters, Hit
from .core.ports import Embedder
from .core.tables import EmbeddingSettings
from .settings import Settings
from .store.catalog import Catalog
from .store.local import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .search import Only, Reader

Warn = Callable[[str], None]
MODES = ("hybrid", "vector", "lexical")


class _Asked(NamedTuple):
    query: str | Sequence[float]
    k: int
    mode: str
    per_document: int


class Searcher:
    """Searches over whichever generation is served; its methods may be called from several threads."""

    def __init__(self, settings: Settings, warn: Warn) -> None:
        self.settings, self.warn = settings, warn
        self.layout = Layout(Path(settings.metadata), Path(settings.vectorstore))
        self._reader: Reader | None = None
        self._generation = ""
        self._models: dict[str, Embedder] = {}
        self._asked: tuple[Embedder, str, NDArray[np.float32]] | None = None
        self._loading = threading.RLock()
        self.lock = threading.RLock()
        """Held while the reader is used."""

    # ---- models --------------------------------------------------------------------

    def share(self, other: Searcher) -> None:
        """Use the other's models: they are loaded once."""
        self._models, self._loading = other._models, other._loading

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
        if stored == public_json(configured):
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

    def close(self) -> None:
        """Let go of files and connections."""
        with self.lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None


def public_json(e: EmbeddingSettings) -> str:
    """Embedding settings as stored in a catalog: everything but secrets."""
    from .embed import public_options

    plain = {f: getattr(e, f) for f in e._fields if f not in ("api_key", "options")}
    return json.dumps({**plain, "options": public_options(e.options)}, sort_keys=True, default=str)
