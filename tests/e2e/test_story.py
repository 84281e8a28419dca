"""The life of one document in the browser: uploaded, asked about, replaced, and its old answer brought back."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from browsing import BUNDLED, PATIENCE, Served
from docx import Document
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]
QUESTION = "How many days of remote work are allowed each week?"


def docx(days: str) -> dict[str, Any]:
    """A handbook that allows so many days, as a browser sends it."""
    document = Document()
    document.add_heading("Remote Work Policy", 1)
    document.add_paragraph("This policy holds for all employees of the company and replaces earlier rules.")
    document.add_heading("Remote work", 2)
    document.add_paragraph(f"Employees may use {days} days of remote work each week, agreed with their manager.")
    document.add_heading("Equipment", 2)
    document.add_paragraph("The company lends a laptop and a screen. Chairs are not lent.")
    data = io.BytesIO()
    document.save(data)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    return {"name": "remote-work.docx", "mimeType": kind, "buffer": data.getvalue()}


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> Served:
    """The bundled model over a folder with one other document."""
    served = serving(BUNDLED)
    served.put("canteen.md", "# Canteen\n\nThe canteen is open from eleven to two. Soup is served on every Thursday.\n")
    return served.start().update()


def choose(page: Page, button: Any, file: dict[str, Any]) -> None:
    """Press a button that asks for a file, and give it one."""
    with page.expect_file_chooser() as chooser:
        button.click()
    chooser.value.set_files([file])


def ask(page: Page, words: str) -> str:
    """Ask, see the answer being written to its end, and that it says the words; the address of the kept answer."""
    page.goto("/ask")
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#answer-text")).to_contain_text(words)
    expect(page.locator("#answer-link")).to_be_visible()
    expect(page.locator("#answer-busy")).to_be_hidden()
    return str(page.locator("#answer-link").get_attribute("href"))


def uploaded(page: Page) -> int:
    """Upload the handbook and follow it until it is found; the commit that brought it."""
    choose(page, page.get_by_role("button", name="Choose files"), docx("three"))
    tray = page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text(re.compile(r"Can be found, after \d+\.\d s"))
    tray.get_by_role("link", name="remote-work.docx").click()
    expect(page.locator("#state")).to_have_text("indexed")
    return int(page.locator("#versions-card li a").first.inner_text().split()[-1])


def rolled_back(page: Page, commit: int) -> None:
    """Go back to a commit: first it is shown what that changes, then it is asked."""
    page.goto("/history")
    page.get_by_role("link", name=f"Commit {commit}: Go back to it").click()
    expect(page.locator("main")).to_contain_text("Nothing is done yet")
    expect(page.locator("table")).to_contain_text("remote-work.docx")
    page.get_by_role("button", name=f"Go back to commit {commit}").click()
    page.get_by_role("dialog").get_by_role("button", name="Go back").click()
    page.wait_for_url("**/history")


def test_upload_ask_replace_roll_back(served: Served, visit: Visit) -> None:
    """An upload becomes searchable, an answer leads to its passage, is outdated by a new file, and comes back by a rollback."""
    page = visit(served, "/")
    commit = uploaded(page)
    old = ask(page, "three days of remote work")
    page.locator("#answer-text a.ref").first.click()
    expect(page).to_have_url(re.compile("#cite-1$"))
    page.locator("#cites a").first.click()
    expect(page.locator("#passage")).to_contain_text("three days of remote work")
    expect(page.locator("#passage")).to_be_in_viewport()

    choose(page, page.get_by_role("button", name="Replace …"), {**docx("two"), "name": "other name.docx"})
    expect(page.get_by_role("region", name="Uploads")).to_contain_text("Can be found")
    expect(page.locator("#warnings")).to_contain_text("It has changed since")
    page.get_by_role("link", name="Show what changed").click()
    expect(page.locator(".diff .removed")).to_contain_text("three days")
    expect(page.locator(".diff .added")).to_contain_text("two days")

    ask(page, "two days of remote work")
    page.goto(old)
    expect(page.locator("main")).to_contain_text("This answer is outdated")
    expect(page.locator(".cites .pill").first).to_have_text("changed since")
    expect(page.locator(".answer-text")).to_contain_text("three days")

    rolled_back(page, commit)
    ask(page, "three days of remote work")
    page.goto(old)
    expect(page.locator(".cites .pill").first).to_have_text("unchanged")

    page.goto("/")
    page.get_by_role("link", name="See what was, and end it").click()
    page.get_by_role("button", name="Back to what lies in the folders").click()
    page.get_by_role("dialog").get_by_role("button", name="Go back").click()
    expect(page.locator("#unpin")).to_have_count(0)
    served.until(lambda: served.api("/status")["pinned"] == 0 and not served.api("/status")["running"])
    ask(page, "two days of remote work")


def test_time_travel(served: Served, visit: Visit) -> None:
    """The slider leads to the past, whose search says so and finds what was there then."""
    served.put("parking.md", "# Parking\n\nThe parking garage opens at six in the morning.\n")
    served.update()
    page = visit(served, "/history")
    first = page.locator("#slide-at").inner_text()
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#slide-at")).not_to_have_text(first)
    page.get_by_role("button", name="Search there").click()
    expect(page.get_by_text("You are looking at the past")).to_be_visible()
    page.get_by_label("What to look for").fill("parking garage opens at six")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=parking**")
    expect(page.locator("main")).not_to_contain_text("parking.md")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("When does the parking garage open?")
    page.keyboard.press("Enter")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#answer")).not_to_contain_text("six in the morning")
    page.get_by_role("link", name="Documents").first.click()
    expect(page.locator("table")).to_contain_text("canteen.md")
    expect(page.locator("table")).not_to_contain_text("parking.md")
    page.get_by_role("link", name="Back to now").click()
    expect(page.locator("table")).to_contain_text("parking.md")


def test_update_now_with_progress(served: Served, visit: Visit) -> None:
    """A press of the button looks at the folders; every page that follows the index shows what came of it."""
    page, other = visit(served, "/"), visit(served, "/documents?q=menu")
    for number in range(30):
        served.put(
            f"menus/menu {number}.md", f"# Menu {number}\n\nDish number {number} costs {number} euros and is warm.\n"
        )
    page.get_by_role("button", name="Update now").click()
    expect(page.locator("#live-text")).to_have_text("Done: everything is up to date.")
    expect(page.locator("#facts .figure")).not_to_have_text("0")
    expect(other.get_by_text("Documents: 30")).to_be_visible(timeout=PATIENCE)


def test_held_deletions(served: Served, visit: Visit) -> None:
    """Deletions that are held are shown with their names, and go after a confirmation."""
    for number in range(40):
        served.put(f"many/text {number}.md", f"Text number {number} of many.\n")
    served.update()
    for number in range(40):
        (served.folder / "many" / f"text {number}.md").unlink()
    served.update()
    page = visit(served, "/")
    expect(page.get_by_text("40 deletions are held")).to_be_visible()
    page.get_by_role("button", name="Delete them from the index").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("text 39.md")
    dialog.get_by_role("button", name="Delete them").click()
    expect(page.get_by_text("40 deletions are held")).to_be_hidden()
    page.goto("/documents?q=many")
    expect(page.locator("main")).to_contain_text("No document fits")


def test_delete_a_document(served: Served, visit: Visit) -> None:
    """A document is deleted after a confirmation; an earlier commit still shows its text, and says that it is gone."""
    served.put("old/rule.md", "# Rule\n\nBicycles stay outside of the building.\n")
    served.update()
    page = visit(served, "/documents?q=rule.md")
    page.locator("table a").click()
    commit = page.locator("#versions-card li a").first.inner_text().split()[-1]
    address = page.url
    page.get_by_role("button", name="Delete …").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#state")).to_have_text("gone")
    page.goto(f"{address}?commit={commit}")
    expect(page.locator("main")).to_contain_text("It is gone since")
    expect(page.locator("main")).to_contain_text("Bicycles stay outside")
