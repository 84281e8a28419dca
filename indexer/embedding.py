"""The vectors of a run: copied where another generation has them, else made by the proved model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .care import generations
from .core.errors import EmbeddingFailed
from .core.ports import Embedder
from .look import World
from .report import Tally
from .store.catalog import Catalog

if TYPE_CHECKING:
    from .care.donor import Donor
    from .store.vectors import Vectors


class Embedding:
    """Vectors for the texts of one generation; loads the model at the first text nobody has a vector for.

    ``rate``: passages a second at the last call, 0 before the first.
    """

    def __init__(self, world: World, catalog: Catalog, donor: str | None, tally: Tally) -> None:
        self.world, self.catalog, self.tally = world, catalog, tally
        self.rate = 0.0
        self._from = donor
        self._donor: Donor | None = None
        self._model: Embedder | None = None

    def vectors(self, texts: Mapping[bytes, str]) -> Vectors:
        """One row for each text, in order."""
        import numpy as np

        if self._from and self._donor is None:
            from .care.donor import Donor

            self._donor = Donor(self.world.layout, self._from)
        have = self._donor.vectors(list(texts)) if self._donor else {}
        missing = [t for k, t in texts.items() if k not in have]
        made = iter(self.embed(missing)) if missing else iter(())
        self.tally.reused += len(have)
        return np.stack([have[k] if k in have else next(made) for k in texts])

    def embed(self, texts: list[str]) -> Vectors:
        """Made by the model, whatever a donor has; raises EmbeddingFailed, ModelChanged."""
        start = self.world.now_ns()
        self.world.tell("embedding", {"texts": len(texts)})

        def progress(n: int) -> None:
            self.world.tell("embedded", {"texts": n})
            self.world.stop()

        rows = self._proved().embed_documents(texts, progress)
        if rows.shape != (len(texts), self.catalog.meta("dimension")):
            raise EmbeddingFailed(
                "The model gave {got} numbers where {want} were due.", got=str(rows.shape), want=len(texts)
            )
        self.tally.embedded += len(texts)
        self.rate = len(texts) / max((self.world.now_ns() - start) / 1e9, 1e-6)
        return rows

    def _proved(self) -> Embedder:
        if self._model is None:
            self._model = generations.proved(self.catalog, self.world.profile.embedder())
        return self._model
