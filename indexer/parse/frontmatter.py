"""The YAML or TOML block at the top of a Markdown file, read as flat text fields.

No YAML library: its loaders cost 30 ms to import and anchors can explode. Fields are for
display and for the title; the block itself stays in the text, so every word is findable.
"""

from __future__ import annotations

import re

_OPEN = re.compile(r"(---|\+\+\+)[ \t]*+\n")
_FIELD = re.compile(r"([^\s:#=\-][^:=\n]{0,60}?)[ \t]*+[:=](?:[ \t]++(.*))?$")
_ITEM = re.compile(r"[ \t]*+-[ \t]++(.+)$")
MAX_BLOCK = 20_000  # characters; a rule at the top and another far below are no front matter
MAX_FIELDS = 50
MAX_VALUE = 500


def front_matter(text: str) -> tuple[dict[str, str], int]:
    """The fields and the length of the block with its closing line; ({}, 0) without one."""
    opened = _OPEN.match(text)
    if opened is None:
        return {}, 0
    mark = "---" if opened[1] == "---" else "+++"
    closing = re.compile(r"^(?:---|\.\.\.)[ \t]*+$" if mark == "---" else r"^\+\+\+[ \t]*+$", re.M)
    closed = closing.search(text, opened.end(), opened.end() + MAX_BLOCK)
    if closed is None:
        return {}, 0
    block = text[opened.end() : closed.start()]
    fields = _fields(block.splitlines())
    if not fields and block.strip():
        return {}, 0  # two rules with prose between them
    return fields, min(closed.end() + 1, len(text))


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    key = ""
    for line in lines:
        field, item = _FIELD.match(line), _ITEM.match(line)
        if field and len(fields) < MAX_FIELDS:
            key = field[1].strip().strip("\"'").lower()
            fields[key] = _plain(field[2] or "")
        elif key and item:
            fields[key] = ", ".join(filter(None, (fields[key], _plain(item[1]))))[:MAX_VALUE]
        elif key and line[:1] in (" ", "\t") and line.strip():
            fields[key] = f"{fields[key]} {line.strip()}".strip()[:MAX_VALUE]
        elif line.strip() and not line.lstrip().startswith("#"):
            return {}  # neither a field nor its continuation: this is prose
    return fields


def _plain(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1][:MAX_VALUE]
    if value in (">", "|", ">-", "|-"):
        return ""
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(_plain(part) for part in value[1:-1].split(","))[:MAX_VALUE]
    return value[:MAX_VALUE]
