"""Values of a PDF that may be references, absent or of a wrong type, read without surprises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject


def text_string(value: object) -> str | None:
    """A text string as content streams and dictionaries hold it; None if it is none."""
    if isinstance(value, str):
        return str(value)
    if not isinstance(value, bytes):
        return None
    if value.startswith(b"\xfe\xff"):
        return value[2:].decode("utf-16-be", "replace")
    if value.startswith(b"\xef\xbb\xbf"):
        return value[3:].decode("utf-8", "replace")
    return value.decode("latin-1")


def entry(dictionary: Mapping[str, Any], key: str) -> Any:
    """The value of a key with references followed; None if absent."""
    value: Any = dictionary.get(key)
    return value.get_object() if hasattr(value, "get_object") else value


def as_dict(value: object) -> DictionaryObject:
    """The dictionary behind a value that may be a reference, absent or of a wrong type."""
    from pypdf.generic import DictionaryObject

    value = value.get_object() if hasattr(value, "get_object") else value
    return value if isinstance(value, DictionaryObject) else DictionaryObject()


def as_list(value: object) -> list[Any]:
    """The array behind a value; empty if it is none."""
    value = value.get_object() if hasattr(value, "get_object") else value
    return list(value) if isinstance(value, list) else []


def mapped(operands: list[Any], change: Callable[[bytes], str]) -> list[Any]:
    """The operands with every string, also inside arrays, changed."""
    return [
        change(item) if isinstance(item, bytes) else mapped(item, change) if isinstance(item, list) else item
        for item in operands
    ]


def replaced(operands: list[Any], text: str) -> list[Any]:
    """The operands with the whole text in the place of the first string, and no other."""
    left = [text]
    return mapped(operands, lambda _: left.pop() if left else "")
