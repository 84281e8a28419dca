"""A tiny server of OpenAI's embeddings protocol whose next answers a test can script."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from indexer.embed.hashing import HashEmbedder

Fault = Callable[["Handler"], None]
"""Answers one request in some wrong way."""


class Handler(BaseHTTPRequestHandler):
    """Vectors of the hash twin (16 numbers), unless the script has a fault for this request."""

    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_POST(self) -> None:
        """One embeddings request."""
        self.request_body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append(self.request_body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            self.server.paths.append(self.path)
            fault = self.server.faults.pop(0) if self.server.faults else self.server.always
        if fault:
            fault(self)
        else:
            self.answer(200, self.vectors())

    def vectors(self, dimension: int = 16) -> dict[str, object]:
        """The right answer, items in reverse order: only ``index`` tells which is which."""
        rows = HashEmbedder(dimension).embed_documents(self.request_body["input"])
        floats = self.request_body.get("encoding_format") != "base64"
        data = [
            {
                "index": n,
                "embedding": row.tolist() if floats else base64.b64encode(row.astype("<f4").tobytes()).decode(),
            }
            for n, row in enumerate(rows)
        ]
        return {"data": data[::-1]}

    def answer(self, status: int, body: object, **headers: str) -> None:
        """JSON with a status."""
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class Scripted(ThreadingHTTPServer):
    """``faults`` answer the next requests in turn, ``always`` all others; ``seen`` keeps the bodies."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.seen: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        """What to put into ``base_url``."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is part of the tests."""


@contextmanager
def serving() -> Iterator[Scripted]:
    """A server for the length of a test."""
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def status(code: int, message: str = "no", **headers: str) -> Fault:
    """An error answer."""
    return lambda handler: handler.answer(code, {"error": {"message": message}}, **headers)


def cut(handler: Handler) -> None:
    """Promises a body and hangs up in the middle of it."""
    handler.send_response(200)
    handler.send_header("Content-Length", "10000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    handler.connection.close()
    handler.close_connection = True
