"""Numbers of lists and headings: which counter a list goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .docx_xml import number
from .odf_package import TEXT, XML_ID
from .odf_styles import Level, Styles, label

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


class Lists:
    """Counters of one story."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._by_id: dict[str, dict[int, int]] = {}
        self._by_style: dict[str, dict[int, int]] = {}
        self._headings: dict[int, int] = {}
        self._open: list[tuple[str, dict[int, int]]] = []  # style and counters of the lists we are in
        self._pending = ""  # the number of the item, until its first paragraph

    @property
    def depth(self) -> int:
        """How many lists are around."""
        return len(self._open)

    def begin(self, element: Element) -> None:
        """A list opens; inner ones share the counters of the outer."""
        style = element.get(TEXT + "style-name", "")
        if self._open:
            outer, counters = self._open[-1]
            counters = {k: v for k, v in counters.items() if k <= len(self._open)} if style in ("", outer) else {}
            self._open.append((style or outer, counters))
            return
        goes_on = element.get(TEXT + "continue-list", "")
        counters = self._by_id.get(goes_on, {}) if goes_on else {}
        if element.get(TEXT + "continue-numbering", "false") == "true":
            counters = self._by_style.get(style, {})
        self._by_id[element.get(XML_ID, "")] = self._by_style[style] = counters
        self._open.append((style, counters))

    def end(self) -> None:
        """A list closes."""
        self._open.pop()
        self._pending = ""

    def item(self, element: Element) -> None:
        """An item begins: its number waits for its first paragraph."""
        style, counters = self._open[-1]
        level = len(self._open)
        levels = self._styles.levels(style)
        start = element.get(TEXT + "start-value")
        if start is not None:
            counters[level] = number(start, 1)
        elif level in counters:
            counters[level] += 1
        else:
            counters[level] = levels[level].start if level in levels else 1
        for deeper in [key for key in counters if key > level]:
            del counters[deeper]
        self._pending = label(levels, counters, level)

    def take(self) -> str:
        """The number of the item, the first time it is asked for."""
        pending, self._pending = self._pending, ""
        return f"{pending} " if pending else ""

    def heading(self, level: int, element: Element) -> str:
        """The number of a heading by the outline of the document."""
        outline: dict[int, Level] = self._styles.outline
        if level not in outline or element.get(TEXT + "is-list-header") == "true":
            return ""
        start = element.get(TEXT + "start-value")
        fresh = start is not None or element.get(TEXT + "restart-numbering") == "true" or level not in self._headings
        if fresh:
            self._headings[level] = number(start, outline[level].start)
        else:
            self._headings[level] += 1
        for deeper in [key for key in self._headings if key > level]:
            del self._headings[deeper]
        found = label(outline, self._headings, level)
        return f"{found} " if found else ""
