"""Injects the weights of the data file into the shipped graph and gives ONNX Runtime's session.

``int8``: weights are requantised per output channel to 7 bits (-64..64), activations to 8
bits per text while running. 7 bits, because on CPUs without VNNI the kernel adds two
products in 16 bits, and 255 x 127 x 2 does not fit; it costs neither speed nor recall.
Every step is exact IEEE arithmetic, so the codes are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime as ort  # type: ignore[import-untyped]

from .q4 import FFN, HIDDEN, LAYERS, POSITIONS, Q4File

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Named = Iterator[tuple[str, NDArray[np.generic]]]

PRECISIONS = {
    "int8": "int8: weights 7 bits per output channel, activations 8 bits per text",
    "fp32": "fp32",
}
_LARGEST = np.float32(64)
_DENSE = {"qkv": HIDDEN, "ao": HIDDEN, "fi": HIDDEN, "fo": FFN}
"""The linear layers of a block and their inputs."""


def template(precision: str) -> bytes:
    """The weight-free graph; ``scripts/make_e5_template.py`` makes it."""
    return (files("indexer.embed") / "data" / f"e5-{precision}.onnx").read_bytes()


class Session:
    """``words`` (1, tokens, 384) to ``mean`` (384,). Calls from several threads are allowed.

    One thread a call: with more, sums could be split differently, and one text per core is
    faster anyway. The graph runs as it was written: no optimiser of another version may
    fuse it into other arithmetic.
    """

    def __init__(self, file: Q4File, precision: str) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_mem_pattern = False  # patterns are kept per length: memory for nothing
        options.log_severity_level = 3
        injected = {name: np.ascontiguousarray(array) for name, array in weights(file, precision)}
        # the runtime reads some of these arrays while running: they must live as long as it does
        self._values = [ort.OrtValue.ortvalue_from_numpy(array) for array in injected.values()]
        options.add_external_initializers(list(injected), self._values)
        self._session = ort.InferenceSession(template(precision), options, providers=["CPUExecutionProvider"])

    def mean(self, words: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mean over tokens of the last layer."""
        result: NDArray[np.float32] = self._session.run(None, {"words": words})[0]
        mean: NDArray[np.float32] = result[0]
        return mean


def weights(file: Q4File, precision: str) -> Named:
    """Every initializer of the graph by name."""
    # there is one token type: its vector is part of every position
    yield "positions", file.floats("emb.pos").reshape(POSITIONS, HIDDEN) + file.floats("emb.type")[:HIDDEN]
    yield from _plain(file, "emb.ln.w", "emb.ln.b")
    for number in range(LAYERS):
        layer = f"l{number}"
        yield f"{layer}.qkv.b", np.concatenate([file.floats(f"{layer}.{part}.b") for part in "qkv"])
        yield from _plain(file, *(f"{layer}.{part}" for part in ("ao.b", "fi.b", "fo.b")))
        yield from _plain(file, *(f"{layer}.{norm}.{part}" for norm in ("aln", "oln") for part in "wb"))
        for dense, inner in _DENSE.items():
            rows = _rows(file, layer, dense, inner)
            if precision == "fp32":
                yield f"{layer}.{dense}.w", rows.T
            else:
                codes, scales = quantised(rows)
                yield f"{layer}.{dense}.q", codes.T
                yield f"{layer}.{dense}.s", scales


def quantised(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Codes in -64..64 and one scale a row, so that ``codes * scales[:, None]`` is near ``rows``."""
    scales = np.maximum(rows.max(axis=1), -rows.min(axis=1)) / _LARGEST
    scaled = rows / np.where(scales == 0, np.float32(1), scales)[:, None]
    return np.rint(scaled, out=scaled).astype(np.int8), scales


def _plain(file: Q4File, *names: str) -> Named:
    return ((name, file.floats(name)) for name in names)


def _rows(file: Q4File, layer: str, dense: str, inner: int) -> NDArray[np.float32]:
    """(outputs, inputs) of a linear layer; query, key and value below each other."""
    parts = "qkv" if dense == "qkv" else (dense,)
    return np.concatenate([file.floats(f"{layer}.{part}.w").reshape(-1, inner) for part in parts])
