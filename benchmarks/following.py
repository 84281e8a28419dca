"""How long a saved file takes to reach a LightRAG server, with the default settings: ``python -m benchmarks.following``.

A daemon watches a folder and follows to a real server (`make followers` installs one, or ``--url`` and ``--api-key`` of
another). Files are saved one by one; what counts is the time from the save until the server has accepted the new text,
as its own list of documents shows it. For a changed document that includes the deletion of the old one.

``--there 10000``: the server has so many other documents already (one that it processed, written into its store so often
while it stood still), and both sides are compared once (`indexer resync --dry-run`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from indexer.core.model import Key
from indexer.followers.remote_names import remote_name

ROOT = Path(__file__).resolve().parents[1]
GOAL_SECONDS = 6.0
CONFIG = """[schedule]
enabled = false
[watch]
enabled = true
[[followers]]
name = "graph"
kind = "lightrag"
url = "{url}"
api_key = "{key}"
"""


def text(number: int, version: int) -> str:
    """A document of its own."""
    return f"Rule number {number}, version {version}.\n\nEverybody in Department {number} has {version + 10} days of annual leave."


@contextmanager
def server(options: argparse.Namespace, home: Path) -> Iterator[tuple[str, str]]:
    """(address, key) of the server given, or of one that is started here."""
    if options.url:
        yield options.url, options.api_key
        return
    sys.path.insert(0, str(ROOT / "tests" / "followers"))
    from lightrag_server import KEY, Model, running, versions  # type: ignore[import-not-found,unused-ignore]

    if not versions():
        raise SystemExit("No LightRAG server is installed: run `make followers` first, or give --url and --api-key.")
    model = Model()
    try:
        with running(versions()[0], home, model) as started:
            if options.there:
                crowd(started, options.there)
            yield started.url, KEY
    finally:
        model.stop()


def crowd(started: Any, count: int) -> None:
    """Make one processed document of a server into so many."""
    from lightrag_server import KEY, until

    body = {"text": text(-1, 0), "file_source": "of others.txt"}
    httpx.post(started.url + "/documents/text", json=body, headers={"X-API-Key": KEY}, timeout=60).raise_for_status()
    until(lambda: any(str(r["status"]).lower().endswith("processed") for r in started.rows()))
    until(lambda: not started.ask("GET", "/documents/pipeline_status")["busy"])
    started.stop()
    for store in ("kv_store_doc_status.json", "kv_store_full_docs.json"):
        path = started.home / "rag" / store
        [known] = json.loads(path.read_text("utf-8")).values()
        many = {}
        for number in range(count):
            identity, name = f"doc-{number:032x}", f"others {number}.txt"
            many[identity] = {k: name if k == "file_path" else identity if k == "_id" else v for k, v in known.items()}
        path.write_text(json.dumps(many), "utf-8")
    started.start()


def accepted(url: str, key: str, name: str) -> str:
    """The time stamp of a document over there, "" when it has none."""
    query = {"page": 1, "page_size": 200, "sort_field": "created_at", "sort_direction": "desc"}
    found = httpx.post(url + "/documents/paginated", json=query, headers={"X-API-Key": key}, timeout=60).json()
    return next((str(d["created_at"]) for d in found["documents"] if d["file_path"] == name), "")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Seconds of each saving, first new ones, then changed ones."""
    taken: dict[str, list[float]] = {"added": [], "modified": []}
    with tempfile.TemporaryDirectory() as folder, server(options, Path(folder) / "server") as (url, key):
        home = Path(folder) / "home"
        (home / "knowledge_base").mkdir(parents=True)
        (home / "indexer.toml").write_text(CONFIG.format(url=url, key=key), "utf-8")
        command = [sys.executable, "-m", "indexer", "run", "--home", str(home)]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as daemon:
            try:
                for version, kind in enumerate(("added", "modified")):
                    for number in range(options.files):
                        taken[kind].append(_saved(home, url, key, number, version))
                        time.sleep(options.pause)
                compared = [*command[:3], "resync", "--dry-run", "--home", str(home)]
                began = time.monotonic()
                subprocess.run(compared, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
                taken["compared"] = [time.monotonic() - began]
            finally:
                daemon.terminate()
    return {kind: {"median_s": statistics.median(t), "worst_s": max(t)} for kind, t in taken.items()}


def _saved(home: Path, url: str, key: str, number: int, version: int) -> float:
    name = remote_name(Key("knowledge_base", f"{number}.md"))
    before, began = accepted(url, key, name), time.monotonic()
    (home / "knowledge_base" / f"{number}.md").write_text(text(number, version), "utf-8")
    while (now := accepted(url, key, name)) == before or not now:
        if time.monotonic() - began > 300:
            raise TimeoutError(f"{name} did not arrive")
        time.sleep(0.05)
    return time.monotonic() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="")
    parser.add_argument("--api-key", default="")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--there", type=int, default=0, help="documents of others on the server that is started here")
    parser.add_argument("--pause", type=float, default=4.0, help="seconds between two savings, for the server to rest")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options)
    if options.json:
        print(json.dumps(found))
        return
    print(f"both sides compared: {found.pop('compared')['median_s']:.1f} s")
    for kind, f in found.items():
        print(
            f"{kind}: {f['median_s']:.1f} s median, {f['worst_s']:.1f} s at most until accepted (goal {GOAL_SECONDS:.0f} s)"
        )


if __name__ == "__main__":
    main()
