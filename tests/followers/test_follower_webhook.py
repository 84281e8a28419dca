"""The webhook: signed, at least once, each change under an id that never changes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from following import Lab, killed_before, text

from indexer.core.following import FollowerSettings

SECRET = "whsec_" + base64.b64encode(b"a secret of some bytes").decode()


class Receiver(ThreadingHTTPServer):
    """Checks each signature, keeps each event; ``broken`` answers 500 after it took one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hook)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hook"
        self.events: list[dict[str, Any]] = []
        self.broken = 0

    def told(self) -> list[tuple[str, str]]:
        """(type, path) of each event, a repeated one once, pings aside."""
        return [(e["type"].rpartition(".")[2], e["path"]) for e in {e["id"]: e for e in self.events}.values()]


class Hook(BaseHTTPRequestHandler):
    """One delivery."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Receiver

    def log_message(self, *args: Any) -> None:
        """Silent."""

    def do_POST(self) -> None:
        """As the receiver of a Standard Webhook does it."""
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        right = base64.b64encode(hmac.new(b"a secret of some bytes", signed, hashlib.sha256).digest()).decode()
        event = json.loads(body)
        good = self.headers["webhook-signature"] == f"v1,{right}" and event["id"] == self.headers["webhook-id"]
        status = 401 if not good else 500 if self.server.broken > 0 and event["type"] != "ping" else 204
        if good and event["type"] != "ping":
            self.server.events.append(event)
            self.server.broken -= 1
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()


@pytest.fixture
def hook() -> Iterator[Receiver]:
    """A receiver."""
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield receiver
    receiver.shutdown()
    receiver.server_close()
    thread.join()


@pytest.fixture
def lab(tmp_path: Path, hook: Receiver) -> Lab:
    """A knowledge base that tells it."""
    return Lab(tmp_path, FollowerSettings("hook", "webhook", url=hook.url, api_key=SECRET, min_chars=0, max_kb=0.0))


def test_each_change_is_told(lab: Lab, hook: Receiver) -> None:
    """Added, modified, deleted, moved; with the hashes before and after, and nothing for what did not change."""
    lab.write("a.txt", text(1))
    lab.write("b.txt", "short")
    lab.commit()
    assert lab.flush() is None
    assert sorted(hook.told()) == [("added", "a.txt"), ("added", "b.txt")]
    first = next(e for e in hook.events if e["path"] == "a.txt")
    assert first["sha256"] == hashlib.sha256(text(1).encode()).hexdigest()
    assert (first["previous_sha256"], first["source"], "text" in first) == (None, "kb", False)
    hook.events.clear()
    lab.write("a.txt", text(2))
    (lab.root / "b.txt").rename(lab.root / "c.txt")
    lab.commit()
    assert lab.flush() is None
    assert sorted(hook.told()) == [("added", "c.txt"), ("deleted", "b.txt"), ("modified", "a.txt")]
    assert next(e for e in hook.events if e["path"] == "a.txt")["previous_sha256"] == first["sha256"]
    hook.events.clear()
    assert lab.flush() is None
    assert hook.events == []


def test_the_text_goes_along(lab: Lab, hook: Receiver) -> None:
    """Where ``with_text`` is set."""
    lab.write("a.txt", text(1))
    lab.commit()
    assert lab.flush(lab.settings._replace(with_text=True)) is None
    assert hook.events[0]["text"].split() == text(1).split()


def test_a_delivery_that_fails_is_repeated_under_its_id(lab: Lab, hook: Receiver) -> None:
    """The receiver took it and failed to say so: it comes again, and can be told from a new one."""
    lab.write("a.txt", text(1))
    lab.commit()
    hook.broken = 2
    assert lab.flush() is None
    assert len(hook.events) == 3
    assert len({e["id"] for e in hook.events}) == 1


def test_ids_of_changes_that_look_alike(lab: Lab, hook: Receiver) -> None:
    """The same document comes and goes twice: four changes, four ids."""
    for _ in range(2):
        lab.write("a.txt", text(1))
        lab.write("b.txt", text(2))
        lab.commit()
        assert lab.flush() is None
        lab.clock.sleep(1)
        (lab.root / "a.txt").unlink()
        lab.commit()
        assert lab.flush() is None
        lab.clock.sleep(1)
    assert [what for what, path in hook.told() if path == "a.txt"] == ["added", "deleted", "added", "deleted"]


def test_death_before_any_step(lab: Lab, hook: Receiver) -> None:
    """At least once: whatever step we die before, each change is told, under one id."""
    step, died = 0, True
    while died:
        step += 1
        lab.write("a.txt", text(step))
        lab.commit()
        hook.events.clear()
        died = killed_before(step, lab.flush)
        assert lab.flush() is None
        assert len({e["id"] for e in hook.events}) == 1
        assert hook.events[-1]["sha256"] == hashlib.sha256(text(step).encode()).hexdigest()
    assert step > 5


def test_a_wrong_secret(lab: Lab, hook: Receiver) -> None:
    """The receiver refuses: a person is needed."""
    lab.write("a.txt", text(1))
    lab.commit()
    assert "401: Unauthorized" in str(
        lab.flush(lab.settings._replace(api_key="whsec_" + base64.b64encode(b"another").decode()))
    )
    assert hook.events == []
