"""Where there are keys a browser signs in with one, and sees what that one may do."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browsing import Served
from playwright.sync_api import Page, expect

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def served(serving: Callable[..., Served]) -> tuple[Served, str]:
    """A service that asks for a key, and one with which everything may be done."""
    served = serving()
    served.put("note.md", "# Note\n\nA note about nothing.\n")
    served.run("update", "--now")
    said = served.run("key", "add", "anna", "--scope", "admin")
    key = max(re.findall(r"[A-Za-z0-9_.~-]{16,}", said), key=len)
    return served.start(), key


def test_sign_in_and_out(served: tuple[Served, str], visit: Visit) -> None:
    """Without a key every page leads to the login and from there back; the cookie is for no script; out is out."""
    service, key = served
    page = visit(service, "/documents?q=note")
    expect(page).to_have_url(re.compile("/login"))
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/documents?q=note")
    expect(page.locator("table")).to_contain_text("note.md")
    assert page.evaluate("document.cookie.includes('session')") is False
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/login**")
    page.goto("/documents")
    expect(page).to_have_url(re.compile("/login"))
