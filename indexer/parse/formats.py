"""Which parser reads which suffix, and what decides the text each parser makes. Data only, cheap to import."""

from __future__ import annotations

from collections.abc import Mapping

_BY_PARSER: Mapping[str, str] = {
    "text": "txt text log",
    "markdown": "md markdown",
    "pdf": "pdf",
    "docx": "docx",
}
SUFFIXES: Mapping[str, str] = {f".{suffix}": name for name, all_ in _BY_PARSER.items() for suffix in all_.split()}
"""Suffix, lower case, with its dot, to parser."""

IN_PROCESS = frozenset({"text", "markdown"})
"""Parsers that only decode; all others run in the worker process."""

PROGRAMS: frozenset[str] = frozenset()
"""Parsers that run an installed program: only their worker process may have children (see `netblock`)."""

VERSIONS: Mapping[str, str] = {
    "text": "1",
    "markdown": "1",
    "pdf": "1",
    "docx": "1",
}
"""Each parser's VERSION, repeated here so that comparing profiles imports no parser (a test holds them equal)."""

LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "text": ("chardet",),
    "markdown": ("chardet",),
    "pdf": ("pypdf", "fonttools"),
    "docx": ("lxml",),
}
"""Libraries whose minor release may change what a parser makes of the same bytes."""

CONTENT: Mapping[str, str] = {
    "PDF document": "pdf",
    "Word document (.docx)": "docx",
}
"""What `sniff.identify` recognises, to the parser that reads it: for files whose suffix lies."""

TEXTUAL = frozenset({"text", "markdown"})
"""Parsers whose files are text of any kind: only clear marks of another format overrule the suffix."""
