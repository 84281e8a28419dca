"""Configuration and code without a grammar: groups of lines under the names that lines begin with."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, lines
from indexer.parse.lines_marks import FORMS

LIMITS = ParseLimits()
LONG = "x" * 120


def parse(source: str, form: str = "") -> Parsed:
    parsed = lines.parse(source.encode(), LIMITS, form)
    assert parsed.text == source
    return parsed


def named(source: str, form: str) -> list[str]:
    return [f"{'.'.join(s.headings)} {s.place}" for s in parse(source, form).sections]


def test_groups_end_at_blank_lines() -> None:
    """A group has about a passage; its place is its lines."""
    block = f"{LONG}\n{LONG}\n{LONG}\n\n"
    parsed = parse(block * 3)
    assert [s.place for s in parsed.sections] == ["L1-L3", "L5-L7", "L9-L11"]
    assert {s.kind for s in parsed.sections} == {"code"}


def test_a_file_without_blank_lines_has_groups_too() -> None:
    """A dump of a hundred thousand lines is not one section."""
    parsed = parse("INSERT INTO t VALUES (1);\n" * 2000, "sql")
    assert len(parsed.sections) > 10


def test_toml_tables() -> None:
    """A table and its comment; brackets within strings and arrays are none."""
    source = 'a = 1\n\n# why\n[tool.x]\nb = """\n[no]\n"""\nc = [\n  [1],\n]\n\n[[tool.y]] # note\nd = 1\n'
    assert named(source, "tables") == [" L1", "tool.x L3-L10", "tool.y L12-L13"]


def test_ini_sections() -> None:
    """Windows and Unix forms."""
    assert named("; top\n[Main]\nA=1\n[Other Part]\nB=2\n", "tables") == ["Main L1-L3", "Other Part L4-L5"]


def test_yaml_keys() -> None:
    """Top-level keys of more than a line; keys within where the mapping is long; text blocks hold no keys."""
    source = (
        f'version: "3"\nservices:\n  # the web\n  web:\n    image: {LONG}\n    command: |\n      foo: {LONG}\n      bar:\n        a\n'
        f"  db:\n    image: {LONG}\n    env: {LONG}\n    more: {LONG}\n\nvolumes:\n- a\n- b\n---\nkind: Service\nspec:\n  x: 1\n"
    )
    assert named(source, "yaml") == [
        " L1", "services.web L3-L9", "services.db L10-L13", "volumes L15-L17", " L18-L19", "spec L20-L21",
    ]  # fmt: skip


def test_sql_objects() -> None:
    """A table up to its semicolon, a routine up to what follows it, quotes and schemas as written."""
    source = (
        "SET x = 1;\n\n-- people\nCREATE TABLE IF NOT EXISTS `app`.`users` (\n  id INT\n);\n\nINSERT INTO users VALUES (1);\n\n"
        "CREATE OR REPLACE FUNCTION f() RETURNS INT AS $$\nBEGIN\n  SELECT 1;\nEND;\n$$ LANGUAGE plpgsql;\n"
    )
    assert named(source, "sql") == [" L1", "app.users L3-L6", " L8", "f L10-L14"]


@pytest.mark.parametrize(
    ("form", "source", "expected"),
    [
        ("powershell", "$a = 1\n\n# does\nfunction Get-It {\n  1\n}\n\nGet-It\n", ["Get-It L3-L6"]),
        ("r", "x <- 1\nmean2 <- function(x) {\n  x\n}\ny <- 2\n", ["mean2 L2-L4"]),
        ("perl", "use strict;\nsub run {\n  1;\n}\nrun();\n", ["run L2-L4"]),
        ("schema", 'syntax = "proto3";\n\n// a\nmessage User {\n  int32 id = 1;\n}\n', ["User L3-L6"]),
        ("basic", "Option Explicit\nPublic Sub Go()\n  x = 1\nEnd Sub\n", ["Go L2-L4"]),
        ("blocks", 'resource "aws_vpc" "main" {\n  a = 1\n}\n', ["resource.aws_vpc.main L1-L3"]),
        (
            "component",
            "<template>\n  <p/>\n</template>\n\n<script>\nx\n</script>\n",
            ["template L1-L3", "script L5-L7"],
        ),
    ],
)
def test_blocks_by_their_first_line(form: str, source: str, expected: list[str]) -> None:
    """Definitions at the start of a line, up to the line that closes them."""
    assert [e for e in expected if e not in named(source, form)] == []


def test_files_of_these_kinds_are_read_in_this_process() -> None:
    """They are only decoded; a suffix in capitals is the same."""
    parsers = Parsers(LIMITS)
    for name in ("a.toml", "b.YAML", "c.sql", "d.css", "e.ini"):
        assert parsers.trusted(name)
        assert parsers.parse(name, b"[a]\nb: 1\n").text == "[a]\nb: 1\n"
    parsers.close()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("form", ["", *FORMS])
def test_hostile_files_are_linear(form: str) -> None:
    """Long lines, deep indentation, endless openings."""
    for source in (
        "[" * 200_000, "a:\n" * 30_000, "".join(" " * i + "a:\n" for i in range(1500)), "create " * 50_000,
        "create table " * 20_000 + "\n", "public " * 30_000 + "\n", "\n" * 100_000 + "x", "a" * 1_000_000, '"""' * 100_000,
    ):  # fmt: skip
        parse(source, form)


PIECES = st.sampled_from(
    ["[a]\n", "a:\n", "  b: |\n", "    c\n", "\n", "# c\n", "-- x\n", "create table t (\n", ");\n", "go\n", '"""\n', "}\n", "年", "sub f {\n", "---\n"]
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=40), st.sampled_from(["", *FORMS]))
def test_whatever_the_lines_the_sections_joined_are_the_text(pieces: list[str], form: str) -> None:
    """Lossless in every form."""
    source = "".join(pieces)
    parsed = lines.parse(source.encode(), LIMITS, form)
    assert parsed.text == ("" if parsed.state is State.NO_TEXT else source)
