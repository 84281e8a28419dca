"""A look at a folder in which nothing changed, beside ``find``: ``python -m benchmarks.scan --files 100000``.

``find TREE -printf '%s %T@ %C@ %i %p'`` reads what any look must read (size, times, inode, name of every
file); the product's no-op also starts Python, opens its catalog and compares. Goal: at most twice the CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measure, trees
from benchmarks.systems import Ours

FIND = ("find", "tree", "-printf", r"%s %T@ %C@ %i %p\n")


def compare(home: Path, files: int, repeat: int) -> dict[str, object]:
    """Figures of both, least CPU of ``repeat`` runs taken in turn, and ours divided by find's."""
    trees.make(home / "tree", files, low=1, high=1)
    ours = Ours(home)
    ours.prepare()
    trees.settle()
    built = ours.run(ours.argv())
    trees.settle()
    runs: dict[str, list[measure.Ran]] = {"ours": [], "find": [], "python": []}
    for _ in range(repeat):
        runs["ours"].append(ours.run(ours.argv()))
        runs["find"].append(ours.run(list(FIND), discard=True))
        runs["python"].append(ours.run([sys.executable, "-c", "import sqlite3"]))
    assert measure.last_json(runs["ours"][-1].out)["embedded"] == 0, "a no-op embedded something"
    least = {name: {key: min(getattr(r, key) for r in rs) for key in ("cpu_s", "wall_s")} for name, rs in runs.items()}
    ratio = {key: round(least["ours"][key] / max(least["find"][key], 0.001), 2) for key in ("cpu_s", "wall_s")}
    build = {"cpu_s": built.cpu_s, "wall_s": built.wall_s}
    return {"files": files, "build": build, **least, "ours_to_find": ratio}


def main(argv: Sequence[str] | None = None) -> None:
    """Make the tree, measure, print one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scan", description=__doc__)
    parser.add_argument("--files", type=int, default=100_000, help="a multiple of 20 (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each; the cheapest counts")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--dir", type=Path, help="where to put the tree (default: the temporary folder)")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="indexer-scan-", dir=args.dir) as work:
        got = compare(Path(work), args.files, args.repeat)
    text = "{files} files: no-op {ours}, find {find}, bare python {python}, no-op / find {ours_to_find}"
    print(json.dumps(got) if args.json else text.format(**got))


if __name__ == "__main__":
    main()
