"""Types and the base class that every table of ``indexer.toml`` shares."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ..core.model import Message
from .problems import Wrong


def _no_bool(value: object) -> object:
    if isinstance(value, bool):  # pydantic would take true for 1
        raise Wrong(Message("a number is expected"))
    return value


def clean(value: str) -> str:
    """A text that says something."""
    if not value.strip() or "\0" in value:
        raise Wrong(Message("it must not be empty"))
    return value


def pattern(value: str) -> str:
    """A pattern in gitignore syntax."""
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([clean(value)])
    except ValueError:
        raise Wrong(Message("this is not a pattern in gitignore syntax")) from None
    return value


_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def dotted(value: str) -> str:
    """``package.module:Class``; ``package.module.Class`` is understood as well."""
    if ":" not in value:
        value = ":".join(value.rsplit(".", 1))
    if not _DOTTED.fullmatch(value):
        raise Wrong(Message("a class is named as package.module:Class"))
    return value


def web_address(value: str) -> str:
    """An http(s) address, or nothing."""
    if value and not re.fullmatch(r"https?://[^\s/]+\S*", value):
        raise Wrong(Message("an address starts with http:// or https://"))
    return value


def json_able(value: dict[str, Any]) -> dict[str, Any]:
    """Options that can be written down: no dates, no infinity."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise Wrong(Message("only texts, numbers, true/false, lists and tables are possible here")) from None
    return value


Int = Annotated[int, BeforeValidator(_no_bool)]
Real = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Text = Annotated[str, AfterValidator(clean)]


def defaults(kind: Any) -> dict[str, Any]:
    """The defaults of a named tuple of settings, by field."""
    found: dict[str, Any] = dict.fromkeys(kind._fields) | kind._field_defaults
    return found


class Table(BaseModel):
    """One table: a key it does not have is an error."""

    model_config = ConfigDict(extra="forbid")
