"""Search quality through the product's own ``search``: hit@1/5/10 and MRR@10 by meaning, by words, by both.

    python -m benchmarks.retrieval [--sets DIR] [--only xquad_zh,stard_laws] [--split dev] [--modes hybrid] [--size 256] [--factor 2] [--keep DIR] [--json]

Each passage of a set becomes one text file (a set with a ``docs`` folder: its files as they are), the folder is indexed
by ``update``, every question is searched. A file counts at the rank of its best chunk; of a set with ``docs`` a chunk
counts that is from the right document and holds the first 20 characters (without white space) of a right passage.
``--keep`` leaves the indexes in a folder, for the next time.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from indexer import KnowledgeBase
from indexer.core.model import Hit
from indexer.core.tables import SplitSettings
from indexer.settings import Settings

SETS = ("xquad_en", "xquad_zh", "cmrc2018_trial", "cmrc2018_dev", "drcd_dev", "stard_laws")
MODES = ("vector", "lexical", "hybrid")
HERE = Path(__file__).resolve().parents[1]
DEFAULT = Path(os.environ.get("INDEXER_SHARED", HERE.parent / "shared")) / "retrieval"
DEPTH, PREFIX = 10, 20
DEFAULT_CUT = SplitSettings()
_SPACE = re.compile(r"\s+")

Right = Callable[[Hit], bool]


class Set(NamedTuple):
    """One set: its folder, its passages by id, the ids of the right ones by question."""

    folder: Path
    passages: Mapping[str, Mapping[str, Any]]
    relevant: Mapping[str, set[str]]


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


def loaded(folder: Path) -> Set:
    """A set as it lies in its folder."""
    return Set(folder, {p["id"]: p for p in rows(folder / "passages.jsonl")}, relevant(folder / "qrels.tsv"))


def put(data: Set, source: Path) -> None:
    """The documents of a set."""
    if (data.folder / "docs").is_dir():
        shutil.copytree(data.folder / "docs", source)
        return
    source.mkdir(parents=True)
    for i, passage in enumerate(data.passages.values()):
        (source / f"p{i:05d}.txt").write_text(passage["text"], "utf-8")


def right(data: Set, question: str) -> Right:
    """Whether a hit answers a question."""
    wanted = data.relevant.get(question, set())
    if (data.folder / "docs").is_dir():
        starts = [(p["doc"], _bare(p["text"])[:PREFIX]) for p in (data.passages[i] for i in wanted)]
        return lambda hit: any(hit.key.path == doc and start in _bare(hit.text) for doc, start in starts)
    names = {f"p{i:05d}.txt" for i, known in enumerate(data.passages) if known in wanted}
    return lambda hit: hit.key.path in names


def _bare(text: str) -> str:
    return _SPACE.sub("", text)


def rank(kb: KnowledgeBase, question: str, mode: str, answers: Right, by_file: bool) -> int | None:
    """The place of the first right one among the best ten files or chunks, from 0."""
    k = DEPTH * 4 if by_file else DEPTH
    while True:
        hits = kb.search(question, k, mode=mode)
        first: dict[object, Hit] = {}
        for i, hit in enumerate(hits):
            first.setdefault(hit.key if by_file else i, hit)
        best = list(first.values())[:DEPTH]
        if len(best) >= DEPTH or len(hits) < k:
            return next((i for i, hit in enumerate(best) if answers(hit)), None)
        k *= 2


def figures(ranks: Sequence[int | None], seconds: float) -> dict[str, float]:
    """Shares of the questions, and how many of them a second."""
    n = len(ranks) or 1
    shares = {f"hit@{k}": sum(r is not None and r < k for r in ranks) / n for k in (1, 5, 10)}
    return {
        **shares,
        "mrr@10": sum(1 / (r + 1) for r in ranks if r is not None) / n,
        "searches_per_s": len(ranks) / seconds,
    }


def measure(
    folder: Path, split: str, modes: Sequence[str] = MODES, keep: Path | None = None, cut: SplitSettings = DEFAULT_CUT,
) -> dict[str, Any]:  # fmt: skip
    """The figures of one set, by mode."""
    data = loaded(folder)
    by_file = not (folder / "docs").is_dir()
    with _home(keep and keep / folder.name) as home:
        if not (home / "knowledge_base").exists():
            put(data, home / "knowledge_base")
        kb = KnowledgeBase(Settings(str(home), split=cut))
        kb.update()
        questions = [q for q in rows(folder / "queries.jsonl") if split in ("all", q.get("split"))]
        asked = [(q["text"], right(data, q["id"])) for q in questions]
        found = {}
        for mode in modes:
            started = time.perf_counter()
            ranks = [rank(kb, text, mode, answers, by_file) for text, answers in asked]
            found[mode] = figures(ranks, time.perf_counter() - started)
        with kb.reader().catalog.db.read():
            chunks = kb.reader().catalog.db.value("SELECT count(*) FROM passage WHERE dead IS NULL")
        kb.close()
    return {"questions": len(asked), "passages": len(data.passages), "chunks": chunks, **found}


@contextmanager
def _home(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=DEFAULT)
    parser.add_argument("--only", default=",".join(SETS))
    parser.add_argument("--split", default="dev")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--size", type=int, default=DEFAULT_CUT.size, help="characters of a chunk")
    parser.add_argument("--overlap", type=int, default=DEFAULT_CUT.overlap)
    parser.add_argument("--factor", type=int, default=DEFAULT_CUT.provisions_factor, help="of numbered provisions")
    options = parser.parse_args()
    modes, cut = options.modes.split(","), SplitSettings(options.size, options.overlap, options.factor)
    results = {n: measure(options.sets / n, options.split, modes, options.keep, cut) for n in options.only.split(",")}
    if options.json:
        print(json.dumps(results))
        return
    for name, found in results.items():
        print(f"{name}: {found['questions']} questions on {found['passages']} passages, {found['chunks']} chunks")
        for mode in modes:
            f = found[mode]
            shares = " ".join(f"{k} {f[k]:.3f}" for k in ("hit@1", "hit@5", "hit@10", "mrr@10"))
            print(f"  {mode:8} {shares}  {f['searches_per_s']:.0f} searches/s")


if __name__ == "__main__":
    main()
