"""``indexer.toml`` as nested tables, or where it breaks the rules of TOML."""

from __future__ import annotations

import re
from typing import Any

from ..core.errors import ConfigError
from .inputs import FILE, SECRET_WORDS, Inputs


def toml(inputs: Inputs) -> dict[str, Any]:
    """The tables; ConfigError names line, column and what stands there, secrets hidden."""
    import tomllib

    try:
        return tomllib.loads(inputs.text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(inputs.text, str(error)) from None


def _broken(text: str, why: str) -> ConfigError:
    place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", why)
    rows = text.splitlines() or [""]
    line, column = (len(rows), len(rows[-1]) + 1) if not place or not place[1] else (int(place[1]), int(place[2]))
    what = why[: place.start()] if place else why
    row = rows[min(line, len(rows)) - 1]
    shown = "…" if re.search(SECRET_WORDS, row, re.IGNORECASE) else row.strip()[:80]
    args = {"file": FILE, "line": line, "column": column, "what": what, "row": shown}
    if "\\" in row:
        return ConfigError(
            "{file}, line {line}, column {column}: {what}: {row}\n"
            "A path with backslashes goes in single quotes: 'C:\\documents'.",
            **args,
        )
    return ConfigError("{file}, line {line}, column {column}: {what}: {row}", **args)
