"""The page of the followers: one that takes nothing, is asked again, paused, resumed, and goes away."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browsing import Served
from playwright.sync_api import Page, expect
from test_every_page import PHONE, axe, violations
from test_hostile_names import hostile

Visit = Callable[..., Page]
HOSTILE = "</p><img src=x onerror=alert(1)><script>alert(2)</script> {{ 7*7 }}"
FOLLOWER = """
[[followers]]
name = "hook"
kind = "webhook"
url = "{url}"
probe_seconds = 1
probe_down_seconds = 1
"""


class Sink(ThreadingHTTPServer):
    """Where a webhook delivers: refuses every document while it is ``refusing``."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        self.refusing = True
        self.taken: set[str] = set()


class Taking(BaseHTTPRequestHandler):
    """One delivery."""

    server: Sink

    def log_message(self, *args: object) -> None:
        """Silent."""

    def do_POST(self) -> None:
        """Take it or refuse it."""
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        refused = self.server.refusing and event["type"] != "ping"
        body = json.dumps({"detail": HOSTILE}).encode() if refused else b"{}"
        if not refused and event["type"] != "ping":
            self.server.taken.add(event["path"])
        self.send_response(422 if refused else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def sink() -> Iterator[Sink]:
    """A receiver of webhooks."""
    sink = Sink()
    thread = threading.Thread(target=sink.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield sink
    sink.shutdown()
    sink.server_close()


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served], sink: Sink) -> Served:
    """Documents with names as they should not be, and a follower that takes none of them."""
    served = serving(more=FOLLOWER.format(url=sink.url))
    for number, name in enumerate(hostile(60)):
        with open(bytes(served.folder) + b"/" + name, "wb") as file:
            file.write(b"# A title\n\nWords of its own: %d" % number)
    served.start().update()
    served.until(lambda: served.api("/followers/hook")["documents"]["refused"] == 60)
    return served


def test_what_a_follower_refuses(served: Served, visit: Visit, sink: Sink) -> None:
    """Each document with the reason as it was said, as text; once it takes them, one press sends them."""
    page = visit(served, "/")
    page.get_by_role("link", name="All about the followers").click()
    expect(page.get_by_role("heading", name="hook")).to_be_visible()
    expect(page.locator("table tbody tr")).to_have_count(60)
    expect(page.locator("table tbody tr").first).to_contain_text(HOSTILE)
    assert page.locator("main img, main script").count() == 0
    sink.refusing = False
    page.get_by_role("button", name="Try again now").click()
    expect(page.locator(".toast")).to_contain_text("hook is asked again now.")
    expect(page.locator("table")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("In step")
    assert len(sink.taken) == 60


def test_pause_and_go_on(served: Served, visit: Visit, sink: Sink) -> None:
    """While it is paused nothing is sent, and the page says so; then it is."""
    page = visit(served, "/followers")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    served.put("later.md", "# Later\n\nA document for later.\n")
    served.update()
    page.reload()
    expect(page.locator("main")).to_contain_text("paused")
    expect(page.locator("main")).to_contain_text("Behind by 1")
    assert "later.md" not in sink.taken
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main")).to_contain_text("In step")
    assert "later.md" in sink.taken


def test_for_everybody(served: Served, visit: Visit) -> None:
    """Names and contrasts are right, a phone is wide enough, a Chinese page is Chinese."""
    source, page = axe(), visit(served, "/followers")
    assert violations(page, source, "") == []
    page = visit(served, "/followers", locale="zh-CN", color_scheme="dark", **PHONE)
    assert violations(page, source, "runOnly: ['color-contrast']") == []
    assert not page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    expect(page.get_by_role("button", name="暂停")).to_be_visible()
    for word in ("Followers", "Behind", "Pause", "There"):
        assert word not in page.locator("main").inner_text()


def test_one_that_went_away(served: Served, visit: Visit, sink: Sink) -> None:
    """It is said on the first page and with the reason on this one."""
    sink.shutdown()
    sink.server_close()
    page = visit(served, "/")
    served.until(lambda: served.api("/followers/hook")["state"] == "down")
    page.reload()
    expect(page.locator("#problems")).to_contain_text("Follower hook:")
    page.goto("/followers")
    expect(page.locator("main")).to_contain_text("does not answer")
    expect(page.locator("main")).to_contain_text("Next try")
