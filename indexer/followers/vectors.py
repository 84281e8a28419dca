"""Any LangChain ``VectorStore`` as a follower: the same chunks, each under an id of its own that says what it holds.

New chunks are added before old ones are deleted, so a document is never missing there; chunks that did not change keep their
ids and are not sent again. Vectors are copied from the index, not made a second time.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core.following import FollowerSettings
from ..core.model import Message, display, raw
from .guards import unfit
from .model import Document, Item, Misconfigured, Record, Remote, Stretch, Task, Unreachable

if TYPE_CHECKING:
    from langchain_core.documents import Document as LcDocument
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import VectorStore

_SOON = 0.0
_AT_ONCE = 256  # chunks of one call
_VERSION = "1"


class VectorTarget:
    """``embeddings`` makes the model of the index when it is needed."""

    def __init__(self, settings: FollowerSettings, embeddings: Callable[[], Any]) -> None:
        self.settings, self._embeddings = settings, embeddings
        self._made: VectorStore | None = None

    def probe(self) -> None:
        """Whether the store can be opened; raises Unreachable, Misconfigured."""
        self._store()

    def digest(self, document: Document) -> str:
        """Of all chunks and their places."""
        ids = "\n".join(_ids(document))
        return hashlib.sha256(
            f"{_VERSION} {document.title} {document.label}\n{ids}".encode("utf-8", "replace")
        ).hexdigest()

    def refuses(self, document: Document) -> Message | None:
        """What the configured sizes leave out."""
        return unfit(document, self.settings.min_chars, self.settings.max_kb)

    def work(self, tasks: Sequence[Task], record: Record) -> float:
        """Bring each document into step."""
        for task in tasks:
            self._one(task, record)
        return _SOON

    def _one(self, task: Task, record: Record) -> None:
        known = [str(i) for i in task.item.remote.get("ids", ())]
        wanted = dict(zip(_ids(task.document), task.document.chunks, strict=True)) if task.document else {}
        told = task.document is None or task.item.remote.get("about") == _about(task.document)
        stands = set(known) if told and task.item.step == "done" else set()
        fresh = [i for i in wanted if i not in stands]
        every = list(dict.fromkeys([*known, *wanted]))
        about = _about(task.document) if task.document else ""
        record.put({task.key: Item("sending", task.digest, {"ids": every, "about": about})})
        self._add(task.document, {i: wanted[i] for i in fresh})
        if old := [i for i in known if i not in wanted]:
            self._call(lambda store: store.delete(ids=old))
        record.put(
            {task.key: Item("done", task.digest, {"ids": list(wanted), "about": about}) if task.document else None}
        )

    def _add(self, document: Document | None, chunks: dict[str, Stretch]) -> None:
        if document is None:
            return
        from langchain_core.documents import Document as Made

        made = [Made(page_content=c.text, metadata=_metadata(document, c), id=i) for i, c in chunks.items()]
        for n in range(0, len(made), _AT_ONCE):
            self._call(partial(_add_to, made[n : n + _AT_ONCE]))

    def _call(self, do: Callable[[VectorStore], object]) -> None:
        store = self._store()
        try:
            do(store)
        except Exception as e:  # whatever its client raises: the store is theirs, so any error is "not now"
            self._made = None  # a connection may be broken for good
            raise Unreachable("{store} failed ({kind}: {why}).", store=self.settings.store, kind=type(e).__name__, why=str(e)[:300]) from e  # fmt: skip

    def _store(self) -> VectorStore:
        if self._made is None:
            make = self._factory()
            options: dict[str, Any] = dict(self.settings.options)
            for name in inspect.signature(make).parameters:
                if name in ("embedding", "embeddings", "embedding_function"):
                    options[name] = self._embeddings()
            try:
                self._made = make(**options)
            except TypeError as e:
                raise Misconfigured(
                    "{store} does not take these options ({why}).", store=self.settings.store, why=str(e)
                ) from e
            except Exception as e:
                raise Unreachable("{store} cannot be opened ({kind}: {why}).", store=self.settings.store, kind=type(e).__name__, why=str(e)[:300]) from e  # fmt: skip
        return self._made

    def _factory(self) -> Any:
        module, _, name = self.settings.store.partition(":")
        try:
            found: Any = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError) as e:
            raise Misconfigured("{store} cannot be imported ({why}); install its package.", store=self.settings.store, why=str(e)) from e  # fmt: skip
        return found

    def inventory(self) -> list[Remote] | None:
        """LangChain's interface has no list."""
        return None

    def remove(self, remotes: Sequence[Remote]) -> bool:
        """Nothing is ever listed, so nothing is left over."""
        return True

    def close(self) -> None:
        """Let go of the store."""
        self._made = None


def copying(known: Callable[[Sequence[str]], Mapping[str, list[float]]], model: Embeddings) -> Embeddings:
    """The model of the index, which is spared what the index holds already: those vectors are copied."""
    from langchain_core.embeddings import Embeddings

    class Copying(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found = dict(known(texts))
            missing = [t for t in dict.fromkeys(texts) if t not in found]
            found.update(zip(missing, model.embed_documents(missing) if missing else (), strict=True))
            return [found[t] for t in texts]

        def embed_query(self, text: str) -> list[float]:
            return model.embed_query(text)

    return Copying()


def _add_to(documents: Sequence[LcDocument], store: VectorStore) -> None:
    store.add_documents(list(documents), ids=[str(d.id) for d in documents])


def _ids(document: Document) -> list[str]:
    """One id a chunk: of which document, and what it holds; the second of two equal chunks is counted."""
    seen: dict[str, int] = {}
    found = []
    for chunk in document.chunks:
        where = f"{chunk.headings}\0{chunk.page}\0{chunk.place}\0{chunk.text}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(b"\0".join((document.key.source.encode(), raw(document.key.path), where))).hexdigest()[
            :32
        ]
        seen[digest] = seen.get(digest, -1) + 1
        found.append(digest if not seen[digest] else f"{digest}-{seen[digest]}")
    return found


def _about(document: Document) -> str:
    return f"{document.title}\0{document.label}"


def _metadata(document: Document, chunk: Stretch) -> dict[str, Any]:
    """What stays true of a chunk while others of its document change; some stores take no empty value."""
    facts = {
        "source": display(document.key.source), "path": display(document.key.path), "title": document.title,
        "label": document.label, "headings": " > ".join(chunk.headings), "page": chunk.page, "place": chunk.place,
    }  # fmt: skip
    return {name: value for name, value in facts.items() if value not in (None, "")}
