"""Every sabotage is caught by the test that is there for it (a few in a plain run, all when ``INDEXER_TEST_LAWS`` is set)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from mutants import MUTANTS, ROOT, survives


def chosen() -> list[str]:
    """Which sabotages are tried here: every 29th in a plain run, all of them in ``make laws``."""
    return list(MUTANTS) if "INDEXER_TEST_LAWS" in os.environ else list(MUTANTS)[::29]


@pytest.mark.parametrize("name", MUTANTS)
def test_the_line_is_there(name: str) -> None:
    """The sabotaged line stands exactly once in the product: a moved line must not make a sabotage idle."""
    mutant = MUTANTS[name]
    assert (ROOT / "indexer" / mutant.file).read_text("utf-8").count(mutant.old) == 1


@pytest.mark.timeout(0)
def test_sabotages_are_caught(figures: list[str]) -> None:
    """With the line changed, the named test fails."""
    names = chosen()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        survivors = [said for said in pool.map(survives, names) if said]
    figures.append(f"{len(names) - len(survivors)} of {len(names)} sabotages caught")
    assert not survivors, "\n".join(survivors)
