"""How long ``indexer status`` takes beside a large catalog: ``python -m benchmarks.status --documents 100000``.

The catalog is written through the store itself, in commits of 700 documents with ten passages
each (vectors of eight numbers, which ``status`` never opens): failed, stale, held and
gone ones among them. Each figure is the median over new processes. Goal: 150 ms.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks import measure, trees
from indexer.core.model import Message
from indexer.store.batch import Batch, Draft, Settled
from indexer.store.catalog import Spans, notes_json
from indexer.store.local import Layout, Store

ROOT = Path(__file__).resolve().parents[1]
AT = 1_700_000_000 * 10**9
COMMIT = 700  # documents
PASSAGES = 10  # of a document
ODD = 1000  # one document in so many failed, one is stale, one is held, ten are gone
MODEL = "python:indexer.embed.hashing:HashEmbedder"
GOAL_MS = 150

PHASES = {
    "python": "pass",
    "imports": "import indexer.entry, indexer.cli, indexer.commands.status",
    "settings": "import indexer.entry, indexer.cli, indexer.commands.status as s; from indexer.config import load_settings; load_settings('.')",
}
"""What a process of ``status`` does before it reads the catalog; each includes the one above."""


def _settled(number: int, source: int, sha: bytes) -> Settled:
    """One document: nearly all are indexed, every kind of trouble is among them."""
    path = trees.place(number).encode()
    notes = notes_json([Message("The file is damaged ({detail})", {"detail": "no end of file mark"})])
    match number % ODD:
        case 1:
            return Settled(source, path, sha, "failed", None, notes, tries=1)
        case 2:
            return Settled(source, path, sha, "stale", sha, notes, tries=1)
        case 3:
            return Settled(source, path, sha, "indexed", sha, held=AT)
        case 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13:
            return Settled(source, path, None, "gone", None)
    return Settled(source, path, sha, "indexed", sha)


def _batches(documents: int) -> Iterator[Batch]:
    spans = Spans((((), ""),), tuple((i * 206, i * 206 + 256, 0, 0) for i in range(PASSAGES))).pack()
    for first in range(0, documents, COMMIT):
        batch = Batch(run=1, at=AT + first)
        for number in range(first, min(first + COMMIT, documents)):
            sha = hashlib.sha256(b"%d" % number).digest()
            keys = tuple(hashlib.sha256(sha + bytes([i])).digest() for i in range(PASSAGES))
            settled = _settled(number, 1, sha)
            if settled.content:
                batch.drafts[sha] = Draft(sha, settled.state, None, f"Document {number}", "{}", spans, keys)
                batch.texts.update((key, f"passage {i} of {number}") for i, key in enumerate(keys))
            batch.settled.append(settled)
        batch.vectors = np.ones((len(batch.texts), 8), np.float32)
        yield batch


def make(home: Path, documents: int) -> None:
    """A knowledge base of so many documents, its files absent: ``status`` does not look at them."""
    (home / "knowledge_base").mkdir()
    (home / "indexer.toml").write_text(f'[embedding]\nmodel = "{MODEL}"\n', encoding="utf-8")
    layout = Layout(home / "metadata", home / "vectorstore")
    embedding = json.dumps({"model": MODEL})
    meta = {"facts": "{}", "identity": "{}", "embedding": embedding, "dimension": 8, "complete": 1}
    store = Store.create(layout, hashlib.sha256(b"status").hexdigest(), meta)
    with store.catalog.db.write():
        store.catalog.db.run("INSERT INTO source(id,name,root) VALUES(1,'knowledge_base',?)", (str(home),))
        store.catalog.db.run_many(
            "INSERT INTO run(started,finished,actor,trigger,exit_code,report) VALUES(?,?,'me@here','schedule',3,'{}')",
            ((AT + n * 86_400 * 10**9, AT + n * 86_400 * 10**9 + 10**10) for n in range(400)),
        )
    for batch in _batches(documents):
        store.add_documents(batch)
    layout.serve(store.generation)
    store.close()


def cost(home: Path, repeat: int) -> dict[str, float]:
    """Milliseconds of wall clock, median of ``repeat`` processes: each phase alone, then ``indexer status``.

    ``cpu`` is the least CPU time of a ``status``: what is left of it when other processes take their share.
    """

    def runs(*argv: str) -> list[measure.Ran]:
        env = {"PYTHONPATH": str(ROOT)}
        return [measure.run([sys.executable, *argv], cwd=str(home), env=env, allowed=(0, 3)) for _ in range(repeat)]

    def median(*argv: str) -> float:
        return round(1000 * statistics.median(r.wall_s for r in runs(*argv)), 1)

    status = ("-c", "import sys; from indexer.entry import main; sys.exit(main())", "status")
    cpu = round(1000 * min(r.cpu_s for r in runs(*status, "-q")), 1)  # and the settings are remembered from here on
    upto = {name: median("-c", code) for name, code in PHASES.items()}
    return {**upto, "status": median(*status), "json": median(*status, "--json"), "cpu": cpu}


def main(argv: Sequence[str] | None = None) -> None:
    """Make the catalog, measure, print one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.status", description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000, help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=20, help="processes of each kind (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--dir", type=Path, help="where to put the store (default: the temporary folder)")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="indexer-status-", dir=args.dir) as work:
        make(Path(work), args.documents)
        got = cost(Path(work), args.repeat)
    text = (
        "{documents} documents: indexer status {status} ms, --json {json} ms (goal {goal}); a bare python {python} ms"
    )
    facts = {"documents": args.documents, "goal": GOAL_MS, **got}
    print(json.dumps(facts) if args.json else text.format(**facts))


if __name__ == "__main__":
    main()
