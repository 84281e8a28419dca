"""A real Prometheus, a real Alertmanager and the receiver it calls, all on 127.0.0.1."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import yaml

PATIENCE = 300.0
"""Seconds; on a machine that does much else everything takes its time."""

_ALERTMANAGER = """
route: {{receiver: loopback, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}}
receivers:
  - name: loopback
    webhook_configs: [{{url: "http://127.0.0.1:{port}/", send_resolved: true}}]
"""


def promtool(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Prometheus' own checker."""
    return subprocess.run(["promtool", *words], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)


def free_port() -> int:
    """A port nobody has at the moment."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def until(what: str, true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait for it; what it gave at last."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.2)
    return found


class Receiver:
    """What Alertmanager told: the newest notice of each alert, and how often it said each."""

    def __init__(self) -> None:
        self.notices: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.notices += json.loads(body)["alerts"]
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Hear no more."""
        self.server.shutdown()
        self.server.server_close()

    def standing(self) -> dict[str, str]:
        """Alert names to "firing" or "resolved"; firing while one of several is."""
        newest = {n["fingerprint"]: (n["labels"]["alertname"], n["status"]) for n in self.notices}
        return {name: "firing" if (name, "firing") in newest.values() else "resolved" for name, _ in newest.values()}

    def firing(self) -> set[str]:
        """Names of the alerts that stand."""
        return {name for name, status in self.standing().items() if status == "firing"}

    def summary(self, name: str) -> str:
        """The newest summary of an alert."""
        return str(
            next(n for n in reversed(self.notices) if n["labels"]["alertname"] == name)["annotations"]["summary"]
        )


class Sink:
    """Where a webhook follower delivers; answers ``status`` after ``seconds``, and a mere ping always well where it is 422."""

    def __init__(self, status: int) -> None:
        self.status, self.seconds = status, 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(outer.seconds)
                self.send_response(204 if event["type"] == "ping" and outer.status == 422 else outer.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Take no more."""
        self.server.shutdown()
        self.server.server_close()


class Prometheus(NamedTuple):
    """Its port, to be asked."""

    port: int

    def _get(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path: str, **query: str) -> Any:
        """The data of an answer of its API."""
        found = json.loads(self._get(f"/api/v1/{path}?{urllib.parse.urlencode(query)}")[1])
        assert found["status"] == "success", found
        return found["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """An instant query."""
        rows: list[dict[str, Any]] = self.get("query", query=expression)["result"]
        return rows

    def ready(self) -> bool:
        """Whether it answers yet."""
        try:
            return self._get("/-/ready")[0] == 200
        except OSError:
            return False


@contextmanager
def program(argv: Sequence[str], cwd: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended at last; its words are in a file."""
    with open(log, "wb") as out:
        process = subprocess.Popen(argv, cwd=cwd, stdout=out, stderr=out)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def hurried(folder: Path, alertmanager: int) -> None:
    """The exported configuration with every time that is waited cut to a second, and somebody to tell; else as shipped."""
    rules = (folder / "alerts.yml").read_text("utf-8")
    (folder / "alerts.yml").write_text(re.sub(r"(?m)^( +for:) \w+$", r"\1 1s", rules), "utf-8")
    path = folder / "prometheus.yml"
    config = yaml.safe_load(path.read_text("utf-8"))
    config["global"] = dict.fromkeys(config["global"], "1s")
    config["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]}
    path.write_text(yaml.safe_dump(config), "utf-8")


@contextmanager
def watching(folder: Path) -> Iterator[tuple[Prometheus, Receiver]]:
    """Prometheus with the configuration in ``folder``, an Alertmanager it tells, a receiver that is told."""
    receiver, port, other = Receiver(), free_port(), free_port()
    hurried(folder, other)
    (folder / "alertmanager.yml").write_text(_ALERTMANAGER.format(port=receiver.port), "utf-8")
    manager = [
        "prometheus-alertmanager", "--config.file=alertmanager.yml", "--storage.path=alerts",
        f"--web.listen-address=127.0.0.1:{other}", "--cluster.listen-address=",
    ]  # fmt: skip
    server = [
        "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=series",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with ExitStack() as stack:
        stack.callback(receiver.close)
        stack.enter_context(program(manager, folder, folder / "alertmanager.log"))
        stack.enter_context(program(server, folder, folder / "prometheus.log"))
        prometheus = Prometheus(port)
        until("Prometheus answers", prometheus.ready)
        yield prometheus, receiver


def daemon_argv() -> list[str]:
    """The daemon itself."""
    return [sys.executable, "-m", "indexer", "run"]
