"""A tiny server of OpenAI's chat protocol: a model that answers with a passage and its number, or as a test has scripted.

It reads the passages out of the prompt as a model would, so what a test sees in the answer went through
search, prompt, HTTP, stream and citations.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[["Handler"], None]
"""Answers one request in some way of its own."""

CONFIG = '[llm]\nmodel = "stand-in"\nbase_url = "{url}"\napi_key = "sesame-open-4711"\ntimeout_seconds = 20\n'
"""Settings of a product that asks this server at ``url``."""

_PASSAGE = re.compile(
    r"<<<(?:PASSAGE|段落) \[(\d+)\] (\w+): (.*?)>>>\n(.*?)\n<<<(?:END OF PASSAGE|段落结束) \[\1\] \2>>>", re.S
)
_STOP = frozenset(
    ["the", "a", "an", "of", "is", "are", "how", "many", "what", "when", "in", "to", "do", "for", "and", "at", "who"]
)


class Handler(BaseHTTPRequestHandler):
    """The stand-in, unless the script has something else for this request."""

    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_GET(self) -> None:
        """The list of models."""
        self.json(200, {"object": "list", "data": [{"id": "stand-in", "object": "model"}]})

    def do_POST(self) -> None:
        """One chat completion."""
        self.body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append(self.body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            self.server.paths.append(self.path)
            fault = self.server.faults.pop(0) if self.server.faults else self.server.always
        if fault:
            fault(self)
        else:
            self.say(extractive(self.body["messages"]))

    def say(self, text: str, finish: str = "stop", end: bool = True) -> None:
        """A streamed answer, three characters at a time."""
        self.begin()
        for i in range(0, len(text), 3):
            self.piece(text[i : i + 3])
        if end:
            self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            self.raw("data: [DONE]\n\n")
        self.done()

    def begin(self) -> None:
        """The head of a stream."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, text: str) -> None:
        """Some text of it."""
        self.event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})

    def event(self, body: dict[str, Any]) -> None:
        """One event of it."""
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stand-in"}
        self.raw(f"data: {json.dumps({**head, **body})}\n\n")

    def raw(self, text: str) -> None:
        """One chunk on the wire."""
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def done(self) -> None:
        """The end of the stream, as HTTP has it."""
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def json(self, status: int, body: object, **headers: str) -> None:
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
        self.reset()

    def reset(self) -> None:
        """As new."""
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.seen: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""

    @property
    def url(self) -> str:
        """What base_url is to be."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def served() -> Iterator[Scripted]:
    """The server, in a thread."""
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def passages(messages: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """(number, citation, text) of each passage in a prompt."""
    return [(int(n), title, text) for n, _, title, text in _PASSAGE.findall(messages[-1]["content"])]


def extractive(messages: list[dict[str, Any]]) -> str:
    """The passage that shares most with the question, word for word, with its number."""
    question = messages[-1]["content"].rpartition("\n")[2]
    wanted = _bits(question)
    n, _, text = max(passages(messages), key=lambda p: (len(wanted & _bits(p[2])), -p[0]))
    return f"{text.strip()} [{n}]"


def _bits(text: str) -> set[str]:
    words = set(re.findall(r"[a-z0-9]+", text.lower())) - _STOP
    return words | {text[i : i + 2] for i in range(len(text) - 1) if text[i] > "\u2e80"}
