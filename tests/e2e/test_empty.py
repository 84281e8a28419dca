"""Before the first update every page says what to do; the first file is dropped, and found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browsing import Served
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> Served:
    """Nothing was ever indexed, and there is an ignore rule."""
    served = serving()
    (served.folder / ".indexerignore").write_text("private-*\n", "utf-8")
    return served.start()


def test_empty_states(served: Served, visit: Visit) -> None:
    """No page fails for want of an index."""
    page = visit(served, "/")
    expect(page.locator("#standing")).to_contain_text("Nothing is indexed yet")
    for address, said in (
        ("/search?q=anything", "Nothing was found"), ("/documents", "Nothing is indexed yet"), ("/runs", "No run yet"),
        ("/history", "No history yet"), ("/ask", "none yet"), ("/documents?q=x", "No document fits"),
        ("/followers", "No follower"),
    ):  # fmt: skip
        page.goto(address)
        expect(page.locator("main")).to_contain_text(said)
    page.goto("/ask?q=anything")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    for address in ("/history/1", "/rollback?to=1", "/search?q=x&as_of=1", "/documents/eC95"):
        answer = page.request.get(served.url + address, headers={"accept": "text/html"})
        assert answer.status in (400, 404), address
        assert "To the overview" in answer.text()


def test_first_upload(served: Served, visit: Visit) -> None:
    """The first file makes the first commit; one that a rule keeps out says which; who comes too often only waits."""
    page = visit(served, "/documents", refused=(429, 400))
    turned_away: list[str] = []

    def once(route: object) -> None:
        if turned_away:
            route.fallback()  # type: ignore[attr-defined]
        else:
            turned_away.append("")
            route.fulfill(status=429, headers={"Retry-After": "1"}, json={"detail": "Too many"})  # type: ignore[attr-defined]

    page.route("**/api/v1/documents", once)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add documents").first.click()
    kind = "text/markdown"
    chooser.value.set_files(
        [
            {"name": name, "mimeType": kind, "buffer": b"# First\n\nThe first text.\n"}
            for name in ("first.md", "private-1.md")
        ]
    )
    lines = page.get_by_role("region", name="Uploads").get_by_role("listitem")
    expect(lines.filter(has_text="first.md")).to_contain_text("Can be found")
    expect(lines.filter(has_text="private-1.md").locator(".up-state")).to_contain_text("A rule keeps this file out")
    expect(page.locator("table")).to_contain_text("first.md")
