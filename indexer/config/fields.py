"""Types and the base class that every table of ``indexer.toml`` shares."""

from __future__ import annotations

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
