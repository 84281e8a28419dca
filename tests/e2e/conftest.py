"""One browser for all tests; a page that is not allowed to complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from browsing import CHROMIUM, FLAGS, PATIENCE, Served, watched
from playwright.sync_api import Browser, Page, expect, sync_playwright

Visit = Callable[..., Page]
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where there is no Chromium there is nothing to browse with."""
    if CHROMIUM is None:
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; ended after the module, for its event loop would be in the way of other tests'."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """``visit(served, "/search")``: a page in a fresh profile; its complaints fail the test.

    ``refused``: the status the server is meant to answer with, of which the browser complains by itself.
    """
    contexts: list[Any] = []
    complaints: list[list[str]] = []

    def open_page(served: Served, path: str = "/", refused: Sequence[int] = (), **options: Any) -> Page:
        given = {"viewport": {"width": 1280, "height": 900}, "locale": "en-US", "base_url": served.url, **options}
        context = browser.new_context(**given)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        with watched(page, refused) as wrong:
            complaints.append(wrong)
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for wrong in complaints for text in wrong] == []


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Served]]:
    """``serving(model)``: a service that is not started yet; stopped after the module's tests."""
    made: list[Served] = []

    def make(*args: Any, **options: Any) -> Served:
        home: Path = tmp_path_factory.mktemp("served")
        made.append(Served(home, *args, **options))
        return made[-1]

    yield make
    for served in made:
        served.stop()
