"""JSON (.json, .jsonl, .ndjson): members with their keys, one a line; places are JSONPath, or lines for records.

A file that is no whole JSON is read as far as it goes and says so. Sections are about a chunk
long and begin at a record or a member; the keys above them are their lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from .json_scan import Group, Scan

VERSION = "1"
GROUP = 240  # characters from which a section may end: about a chunk
GROUP_LARGE = 2000  # the same in files beyond LARGE characters
LARGE = 4_000_000
_TITLES = ("title", "name", "标题", "名称")
_START = re.compile(r"\s*+[\[{\"\d/tfn-]")
NO_JSON = Message("The file is no JSON; it was indexed as plain text")
CUT_OFF = Message("The JSON is cut off: its end is missing. Its text was indexed; restore it from a good copy")
DAMAGED = "The JSON is damaged at line {line}; its text was indexed all the same"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Sections of members. Raises ParseRefused for binary data, or more text than ``output_chars``."""
    from .json_scan import Scan
    from .text import read

    found = read(data)
    if not found.text:
        return Parsed((), found.state, found.notes, "json", details=found.details)
    if not _START.match(found.text):
        return Parsed((Section(found.text),), State.WARNED, (NO_JSON, *found.notes), "json", details=found.details)
    scan = Scan(found.text, GROUP if len(found.text) < LARGE else GROUP_LARGE)
    sections = tuple(_bounded(_sections(scan), limits))
    notes = (*found.notes, *_notes(scan))
    return Parsed(sections, State.WARNED if notes else State.INDEXED, notes, "json", _title(scan), found.details)


def _notes(scan: Scan) -> Iterator[Message]:
    if scan.damage >= 0:
        yield Message(DAMAGED, {"line": scan.text.count("\n", 0, scan.damage) + 1})
    elif scan.cut_off:
        yield CUT_OFF


def _bounded(sections: Iterator[Section], limits: ParseLimits) -> Iterator[Section]:
    size = 0
    for section in sections:
        size += len(section.text)
        if size > limits.output_chars:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=limits.output_chars,
            )
        yield section


def _sections(scan: Scan) -> Iterator[Section]:
    """Sections by path while there is one value; by lines once a second one shows that the values are records."""
    first: list[Section] = []  # of the first value
    line = counted = 0
    for group in scan.groups():
        if scan.values < 2 and not line:
            first.append(_section(group, group.place))
            continue
        if not line:
            line = 1
            yield from (section._replace(place="L1", lead="") for section in first)
            first = []
        line += scan.text.count("\n", counted, group.at)
        counted = group.at
        yield _section(group._replace(above=""), f"L{line}")
    yield from first


def _section(group: Group, place: str) -> Section:
    from .clean import clean

    lead = f"{group.above}\n" if group.above else ""
    return Section(clean(group.text), kind="code", place=clean(place), lead=clean(lead))


def _title(scan: Scan) -> str:
    """The member "title" or "name" of the outermost object, if it is short text and the file is one object."""
    from .clean import clean

    if scan.values > 1:
        return ""
    return clean(next((" ".join(scan.titles[key].split()) for key in _TITLES if scan.titles.get(key)), ""))
