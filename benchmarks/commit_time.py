"""What a one-file commit costs as the store grows: ``python -m benchmarks.commit_time --chunks 10000,1000000``.

A store of the wanted size is made from long texts by a real first build; then one sentence is inserted
into an ordinary text (about 22 chunks) and one update runs, five times. Goal: flat.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measure, trees
from benchmarks.systems import Ours

BYTES_A_CHUNK = 239  # of generated prose cut at 256/50 characters
LONG = 2_000  # chunks in a long text: few files, so that the look does not drown the commit
EDITS = 5


def make(tree: Path, chunks: int) -> None:
    """20 ordinary texts and as many long ones as ``chunks`` needs."""
    trees.make(tree, trees.TOPS)
    prose, size = trees.Prose(), LONG * BYTES_A_CHUNK
    for number in range(chunks // LONG):
        text = prose.document(10_000_000 + number, size, size)
        trees.write(tree / "long" / f"{number // 100:03d}" / f"{number:05d}.txt", text, trees.BORN)


def cost(home: Path, chunks: int) -> dict[str, object]:
    """Median CPU, wall (seconds), written (10^6 bytes) and peak of an edit; the no-op beside it."""
    make(home / "tree", chunks)
    ours = Ours(home)
    ours.prepare()
    trees.settle()
    built = ours.run(ours.argv())
    trees.settle()
    noop = min((ours.run(ours.argv()) for _ in range(3)), key=lambda ran: ran.cpu_s)
    edits, texts = [], []
    for turn in range(EDITS):
        trees.insert_sentence(home / "tree" / trees.place(turn), f"commit{turn}")
        trees.settle()
        edits.append(ours.run(ours.argv()))
        texts.append(int(str(measure.last_json(edits[-1].out)["embedded"])))
    keys = ("cpu_s", "wall_s", "rss_mb", "written_mb")
    return {
        "chunks": measure.last_json(built.out)["embedded"],
        "build": {key: getattr(built, key) for key in keys},
        "noop": {key: getattr(noop, key) for key in keys},
        "edit": {key: round(statistics.median(getattr(ran, key) for ran in edits), 4) for key in keys},
        "embedded": statistics.median(texts),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure each size; print a line each and the growth from the smallest to the largest."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commit_time", description=__doc__)
    parser.add_argument("--chunks", default="10000,100000,1000000", help="comma-separated (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--dir", type=Path, help="where to put trees and stores (default: the temporary folder)")
    args = parser.parse_args(argv)
    rows = []
    for chunks in map(int, args.chunks.split(",")):
        with tempfile.TemporaryDirectory(prefix="indexer-commit-", dir=args.dir) as work:
            rows.append(cost(Path(work), chunks))
        if not args.json:
            print(*(f"{key} {value}" for key, value in rows[-1].items()), sep="; ", flush=True)
    first, last = rows[0]["edit"], rows[-1]["edit"]
    assert isinstance(first, dict)
    assert isinstance(last, dict)
    growth = {key: round(last[key] / first[key], 2) for key in ("cpu_s", "wall_s", "written_mb") if first[key]}
    print(json.dumps({"sizes": rows, "growth": growth}) if args.json else f"largest / smallest: {growth}")


if __name__ == "__main__":
    main()
