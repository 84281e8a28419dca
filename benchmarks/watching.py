"""What watch mode takes from a save to the hit, and what a storm of events costs: ``python -m benchmarks.watching``.

Latency: a daemon watches, this process saves a small file with words no other one has, and searches
until a hit holds them. What counts is the time beyond the quiet time. Storm: another process writes
to files at 10,000 events a second for a minute; then the time until everything is found, the runs
that were made, and the daemon's memory. Each is one line.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import trees
from indexer.api import KnowledgeBase

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600.0
HASH = "python:indexer.embed.hashing:HashEmbedder"
GOAL_BEYOND = 0.5
GOAL_FOUND = 30.0


class Daemon(NamedTuple):
    """A watching daemon and where it is at home."""

    home: Path
    process: subprocess.Popen[bytes]

    @property
    def folder(self) -> Path:
        """What it watches."""
        return self.home / "knowledge_base"

    def memory(self) -> float:
        """MB (10^6 bytes) its own process holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) * 1024 / 1e6 if found else 0.0

    def runs(self) -> list[int]:
        """When each run ended (ns)."""
        base = KnowledgeBase(self.home)
        try:
            return [at for (at,) in base.reader().catalog.db.all("SELECT finished FROM run ORDER BY id")]
        finally:
            base.close()


def _until(holds: Callable[[], bool], pause: float = 0.05) -> float:
    """Seconds until something holds."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > SECONDS:
            raise TimeoutError("it did not come to it")
        time.sleep(pause)
    return time.monotonic() - began


@contextmanager
def watching(home: Path, files: int, model: str, debounce: float) -> Iterator[Daemon]:
    """A daemon over a folder of so many texts, all of them found, model loaded."""
    folder = home / "knowledge_base"
    for number in range(files):
        path = folder / trees.place(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(number, 0), "utf-8")
    config = (
        f'[embedding]\nmodel = "{model}"\n[watch]\nenabled = true\ndebounce = {debounce}\n[schedule]\nenabled = false\n'
    )
    (home / "indexer.toml").write_text(config, "utf-8")
    argv = [sys.executable, "-m", "indexer", "watch", "--home", str(home)]
    with open(home / "daemon.log", "wb") as log:
        process = subprocess.Popen(argv, cwd=ROOT, stdout=log, stderr=log)
    daemon = Daemon(home, process)
    try:
        _until(lambda: len(_found(home)) == files)
        yield daemon
    finally:
        process.terminate()
        process.wait()


def _text(number: int, version: int) -> str:
    rng = random.Random(number * 1000 + version)  # noqa: S311
    return f"Note {number}.\n\nVersion {version}: " + " ".join(rng.choice(_WORDS) for _ in range(30)) + ".\n"


_WORDS = [
    "leave",
    "policy",
    "badge",
    "server",
    "remote",
    "travel",
    "expense",
    "manual",
    "battery",
    "handbook",
    "office",
    "salary",
    "notice",
    "contract",
    "order",
]


def _found(home: Path) -> dict[str, str]:
    """Path to the text that is found, of one commit."""
    if not (home / "metadata" / "HEAD").exists():
        return {}
    base = KnowledgeBase(home)
    try:
        hits = base.search([1.0] + [0.0] * (base.reader().catalog.meta("dimension") - 1), 10**6)
    finally:
        base.close()
    found: dict[str, str] = {}
    for hit in sorted(hits, key=lambda h: (h.key, h.start)):
        found[hit.key.path] = found.get(hit.key.path, "") + hit.text
    return found


# ---- latency -----------------------------------------------------------------------------


def latency(saves: int, files: int, model: str, debounce: float) -> dict[str, float]:
    """Seconds from the end of a save to the hit in this process, beyond the quiet time."""
    with tempfile.TemporaryDirectory() as where, watching(Path(where), files, model, debounce) as daemon:
        base = KnowledgeBase(daemon.home)
        beyond = [_save(daemon, base, n, files) - debounce for n in range(saves + 2)][2:]
        base.close()
    beyond.sort()
    return {
        "saves": saves, "documents": files, "quiet_s": debounce, "p50_s": statistics.median(beyond),
        "p95_s": beyond[min(len(beyond) - 1, int(len(beyond) * 0.95))], "worst_s": beyond[-1],
    }  # fmt: skip


def _save(daemon: Daemon, base: KnowledgeBase, number: int, files: int) -> float:
    mark = f"{random.Random(number).getrandbits(60):x}"  # noqa: S311
    text = f"The quarterly figure of {mark} is to be handed in."
    vector = base.model(base.reader().catalog).embed_query(text).tolist()
    time.sleep(random.random())  # noqa: S311 - at any moment of the daemon's second
    path = daemon.folder / (trees.place(number % files) if number % 2 else f"saved/{number}.txt")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return _until(lambda: any(mark in h.text for h in base.search(vector, 3)), 0.005)


# ---- storm -------------------------------------------------------------------------------

_WRITER = """
import os, resource, sys, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
folder, files, rate, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
os.makedirs(folder + "/storm", exist_ok=True)
fds = [os.open(f"{folder}/storm/{n}.txt", os.O_CREAT | os.O_WRONLY) for n in range(files)]
began, done = time.monotonic(), 0
while (now := time.monotonic() - began) < seconds:
    while done < now * rate:
        os.pwrite(fds[done % files], b"Storm note %06d says %012d.\\n" % (done % files, done), 0)
        done += 1
    time.sleep(0.002)
for n in range(files):
    os.pwrite(fds[n], b"Storm note %06d ends at %08d.\\n" % (n, n), 0)
print(done)
"""


def storm(files: int, rate: int, seconds: float, documents: int, model: str) -> dict[str, float]:
    """A minute of events on ``files`` files, and what comes of it."""
    with tempfile.TemporaryDirectory() as where, watching(Path(where), documents, model, 2.0) as daemon:
        before, runs = daemon.memory(), len(daemon.runs())
        argv = [sys.executable, "-c", _WRITER, str(daemon.folder), str(files), str(rate), str(seconds)]
        writer = subprocess.Popen(argv, stdout=subprocess.PIPE)
        memory = []
        while writer.poll() is None:
            memory.append(daemon.memory())
            time.sleep(0.5)
        events = int((writer.stdout or sys.stdin).read())
        want = {f"storm/{n}.txt": f"ends at {n:08d}" for n in range(files)}
        found = _until(lambda: _all_there(daemon, want), 0.2)
        during = len(daemon.runs()) - runs
    return {
        "events": events, "seconds": seconds, "files": files, "runs": during, "found_after_s": found,
        "memory_before_mb": before, "memory_peak_mb": max(memory),
        "memory_second_half_mb": max(memory[len(memory) // 2 :]) - max(memory[: len(memory) // 2]),
    }  # fmt: skip


def _all_there(daemon: Daemon, want: dict[str, str]) -> bool:
    found = _found(daemon.home)
    return all(part in found.get(path, "") for path, part in want.items())


# ---- both --------------------------------------------------------------------------------


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watching", description=__doc__)
    parser.add_argument("--only", choices=("latency", "storm"), help="one of the two")
    parser.add_argument("--saves", type=int, default=40)
    parser.add_argument("--documents", type=int, default=300, help="in the folder before")
    parser.add_argument("--model", default="builtin:e5-small", help=f"for example {HASH}")
    parser.add_argument("--debounce", type=float, default=2.0)
    parser.add_argument("--files", type=int, default=500, help="the storm writes to")
    parser.add_argument("--rate", type=int, default=10_000, help="events a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="of storm")
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args(words)
    figures: dict[str, dict[str, float]] = {}
    if o.only != "storm":
        figures["latency"] = latency(o.saves, o.documents, o.model, o.debounce)
        if not o.json:
            print(_LATENCY.format(**figures["latency"], goal=GOAL_BEYOND))
    if o.only != "latency":
        figures["storm"] = storm(o.files, o.rate, o.seconds, o.documents, o.model)
        if not o.json:
            print(_STORM.format(**figures["storm"], goal=GOAL_FOUND))
    if o.json:
        print(json.dumps(figures))
    return 0


_LATENCY = (
    "latency: {saves} saves among {documents} documents, found by another process after the quiet time of {quiet_s:g} s "
    "+ {p50_s:.3f} s (median), + {p95_s:.3f} s (95 %), + {worst_s:.3f} s (worst); goal + {goal:g} s at 95 %"
)
_STORM = (
    "storm: {events} events on {files} files in {seconds:g} s, {runs} runs, all found {found_after_s:.1f} s after the end "
    "(goal {goal:g} s); memory {memory_before_mb:.0f} MB before, {memory_peak_mb:.0f} MB at most, "
    "{memory_second_half_mb:+.1f} MB from the first half of the storm to the second"
)

if __name__ == "__main__":
    sys.exit(main())
