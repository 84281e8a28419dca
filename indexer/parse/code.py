"""Source code: a section for each definition, named as its language names it, placed by its lines.

    code_languages   what a definition is: a query over each tree-sitter grammar
    code_tree        text to captured nodes, bounded in size and steps
    code_names       the name of a node           code_outline   which nodes count, on which lines
    code_sections    lines to sections            lines_groups   where nothing is known but lines

One way for all languages, Python too: its own ``ast`` reads no broken file. Nothing is dropped
or reordered: the sections joined are the text. Without the grammar of a language, and for what is
minified or larger than a person writes, the sections are groups of lines.
"""

from __future__ import annotations

import re

from indexer.core.model import Parsed, Section
from indexer.core.tables import ParseLimits

from .text import read

VERSION = "1"
# What is C++ in a header, which has the suffix of C.
_CPP = re.compile(
    r"^[ \t]*+(?:class\s+\w[\w ]*+[:{]|namespace\b|template\s*<|public:|private:|protected:|using\s)|\w::\w", re.M
)


def parse(data: bytes, limits: ParseLimits, language: str = "") -> Parsed:
    """Sections by definition; ``language`` is a key of `code_languages.LANGUAGES`."""
    found = read(data)
    details = found.details | {"language": language}
    name = f"code:{language}"
    if not found.text:
        return Parsed((), found.state, found.notes, name, details=found.details)
    sections = _sections(found.text, language, limits)
    return Parsed(sections, found.state, found.notes, name, details=details)


def _sections(text: str, language: str, limits: ParseLimits) -> tuple[Section, ...]:
    from .code_sections import sections
    from .code_tree import grammar_missing, outlined
    from .lines_groups import grouped, split_lines

    if language == "c" and _CPP.search(text):
        language = "cpp"
    outline = None if grammar_missing(language) else outlined(text, language, limits)
    if outline is None:
        return tuple(grouped(split_lines(text), 0))
    return sections(text, outline)
