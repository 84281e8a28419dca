"""Every sentence of the product exists in Chinese, with the same values in it."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from templates import chinese, of_pages, placeholders, said, templates, words


def used() -> dict[str, str]:
    """Template to a place where it is said."""
    found = [*said(), *of_pages()]
    return {f.text: f.where for f in found if f.text is not None} | dict.fromkeys(words(), "enum")


def test_every_template_is_a_literal() -> None:
    """A sentence put together at run time cannot be looked up."""
    assert [f.where for f in [*said(), *of_pages()] if f.text is None] == []


def test_every_template_is_translated() -> None:
    """`python tests/i18n/templates.py` prints what is missing."""
    table = chinese()
    assert {t: w for t, w in used().items() if t not in table} == {}


def test_translations_have_the_same_placeholders() -> None:
    """No value is lost or invented in translation."""
    wrong = {t: zh for t, zh in chinese().items() if placeholders(t) != placeholders(zh)}
    assert wrong == {}


def test_no_translation_is_left_over() -> None:
    """A template that was changed or removed takes its translation with it."""
    assert sorted(set(chinese()) - set(used())) == []


def test_translations_are_chinese_typography() -> None:
    """Full-width punctuation next to Chinese characters; every sentence has some Chinese."""
    cjk = "\u4e00-\u9fff"
    odd = [zh for zh in chinese().values() if re.search(rf"[{cjk}][,;:!?](?!//)|[,;!?] ?[{cjk}]", zh)]
    assert odd == []
    words = [t for t, zh in chinese().items() if not re.search(f"[{cjk}]", zh) and re.search("[a-z]{3}", _bare(t))]
    assert words == []


def _bare(template: str) -> str:
    return re.sub(r"\{[^}]*\}|`[^`]*`|^indexer:", "", template)


def test_the_collector_follows_what_it_should() -> None:
    """Conditional literals, constants and subclasses are found; f-strings are reported."""
    source = """
class Odd(IndexerError): pass
class Odder(core.Odd): pass
RULE = "rule"
Message("a"); Odder("b" if x else "c", y=1); Message(RULE); _(message); say("d" or "e"); m.Message("f", {})
Odd(f"{x}"); other("no"); Message(given); _("g" + x)
"""
    found = [f.text for f in templates({"m.py": ast.parse(source)})]
    assert sorted(found, key=str) == [None, None, "a", "b", "c", "d", "e", "f", "rule"]
