"""Makes the weight-free graphs of ``builtin:e5-small``: ``indexer/embed/data/e5-{int8,fp32}.onnx``.

    python scripts/make_e5_template.py [--check]

Needs only the package ``onnx``, and only developers need it. The graph is written down node
by node instead of being exported from a framework: it is the same on every machine, small,
and each choice in it is a measured one (one core, AVX2, 160 tokens):

* Add + LayerNormalization instead of com.microsoft SkipLayerNormalization: 1.8 ms against 9.5 ms;
* attention from MatMul and Softmax instead of com.microsoft MultiHeadAttention: 10 ms against 13 ms;
* query, key and value in one product, so that their input is quantised once;
* word vectors are an input: they are looked up in the 4-bit table of the data file, which
  stays a memory map (no 60 MB copy, no time to load it);
* the mean over tokens is inside, so only one row leaves the graph.

Every weight is an external initializer without data; ``indexer.embed.e5`` injects them.
``--check`` rebuilds in memory and compares with the files (exit 1 when they differ).
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from indexer.embed.q4 import FFN, HEADS, HIDDEN, LAYERS, POSITIONS

DATA = Path(__file__).resolve().parents[1] / "indexer" / "embed" / "data"
MICROSOFT = "com.microsoft"
EPSILON = 1e-12
BYTES = {TensorProto.FLOAT: 4, TensorProto.INT8: 1}


class Graph:
    """Collects nodes and initializers; every method returns the name of its result."""

    def __init__(self, precision: str) -> None:
        self.precision = precision
        self.nodes: list[object] = []
        self.initializers: dict[str, TensorProto] = {}

    def op(self, kind: str, inputs: list[str], output: str | list[str], domain: str = "", **attributes: object) -> str:
        """One node."""
        outputs = [output] if isinstance(output, str) else output
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def weight(self, name: str, shape: list[int], kind: int = TensorProto.FLOAT) -> str:
        """An initializer whose data is injected at load; the location is never opened."""
        tensor = TensorProto(name=name, dims=shape, data_type=kind, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", "injected"), ("offset", "0"), ("length", str(math.prod(shape) * BYTES[kind]))):
            tensor.external_data.add(key=key, value=value)
        self.initializers[name] = tensor
        return name

    def integers(self, name: str, *values: int) -> str:
        """A constant vector of int64."""
        self.initializers[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def linear(self, x: str, name: str, inner: int, outer: int) -> str:
        """``x @ weight + bias``; in int8 the input is quantised per text, the weight per output channel."""
        out = f"{name}.out"
        bias = self.weight(f"{name}.b", [outer])
        if self.precision == "int8":
            weight, scale = (
                self.weight(f"{name}.q", [inner, outer], TensorProto.INT8),
                self.weight(f"{name}.s", [outer]),
            )
            return self.op("DynamicQuantizeMatMul", [x, weight, scale, "", bias], out, MICROSOFT)
        product = self.op("MatMul", [x, self.weight(f"{name}.w", [inner, outer])], f"{name}.product")
        return self.op("Add", [product, bias], out)

    def add_norm(self, a: str, b: str, name: str) -> str:
        """Layer normalisation of ``a + b``."""
        total = self.op("Add", [a, b], f"{name}.sum")
        scale, shift = self.weight(f"{name}.w", [HIDDEN]), self.weight(f"{name}.b", [HIDDEN])
        return self.op("LayerNormalization", [total, scale, shift], f"{name}.out", axis=-1, epsilon=EPSILON)

    def attention(self, x: str, layer: str) -> str:
        """Multi-head self-attention over the one text in the graph: no mask, no padding."""
        head = HIDDEN // HEADS
        joined = self.linear(x, f"{layer}.qkv", HIDDEN, 3 * HIDDEN)
        apart = self.op("Reshape", [joined, self.integers("to_heads", -1, 3, HEADS, head)], f"{layer}.apart")
        heads = self.op("Transpose", [apart], f"{layer}.heads", perm=[1, 2, 0, 3])
        q, k, v = (f"{layer}.{part}" for part in "qkv")
        self.op("Split", [heads, self.integers("thirds", 1, 1, 1)], [q, k, v], axis=0)
        scores = self.op("FusedMatMul", [q, k], f"{layer}.scores", MICROSOFT, transB=1, alpha=head**-0.5)
        weights = self.op("Softmax", [scores], f"{layer}.weights", axis=-1)
        mixed = self.op("MatMul", [weights, v], f"{layer}.mixed")
        back = self.op("Transpose", [mixed], f"{layer}.back", perm=[0, 2, 1, 3])
        flat = self.op("Reshape", [back, self.integers("to_rows", 1, -1, HIDDEN)], f"{layer}.flat")
        return self.linear(flat, f"{layer}.ao", HIDDEN, HIDDEN)

    def layer(self, x: str, layer: str) -> str:
        """One BERT layer (post-norm, exact GELU)."""
        x = self.add_norm(self.attention(x, layer), x, f"{layer}.aln")
        inner = self.linear(x, f"{layer}.fi", HIDDEN, FFN)
        bent = self.op("Gelu", [inner], f"{layer}.gelu", MICROSOFT)
        return self.add_norm(self.linear(bent, f"{layer}.fo", FFN, HIDDEN), x, f"{layer}.oln")


def build(precision: str) -> bytes:
    """The serialised graph: ``words`` (1, tokens, 384) in, ``mean`` (1, 384) out, float32."""
    graph = Graph(precision)
    tokens = graph.op("Shape", ["words"], "tokens", start=1, end=2)
    places = graph.weight("positions", [POSITIONS, HIDDEN])
    used = graph.op("Slice", [places, graph.integers("zero", 0), tokens, "zero"], "used")
    x = graph.add_norm("words", used, "emb.ln")
    for number in range(LAYERS):
        x = graph.layer(x, f"l{number}")
    graph.op("ReduceMean", [x], "mean", axes=[1], keepdims=0)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            f"e5-small-{precision}",
            [helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", HIDDEN])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, HIDDEN])],
            list(graph.initializers.values()),
        ),
        producer_name="indexer",
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=8,
    )
    return bytes(model.SerializeToString(deterministic=True))


def main() -> int:
    """Writes both graphs, or compares them."""
    parser = argparse.ArgumentParser(description="make the weight-free graphs of builtin:e5-small")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    check = parser.parse_args().check
    status = 0
    for precision in ("int8", "fp32"):
        path, data = DATA / f"e5-{precision}.onnx", build(precision)
        if check:
            same = path.exists() and path.read_bytes() == data
            status |= not same
            print(f"{path.name}: {'as built' if same else 'differs from what this script builds'}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{path.name}: {len(data)} bytes")
    return status


if __name__ == "__main__":
    sys.exit(main())
