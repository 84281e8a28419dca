"""Real servers on this machine that receive what is sent: mail, and HTTP as chats and web hooks use it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller


class Mailbox:
    """What an SMTP server on 127.0.0.1 was given."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:
        """Keep the mail."""
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 OK"


def free_port() -> int:
    """A port nobody listens on at the moment (aiosmtpd connects to the one it was told, so not 0)."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def smtp(port: int = 0) -> Iterator[tuple[Mailbox, int]]:
    """A server and its port."""
    box, port = Mailbox(), port or free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()


class Hooks:
    """What an HTTP server on 127.0.0.1 was sent, and what it answers."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.status = 200
        self.answer: dict[str, Any] = {}
        self.hold = threading.Event()
        self.hold.set()

    def wait(self, count: int, seconds: float = 30) -> None:
        """Until so many messages have arrived."""
        until(lambda: len(self.got) >= count, seconds)


@contextmanager
def http(port: int = 0) -> Iterator[tuple[Hooks, int]]:
    """A server and its port."""
    hooks = Hooks()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            hooks.hold.wait(30)
            if hooks.status == 200:
                hooks.paths.append(self.path)
                hooks.got.append(json.loads(data))
            self.send_response(hooks.status)
            if hooks.status == 302:
                self.send_header("Location", "/elsewhere")
            body = json.dumps(hooks.answer).encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hooks, server.server_address[1]
    finally:
        hooks.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
