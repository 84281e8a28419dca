"""``/metrics`` over HTTP, on the configured address and nothing else."""

from __future__ import annotations

import os
import socket
import socketserver
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from ..core.model import Message

if TYPE_CHECKING:
    from .exposing import Metrics

Tell = Callable[[str, Mapping[str, Any]], None]
PATH = "/metrics"


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of one path."""

    server: _Server
    timeout = 10  # seconds; a client that says nothing must not keep a thread
    server_version, sys_version = "indexer", ""

    def do_GET(self) -> None:
        """The metrics, or 404."""
        if self.path.partition("?")[0] != PATH:
            self._answer(404, b"Only /metrics is here.\n", "text/plain; charset=utf-8")
            return
        body, content_type = self.server.metrics.scrape(", ".join(self.headers.get_all("Accept", [])))
        self._answer(200, body, content_type)

    do_HEAD = do_GET

    def _answer(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """A scrape every few seconds is not worth a line."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    block_on_close = False  # a client that hangs must not delay the daemon's end
    allow_reuse_address = os.name != "nt"  # on Windows it would let two programs share the port

    def __init__(self, address: tuple[str, int], metrics: Metrics) -> None:
        self.metrics = metrics
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """HTTPServer's own would ask a name service for our name, which may take a minute."""
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is no event."""


class Served:
    """A server at work on ``listen``, or none where the address could not be had."""

    def __init__(self, listen: str, server: _Server | None = None) -> None:
        self.listen, self._server = listen, server
        if server is not None:
            threading.Thread(target=server.serve_forever, args=(0.2,), name="metrics-http", daemon=True).start()

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port that are listened on; None when there is no server."""
        return None if self._server is None else self._server.server_address[:2]  # type: ignore[return-value]

    def close(self) -> None:
        """Stop answering and give the port back."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()


def serve(listen: str, metrics: Metrics, tell: Tell) -> Served:
    """Answer on ``listen`` ("127.0.0.1:9464", "[::1]:9464") until closed.

    An address that cannot be had is told as an error, and the daemon goes on without: an index
    that stands still because a port is taken would be the worse failure.
    """
    host, _, port = listen.rpartition(":")
    try:
        return Served(listen, _Server((host.strip("[]"), int(port)), metrics))
    except (OSError, ValueError, OverflowError) as e:
        why = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        tell("log", {"level": "error", "message": Message(_TAKEN, {"listen": listen, "why": why})})
        return Served(listen)


_TAKEN = (
    "metrics.listen: nothing can be served on {listen} ({why}), so there are no metrics. "
    "Give another address, or end the program that has this one, and reload the daemon."
)
