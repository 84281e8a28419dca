"""A sentence that tells a person to type a command tells them one that exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from templates import chinese

from indexer.cli import COMMANDS

NAMED = re.compile(r"`indexer ([a-z][a-z-]*)")


def test_commands_named_in_sentences_exist() -> None:
    """Whoever types what we said must not read "no such command"; the translation names the same ones."""
    assert len(COMMANDS) > 20
    for english, translated in chinese().items():
        named = NAMED.findall(english)
        assert set(named) <= COMMANDS.keys(), english
        assert sorted(NAMED.findall(translated)) == sorted(named), translated
