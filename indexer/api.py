"""The Python API: a knowledge base that is updated and searched."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .care.generations import Profile
from .core.model import Filters
from .core.ports import Parser, Splitter
from .searching import Searcher, Warn, public_json
from .settings import Settings

if TYPE_CHECKING:
    from .ask import Answer, Kept, Question, Turn
    from .ask.answering import Tell
    from .langchain import IndexerEmbeddings, IndexerRetriever, IndexerVectorStore
    from .parse import Parsers
    from .update import Report, World


class KnowledgeBase(Searcher):
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
        if not isinstance(home, Settings):
            from .config import load_settings

            home = load_settings(Path(home), flags or {})
        super().__init__(home, warn)

    def twin(self) -> KnowledgeBase:
        """Another reader of the same knowledge base with the same models in memory: the two search side by side."""
        twin = KnowledgeBase(self.settings, warn=self.warn)
        twin.share(self)
        return twin

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
            "split": split.fingerprint(s.split),
            "parsers": dict(parser.fingerprint()),
        }
        return Profile(facts, public_json(s.embedding), lambda: self.embedder(s.embedding))

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
