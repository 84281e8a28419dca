"""Real edit histories, step by step: is the index right after each, and how little was done for it?

    python -m benchmarks.replay --name zh-laws [--steps 46] [--json]

The histories are the shared ones (``--shared DIR``). After every step the searchable documents are compared
with the folder, and what was parsed with what the step may at most cost; at the end the index is compared,
chunk for chunk, with one made anew of the last state.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from benchmarks.systems import EMBEDDINGS
from indexer import KnowledgeBase
from indexer.core.tables import EmbeddingSettings, Source
from indexer.settings import Settings

SHARED = Path(os.environ.get("INDEXER_SHARED", Path(__file__).resolve().parents[2] / "shared")).resolve() / "replay"
SUFFIXES = (".txt", ".md", ".pdf", ".docx")


class Wrong(AssertionError):
    """The index is not what the folder says, or more was done than the step may cost."""


@dataclass
class Figures:
    """Sums over all steps but the first; ``share``: passages embedded for modified files / their chunks."""

    name: str
    steps: int = 0
    changed: int = 0
    parsed: int = 0
    embedded: int = 0
    chunks: int = 0
    commits: int = 0
    cpu_s: float = 0.0
    build_cpu_s: float = 0.0
    share: float = 0.0


def module(shared: Path = SHARED) -> ModuleType:
    """The shared player of histories."""
    spec = importlib.util.spec_from_file_location("shared_replay", shared / "replay.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(shared / "replay.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@contextlib.contextmanager
def careless() -> Iterator[None]:
    """The player leaves it to Python to close its files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield


def kb_of(home: Path, folder: Path) -> KnowledgeBase:
    """One source, the zero-cost embedder, defaults otherwise; a mass deletion of the history is no accident."""
    embedding = EmbeddingSettings(f"python:{EMBEDDINGS}", options={"dimension": 16})
    return KnowledgeBase(
        Settings(home=str(home), metadata=str(home / "metadata"), vectorstore=str(home / "vectorstore"),
                 sources=(Source("kb", str(folder), include=tuple(f"*{suffix}" for suffix in SUFFIXES)),), embedding=embedding, hold_min_documents=10**9)
    )  # fmt: skip


def wanted(folder: Path) -> set[str]:
    """Every supported file that holds any text."""
    return {
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and p.suffix.lower() in SUFFIXES and p.read_bytes().strip()
    }


def chunks(kb: KnowledgeBase) -> list[tuple[str, str, int]]:
    """(path, text, start) of every chunk that can be found."""
    return sorted((h.key.path, h.text, h.start) for h in kb.search([1.0] * 16, 10**7))


def run(name: str, first: int, steps: int, work: Path, shared: Path = SHARED) -> Figures:
    """Play ``steps`` steps after state ``first``; raises Wrong."""
    player, how = module(shared), SimpleNamespace(inplace=False, mtime=False)
    folder, figures = work / "folder", Figures(name)
    with careless():
        history = player.Replay(str(shared / f"{name}.tar.xz"))
        player.checkout(history, first, str(folder), how)
    kb = kb_of(work / "state", folder)
    before = time.process_time()
    kb.update()
    figures.build_cpu_s = time.process_time() - before
    for k in range(first + 1, min(first + steps, history.last) + 1):
        with careless():
            player.step(history, k, str(folder), how)
        _one(kb, folder, history.expected(k), k, figures)
    figures.share = round(figures.embedded / max(figures.chunks, 1), 4)
    anew = kb_of(work / "anew", folder)
    anew.update()
    if chunks(kb) != chunks(anew):
        raise Wrong(f"{name}: after {figures.steps} steps the index differs from one made anew")
    anew.close()
    kb.close()
    return figures


def _one(kb: KnowledgeBase, folder: Path, expected: dict[str, int], k: int, figures: Figures) -> None:
    head, started = _head(kb), time.process_time()
    report = kb.update(now_ns=lambda: time.time_ns() + 10**10)  # nothing is too young to be trusted
    figures.cpu_s += time.process_time() - started
    found, want = kb.searchable(), wanted(folder)
    told = {p.key.path for p in report.tally.problems.values()}
    if (lost := want - found - told) or (extra := found - want):
        raise Wrong(f"step {k}: missing {sorted(lost)[:3]}" if lost else f"step {k}: too much {sorted(extra)[:3]}")
    limit = expected["added"] + expected["modified"] + expected["renamed"] - expected["renamed_pure"]
    if report.tally.parsed > limit:
        raise Wrong(f"step {k}: {report.tally.parsed} files parsed, {limit} changed")
    figures.steps += 1
    figures.changed += sum(expected[x] for x in ("added", "modified", "deleted", "renamed"))
    figures.parsed += report.tally.parsed
    figures.commits += report.commit - head
    if report.tally.modified and not report.tally.added:  # else new files' passages would count
        figures.embedded += report.tally.embedded
        figures.chunks += _chunks_since(kb, head)


def _head(kb: KnowledgeBase) -> int:
    return _asked(kb, "SELECT max(n) FROM log")


def _chunks_since(kb: KnowledgeBase, commit: int) -> int:
    sql = "SELECT sum(length(c.passages)/8) FROM version v JOIN content c ON c.id=v.content WHERE v.removed IS NULL AND v.added>?"
    return _asked(kb, sql, commit)


def _asked(kb: KnowledgeBase, sql: str, *args: object) -> int:
    catalog = kb.catalog()
    if catalog is None:
        return 0
    try:
        return int(catalog.db.value(sql, args) or 0)
    finally:
        catalog.close()


def main(argv: list[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", action="append", help="which histories (default: all that are there)")
    parser.add_argument("--first", type=int, default=0, help="the state to start from (default 0)")
    parser.add_argument("--steps", type=int, default=10**6, help="how many steps (default: all)")
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the histories lie")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for name in args.name or sorted(p.name.removesuffix(".tar.xz") for p in args.shared.glob("*.tar.xz")):
        work = Path(tempfile.mkdtemp(prefix="indexer-replay-"))
        try:
            rows.append(asdict(run(name, args.first, args.steps, work, args.shared)))
        finally:
            shutil.rmtree(work, ignore_errors=True)
        if not args.json:
            sys.stdout.write(
                ", ".join(f"{k} {round(v, 3) if isinstance(v, float) else v}" for k, v in rows[-1].items()) + "\n"
            )
    if args.json:
        sys.stdout.write(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
