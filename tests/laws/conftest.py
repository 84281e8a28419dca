"""One line of figures at the end of a run of the laws."""

from __future__ import annotations

import pytest

FIGURES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Where the tests put their figures."""
    config.stash[FIGURES] = []


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> list[str]:
    """Append a figure to have it in the last line."""
    return pytestconfig.stash[FIGURES]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print them."""
    if config.stash[FIGURES]:
        terminalreporter.write_line("laws: " + ", ".join(config.stash[FIGURES]))
