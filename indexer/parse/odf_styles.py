"""Styles of an OpenDocument file, as far as they decide what is text: hidden, headings, numbers of lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .docx_numfmt import format_number
from .docx_xml import number
from .odf_package import PRESENTATION, STYLE, TEXT

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# style:num-format, where it is not one of the five of ASCII.
_FORMATS = {
    **{"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"},
    **{"一, 二, 三, ...": "chineseCountingThousand", "壹, 贰, 叁, ...": "chineseLegalSimplified"},
    **{"壹, 貳, 參, ...": "ideographLegalTraditional", "甲, 乙, 丙, ...": "ideographTraditional"},
    **{"子, 丑, 寅, ...": "ideographZodiac", "①, ②, ③, ...": "decimalEnclosedCircle"},
    **{"１, ２, ３, ...": "decimalFullWidth", "一, 十, 一百, ...": "chineseCountingThousand"},
    **{"イ, ロ, ハ, ...": "irohaFullWidth", "ア, イ, ウ, ...": "aiueoFullWidth", "가, 나, 다, ...": "ganada"},
}
DEEPEST = 20  # styles based on styles


class Level(NamedTuple):
    """How one level of a list is numbered; ``form`` "" for bullets and nothing."""

    form: str
    prefix: str
    suffix: str
    start: int
    shown: int  # how many levels the number shows


class Styles:
    """Styles of all families by name; automatic ones and those of the user."""

    def __init__(self, roots: Iterable[Element | None]) -> None:
        self._styles: dict[tuple[str, str], Element] = {}
        self._lists: dict[str, dict[int, Level]] = {}
        self.outline: dict[int, Level] = {}
        for root in roots:
            for style in () if root is None else root.iter(STYLE + "style"):
                key = style.get(STYLE + "family", ""), style.get(STYLE + "name", "")
                self._styles.setdefault(key, style)
            for found in () if root is None else root.iter(TEXT + "list-style"):
                self._lists.setdefault(found.get(STYLE + "name", ""), _levels(found))
            for found in () if root is None else root.iter(TEXT + "outline-style"):
                self.outline = _levels(found)
        self._hidden: dict[tuple[str, str], bool] = {}

    def hidden(self, family: str, name: str) -> bool:
        """Whether text in this style is not shown."""
        key = (family, name)
        if key not in self._hidden:
            said = self._first(family, name, STYLE + "text-properties", TEXT + "display")
            self._hidden[key] = said == "none"
        return self._hidden[key]

    def level(self, name: str) -> int | None:
        """The heading level, 0 the highest, that a paragraph style gives; None for body text."""
        for style in self._chain("paragraph", name):
            level = style.get(STYLE + "default-outline-level")
            if level is not None:
                return number(level, 0) - 1 if number(level, 0) > 0 else None
        return None

    def is_title(self, name: str) -> bool:
        """Whether a paragraph style is that of the document's title."""
        names = [name, *(style.get(STYLE + "name", "") for style in self._chain("paragraph", name))]
        return any(found in ("Title", "标题") for found in names)

    def list_of(self, name: str) -> str:
        """The list style that a paragraph style brings with it; "" for none."""
        for style in self._chain("paragraph", name):
            found = style.get(STYLE + "list-style-name")
            if found is not None:
                return found
        return ""

    def levels(self, name: str) -> dict[int, Level]:
        """The levels of a list style, from 1."""
        return self._lists.get(name, {})

    def page_hidden(self, name: str) -> bool:
        """Whether a slide in this drawing-page style is left out of the show."""
        return (
            self._first("drawing-page", name, STYLE + "drawing-page-properties", PRESENTATION + "visibility")
            == "hidden"
        )

    def _first(self, family: str, name: str, properties: str, attribute: str) -> str:
        for style in self._chain(family, name):
            found = style.find(properties)
            value = None if found is None else found.get(attribute)
            if value is not None:
                return value
        return ""

    def _chain(self, family: str, name: str) -> Iterable[Element]:
        for _ in range(DEEPEST):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield style
            name = style.get(STYLE + "parent-style-name", "")


def _levels(style: Element) -> dict[int, Level]:
    found: dict[int, Level] = {}
    for level in style.iterchildren():
        numbered = str(level.tag).endswith(("list-level-style-number", "outline-level-style"))
        found[number(level.get(TEXT + "level"), 1)] = Level(
            level.get(STYLE + "num-format", "") if numbered else "",
            level.get(STYLE + "num-prefix", ""),
            level.get(STYLE + "num-suffix", ""),
            number(level.get(TEXT + "start-value"), 1),
            number(level.get(TEXT + "display-levels"), 1),
        )
    return found


def label(levels: dict[int, Level], counters: dict[int, int], level: int) -> str:
    """The number before an item, with the levels above it that it shows; "" for bullets."""
    own = levels.get(level)
    if own is None or not own.form:
        return ""
    shown = [
        format_number(counters.get(upper, levels[upper].start), _FORMATS.get(levels[upper].form, "decimal"))
        for upper in range(max(1, level - own.shown + 1), level + 1)
        if upper in levels and levels[upper].form
    ]
    return f"{own.prefix}{'.'.join(shown)}{own.suffix}"
