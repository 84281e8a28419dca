"""How the web service answers while it works: ``python -m benchmarks.serving [--seconds 20] [--clients 4] [--json]``.

Two services in processes of their own, asked over HTTP by clients that ask again at once:

bulk      the built-in model; searches while nothing else happens, then while a bulk update of new documents embeds in
          the same process. Goals: no error, p95 at most twice that of the idle service.
large     100,000 passages whose vectors cost nothing to make; queries go through the built-in model. Searches a second.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

GOAL = 2.0
_KNOWN = [
    "policy",
    "leave",
    "travel",
    "budget",
    "server",
    "pump",
    "valve",
    "error",
    "年假",
    "报销",
    "服务器",
    "阀门",
    "预算",
    "合同",
    "安全",
]
_WORDS = [*_KNOWN, *(f"term{n}" for n in range(30_000))]
_OFTEN = list(itertools.accumulate(1 / (n + 1) for n in range(len(_WORDS))))
"""How often each comes, added up: as in any language, the tenth word a tenth as often as the first."""


class Cheap:
    """A LangChain ``Embeddings``: passages by a hash, queries by the built-in model, whose time is what counts."""

    def __init__(self) -> None:
        from indexer import embed
        from indexer.core.tables import EmbeddingSettings
        from indexer.embed.hashing import HashEmbedder

        self._hash = HashEmbedder(384, "")
        self._model = embed.load(EmbeddingSettings())

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """(n, 384), a few microseconds each."""
        return self._hash.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """(384,) of the built-in model."""
        return self._model.embed_query(text).tolist()


def text(rng: random.Random, sentences: int) -> str:
    """Sentences that no other document has."""
    said = (
        " ".join(rng.choices(_WORDS, cum_weights=_OFTEN, k=12)) + f" {rng.randrange(10**9)}." for _ in range(sentences)
    )
    return f"# {rng.choice(_WORDS)} {rng.randrange(10**9)}\n\n" + "\n\n".join(said)


def write(folder: Path, documents: int, sentences: int, seed: int) -> None:
    """So many new documents."""
    rng = random.Random(seed)  # noqa: S311 - the same documents every time
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(documents):
        (folder / f"{seed}-{n}.md").write_text(text(rng, sentences), "utf-8")


@contextmanager
def service(home: Path, model: str) -> Iterator[httpx.Client]:
    """``indexer serve`` over a folder, and a client of it."""
    (home / "indexer.toml").write_text(
        f'[serve]\nlisten = "127.0.0.1:0"\nrate_per_minute = 0\n[embedding]\nmodel = "{model}"\n'
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "indexer", "serve", "--home", str(home)], env=environ, stderr=subprocess.DEVNULL
    )
    try:
        state = home / "metadata" / "daemon.json"
        wait(
            lambda: (
                state.exists()
                and f'"pid": {process.pid}' in state.read_text()
                and json.loads(state.read_text()).get("web")
            )
        )
        with httpx.Client(base_url=json.loads(state.read_text())["web"], timeout=120) as client:
            yield client
    finally:
        process.terminate()
        process.wait(60)


def wait(what: Callable[[], Any], seconds: float = 1800) -> None:
    """Until it is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def update(client: httpx.Client) -> str:
    """Ask for one; its request."""
    return str(client.post("/api/v1/runs", json={}).json()["request"])


def state(client: httpx.Client, request: str) -> str:
    """How it stands."""
    return str(client.get(f"/api/v1/requests/{request}").json()["state"])


def cpu(client: httpx.Client) -> float:
    """Seconds of CPU that the service took so far."""
    line = next(x for x in client.get("/metrics").text.splitlines() if x.startswith("process_cpu_seconds_total"))
    return float(line.split()[1])


def searches(base: str, clients: int, seconds: float) -> dict[str, float]:
    """What so many clients get in this time."""
    took: list[float] = []
    errors = 0
    end = time.monotonic() + seconds

    def one(seed: int) -> None:
        nonlocal errors
        rng = random.Random(seed)  # noqa: S311 - the same questions every time
        with httpx.Client(base_url=base, timeout=120) as client:
            while time.monotonic() < end:
                began = time.perf_counter()
                answer = client.get(
                    "/api/v1/search", params={"q": " ".join(rng.choices(_WORDS, cum_weights=_OFTEN, k=5)), "k": 5}
                )
                took.append(time.perf_counter() - began)
                errors += answer.status_code != 200 or not answer.json()["hits"]

    threads = [threading.Thread(target=one, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cut = statistics.quantiles(took, n=20)
    return {
        "searches": len(took), "errors": errors, "per_second": round(len(took) / seconds, 1),
        "p50_ms": round(1000 * statistics.median(took), 1), "p95_ms": round(1000 * cut[18], 1),
    }  # fmt: skip


def bulk(home: Path, clients: int, seconds: float, documents: int) -> dict[str, Any]:
    """Idle, then while an update embeds."""
    write(home / "knowledge_base", 40, 8, 1)
    with service(home, "builtin:e5-small") as client:
        request = update(client)
        wait(lambda: state(client, request) == "done")
        base = str(client.base_url)
        searches(base, clients, 2)  # warm
        idle = searches(base, clients, seconds)
        write(home / "knowledge_base", documents, 20, 2)
        request = update(client)
        before = client.get("/api/v1/status").json()["commit"]
        wait(lambda: client.get("/api/v1/status").json()["commit"] > before)  # it embeds
        busy = searches(base, clients, seconds)
        still = state(client, request) == "running"
    return {
        "idle": idle,
        "bulk": busy,
        "bulk_at_work_to_the_end": still,
        "p95_ratio": round(busy["p95_ms"] / idle["p95_ms"], 2),
    }


def large(home: Path, clients: int, seconds: float, passages: int) -> dict[str, Any]:
    """Searches a second over so many passages."""
    write(home / "knowledge_base", -(-passages // 17), 50, 3)  # 17 passages of a document at 256/50
    with service(home, "python:benchmarks.serving:Cheap") as client:
        request = update(client)
        wait(lambda: state(client, request) == "done")
        found = client.get("/api/v1/status").json()["passages"]
        searches(str(client.base_url), clients, 2)
        before = cpu(client)
        asked = searches(str(client.base_url), clients, seconds)
        return {
            "passages": found,
            **asked,
            "cpu_ms_per_search": round(1000 * (cpu(client) - before) / asked["searches"], 1),
        }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--documents", type=int, default=5000, help="of the bulk update")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--only", choices=("bulk", "large"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(argv)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "large":
            (home := Path(folder, "bulk")).mkdir()
            found["bulk"] = bulk(home, options.clients, options.seconds, options.documents)
        if options.only != "bulk":
            (home := Path(folder, "large")).mkdir()
            found["large"] = large(home, options.clients, options.seconds, options.passages)
    if options.json:
        print(json.dumps(found))
        return
    for name, facts in found.items():
        print(name, json.dumps(facts, indent=1))
    if "bulk" in found:
        print(
            f"p95 while updating: {found['bulk']['p95_ratio']} x idle (goal: {GOAL}), {found['bulk']['bulk']['errors']} errors"
        )


if __name__ == "__main__":
    main()
