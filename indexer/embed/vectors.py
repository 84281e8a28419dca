"""Arithmetic on rows. Plain loops of NumPy, no BLAS: the result depends on nothing but the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from indexer.core.errors import EmbeddingFailed

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


def unit(rows: NDArray[float32]) -> NDArray[float32]:
    """Rows (or one vector) scaled to norm 1, as float32; zero stays zero."""
    norms = np.sqrt(np.sum(np.square(rows, dtype=np.float64), axis=-1, keepdims=True))
    return np.divide(rows, np.where(norms == 0, 1, norms)).astype(np.float32)


def weighted_mean(rows: Sequence[NDArray[float32]], weights: Sequence[int]) -> NDArray[float32]:
    """The mean of vectors, each counted ``weight`` times (float64 inside, float32 out)."""
    total = np.zeros(rows[0].shape, np.float64)
    for row, weight in zip(rows, weights, strict=True):
        total += row.astype(np.float64) * weight
    return (total / sum(weights)).astype(np.float32)


def checked(answer: object, count: int, dimension: int | None, model: str) -> NDArray[float32]:
    """``answer`` as ``(count, dimension)`` float32 rows of norm 1 (or 0).

    ``dimension`` None accepts any width above 0. Raises EmbeddingFailed when the shape is
    another or a value is not finite.
    """
    try:
        rows = np.asarray(answer, np.float32)
    except (TypeError, ValueError) as error:
        raise EmbeddingFailed(
            "{model} gave something that is no list of vectors: {reason}", model=model, reason=error
        ) from error
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
        raise EmbeddingFailed(
            "{model} gave vectors of shape {shape} for {count} texts", model=model, shape=list(rows.shape), count=count
        )
    if dimension is not None and rows.shape[1] != dimension:
        raise EmbeddingFailed(
            "{model} gave vectors of {found} numbers, before it was {expected}: another model answers under this name",
            model=model,
            found=rows.shape[1],
            expected=dimension,
        )
    if not np.isfinite(rows).all():
        raise EmbeddingFailed("{model} gave a vector with NaN or infinity", model=model)
    return unit(rows)
