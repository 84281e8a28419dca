"""What a scrape of ``/metrics`` costs beside a large catalog: ``python -m benchmarks.scrape --documents 100000``.

The catalog is that of :mod:`benchmarks.status`, with a long history of runs on top. Scrapes go over HTTP:
the first of a daemon (all runs on record are added up), one after each commit (documents are counted again),
one when nothing happened. Goal: 50 ms, whatever happened.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import status
from indexer.config import load_settings
from indexer.metrics import Metrics, serve
from indexer.store.batch import Batch, Settled
from indexer.store.local import Layout, Store

GOAL_MS = 50
REPORT = json.dumps(
    dict.fromkeys(("added", "modified", "touched", "deleted", "moved", "held", "embedded", "reused"), 1)
)


def remember_runs(store: Store, count: int) -> None:
    """So many more runs on record, one every fifteen minutes."""
    rows = ((status.AT + n * 900 * 10**9, status.AT + n * 900 * 10**9 + 10**9, REPORT) for n in range(count))
    with store.catalog.db.write():
        store.catalog.db.run_many(
            "INSERT INTO run(started,finished,actor,trigger,exit_code,report) VALUES(?,?,'me@here','look',0,?)", rows
        )


def commit(store: Store, turn: int) -> None:
    """The smallest commit: one document is gone."""
    number = 100 + turn
    path = status.trees.place(number).encode()
    store.add_documents(Batch(run=1, at=status.AT + turn, settled=[Settled(1, path, None, "gone", None)]))


def cost(home: Path, documents: int, runs: int, repeat: int) -> dict[str, float]:
    """Milliseconds of wall clock and of CPU (the asking side included): the first scrape, and medians of ``repeat`` others."""
    status.make(home, documents)
    settings = load_settings(home, {})
    layout = Layout(Path(settings.metadata), Path(settings.vectorstore))
    store = Store.open(layout, layout.served() or "")
    remember_runs(store, runs)
    served = serve("127.0.0.1:0", Metrics(settings, "benchmark"), lambda kind, facts: print(kind, facts))
    assert served.address is not None
    url = f"http://127.0.0.1:{served.address[1]}/metrics"

    time.sleep(10)  # a daemon is up for a while before somebody asks

    def scrape() -> tuple[float, float]:
        wall, cpu = time.perf_counter(), time.process_time()
        body = urllib.request.urlopen(url).read()
        took = time.perf_counter() - wall, time.process_time() - cpu
        assert b"indexer_catalog_readable 1.0" in body
        return took

    def median(name: str, before: Callable[[int], object]) -> dict[str, float]:
        both = zip(*((before(turn), scrape())[1] for turn in range(repeat)), strict=True)
        return dict(zip((name, f"{name}_cpu"), (round(1000 * statistics.median(t), 1) for t in both), strict=True))

    try:
        first = round(1000 * scrape()[0], 1)
        changed = median("commit", lambda turn: commit(store, turn))
        return {"first": first, **changed, **median("idle", lambda turn: None)}
    finally:
        served.close()
        store.close()


def main(argv: Sequence[str] | None = None) -> None:
    """Make the catalog, measure, print one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scrape", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000, help="default: %(default)s")
    parser.add_argument("--runs", type=int, default=35_000, help="on record; the default is a year of them")
    parser.add_argument("--repeat", type=int, default=20, help="scrapes of each kind (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--dir", type=Path, help="where to put the store (default: the temporary folder)")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="indexer-scrape-", dir=args.dir) as work:
        got = cost(Path(work), args.documents, args.runs, args.repeat)
    text = "{documents} documents, {runs} runs: first scrape {first} ms, after a commit {commit} ms ({commit_cpu} of CPU), else {idle} ms ({idle_cpu}); goal {goal}"
    facts = {"documents": args.documents, "runs": args.runs, "goal": GOAL_MS, **got}
    print(json.dumps(facts) if args.json else text.format(**facts))


if __name__ == "__main__":
    main()
