"""Every sentence of the pages and of their scripts exists in Chinese, with the same values in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from indexer.web.ui import words

TABLE = json.loads((Path(words.__file__).parents[2] / "locale" / "zh.json").read_text("utf-8"))


def test_every_sentence_is_translated() -> None:
    """Templates and scripts say nothing that has no translation."""
    said = words.used_in("templates", ".html") | words.used_in("static", ".js")
    assert len(said) > 150
    assert sorted(said - set(TABLE)) == []


def test_templates_say_nothing_past_the_translations() -> None:
    """Between tags and in titles, labels and placeholders there are no words but those that ``t`` says."""
    left = {}
    for path in sorted((words.FOLDER / "templates").glob("*.html")):
        text = re.sub(r"\{[{%#].*?[}%#]\}", "", path.read_text("utf-8"), flags=re.S)
        shown = re.findall(r">([^<>]*)<", text) + re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', text)
        alone = [s.strip() for s in shown if re.search(r"[A-Za-z]{2}", s) and s.strip() not in _NAMES]
        left |= {path.name: alone} if alone else {}
    assert left == {}


_NAMES = ("indexer", "English", "· indexer", "hr/*", ".pdf", "v3.1")


def test_scripts_make_no_markup() -> None:
    """No script writes markup or runs text: what data holds cannot become an element."""
    for path in sorted((words.FOLDER / "static").glob("*.js")):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc",
            path.read_text("utf-8"),
        )


def test_pages_carry_nothing_inline() -> None:
    """No inline script, style or handler, and nothing from elsewhere: the policy of the pages allows none."""
    for path in sorted((words.FOLDER / "templates").glob("*.html")):
        text = path.read_text("utf-8")
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|https?://|\|\s*safe\b", text), path.name
        for tag in re.findall(r"<script[^>]*>", text):
            assert 'type="application/json"' in tag or 'src="{{ asset(' in tag
