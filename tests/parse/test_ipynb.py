"""Notebooks: what a reader of the page sees, with the cell it stands in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import ipynb


def notebook(*cells: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": list(lines)}


def code(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": 7}


def parse(value: object) -> Parsed:
    text = value if isinstance(value, str) else json.dumps(value)
    return ipynb.parse(text.encode(), ParseLimits())


def test_cells_have_headings_and_places() -> None:
    """Headings reach over the cells below them; code is code; the first H1 is the title."""
    parsed = parse(
        notebook(
            markdown("# 分析\n", "intro"),
            code("import pandas\n# no heading"),
            markdown("## 数据\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
            code("print(1)", {"output_type": "stream", "text": ["1\n", "2\n"]}),
        )
    )
    assert parsed.title == "分析"
    assert [(s.kind, s.headings, s.place) for s in parsed.sections] == [
        ("text", ("分析",), "[1]"),
        ("code", ("分析",), "[2]"),
        ("text", ("分析", "数据"), "[3]"),
        ("table", ("分析", "数据"), "[3]"),
        ("code", ("分析", "数据"), "[4]"),
        ("code", ("分析", "数据"), "[4]"),
    ]
    assert parsed.sections[-1].text == "1\n2\n\n"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ({"output_type": "execute_result", "data": {"text/plain": ["42"], "text/html": "<b>42</b>"}}, "42\n\n"),
        ({"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure size 1x1>"}}, ""),
        (
            {"output_type": "display_data", "data": {"text/html": "<p>only<p>html", "text/plain": "<X object>"}},
            "only\n\nhtml\n\n",
        ),
        ({"output_type": "display_data", "data": {"text/markdown": "*md*"}}, "*md*\n\n"),
        ({"output_type": "display_data", "data": {"text/latex": "$x$"}}, "$x$\n\n"),
        ({"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\u001b[31mred"]}, "E: bad\n\n"),
        ({"output_type": "stream", "text": "\u001b[1m10%\r\u001b[1m100%\u001b[0m\n"}, "100%\n\n"),
        ({"output_type": "pyout", "text": ["v3"], "png": "iVBOR"}, "v3\n\n"),
        ({"output_type": "display_data", "data": {"application/json": {"a": 1}}}, ""),
    ],
)
def test_outputs_are_what_they_show(output: dict[str, Any], expected: str) -> None:
    """The plainest form is read; pictures, colours and overwritten lines are out."""
    assert parse(notebook(code("x", output))).text == f"x\n\n{expected}"


def test_format_3_keeps_cells_in_worksheets() -> None:
    """Headings were cells of their own, sources were called input."""
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "code", "input": ["a = 1"], "outputs": [{"output_type": "pyerr", "ename": "E", "evalue": "v"}]},
    ]
    parsed = parse({"nbformat": 3, "metadata": {"name": "旧笔记"}, "worksheets": [{"cells": cells}]})
    assert parsed.title == "旧笔记"
    assert [(s.text, s.headings) for s in parsed.sections][1:] == [("a = 1\n\n", ("Old",)), ("E: v\n\n", ("Old",))]


def test_pictures_inside_text_cells_are_out() -> None:
    """Data addresses are no text."""
    text = parse(
        notebook(markdown("![plot](data:image/png;base64,iVBOR)<img src='data:image/png;base64,iVBOR'>tail"))
    ).text
    assert "iVBOR" not in text
    assert "plot" in text
    assert "tail" in text


@pytest.mark.parametrize(
    "text", ['{"nbformat": 4, "cells": [{"source": ["KEEP"', "[1, 2, 3]", '{"a": "KEEP"}', "[" * 100_000]
)
def test_what_is_no_notebook_is_read_as_json(text: str) -> None:
    """Cut off, deep, or another JSON file: nothing is lost, and it is said."""
    parsed = parse(text)
    assert parsed.state is State.WARNED
    assert "KEEP" in parsed.text or "KEEP" not in text


@pytest.mark.parametrize(
    "cell",
    [
        {},
        {"cell_type": 5, "source": {"a": 1}},
        {"cell_type": "code", "outputs": [1, {"data": []}]},
        {"source": [1, "KEEP"]},
    ],
)
def test_malformed_cells_cost_no_other(cell: dict[str, Any]) -> None:
    """What violates the schema is read as far as it is text."""
    assert "after" in parse(notebook(cell, markdown("after"))).text


def test_an_empty_notebook_has_no_text() -> None:
    """Said as such."""
    assert parse(notebook(code(""))).state is State.NO_TEXT
