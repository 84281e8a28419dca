"""The two ends of a page: its content stream as the file has it, its text as pypdf lays it out."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from .pdf_flatten import Drawing
from .pdf_objects import entry
from .pdf_open import limit_reached

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject, StreamObject


def page_content(page: DictionaryObject) -> tuple[bytes, bool]:
    """The content stream of a page, and whether all its parts are there. Raises ParseRefused."""
    from pypdf.errors import LimitReachedError
    from pypdf.generic import StreamObject

    contents = entry(page, "/Contents")
    parts, complete = [], contents is not None or "/Contents" not in page
    for part in contents if isinstance(contents, list) else [contents]:
        stream = part.get_object() if part is not None else None
        if not isinstance(stream, StreamObject):
            complete = complete and part is None
            continue
        try:
            parts.append(stream.get_data())
            complete = complete and is_whole(stream)
        except LimitReachedError as error:
            raise limit_reached(error) from error
        except MemoryError:
            raise
        except Exception:  # an unknown filter or a broken stream: the other parts are read
            complete = False
    return b"\n".join(parts), complete


def is_whole(stream: StreamObject) -> bool:
    """Whether deflated content has its end and the right checksum: pypdf passes over both."""
    raw = getattr(stream, "_data", b"")
    if entry(stream, "/Filter") not in ("/FlateDecode", ["/FlateDecode"]) or not isinstance(raw, bytes):
        return True
    inflater = zlib.decompressobj()
    try:
        inflater.decompress(raw, 100_000_000)
    except zlib.error:
        return False
    return inflater.eof


def layout(drawing: Drawing) -> str:
    """The text of a drawing as pypdf lays it out."""
    from pypdf import PageObject
    from pypdf.generic import ContentStream, DictionaryObject, NameObject

    class Operations(ContentStream):
        """A content stream that is parsed already."""

        @property  # type: ignore[misc]  # nobody sets it here
        def operations(self) -> list[tuple[Any, bytes]]:
            return drawing.operations

    if not drawing.shows:
        return ""
    content = Operations(None, None)
    content.set_data(b"Tj")  # pypdf looks for an operator that shows text
    fonts = DictionaryObject({NameObject(name): resource for name, resource in drawing.fonts.items()})
    page = PageObject()
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    page[NameObject("/Contents")] = content
    return page.extract_text()
