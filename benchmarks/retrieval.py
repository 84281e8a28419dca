"""Search quality through the product's own ``search``: recall@1/5/10 and MRR@10.

    python -m benchmarks.retrieval [--sets DIR] [--only xquad_zh,xquad_en] [--split all] [--json]

Each passage of a set becomes one text file, the folder is indexed by ``update``, every
question is searched. A file counts at the rank of its best chunk.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from indexer import KnowledgeBase
from indexer.settings import Settings

SETS = ("xquad_zh", "xquad_en", "cmrc2018_trial", "cmrc2018_dev", "drcd_dev")
HERE = Path(__file__).resolve().parents[1]
DEFAULT = Path(os.environ.get("INDEXER_SHARED", HERE.parent / "shared")) / "retrieval"


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def relevant(path: Path) -> dict[str, set[str]]:
    """Query id to the ids of its right passages."""
    found: dict[str, set[str]] = {}
    with open(path, encoding="utf-8", newline="") as f:
        for query, passage, grade in list(csv.reader(f, delimiter="\t"))[1:]:
            if int(grade) > 0:
                found.setdefault(query, set()).add(passage)
    return found


def ranked(kb: KnowledgeBase, question: str, depth: int) -> list[str]:
    """File stems by the rank of their best chunk, ``depth`` of them."""
    k = depth * 4
    while True:
        hits = kb.search(question, k)
        stems = list(dict.fromkeys(Path(h.key.path).stem for h in hits))
        if len(stems) >= depth or len(hits) < k:
            return stems[:depth]
        k *= 2


def measure(folder: Path, split: str) -> dict[str, float]:
    """The figures of one set."""
    with tempfile.TemporaryDirectory() as home:
        source = Path(home, "knowledge_base")
        source.mkdir()
        names = {}
        for i, p in enumerate(rows(folder / "passages.jsonl")):
            names[p["id"]] = f"p{i:05d}"
            (source / f"p{i:05d}.txt").write_text(p["text"], "utf-8")
        kb = KnowledgeBase(Settings(home))
        started = time.perf_counter()
        report = kb.update()
        seconds = time.perf_counter() - started
        right = relevant(folder / "qrels.tsv")
        questions = [q for q in rows(folder / "queries.jsonl") if split in ("all", q.get("split"))]
        ranks = [_rank(ranked(kb, q["text"], 10), {names[p] for p in right.get(q["id"], ())}) for q in questions]
        kb.close()
    n = len(ranks)
    figures = {f"recall@{k}": sum(r is not None and r < k for r in ranks) / n for k in (1, 5, 10)}
    figures["mrr@10"] = sum(1 / (r + 1) for r in ranks if r is not None) / n
    return {
        "questions": n,
        "passages": len(names),
        "chunks": report.tally.embedded,
        "index_s": round(seconds, 1),
        **figures,
    }


def _rank(found: list[str], wanted: set[str]) -> int | None:
    return next((i for i, stem in enumerate(found) if stem in wanted), None)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=DEFAULT)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--split", default="all")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = {name: measure(options.sets / name, options.split) for name in options.only.split(",")}
    if options.json:
        print(json.dumps(results))
        return
    for name, f in results.items():
        print(
            f"{name}: {f['questions']} questions, {f['passages']} passages; recall@1 {f['recall@1']:.3f} @5 {f['recall@5']:.3f} "
            f"@10 {f['recall@10']:.3f} MRR@10 {f['mrr@10']:.3f}"
        )


if __name__ == "__main__":
    main()
