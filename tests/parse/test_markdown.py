"""Markdown: heading paths, fences, tables and front matter, without losing a character."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import settings as rounds
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from indexer.core.model import Parsed, Section
from indexer.core.tables import ParseLimits, SplitSettings
from indexer.parse import Parsers
from indexer.parse.frontmatter import front_matter
from indexer.split import make_splitter

LIMITS = ParseLimits()
DOCUMENT = """---
title: "部署手册"
tags: [ops, 运维]
owner:
  - 王五
  - 李四
---
intro before any heading

# 安装 **步骤** ##

说明文字。

```bash
# not a heading
make install   # nor this
```

| 参数 | 值 |
|---|---|
| a | 1 |
| b | 2 |

## [配置](config.md) {#conf}

text
<!--
# commented out
-->

Setext title
============

    # indented code

> # quoted

### 深

tail
"""


def parse(text: str) -> Parsed:
    parsers = Parsers(LIMITS)
    try:
        return parsers.parse("a.md", text.encode())
    finally:
        parsers.close()


def kinds(parsed: Parsed) -> list[tuple[str, tuple[str, ...]]]:
    return [(section.kind, section.headings) for section in parsed.sections]


def test_a_document_has_its_structure() -> None:
    """Front matter, fences and tables are sections of their own under the right heading path."""
    parsed = parse(DOCUMENT)
    install, conf = ("安装 步骤",), ("安装 步骤", "配置")
    assert kinds(parsed) == [
        ("code", ()),
        ("text", ()),
        ("text", install),
        ("code", install),
        ("table", install),
        ("text", conf),
        ("text", ("Setext title",)),
        ("text", ("Setext title", "深")),
    ]
    assert parsed.text == DOCUMENT
    assert parsed.sections[3].text.startswith("```bash")
    assert parsed.sections[4].text.strip().endswith("| b | 2 |")


def test_front_matter_is_details_and_title() -> None:
    """Its fields are kept, its title names the document, its words stay findable."""
    parsed = parse(DOCUMENT)
    assert parsed.title == "部署手册"
    assert parsed.details["front_matter"] == {"title": "部署手册", "tags": "ops, 运维", "owner": "王五, 李四"}
    assert "王五" in parsed.text


def test_the_first_h1_is_the_title_without_front_matter() -> None:
    """Not the first heading of any level."""
    assert parse("## small\n\n# Big `one`\n\n# Second\n").title == "Big one"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nprose between rules.\n\n---\n",
        "---\nprose: not\nreally yaml here\n---\n",
        "--- \ntitle: x\n",
        "text\n---\n",
    ],
)
def test_rules_are_no_front_matter(text: str) -> None:
    """A line of dashes at the top is front matter only above fields and a closing line."""
    assert front_matter(text) == ({}, 0)


def test_toml_front_matter() -> None:
    """Plus signs and equals signs are read as well."""
    assert front_matter('+++\ntitle = "T"\n+++\ntext') == ({"title": "T"}, 20)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("~~~~\n# x\n~~~\n# y\n~~~~\n# after\n", "code"),
        ("```py\n# never closed\n\n# still code\n", "code"),
        ("1. step\n\n    ```sh\n# flush left inside a list\n    ```\n", "code"),
        ("a|b\n-|-\n1|2\n", "table"),
        ("  | a |\n  |:-:|\n  | # 1 |\n", "table"),
    ],
)
def test_marks_inside_blocks_are_no_headings(text: str, kind: str) -> None:
    """``#`` in fences of any kind, and cells, begin no heading."""
    parsed = parse(text)
    assert parsed.text == text
    found = [section for section in parsed.sections if section.kind == kind]
    assert len(found) == 1
    assert found[0].headings == ()


def test_a_table_has_its_header_as_lead() -> None:
    """The header and the line of dashes, so that a row from the middle can be understood alone."""
    text = "# t\n\n| 参数 | 值 |\n|---|---|\n" + "".join(f"| 名称{n} | {n} |\n" for n in range(60)) + "\nafter\n"
    table = next(section for section in parse(text).sections if section.kind == "table")
    assert table.lead == "| 参数 | 值 |\n|---|---|\n"
    chunks = [c.text for c in make_splitter(SplitSettings())(parse(text)) if "名称" in c.text]
    assert len(chunks) > 3
    assert all("| 参数 | 值 |" in chunk for chunk in chunks)


def test_html_blocks_hide_headings() -> None:
    """Comments, scripts and block tags are raw until they end."""
    parsed = parse("<!-- a\n# x\n-->\n<script>\n# y\n</script>\n<div>\n# z\n\n# Real\n")
    assert {h for s in parsed.sections for h in s.headings} == {"Real"}


def test_a_long_paragraph_above_a_rule_is_no_heading() -> None:
    """Four lines of prose above dashes stay prose; one line is a heading."""
    assert kinds(parse("a\nb\nc\nd\n---\n")) == [("text", ())]
    assert kinds(parse("a\n---\n")) == [("text", ("a",))]
    assert kinds(parse("- item\n---\n")) == [("text", ())]


LINES = (
    "# a", "## b ##", "### c", "#nospace", "####### seven", "text", "更多文字。", "", "", "===", "---", "-", "```",
    "```py", "~~~", "````", "    # indented", "> # quote", "- item", "  - nested", "1. one", "| a | b |",
    "|---|---|", "---|---", "<!-- c", "-->", "<div>", "</div>", "<b>bold</b>", "***", "\t# tab",
    " # one blank", "   ## three blanks", "#", "\\# escaped", "[l](u)", "***", "+++",
)  # fmt: skip


@rounds(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=30), st.sampled_from(("\n", "")))
def test_any_markdown_is_lossless(lines: list[str], end: str) -> None:
    """The sections joined are the text, whatever the lines."""
    text = "\n".join(lines) + end
    assert parse(text).text == text if text.strip() else True


SIMPLE = (
    "# a",
    "## b ##",
    "### c",
    "#nospace",
    "文字。",
    "",
    "",
    "```",
    "~~~",
    "> q",
    "***",
    "a | b",
    "|---|---|",
    "  ## c",
    "#",
)


@rounds(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(SIMPLE), max_size=25))
def test_headings_are_markdown_its(lines: list[str]) -> None:
    """The heading paths change at the lines at which markdown-it sees a heading."""
    text = "\n".join(lines) + "\n"
    expected = [
        (token.map[0], int(token.tag[1]))
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    sections: tuple[Section, ...] = parse(text).sections
    stack: list[tuple[int, str]] = []
    paths = [()]
    rows = text.split("\n")
    for line, level in expected:
        title = rows[line].strip().strip("#").strip()
        stack = [entry for entry in stack if entry[0] < level] + ([(level, title)] if title else [])
        paths.append(tuple(name for _, name in stack))  # type: ignore[arg-type]
    seen = [section.headings for section in sections]
    assert _changes(seen) == _changes(
        [path for path, used in zip(paths, _has_text(text, expected), strict=True) if used]
    )


def _has_text(text: str, headings: list[tuple[int, int]]) -> list[bool]:
    """Which of the stretches between the headings have text (the first one may have none)."""
    first = headings[0][0] if headings else text.count("\n") + 1
    return [bool("".join(text.split("\n")[:first]).strip()), *(True for _ in headings)]


def _changes(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [path for index, path in enumerate(paths) if index == 0 or path != paths[index - 1]]


@pytest.mark.parametrize(
    "unit",
    [
        "# a\n",
        "```x\n",
        "    ```x\n",
        "- ",
        "|-",
        "| a |\n|---|\n",
        "<!--",
        "[",
        "**",
        "a\n-\n",
        "<div>\n",
        " ",
        "-|\n",
        "#",
    ],
)
def test_time_is_linear_on_hostile_markdown(unit: str) -> None:
    """A megabyte of any unit is scanned in seconds."""
    text = unit * (1_000_000 // len(unit))
    begin = time.process_time()
    parsed = parse(text)
    assert time.process_time() - begin < 15
    assert parsed.text == text if text.strip() else True
