"""Configuration and code without a grammar: groups of lines, under the names that stand at line starts.

    lines_groups   groups of about a passage, cut at blank lines      lines_marks   tables, keys, blocks

Fixed linear scans only, so this runs in the main process.
"""

from __future__ import annotations

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from .text import read

VERSION = "1"


def parse(data: bytes, limits: ParseLimits, form: str = "") -> Parsed:
    """Sections placed by lines; ``form`` is a key of `lines_marks.FORMS`, or "" for text of any form."""
    from .code_sections import sections
    from .lines_groups import grouped, split_lines
    from .lines_marks import FORMS

    del limits  # size and output are judged by the caller; the scan is linear
    found = read(data)
    name = f"lines:{form}" if form else "lines"
    if not found.text:
        return Parsed((), found.state, found.notes, name, details=found.details)
    lines = split_lines(found.text)
    outline = FORMS[form](lines) if form else None
    cut = tuple(grouped(lines, 0)) if outline is None else sections(found.text, outline)
    return Parsed(cut, found.state, found.notes, name, details=found.details)
