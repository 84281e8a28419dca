"""A real service in a process of its own, and pages of a real browser that tell what went wrong in them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
CONFIG = """\
language = "en"

[embedding]
model = "{model}"

[schedule]
enabled = false

[serve]
rate_per_minute = 0
"""
HASHING = "python:indexer.embed.hashing:HashEmbedder"
BUNDLED = "builtin:e5-small"
PATIENCE = 30_000
"""Milliseconds that anything in a page may take on a machine that is busy with something else."""


def environment() -> dict[str, str]:
    """In English, this checkout's product, nobody else's settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("INDEXER_", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(HERE.parents[1]), "OMP_NUM_THREADS": "1"}


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Served:
    """``indexer serve`` over a folder of its own."""

    def __init__(self, home: Path, model: str = HASHING, words: Sequence[str] = (), more: str = "") -> None:
        self.home, self.folder = home, home / "knowledge_base"
        self.folder.mkdir(parents=True, exist_ok=True)
        (home / "indexer.toml").write_text(CONFIG.format(model=model) + more, "utf-8")
        self.port, self.words = free_port(), words
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def put(self, name: str, text: str) -> Path:
        """A document in the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def run(self, *words: str) -> str:
        """One command, to its end; what it printed."""
        command = [sys.executable, "-m", "indexer", *words, "--home", str(self.home)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 3), done.stdout + done.stderr
        return done.stdout

    def start(self) -> Served:
        """Serve, and wait until it answers."""
        command = [sys.executable, "-m", "indexer", "serve", "--listen", f"127.0.0.1:{self.port}", *self.words]
        with open(self.home / "serve.err", "ab") as err:
            self.process = subprocess.Popen(
                [*command, "--home", str(self.home)], env=environment(), stdout=err, stderr=err
            )
        self.until(lambda: self.answers("/api/v1/health/ready"))
        return self

    def until(self, true: Callable[[], object], seconds: float = 90) -> None:
        """Wait for something that comes while it lives."""
        end = time.monotonic() + seconds
        while not true():
            assert self.process is not None
            assert self.process.poll() is None, f"it ended:\n{self.said()}"
            assert time.monotonic() < end, f"it did not come:\n{self.said()}"
            time.sleep(0.02)

    def answers(self, path: str) -> bool:
        """Whether an address answers with success."""
        with contextlib.suppress(OSError), urllib.request.urlopen(self.url + path, timeout=10) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
        return False

    def api(self, path: str, body: Any = None) -> Any:
        """One call, as a program makes it."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + "/api/v1" + path, data, {"Content-Type": "application/json"})  # noqa: S310 - our own address
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - our own address
            return json.loads(answer.read())

    def update(self) -> Served:
        """Have the folders looked at, and wait until that is done."""
        name = self.api("/runs", {})["request"]
        self.until(lambda: self.api(f"/requests/{name}")["state"] == "done")
        return self

    def said(self) -> str:
        """All it wrote to the terminal."""
        return (self.home / "serve.err").read_text("utf-8")

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            finally:
                self.process.kill()


@contextlib.contextmanager
def watched(page: Any, refused: Sequence[int] = ()) -> Iterator[list[str]]:
    """What goes wrong in a page: errors, warnings, violations of its policy, dialogs it never asked for."""
    wrong: list[str] = []

    def dialog(shown: Any) -> None:
        wrong.append(f"dialog: {shown.message}")
        shown.dismiss()

    def said(message: Any) -> None:
        meant = any(f"responded with a status of {status} " in message.text for status in refused)
        if message.type in ("error", "warning") and not meant:
            wrong.append(f"{message.type}: {message.text}")

    page.on("console", said)
    page.on("pageerror", lambda e: wrong.append(f"error: {e}"))
    page.on("dialog", dialog)
    yield wrong


def axe() -> str:
    """axe-core's source; fetched once into a folder that no commit holds."""
    path = HERE / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        command = ["npm", "install", "--no-save", "--no-package-lock", "--silent", "--prefix", str(HERE), "axe-core@4"]
        subprocess.run(command, check=True, timeout=300)
    return path.read_text("utf-8")
