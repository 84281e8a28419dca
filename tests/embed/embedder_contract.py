"""What every engine must keep, whatever makes its vectors: one mixin, run against all of them."""

from __future__ import annotations

import json

import numpy as np
from embed_texts import EN, ODD, ZH, mixed

from indexer.core.ports import Embedder


class EmbedderContract:
    """Subclasses provide the fixture ``embedder``. ``bit_equal``: vectors do not depend on batch mates at all."""

    bit_equal = True
    understands = True
    """Whether near meanings give near vectors (not for the hash twin)."""

    def texts(self) -> list[str]:
        """What order, batches and progress are tried with."""
        return mixed()

    def test_shape_type_and_norm(self, embedder: Embedder) -> None:
        """Rows are float32, (texts, dimension), finite, of norm 1."""
        rows = embedder.embed_documents(ZH + EN)
        assert rows.shape == (len(ZH) + len(EN), embedder.dimension)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        query = embedder.embed_query(ZH[0])
        assert query.shape == (embedder.dimension,)
        assert query.dtype == np.float32
        assert np.isclose(np.linalg.norm(query), 1, atol=1e-5)

    def test_no_texts(self, embedder: Embedder) -> None:
        """No texts give no rows, of the right width."""
        assert embedder.embed_documents([]).shape == (0, embedder.dimension)

    def test_odd_texts(self, embedder: Embedder) -> None:
        """NUL, lone surrogates, empty and unprintable texts give finite vectors of norm 1 or 0."""
        rows = embedder.embed_documents(ODD)
        assert np.isfinite(rows).all()
        norms = np.linalg.norm(rows, axis=1)
        assert np.all(np.isclose(norms, 1, atol=1e-5) | (norms == 0))

    def test_order_and_mates(self, embedder: Embedder) -> None:
        """A text has the same vector alone, in any batch and in any order."""
        texts = self.texts()
        forward = embedder.embed_documents(texts)
        backward = embedder.embed_documents(texts[::-1])[::-1]
        alone = np.concatenate([embedder.embed_documents([text]) for text in texts])
        if self.bit_equal:
            assert np.array_equal(forward, backward)
            assert np.array_equal(forward, alone)
        else:
            assert np.sum(forward * backward, axis=1).min() > 0.9999
            assert np.sum(forward * alone, axis=1).min() > 0.9999

    def test_equal_texts_equal_rows(self, embedder: Embedder) -> None:
        """The same text twice in a call gives the same row twice; the input is not changed."""
        texts = [ZH[0], EN[0], ZH[0]]
        rows = embedder.embed_documents(texts)
        assert np.allclose(rows[0], rows[2], atol=1e-6)
        assert texts == [ZH[0], EN[0], ZH[0]]

    def test_progress_adds_up(self, embedder: Embedder) -> None:
        """Progress reports every text exactly once."""
        seen: list[int] = []
        embedder.embed_documents(self.texts(), seen.append)
        assert sum(seen) == len(self.texts())
        assert min(seen) > 0

    def test_meaning(self, embedder: Embedder) -> None:
        """A question is nearest to the passage that answers it."""
        if self.understands:
            rows = embedder.embed_documents(EN)
            assert int(np.argmax(rows @ embedder.embed_query("How long is the warranty?"))) == 3
        else:
            assert int(np.argmax(embedder.embed_documents(EN) @ embedder.embed_query(EN[3]))) == 3

    def test_identity(self, embedder: Embedder) -> None:
        """Identity and environment are JSON-able, stable, and share no key."""
        identity, environment = dict(embedder.identity()), dict(embedder.environment())
        assert json.loads(json.dumps(identity)) == identity
        assert json.loads(json.dumps(environment)) == environment
        assert identity == dict(embedder.identity())
        assert identity["dimension"] == embedder.dimension
        assert not set(identity) & set(environment)
