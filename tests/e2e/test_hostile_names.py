"""Names and contents of files are text: five hundred hostile ones in the browser do nothing but look odd."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable

import pytest
from browsing import Served
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]
SEEDS = (
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg onload=alert(1)>", "javascript:alert(1)",
    "</title><script>alert(1)</script>", "{{7*7}}", "{% raw %}", "${alert(1)}", "<!--", "]]>", "&lt;b&gt;", "a\u202egpj",
    "\u2066x\u2069", "\u200bzero", "e\u0301\u0302\u0303", "\ufeff", "\U0001f600", "中文\u3000名", "a\tb", "a\nb", "a\x01b", "a\x7fb",
    "-rf", "..", "%2e%2e", "a'b\"c`d", "a;b&c|d", "x" * 230, "CON", "<base href=//e>", "<style>*{display:none}</style>",
    "\\u003cscript\\u003e", "onerror=alert(1) x=", "<iframe srcdoc='<script>alert(1)</script>'>", "#fragment", "?q=1", "%",
)  # fmt: skip


def hostile(count: int) -> list[bytes]:
    """File names as bytes, invalid ones among them, from a fixed seed; "/" as it looks like."""
    draw, names = random.Random(5), set()  # noqa: S311 - a fixed seed is the point
    while len(names) < count:
        parts = draw.sample(SEEDS, draw.randint(1, 2))
        name = "".join(parts).replace("/", "\u2215").encode()[:200]
        name += draw.choice([b"", b"\xff", b"\xc3\x28", b"\xed\xa0\x80"])
        if b"\0" not in name:
            names.add(name + b"%d.md" % len(names))
    return sorted(names)


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> Served:
    """Five hundred of them, with contents as hostile as their names."""
    served = serving()
    for name in hostile(500):
        with open(os.path.join(os.fsencode(served.folder), name), "wb") as file:
            file.write(
                b"# <img src=x onerror=alert(1)> "
                + name
                + b"\n\nhostile words </div><script>alert(2)</script> \xe2\x80\xae {{ 7*7 }}\n"
            )
    return served.start().update()


def test_hostile_names(served: Served, visit: Visit) -> None:
    """All are listed, found, opened and asked about; no dialog, no foreign element, no complaint of the browser."""
    page, seen, opened = visit(served, "/documents"), 0, []
    while True:
        seen += page.locator("table tbody tr").count()
        opened.append(page.locator("table tbody tr a").first.get_attribute("href"))
        assert page.locator("main img, main script, main iframe, main style, main base").count() == 0
        if not page.locator("a[rel=next]").count():
            break
        page.locator("a[rel=next]").click()
    assert seen == 500
    for address in opened:
        page.goto(str(address))
        expect(page.locator(".text").first).to_contain_text("<img src=x onerror=alert(1)>")
    for address in (
        "/search?q=hostile+words",
        "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/ask?q=hostile+words",
        "/history/1",
        "/runs/1",
    ):
        page.goto(address)
        expect(page.locator("h1").first).to_be_visible()
    page.goto("/ask?q=hostile+words+%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    assert page.locator("main img, main script, main iframe, main style, main base").count() == 0
    expect(page.locator("h1")).to_be_visible()


def test_an_upload_with_a_hostile_name(served: Served, visit: Visit) -> None:
    """The tray of uploads shows a name as the text it is."""
    page = visit(served, "/")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    name = "<img src=x onerror=alert(1)>.md"
    chooser.value.set_files(
        [{"name": name, "mimeType": "text/markdown", "buffer": b"# Harmless\n\nA harmless text.\n"}]
    )
    tray = page.get_by_role("region", name="Uploads")
    expect(tray.get_by_text(name)).to_be_visible()
    expect(tray).to_contain_text("Can be found")
    assert page.locator("img").count() == 0


def test_a_hostile_model(served: Served, visit: Visit) -> None:
    """What a model or its server says is text, its links lead nowhere, and a failure in the middle is said."""
    cite = {
        "n": 1, "source": "<b>s</b>", "path": "<i>p</i>", "commit": 1, "url": "javascript:alert(1)",
        "citation": "<img src=x onerror=alert(1)>", "text": "</p><script>alert(1)</script>",
    }  # fmt: skip
    events = [
        ("sources", {"citations": [cite]}),
        ("token", {"text": "<script>alert(1)</script> [1] "}),
        ("token", {"text": "**bold** [99]"}),
        ("error", {"detail": "<img src=x onerror=alert(2)> the model's server is gone"}),
    ]
    body = "".join(f"event: {kind}\r\ndata: {json.dumps(facts)}\r\n\r\n" for kind, facts in events)
    page = visit(served, "/ask")
    page.route("**/api/v1/ask", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.get_by_label("Your question").fill("<svg onload=alert(1)>")
    page.keyboard.press("Enter")
    expect(page.locator("#answer-notes")).to_contain_text("the model's server is gone")
    expect(page.locator("#answer-text")).to_have_text("<script>alert(1)</script> [1] **bold** [99]")
    expect(page.locator("#answer-title")).to_have_text("<svg onload=alert(1)>")
    assert page.locator("#cites a").get_attribute("href") == "##passage"
    assert page.locator("main img, main script, main b, main i").count() == 0
