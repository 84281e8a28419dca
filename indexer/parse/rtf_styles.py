"""The style sheet of an RTF document, as far as it says what is a heading."""

from __future__ import annotations

import re

_HEADING = re.compile(r"(?i)^(?:heading|标题|標題|見出し|überschrift|titre|título|заголовок)\s*([1-9])$")
_TITLE = re.compile(r"(?i)^(?:title|标题|標題|表題|titel|titre|título|название)$")
DEEPEST = 12  # styles based on styles


class Styles:
    """Paragraph styles by number."""

    def __init__(self) -> None:
        self._levels: dict[int, int] = {}
        self._bases: dict[int, int] = {}
        self._titles: set[int] = set()

    def define(self, number: int, name: str, level: int | None) -> None:
        """A style of the sheet, with its outline level if it states one."""
        name = name.partition(";")[0].partition(",")[0].strip()
        match = _HEADING.match(name)
        if level is None and match:
            level = int(match[1]) - 1
        if level is not None:
            self._levels[number] = level
        if _TITLE.match(name):
            self._titles.add(number)

    def base(self, number: int, on: int | None) -> None:
        """A style inherits what it does not say."""
        if on is not None and on != number:
            self._bases[number] = on

    def level(self, number: int) -> int | None:
        """The outline level of paragraphs in the style; None for body text."""
        for _ in range(DEEPEST):
            if number in self._levels:
                return self._levels[number]
            if number not in self._bases:
                break
            number = self._bases[number]
        return None

    def is_title(self, number: int) -> bool:
        """Whether the style is that of the document's title."""
        return number in self._titles
