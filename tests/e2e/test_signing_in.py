"""Where there are keys a browser signs in with one, and sees what that one may do."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from browsing import Served
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> tuple[Served, dict[str, str]]:
    """A service that asks for a key, and a key of two scopes."""
    served = serving()
    served.put("note.md", "# Note\n\nA note about nothing.\n")
    served.start().update()
    keys = {scope: made(served.run("key", "add", f"with-{scope}", "--scope", scope)) for scope in ("admin", "read")}
    return served, keys


def made(said: str) -> str:
    """The key that `indexer key add` shows."""
    return max(re.findall(r"[A-Za-z0-9_.~-]{16,}", said), key=len)


def sign_in(page: Page, key: str) -> None:
    """Give a key on the page that asks for one."""
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def test_sign_in_and_out(served: tuple[Served, dict[str, str]], visit: Visit) -> None:
    """Without a key every page leads to the login and from there back; the cookie is for no script; out is out."""
    service, keys = served
    page = visit(service, "/documents?q=note")
    expect(page).to_have_url(re.compile("/login"))
    sign_in(page, keys["admin"])
    page.wait_for_url("**/documents?q=note")
    expect(page.locator("table")).to_contain_text("note.md")
    assert page.evaluate("document.cookie.includes('session')") is False
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login**")
    page.goto("/documents")
    expect(page).to_have_url(re.compile("/login"))


def test_a_key_that_may_only_read(served: tuple[Served, dict[str, str]], visit: Visit) -> None:
    """What a key may not do is not offered; reading, searching and asking are there."""
    service, keys = served
    page = visit(service, "/login")
    sign_in(page, keys["read"])
    page.wait_for_url("**/")
    expect(page.get_by_role("button", name="Update now")).to_be_disabled()
    expect(page.get_by_role("button", name="Add documents")).to_have_count(0)
    page.goto("/documents")
    page.locator("table a").click()
    expect(page.get_by_role("link", name="Download")).to_be_visible()
    expect(page.get_by_role("button", name="Delete …")).to_have_count(0)
    page.goto("/ask?q=What+is+the+note+about%3F")
    expect(page.locator("#answer-text")).to_have_attribute("aria-busy", "false")


def test_a_wrong_key(served: tuple[Served, dict[str, str]], visit: Visit) -> None:
    """A wrong key is refused on the spot, in the language of the page."""
    page = visit(served[0], "/login", refused=(401,), locale="zh-CN")
    page.get_by_label("密钥").fill("idx_wrong")
    page.get_by_role("button", name="登录").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    expect(page.get_by_label("密钥")).to_be_focused()


@pytest.mark.parametrize(
    "following", ["//elsewhere.example", "/\\elsewhere.example", "/\t/elsewhere.example", "javascript:alert(1)", "x"]
)
def test_signing_in_leads_nowhere_else(served: tuple[Served, dict[str, str]], visit: Visit, following: str) -> None:
    """An address of another site, however it is written, is not followed after the login."""
    page = visit(served[0], "/login?next=" + quote(following, safe=""))
    assert page.locator("#login").get_attribute("data-next") == "/"
    own = "(text) => import(document.querySelector('link[rel=modulepreload]').href).then((core) => core.own(text))"
    assert page.evaluate(own, following) == "#"
