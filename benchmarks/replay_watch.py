"""Real edit histories, played into a folder that a real daemon watches: is the index right after each pause, and how soon?

    python -m benchmarks.replay_watch [--name zh-laws] [--rate 5] [--every 20] [--model builtin:...] [--json]

``indexer watch`` runs in a process of its own. ``--rate`` commits a second are played; after every ``--every`` there is a
pause: as soon as the daemon has nothing more to do, each document found must have the bytes that lie in the folder, and each
chunk must be a stretch of its present text. Held deletions are released by ``indexer update --now --allow-deletions`` beside the
daemon, as a person would. At the end the index is compared, chunk for chunk, with one made anew.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.replay import SHARED, Wrong, careless, module
from benchmarks.watched import ALL, How, Watched
from indexer import KnowledgeBase

_SINCE = "FROM version v JOIN content c ON c.id=v.content WHERE v.added>? AND v.added<=?"


@dataclass
class Figures:
    """``lag``: seconds from the last write before a pause to its being found, median and most; ``share``: passages embedded
    of all those in what changed; ``at_most``: documents that had to be parsed, by the history."""

    name: str
    steps: int = 0
    pauses: int = 0
    changed: int = 0
    runs: int = 0
    commits: int = 0
    held: int = 0
    parsed: int = 0
    at_most: int = 0
    embedded: int = 0
    share: float = 0.0
    lag_median_s: float = 0.0
    lag_most_s: float = 0.0
    wall_s: float = 0.0
    lags: list[float] = field(default_factory=list, repr=False)


def play(name: str, first: int, steps: int, work: Path, how: How = How(), shared: Path = SHARED) -> Figures:  # noqa: B008 - it is immutable
    """Play ``steps`` steps after state ``first``; raises Wrong."""
    player, options = module(shared), SimpleNamespace(inplace=False, mtime=False)
    watched, figures = Watched(work, how), Figures(name)
    with careless():
        history = player.Replay(str(shared / f"{name}.tar.xz"))
        player.checkout(history, first, str(watched.folder), options)
    began = time.monotonic()
    with watched.daemon():
        watched.right()
        head, runs = watched.value("SELECT max(n) FROM log"), watched.value("SELECT max(id) FROM run")
        due, last = time.monotonic(), min(first + steps, history.last)
        for k in range(first + 1, last + 1):
            with careless():
                player.step(history, k, str(watched.folder), options)
            _count(figures, history.expected(k))
            if figures.steps % how.every == 0 or k == last:
                _pause(watched, figures)
            due = max(due + 1 / how.rate, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
        _sum_up(watched, figures, head, runs)
        _anew(watched)
    figures.wall_s = time.monotonic() - began
    return figures


def _count(figures: Figures, expected: dict[str, int]) -> None:
    figures.steps += 1
    figures.changed += sum(expected[x] for x in ("added", "modified", "deleted", "renamed"))
    figures.at_most += expected["added"] + expected["modified"] + expected["renamed"] - expected["renamed_pure"]


def _pause(watched: Watched, figures: Figures) -> None:
    took, held = watched.right()
    figures.pauses += 1
    figures.held += held
    figures.lags.append(took)


def _sum_up(watched: Watched, figures: Figures, head: int, runs: int) -> None:
    """What the runs cost, against what changed; raises Wrong when more was parsed than that."""
    figures.runs = watched.value("SELECT count(*) FROM run WHERE id>?", runs)
    now = watched.value("SELECT max(n) FROM log")
    figures.commits = now - head
    figures.parsed = watched.value(
        f"SELECT count(DISTINCT v.content) {_SINCE} AND c.id>(SELECT max(content) FROM version WHERE added<=?)",
        head,
        now,
        head,
    )
    figures.embedded = watched.value("SELECT sum(json_extract(report,'$.embedded')) FROM run WHERE id>?", runs)
    figures.share = round(
        figures.embedded / max(1, watched.value(f"SELECT sum(length(c.passages)/8) {_SINCE}", head, now)), 4
    )
    figures.lag_median_s, figures.lag_most_s = round(statistics.median(figures.lags), 2), round(max(figures.lags), 2)
    if figures.parsed > figures.at_most:
        raise Wrong(f"{figures.parsed} contents were made, {figures.at_most} files changed")


def _anew(watched: Watched) -> None:
    """An index made from nothing over the same folder finds the same chunks."""
    settings = watched.kb.settings
    where = {k: str(watched.home / "anew" / k) for k in ("metadata", "vectorstore")}
    anew = KnowledgeBase(settings._replace(**where))
    anew.update()
    one, two = (Counter((h.key.path, h.text, h.start) for h in kb.search("anything", ALL)) for kb in (watched.kb, anew))
    anew.close()
    if one != two:
        raise Wrong(f"the index differs from one made anew: {list((one - two) + (two - one))[:3]}")


def main(argv: list[str] | None = None) -> None:
    """Command line."""
    how = How()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", action="append", help="which histories (default: all that are there)")
    parser.add_argument("--first", type=int, default=0, help="the state to start from (default 0)")
    parser.add_argument("--steps", type=int, default=10**6, help="how many steps (default: all)")
    parser.add_argument("--rate", type=float, default=how.rate, help=f"commits a second (default {how.rate:g})")
    parser.add_argument("--every", type=int, default=how.every, help=f"steps from pause to pause (default {how.every})")
    parser.add_argument("--debounce", type=float, default=how.debounce, help=f"quiet time (default {how.debounce:g} s)")
    parser.add_argument("--model", default=how.model, help="the model (default: a hash that costs nothing)")
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the histories lie")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    how = How(args.rate, args.every, args.debounce, args.model)
    rows: list[dict[str, Any]] = []
    for name in args.name or sorted(p.name.removesuffix(".tar.xz") for p in args.shared.glob("*.tar.xz")):
        work = Path(tempfile.mkdtemp(prefix="indexer-replay-"))
        try:
            row = asdict(play(name, args.first, args.steps, work, how, args.shared))
        finally:
            shutil.rmtree(work, ignore_errors=True)
        row.pop("lags")
        rows.append(row)
        if not args.json:
            sys.stdout.write(
                ", ".join(f"{k} {round(v, 2) if isinstance(v, float) else v}" for k, v in row.items()) + "\n"
            )
    if args.json:
        sys.stdout.write(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
