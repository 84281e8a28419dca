"""The knowledge base of a soak: its configuration, and its history of runs."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from soak_checks import Run
from soak_daemons import environment
from soak_times import NIGHT, ZONE

from indexer import KnowledgeBase

_CONFIG = """\
{more}
batch_passages = 60
[[sources]]
name = "kb"
path = "kb"
[split]
size = {size}
overlap = 0
[embedding]
model = "python:slow_embedder:SlowEmbedder"
options = {{ seconds = 0.004, broken = '{broken}' }}
[schedule]
at = "{night:%H:%M}"
time_zone = "{zone}"
[watch]
debounce = {debounce}
max_wait = 3.0
full_look_minutes = {look}
probe_minutes = 0.5
mode = "{mode}"
poll_seconds = 1.0
[metrics]
listen = "127.0.0.1:{port}"
[notify]
urls = ["json://127.0.0.1:{nobody}/nobody/listens"]
"""


class Home:
    """A knowledge base in ``path``; its documents lie in ``root``, ``outside`` belongs to nobody."""

    def __init__(self, path: Path) -> None:
        self.path, self.root, self.outside = path, path / "kb", path / "outside"
        self.size, self.debounce, self.look, self.mode = 100, 0.3, 15.0, "auto"
        self.port, self.nobody = free_port(), free_port()
        self.root.mkdir()
        self.outside.mkdir()
        (self.root / "keep.txt").write_text("This document is never touched.")
        self.write()

    def write(self, more: str = "") -> None:
        """The configuration, at one blow; ``more`` goes to its top."""
        text = _CONFIG.format(
            more=more, size=self.size, night=NIGHT, zone=ZONE, debounce=self.debounce, look=self.look, mode=self.mode,
            broken=(self.path / "broken").as_posix(), port=self.port, nobody=self.nobody,
        )  # fmt: skip
        part = self.path / "indexer.part"
        part.write_text(text, "utf-8")
        os.replace(part, self.path / "indexer.toml")

    def indexer(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command, to its end."""
        command = [sys.executable, "-m", "indexer", *words, "--home", str(self.path)]
        return subprocess.run(
            command, env=environment(self.path), capture_output=True, text=True, timeout=300, check=False
        )


def free_port() -> int:
    """One nobody listens on, of those no program is given by chance."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as found:
            found.bind(("127.0.0.1", port))
            return port


def scraped(port: int) -> str:
    """What the daemon tells of itself."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return str(answer.read().decode())


def runs_of(kb: KnowledgeBase) -> dict[int, Run]:
    """The newest runs on record by their number; those at work are left out."""
    catalog = kb.catalog()
    assert catalog is not None
    rows = catalog.db.all(
        "SELECT id,started,exit_code,report FROM run WHERE finished IS NOT NULL ORDER BY id DESC LIMIT 500"
    )
    catalog.close()
    reports = ((n, started, code, json.loads(report or "{}")) for n, started, code, report in rows)
    return {n: Run(started, code, int(r.get("due", 0)), bool(r.get("full"))) for n, started, code, r in reports}
