"""Pages whose pictures are read have a time of their own: a long document is read, a page that hangs is ended."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from indexer.core.errors import ParserDied
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, progress
from indexer.parse.clock import Budget, Pages

LIMITS = ParseLimits(cpu_seconds=3, wall_seconds=3, page_seconds=3, pages=20, memory_mb=512, extra_memory_mb=64)


@pytest.fixture(name="parsers", scope="module")
def fixture_parsers() -> Iterator[Parsers]:
    parsers = Parsers(LIMITS, {".paged": "misbehaving:Paged", ".spin": "misbehaving:SpinPaged"})
    yield parsers
    parsers.close()


def test_a_page_does_not_inherit_what_others_left() -> None:
    """The deadline is the page's own seconds and what is left of the file's."""
    budget = Budget(100.0, 10.0)
    for now in range(100, 140):
        budget.grant(now, 30.0)
    assert budget.deadline == 139 + 30 + 10


def test_what_a_page_takes_beyond_its_time_is_the_files() -> None:
    """Ten seconds of the file are gone once pages took ten seconds more than they had."""
    budget = Budget(0.0, 10.0)
    budget.grant(0.0, 5.0)
    budget.grant(12.0, 5.0)
    assert budget.deadline == 12 + 5 + 3
    budget.grant(20.0, 5.0)
    assert budget.deadline == 20 + 5
    budget.grant(40.0, 5.0)
    assert budget.deadline == 45


def test_grants_are_counted() -> None:
    """As many pages as announced, never more than the limit; a page nobody announced has no grant."""
    pages = Pages(5)
    assert not pages.begin()
    assert pages.announce(3) == 3
    assert pages.announce(30) == 2
    assert pages.announce(-1) == 0
    assert [pages.begin() for _ in range(5)] == [True] * 4 + [False]


def test_outside_a_worker_all_pages_are_granted() -> None:
    """A parser called directly, as in a test, has no clock."""
    assert progress.announce(7) == 7
    progress.page()


def test_a_long_document_is_read(parsers: Parsers) -> None:
    """Five pages of a second each, where the file alone has three; no more are granted than the limit says."""
    started = time.monotonic()
    assert parsers.parse("a.paged", b"50 5 1").text == "20"
    assert time.monotonic() - started > 4.9


@pytest.mark.parametrize("name", ["a.paged", "a.spin"])
def test_a_page_that_hangs_is_ended(parsers: Parsers, name: str) -> None:
    """The reason names the limit of a page."""
    with pytest.raises(ParserDied, match="picture of a page took longer than the limit of 3 s"):
        parsers.parse(name, b"3 1 60")


def test_pages_that_were_not_announced_have_no_time(parsers: Parsers) -> None:
    """To say that a page begins is not enough."""
    with pytest.raises(ParserDied, match="Parsing took longer than the limit of 3 s"):
        parsers.parse("a.paged", b"0 60 0.2")
