"""Uploads in the browser: dropped, clashing, unreadable, of a kind that is not taken; and followed from page to page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from browsing import Served
from playwright.sync_api import Locator, Page, expect

Visit = Callable[..., Page]
_DROP = """([files]) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: transfer}));
  }
}"""


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> Served:
    """One document, and a service that takes more."""
    served = serving()
    served.put("taken.md", "# Taken\n\nThis name is taken already.\n")
    return served.start().update()


def drop(page: Page, *files: tuple[str, str]) -> Locator:
    """Drop files on a page; the tray that follows them."""
    page.evaluate(_DROP, [[list(file) for file in files]])
    return page.get_by_role("region", name="Uploads")


def line(tray: Locator, name: str) -> Locator:
    """What the tray says of one file."""
    return tray.get_by_role("listitem").filter(has_text=name)


def test_dropped_anywhere_and_followed(served: Served, visit: Visit) -> None:
    """Files may be dropped on any page; who goes to another page meanwhile sees the end there."""
    page = visit(served, "/history")
    tray = drop(page, ("one.md", "# One\n\nThe first dropped text.\n"), ("two.txt", "The second dropped text.\n"))
    expect(line(tray, "one.md")).to_contain_text(re.compile("waiting|Indexing|Can be found"))
    expect(line(tray, "two.txt")).to_contain_text(re.compile("waiting|Indexing|Can be found"))
    page.goto("/documents")
    expect(page.locator("table")).to_contain_text("one.md")
    expect(page.locator("table")).to_contain_text("two.txt")


def test_a_name_that_is_taken(served: Served, visit: Visit) -> None:
    """Nothing is overwritten unless a person says so."""
    page = visit(served, "/documents", refused=(409,))
    with page.expect_response("**/api/v1/documents") as answer:
        tray = drop(page, ("taken.md", "# Taken\n\nAnother text under this name.\n"))
    assert answer.value.status == 409
    assert "taken already" in (served.folder / "taken.md").read_text("utf-8")
    tray.get_by_role("button", name="Replace it").click()
    expect(line(tray, "taken.md")).to_contain_text("Can be found")
    assert "Another text" in (served.folder / "taken.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "said", "refused"),
    [
        ("broken.pdf", "%PDF-1.7 and then nothing", "pdf|PDF", 0),
        ("program.exe", "MZ", "exe", 415),
        ("empty.docx", "", "docx|empty|Word", 400),
    ],
)
def test_what_cannot_be_read(served: Served, visit: Visit, name: str, text: str, said: str, refused: int) -> None:
    """A file that cannot be read, or is not taken, says why where it was dropped."""
    page = visit(served, "/search", refused=(refused,))
    tray = drop(page, (name, text))
    state = line(tray, name).locator(".up-state")
    expect(state).to_have_class(re.compile("bad-text"))
    expect(state).to_contain_text(re.compile(said))


def test_progress_is_told(served: Served, visit: Visit) -> None:
    """While a run is at work the overview says what it does; at its end the figures are those of the new commit."""
    page = visit(served, "/")
    said: list[Any] = []
    page.expose_function("said", lambda text: said.append(text))
    page.evaluate("new MutationObserver(() => said(document.getElementById('live-text').textContent))"
                  ".observe(document.getElementById('live-text'), {childList: true})")  # fmt: skip
    for number in range(20):
        served.put(f"more/text {number}.md", f"# Text {number}\n\nText number {number}, to be read in a run.\n")
    page.get_by_role("button", name="Update now").click()
    expect(page.locator("#live-text")).to_have_text(re.compile("^Done"))
    assert "Looking at the folders …" in said
    assert "Reading and embedding" in said
