"""reStructuredText (.rst, .rest) to sections by titles, with literal blocks and tables as sections of their own.

A line scanner, like that for Markdown and for the same reasons; docutils would read files that
``include`` names, and stops at documents of Sphinx, whose directives it does not know. The tests
hold its titles to those of docutils. Nothing is dropped: the sections joined are the text.
"""

from __future__ import annotations

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

VERSION = "1"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """Sections with heading paths; the title is the first of the outermost, the label a ``:Version:`` field."""
    from .rst_scan import Scan
    from .text import read

    del limits  # size and output are judged by the caller; the scan is linear
    found = read(data)
    if not found.text:
        return Parsed((), found.state, found.notes, "rst", details=found.details)
    scan = Scan(found.text)
    return Parsed(scan.sections(), found.state, found.notes, "rst", scan.title, found.details, scan.label)
