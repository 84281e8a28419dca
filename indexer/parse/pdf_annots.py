"""What is drawn on a page besides its content: filled-in fields, text boxes, stamps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .pdf_objects import as_dict, as_list, entry, text_string

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject, StreamObject

    from .pdf_flatten import Flattener

MAX_ANNOTATIONS = 5_000
SEEN = frozenset({"/Widget", "/FreeText", "/Stamp"})
HIDDEN, NO_VIEW = 1 << 1, 1 << 5  # annotation flags, ISO 32000-2 table 167
PASSWORD = 1 << 13  # field flag, table 230


def add_annotations(page: DictionaryObject, flattener: Flattener) -> list[str]:
    """Draws the visible annotations; returns the values of fields that no appearance shows."""
    values = []
    for annotation in visible(page):
        appearance = _appearance(annotation)
        if appearance is not None and appearance.get_data().strip():
            _draw(annotation, appearance, flattener)
        else:
            values += _values(annotation)
    return values


def visible(page: DictionaryObject) -> Iterator[DictionaryObject]:
    """The fields, text boxes and stamps that the page shows."""
    for reference in as_list(page.get("/Annots"))[:MAX_ANNOTATIONS]:
        annotation = as_dict(reference)
        flags = entry(annotation, "/F")
        shown = not (isinstance(flags, int) and flags & (HIDDEN | NO_VIEW))
        if shown and entry(annotation, "/Subtype") in SEEN:
            yield annotation


def _appearance(annotation: DictionaryObject) -> StreamObject | None:
    """The stream that shows the annotation; None for a button's state, which has no text."""
    from pypdf.generic import StreamObject

    normal = entry(as_dict(annotation.get("/AP")), "/N")
    return normal if isinstance(normal, StreamObject) else None


def _draw(annotation: DictionaryObject, appearance: StreamObject, flattener: Flattener) -> None:
    corner = [value for value in as_list(annotation.get("/Rect")) if isinstance(value, int | float)]
    saved = flattener.save()
    if len(corner) == 4:
        flattener.emit(b"cm", [1.0, 0.0, 0.0, 1.0, min(corner[0], corner[2]), min(corner[1], corner[3])])
    flattener.form(appearance, {})
    flattener.restore(saved)


def _values(annotation: DictionaryObject) -> list[str]:
    if entry(annotation, "/Subtype") == "/FreeText":
        raw: Any = entry(annotation, "/Contents")
    elif _inherited(annotation, "/FT") in ("/Tx", "/Ch") and not _is_secret(annotation):
        raw = _inherited(annotation, "/V")
    else:
        return []
    found = [text_string(item) for item in (raw if isinstance(raw, list) else [raw])]
    return [text for text in found if text and text.strip()]


def _is_secret(annotation: DictionaryObject) -> bool:
    flags = _inherited(annotation, "/Ff")
    return isinstance(flags, int) and bool(flags & PASSWORD)


def _inherited(field: DictionaryObject, key: str) -> Any:
    """A value of the field or of the nearest field above it."""
    for _ in range(32):
        if key in field:
            return field[key].get_object()
        if "/Parent" not in field:
            return None
        field = as_dict(field["/Parent"])
    return None
