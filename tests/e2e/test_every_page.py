"""Every page: in both languages and themes, by keyboard, on a phone, for those who do not see it, and without a jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from browsing import Served, axe
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> Served:
    """A small knowledge base with something of everything: a failure, a second version, a kept answer."""
    served = serving()
    for number in range(12):
        served.put(
            f"rules/rule {number}.md", f"# Rule {number}\n\nRule number {number} is about the {number}. thing.\n"
        )
    served.put("hr/员工休假管理办法.md", "# 员工休假管理办法 v3.1\n\n## 婚假\n\n员工依法登记结婚的，可享受婚假十天。\n")
    (served.folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is no PDF")
    served.start().update()
    served.put("rules/rule 1.md", "# Rule 1\n\nRule number 1 is about something else by now.\n")
    served.update()
    served.api("/ask", {"question": "婚假有几天？"})
    return served


@pytest.fixture(scope="module")
def addresses(served: Served) -> dict[str, str]:
    """Every page by name."""
    document = served.api("/documents?q=rule%201.md")["documents"][0]["document"]
    answer = served.api("/answers")["answers"][0]["id"]
    return {
        "overview": "/", "search": "/search", "found": "/search?q=rule+number", "nothing": "/search?q=rule&in=nowhere",
        "ask": "/ask", "asked": "/ask?q=rule+number", "answer": f"/answers/{answer}", "documents": "/documents",
        "failed": "/documents?state=failed", "document": f"/documents/{document}?commit=1&start=0&end=8",
        "versions": f"/documents/{document}/diff", "runs": "/runs", "run": "/runs/1", "history": "/history",
        "commit": "/history/2", "compare": "/compare?from=1&to=2", "rollback": "/rollback?to=1",
        "past": "/documents?as_of=1", "login": "/login",
    }  # fmt: skip


def settled(page: Page) -> None:
    """Wait until an answer that is being written is written."""
    page.wait_for_load_state("load")
    if "/ask?q=" in page.url:
        expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")


def violations(page: Page, source: str, rules: str) -> list[str]:
    """What axe-core finds."""
    page.evaluate(source)
    found: Any = page.evaluate(f"axe.run(document, {{resultTypes: ['violations'], {rules}}})")
    return [
        f"{page.url}: {v['id']}: {n['html'][:200]}: {n['failureSummary'][:300]}"
        for v in found["violations"]
        for n in v["nodes"]
    ]


@pytest.mark.parametrize(("scheme", "rules"), [("light", ""), ("dark", "runOnly: ['color-contrast']")])
def test_axe_finds_nothing(served: Served, visit: Visit, addresses: dict[str, str], scheme: str, rules: str) -> None:
    """Names, roles and structure of every page are right, and its contrasts in both themes."""
    source, found = axe(), []
    page = visit(served, "/", color_scheme=scheme)
    for address in addresses.values():
        page.goto(address)
        settled(page)
        found += violations(page, source, rules)
    page.goto("/documents")
    page.locator("table a").first.click()
    page.get_by_role("button", name="Delete …").click()
    found += violations(page, source, rules)
    assert found == []


def test_phone(served: Served, visit: Visit, addresses: dict[str, str]) -> None:
    """Nothing is wider than a phone, in either language."""
    page, wide = visit(served, "/", **PHONE), []
    for lang, names in (("en", tuple(addresses)), ("zh", ("overview", "asked", "document", "runs", "history"))):
        for name, address in ((name, addresses[name]) for name in names):
            page.goto(address + ("&" if "?" in address else "?") + f"lang={lang}")
            settled(page)
            if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                wide.append((lang, name))
    assert wide == []


def test_language(served: Served, visit: Visit, addresses: dict[str, str]) -> None:
    """The browser's wish, then the switch, which is remembered; a Chinese page has Chinese words only."""
    page = visit(served, "/", locale="zh-CN")
    expect(page.get_by_role("button", name="更新知识库")).to_be_visible()
    english = "Overview|Update now|Search|Documents|Runs|History|Needs|Nothing|Commit |Versions|Passages|Filter|Trigger"
    for address in addresses.values():
        page.goto(address)
        settled(page)
        shown = page.evaluate("document.querySelector('main').innerText + document.querySelector('header').innerText")
        assert not [word for word in english.split("|") if word in shown], (address, shown)
    page.goto("/")
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("button", name="Update now")).to_be_visible()
    page.goto("/search")
    expect(page.get_by_role("heading", name="Search", exact=True)).to_be_visible()


def test_theme(served: Served, visit: Visit) -> None:
    """The system's theme, then the switch: remembered, and there with the first byte of the next page."""
    page = visit(served, "/", color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_role("button", name="Light or dark").click()
    light = page.evaluate(colour)
    assert light != dark
    answer = page.request.get(served.url + "/search")
    assert 'data-theme="light"' in answer.text()
    page.goto("/search")
    assert page.evaluate(colour) == light


def test_keyboard_alone(served: Served, visit: Visit) -> None:
    """The first stop leads to the content; every stop shows that it has the focus; a dialog keeps and returns it."""
    page = visit(served, "/documents")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.goto("/search")
    expect(page.get_by_label("What to look for")).to_be_focused()
    page.get_by_label("What to look for").focus()
    page.keyboard.type("rule number")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=rule**")
    ring = "getComputedStyle(document.activeElement).outlineStyle"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(f"document.activeElement === document.body || {ring} !== 'none'")
    page.locator(".hits a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#passage")).to_be_in_viewport()
    button = page.get_by_role("button", name="Delete …")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(5):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_reduced_motion(served: Served, visit: Visit) -> None:
    """Who wants no movement sees none."""
    page = visit(served, "/ask", reduced_motion="reduce")
    page.evaluate("document.getElementById('answer').hidden = false")
    seconds = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.spin')).animationDuration)")
    assert seconds < 0.001


def test_no_layout_jumps(served: Served, visit: Visit, addresses: dict[str, str]) -> None:
    """What is shown stays where it is while scripts, events and fonts arrive."""
    page = visit(served, "/")
    page.add_init_script(
        "window.jumps = 0; new PerformanceObserver((list) => { for (const e of list.getEntries()) "
        "if (!e.hadRecentInput) window.jumps += e.value; }).observe({type: 'layout-shift', buffered: true});"
    )
    jumps = {}
    for name, address in addresses.items():
        if name == "asked":  # an answer that is being written grows
            continue
        page.goto(address)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))")
        jumps[name] = page.evaluate("window.jumps")
    assert {name: value for name, value in jumps.items() if value > 0.05} == {}


def test_without_scripts(served: Served, visit: Visit, addresses: dict[str, str]) -> None:
    """Reading, searching and looking back need no script at all."""
    page = visit(served, addresses["found"], java_script_enabled=False)
    assert page.locator(".hits li").count() > 0
    page.locator(".hits a").first.click()
    assert page.locator("#passage").is_visible()
    page.goto(addresses["history"])
    page.get_by_role("link", name="Commit 1", exact=True).click()
    assert "rule 3.md" in page.locator("table").inner_text()


def test_errors_are_pages(served: Served, visit: Visit) -> None:
    """An address without anything behind it says so, in the page's language, with a way back."""
    page = visit(served, "/")
    for address, status in (("/nothing", 404), ("/documents/AAAA", 404), ("/answers/zzzz", 404), ("/runs/99999", 404)):
        answer = page.request.get(served.url + address, headers={"accept": "text/html"})
        assert (answer.status, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), address
        assert "To the overview" in answer.text()
