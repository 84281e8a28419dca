"""Jupyter notebooks (.ipynb), formats 2 to 4: text cells by their headings, code, and what the code printed.

The place of a section is its cell, ``[3]`` for the third. Pictures and other data of outputs are
out; of an output in several forms the plainest is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from indexer.core.model import Kind, Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

VERSION = "1"
_DATA = re.compile(r"\(\s*data:[^()\s]*+\)|(?<=[\"'])data:[\w/+.-]{1,60};base64,[^\"']*+")
_COLOURS = re.compile(r"\x1b(?:\[[0-9;:?]*+[a-zA-Z]|\][^\x07\x1b]*+(?:\x07|\x1b\\))")
NO_NOTEBOOK = Message("The file is no notebook; it was read as JSON")
Cell = Mapping[str, Any]


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Sections of the cells in their order; the title is the notebook's own, else the first H1."""
    from .text import read

    found = read(data)
    if not found.text:
        return Parsed((), found.state, found.notes, "ipynb", details=found.details)
    try:
        notebook = json.loads(found.text)
        cells = list(_cells(notebook))
    except (ValueError, RecursionError, AttributeError, TypeError):
        return _as_json(data, limits)
    if not cells and not (isinstance(notebook, dict) and "nbformat" in notebook):
        return _as_json(data, limits)
    reader = _Reader()
    for number, cell in enumerate(cells, 1):
        reader.take(cell, f"[{number}]")
    sections = tuple(reader.sections)
    title = _own_title(notebook) or reader.title
    if not sections:
        return Parsed((), State.NO_TEXT, (Message("The notebook has no text"), *found.notes), "ipynb", title)
    state = State.WARNED if found.notes else State.INDEXED
    return Parsed(sections, state, found.notes, "ipynb", title, {**found.details, "cells": len(cells)})


def _as_json(data: bytes, limits: ParseLimits) -> Parsed:
    from .json import parse as parse_json

    parsed = parse_json(data, limits)
    return parsed._replace(state=State.WARNED, notes=(NO_NOTEBOOK, *parsed.notes), parser="ipynb")


def _cells(notebook: Any) -> Iterator[Cell]:
    """The cells, which format 3 and older keep in worksheets."""
    sheets = notebook.get("worksheets")
    for holder in sheets if isinstance(sheets, list) else [notebook]:
        cells = holder.get("cells")
        yield from (cell for cell in (cells if isinstance(cells, list) else []) if isinstance(cell, dict))


def _own_title(notebook: Mapping[str, Any]) -> str:
    from .clean import clean

    meta = notebook.get("metadata")
    title = (meta.get("title") or meta.get("name")) if isinstance(meta, dict) else None
    return clean(" ".join(title.split()))[:300] if isinstance(title, str) else ""


class _Reader:
    """Keeps the headings over the cells."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.title = ""
        self._path: list[tuple[int, str]] = []

    def take(self, cell: Cell, place: str) -> None:
        """Adds what a cell shows."""
        kind = cell.get("cell_type")
        source = _text(cell.get("source", cell.get("input")))
        if kind == "heading":
            level = cell.get("level")
            self._markdown("#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + f" {source}", place)
        elif kind == "markdown":
            self._markdown(source, place)
        elif kind in ("html", "raw"):
            self._add(source, place, "text")
        else:
            self._add(source, place, "code")
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else []:
                if isinstance(output, dict):
                    self._output(output, place)

    def _markdown(self, source: str, place: str) -> None:
        from .clean import clean
        from .mdscan import Scan

        text = clean(_DATA.sub("()", source)).rstrip()
        if not text:
            return
        scan = Scan(f"{text}\n\n", 0, self._path)
        self.sections += (section._replace(place=place) for section in scan.sections())
        self._path = scan.path
        self.title = self.title or scan.first_h1

    def _output(self, output: Cell, place: str) -> None:
        kind = output.get("output_type")
        if kind in ("error", "pyerr"):
            self._add(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}", place, "code")
            return
        if kind == "stream":
            self._add(_text(output.get("text")), place, "code")
            return
        forms = output.get("data", output)
        if not isinstance(forms, dict):
            return
        forms = {name.rpartition("/")[2]: value for name, value in forms.items() if isinstance(name, str)}
        plain = _text(forms.get("plain", forms.get("text")))
        if "markdown" in forms:
            self._markdown(_text(forms["markdown"]), place)
        elif "html" in forms and (not plain or _is_repr(plain)):
            self._page(_text(forms["html"]), place)
        elif not (_is_repr(plain) and len(forms) > 1):
            self._add(plain or _text(forms.get("latex")), place, "code")

    def _page(self, source: str, place: str) -> None:
        from .html import assemble, read_page

        sections, _ = assemble(read_page(source))
        path = self._names()
        self.sections += (s._replace(place=place, headings=(*path, *s.headings)) for s in sections)

    def _add(self, text: str, place: str, kind: Kind) -> None:
        from .clean import clean

        text = _COLOURS.sub("", text)
        # A progress bar overwrites its line: the last state is what one sees.
        text = clean("\n".join(line.rpartition("\r")[2] for line in text.replace("\r\n", "\n").split("\n"))).rstrip()
        if text.strip():
            self.sections.append(Section(f"{text}\n\n", self._names(), None, kind, place))

    def _names(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)


def _is_repr(plain: str) -> bool:
    """Whether the plain form only names the object that another form shows."""
    return plain.startswith("<") and plain.rstrip().endswith(">") and "\n" not in plain.strip()


def _text(value: Any) -> str:
    """A source, which may be a list of lines; "" for anything that is no text."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
