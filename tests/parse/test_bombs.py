"""Bombs of every format: each ends soon, in bounded memory, as text or as a reason; and nothing from outside gets in."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pytest

if sys.platform == "win32":
    pytest.skip("the worker's memory is read from /proc", allow_module_level=True)

from bombs import BOMBS
from hostile_run import LIMITS, LONGEST, Figures, feed, main_mb

from indexer.core.errors import FileProblem
from indexer.parse import Parsers

WELL_KNOWN = {"inflates.docx", "overlaps.docx", "laughs.docx", "deep.docx", "inflates.xlsx"}


@pytest.fixture(name="parsers", scope="module")
def fixture_parsers() -> Iterator[Parsers]:
    """Workers under the limits of the broken files, with less time: several bombs burn all they get."""
    parsers = Parsers(LIMITS._replace(cpu_seconds=4))
    yield parsers
    parsers.close()


@pytest.mark.parametrize("name", BOMBS)
def test_bomb(parsers: Parsers, name: str) -> None:
    """Within its clock and the memory ceiling: text, or a reason with a remedy in both languages."""
    assert parsers.supports(name)
    data, figures, before = BOMBS[name](), Figures(), main_mb()
    started = time.monotonic()
    feed(parsers, [(name, data)], figures)
    assert figures.wrong == []
    assert time.monotonic() - started < LONGEST, "not ended by its clock"
    assert figures.worker_mb < LIMITS.memory_mb
    assert main_mb() - before < 500
    if name in WELL_KNOWN:
        assert figures.outcomes == {"refused": 1}


@pytest.mark.parametrize("name", [name for name in BOMBS if name.startswith(("outside", "include"))])
def test_nothing_from_outside(parsers: Parsers, name: str) -> None:
    """No entity, no inclusion brings another file's content into the text."""
    assert parsers.supports(name)
    try:
        text = parsers.parse(name, BOMBS[name]()).text
    except FileProblem as error:
        text = str(error)
    assert "root:" not in text
