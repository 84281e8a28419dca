"""A web service in this process, on a port of its own, over a small knowledge base."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from slow_embedder import configuration

from indexer import KnowledgeBase
from indexer.core.model import Key
from indexer.docid import docid
from indexer.service import Service
from indexer.web.server import Served, serve
from indexer.web.site import Site

LEAVE = "# Annual leave\n\nEmployees have 15 days of annual leave.\n\n# Sick leave\n\nA doctor's note is needed after 3 days.\n"


class Running:
    """Everything of it, and a client."""

    def __init__(self, home: Path, kb: KnowledgeBase, service: Service, site: Site, served: Served) -> None:
        self.home, self.kb, self.service, self.site, self.served = home, kb, service, site, served
        self.client = httpx.Client(base_url=served.address, timeout=60)

    def key(self, scope: str, name: str = "") -> str:
        """A new key."""
        return self.site.keys.add(name or f"{scope}-{time.monotonic_ns()}", scope, "2026-11-30")

    def no_keys(self) -> None:
        """As if none was ever made."""
        self.site.keys.path.unlink(missing_ok=True)

    def done(self, answer: httpx.Response) -> dict[str, Any]:
        """What became of the request an answer names."""
        assert answer.status_code == 202, answer.text
        request = answer.json()["request"]
        return self.until(lambda: self.told(request))

    def told(self, request: str) -> dict[str, Any] | None:
        """How a request stands, once it is done."""
        facts: dict[str, Any] = self.client.get(f"/api/v1/requests/{request}").json()
        return facts if facts["state"] == "done" else None

    def until(self, what: Callable[[], Any], seconds: float = 60) -> Any:
        """Wait for something that comes."""
        end = time.monotonic() + seconds
        while not (found := what()):
            assert time.monotonic() < end, "it did not come"
            time.sleep(0.01)
        return found

    def put(self, name: str, text: str) -> str:
        """A document in the folder, indexed; its id."""
        path = self.home / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.done(self.client.post("/api/v1/runs", json={}))
        return docid(Key("kb", name))

    def upload(self, name: str, data: bytes, **fields: str) -> httpx.Response:
        """Upload one file."""
        return self.client.post("/api/v1/documents", data=fields, files={"file": (name, data)})

    def raw(self, data: bytes) -> socket.socket:
        """A connection of one's own, on which this was sent."""
        connection = socket.create_connection((self.served.host, self.served.port), 60)
        connection.sendall(data)
        return connection


@contextmanager
def running(home: Path, more: str = "", seconds: float = 0.0) -> Iterator[Running]:
    """The service at work; ``more``: of its ``[serve]`` table."""
    text = f"[serve]\nlisten = '127.0.0.1:0'\nrate_per_minute = 0\n{more}"
    kb = KnowledgeBase(configuration(home, seconds, text))
    (home / "kb" / "leave.md").write_text(LEAVE, "utf-8")
    site: list[Site] = []
    service = Service(kb, [lambda kind, facts: site[0].events(kind, facts)])
    site.append(Site(kb, service.ask, lang="en"))
    service.start()
    served = serve(site[0])
    one = Running(home, kb, service, site[0], served)
    try:
        one.done(one.client.post("/api/v1/runs", json={}))
        yield one
    finally:
        one.client.close()
        served.close()
        assert service.stop(30)
        kb.close()
