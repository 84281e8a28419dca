"""Names of the WordprocessingML world and the few questions asked of its elements.

Only transitional names are known here: `docx_package` rewrites strict documents before they
are parsed. Everything takes lxml elements and stays inside the worker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

OPEN = "http://schemas.openxmlformats.org/"
W = "{" + OPEN + "wordprocessingml/2006/main}"
M = "{" + OPEN + "officeDocument/2006/math}"
A = "{" + OPEN + "drawingml/2006/main}"
R = "{" + OPEN + "officeDocument/2006/relationships}"
MC = "{" + OPEN + "markup-compatibility/2006}"
C = "{" + OPEN + "drawingml/2006/chart}"
DGM = "{" + OPEN + "drawingml/2006/diagram}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
V = "{urn:schemas-microsoft-com:vml}"
O = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741 - the prefix everyone writes
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
REL = "{" + OPEN + "package/2006/relationships}"

# Marks inside a paragraph's text. XML 1.0 cannot hold these characters, so nothing a
# document says can be taken for one.
FIELD_START, FIELD_END = "\x01", "\x02"  # around the result of a page number field
PAGE_SEEN = "\x03"  # a new page began here when the document was last laid out
PAGE_BREAK = "\x04"  # the author asked for a new page

VAL = W + "val"
_OFF = frozenset({"0", "false", "off", "none", "no"})
_BLANKS = re.compile(r"[\t\r\n]+ *")


def parts(element: Element | None) -> dict[str, Element]:
    """The children of a properties element by name; cheaper than several `find`."""
    return {} if element is None else {child.tag: child for child in element.iterchildren()}


def value(element: Element | None, default: str = "") -> str:
    """``w:val`` of an element that may be absent."""
    return default if element is None else element.get(VAL, default)


def is_on(element: Element | None) -> bool | None:
    """The state of a yes/no property; None when it is not said."""
    return None if element is None else element.get(VAL, "1").lower() not in _OFF


def val(parent: Element | None, name: str, default: str = "") -> str:
    """``w:val`` of the child ``name``, or the default when either is absent."""
    return default if parent is None else value(parent.find(name), default)


def number(text: str | None, default: int) -> int:
    """A decimal integer written in an attribute; anything else is the default."""
    try:
        return int(text or "")
    except ValueError:
        return default


def toggle(parent: Element | None, name: str) -> bool | None:
    """The state of the yes/no property ``name``."""
    return None if parent is None else is_on(parent.find(name))


def own_text(element: Element) -> str:
    """The characters of a ``w:t``; line ends of pretty-printed XML are blanks, as Word takes them."""
    text = element.text or ""
    if "\n" in text or "\t" in text or "\r" in text:
        text = _BLANKS.sub(" ", text)
        if element.get("{http://www.w3.org/XML/1998/namespace}space") != "preserve":
            text = text.strip(" ")
    return text


def drawn_text(paragraph: Element) -> str:
    """The text of a DrawingML paragraph (``a:p``)."""
    nodes = paragraph.iter(A + "t", A + "br")
    return "".join("\n" if node.tag == A + "br" else node.text or "" for node in nodes).strip()


def drawn_paragraphs(element: Element) -> Iterator[str]:
    """The text of each DrawingML paragraph below the element that has one."""
    for paragraph in element.iter(A + "p"):
        if text := drawn_text(paragraph):
            yield text
