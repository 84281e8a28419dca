"""Real LightRAG servers, each from a virtual environment of its own that ``make followers`` sets up; on 127.0.0.1 only."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

HERE = Path(__file__).resolve().parent
SERVERS = Path(os.environ.get("INDEXER_TEST_LIGHTRAG") or HERE.parents[1] / ".lightrag")
"""Holds ``1.5.7/``, ``1.4.16/`` (virtual environments) and ``ranks/`` (what tiktoken would download)."""

KEY = "secret-of-the-graph"
PATIENCE = 180.0


def versions() -> list[str]:
    """Which of the two are installed here."""
    return [v for v in ("1.5.7", "1.4.16") if (SERVERS / v / "bin" / "lightrag-server").exists()]


def free_port() -> int:
    """One that nobody has at the moment."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Model:
    """The stand-in for its models, in a process of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process = subprocess.Popen([sys.executable, str(HERE / "model_stand_in.py"), str(self.port)])
        until(lambda: _answers(f"http://127.0.0.1:{self.port}/v1/models"))

    def steer(self, **how: Any) -> None:
        """``delay`` seconds of each call; ``away``."""
        httpx.post(f"http://127.0.0.1:{self.port}/steer", json=how)

    def stop(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


class Server:
    """One server with its data; may be killed and started again."""

    def __init__(self, version: str, home: Path, model: Model, **environ: str) -> None:
        self.version, self.home, self.model, self.port = version, home, model, free_port()
        self.environ = environ
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Until it answers."""
        model = f"http://127.0.0.1:{self.model.port}/v1"
        for folder in ("rag", "inputs"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
        environ = {
            **os.environ, "TIKTOKEN_CACHE_DIR": str(SERVERS / "ranks"), "LIGHTRAG_API_KEY": KEY,
            "LLM_BINDING": "openai", "LLM_BINDING_HOST": model, "LLM_BINDING_API_KEY": "x", "LLM_MODEL": "stand-in",
            "EMBEDDING_BINDING": "openai", "EMBEDDING_BINDING_HOST": model, "EMBEDDING_BINDING_API_KEY": "x",
            "EMBEDDING_MODEL": "stand-in", "EMBEDDING_DIM": "64",
            **self.environ,
        }  # fmt: skip
        environ.pop("PYTHONPATH", None)
        where = ("--host", "127.0.0.1", "--port", str(self.port))
        folders = ("--working-dir", str(self.home / "rag"), "--input-dir", str(self.home / "inputs"))
        command = [str(SERVERS / self.version / "bin" / "lightrag-server"), *where, *folders]
        with open(self.home / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.home, env=environ, stdout=log, stderr=log, start_new_session=True
            )
        until(lambda: _answers(self.url + "/health") or self._ended())

    def _ended(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.home / "server.log").read_text("utf-8", "replace")[-3000:]
        return False

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End it and whatever it started."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
            self.process = None

    def kill(self) -> None:
        """As a power cut would."""
        self.stop(signal.SIGKILL)

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """One call with the key."""
        return httpx.request(method, self.url + path, headers={"X-API-Key": KEY}, timeout=60, **options).json()

    def rows(self) -> list[dict[str, Any]]:
        """Every document there."""
        found: list[dict[str, Any]] = self.ask("POST", "/documents/paginated", json={"page": 1, "page_size": 200})[
            "documents"
        ]
        return found

    def content(self) -> dict[str, str]:
        """Name to text of what was processed, from the server's own store."""
        file = self.home / "rag" / "kv_store_full_docs.json"
        done = [r for r in self.rows() if r["status"].lower().endswith("processed")]
        try:
            stored = json.loads(file.read_text("utf-8")) if file.exists() else {}
            return {r["file_path"]: stored[r["id"]]["content"] for r in done}
        except (ValueError, KeyError):  # it is being written
            return {}

    def clear(self) -> None:
        """Nothing is there any more."""
        until(lambda: self.ask("DELETE", "/documents").get("status") == "success" or not self.rows())
        until(lambda: not self.rows() and not self.ask("GET", "/documents/pipeline_status")["busy"])


@contextmanager
def running(version: str, home: Path, model: Model, **environ: str) -> Iterator[Server]:
    """A server that is started, and ended whatever happens; ``environ``: more of its settings."""
    server = Server(version, home, model, **environ)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def until(what: Any, seconds: float = PATIENCE) -> Any:
    """Wait for it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)
    return found


def _answers(url: str) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(url, timeout=5).status_code == 200
    return False
