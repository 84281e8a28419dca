"""One document is not "1 documents"."""

from __future__ import annotations

import json
import re

from templates import PACKAGE, placeholders, said

from indexer.core.model import Message
from indexer.i18n import translate

SINGULAR: dict[str, list[str]] = json.loads((PACKAGE / "locale" / "en_one.json").read_text("utf-8"))
COUNTED = re.compile(r"^\{count\} ([a-z]+ )?[a-z]+s\b")


def used() -> set[str]:
    """Every template."""
    return {f.text for f in said() if f.text is not None}


def test_what_counts_has_a_singular() -> None:
    """A sentence that begins with a number of things says it of one thing, too."""
    assert {t for t in used() if COUNTED.match(t)} - SINGULAR.keys() == set()


def test_no_singular_is_left_over() -> None:
    """A template that was changed or removed takes its singular with it; no value is lost or invented but the number."""
    assert SINGULAR.keys() - used() == set()
    for text, (number, singular) in SINGULAR.items():
        assert (number, "") in placeholders(text)
        assert placeholders(text) - {(number, "")} <= placeholders(singular) <= placeholders(text)


def test_the_number_decides() -> None:
    """Only 1 is singular, in English only, whatever the other values are."""
    text = "Commit {commit}: {documents} documents"
    assert translate(Message(text, {"commit": 1, "documents": 1}), "en") == "Commit 1: 1 document"
    assert translate(Message(text, {"commit": 1, "documents": 0}), "en") == "Commit 1: 0 documents"
    assert translate(Message(text, {"commit": 1, "documents": 1}), "zh") != "Commit 1: 1 document"
