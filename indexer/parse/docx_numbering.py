"""Automatic numbers: what Word prints before a paragraph and no file stores as text.

Counters belong to the abstract definition, so lists that share one continue each other; a
``startOverride`` restarts them the first time its list is used (ECMA-376 part 1, 17.9, read
together with what Word does).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .docx_numfmt import format_number
from .docx_styles import Styles
from .docx_xml import MC, VAL, W, number, toggle, val

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEVELS = 9
BULLET = "•"
_PLACE = re.compile(r"%([1-9])")
_PICTURE_FONTS = ("symbol", "wingdings", "webdings", "marlett", "monotype sorts", "zapfdingbats")


@dataclass(frozen=True, slots=True)
class Level:
    """One ``w:lvl``. ``restart`` is the 1-based level that restarts it, 0 never, None the default."""

    start: int = 1
    format: str = "decimal"
    pattern: str = ""
    text: str = ""
    suffix: str = " "
    legal: bool = False
    restart: int | None = None
    style: str = ""
    hidden: bool = False


PLAIN = Level()  # a level nobody defined: it counts and prints nothing


@dataclass(frozen=True, slots=True)
class NumberedList:
    """One ``w:num``: its counters' owner, its levels, and where it starts when it says so."""

    abstract: str
    levels: dict[int, Level]
    starts: dict[int, int] = field(default_factory=dict)

    def restarted_by(self, index: int) -> list[int]:
        """The deeper levels that begin anew after a paragraph of this level."""
        deeper = [(i, self.levels[i].restart if i in self.levels else None) for i in range(index + 1, LEVELS)]
        return [i for i, restart in deeper if restart is None or index < restart]


class Numbering:
    """The definitions of the numbering part."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._abstract: dict[str, Element] = {}
        self._numbers: dict[str, Element] = {}
        self._lists: dict[str, NumberedList | None] = {}
        self._styles = styles
        for element in () if root is None else root.iterchildren():
            if element.tag == W + "abstractNum":
                self._abstract[element.get(W + "abstractNumId", "")] = element
            elif element.tag == W + "num":
                self._numbers[element.get(W + "numId", "")] = element

    def find(self, num_id: str) -> NumberedList | None:
        """The list of a ``numId``; None where Word shows no number either."""
        if num_id not in self._lists:
            self._lists[num_id] = self._build(num_id)
        return self._lists[num_id]

    def level_of_style(self, num_id: str, chain: tuple[str, ...]) -> int | None:
        """The level linked to a paragraph style, nearest ancestor first."""
        found = self.find(num_id)
        for style in chain if found else ():
            for index, level in found.levels.items() if found else ():
                if level.style == style:
                    return index
        return None

    def _build(self, num_id: str) -> NumberedList | None:
        element = self._numbers.get(num_id)
        abstract_id = val(element, W + "abstractNumId")
        abstract_id = self._follow_link(abstract_id)
        if element is None or abstract_id not in self._abstract:
            return None
        levels = dict(_read_levels(self._abstract[abstract_id]))
        starts: dict[int, int] = {}
        for override in element.iterchildren(W + "lvlOverride"):
            index = number(override.get(W + "ilvl"), 0)
            levels.update((i, level) for i, level in _read_levels(override) if i == index)
            start = override.find(W + "startOverride")
            if start is not None:
                starts[index] = number(start.get(VAL), 0)
                levels[index] = replace(levels.get(index, Level()), start=starts[index])
        return NumberedList(abstract_id, levels, starts)

    def _follow_link(self, abstract_id: str) -> str:
        """A definition may only point to a list style, whose definition has the levels."""
        for _ in range(LEVELS):
            link = val(self._abstract.get(abstract_id), W + "numStyleLink")
            target = self._numbers.get(self._styles.numbering_of(link) or "") if link else None
            if target is None:
                return abstract_id
            abstract_id = val(target, W + "abstractNumId")
        return abstract_id


class Counters:
    """The running numbers of one story (body, notes, text boxes each count for themselves)."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()
        self._restarts = lru_cache(maxsize=None)(self._find_restarts)

    def label(self, num_id: str, index: int) -> str:
        """Counts one paragraph and gives its printed number with the blank that follows it."""
        found = self._numbering.find(num_id)
        if found is None or not 0 <= index < LEVELS:
            return ""
        counts = self._counts.setdefault(found.abstract, [None] * LEVELS)
        if num_id not in self._begun:
            self._begun.add(num_id)
            for restarted in found.starts:
                counts[restarted] = None
        level = found.levels.get(index, PLAIN)
        count = counts[index]
        counts[index] = level.start if count is None else count + 1
        for deeper in self._restarts(num_id, index):
            counts[deeper] = None
        text = _print(found, counts, level)
        return text + level.suffix if text else ""

    def _find_restarts(self, num_id: str, index: int) -> list[int]:
        found = self._numbering.find(num_id)
        return found.restarted_by(index) if found else []


def _print(found: NumberedList, counts: list[int | None], level: Level) -> str:
    if level.hidden:
        return ""
    if level.format == "bullet":
        return level.text

    def place(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        other = found.levels.get(index, PLAIN)
        count = counts[index]
        value = other.start if count is None else count
        return format_number(value, "decimal" if level.legal else other.format, other.pattern)

    text = _PLACE.sub(place, level.text).strip()
    # "None" hides the number; the stop after it is no label either.
    return text if level.format != "none" or any(c.isalnum() for c in text) else ""


def _read_levels(parent: Element) -> list[tuple[int, Level]]:
    return [(number(e.get(W + "ilvl"), 0), _read_level(e)) for e in parent.iterchildren(W + "lvl")]


def _read_level(element: Element) -> Level:
    # Custom formats are wrapped for readers that do not know them.
    shown = element.find(f"{MC}AlternateContent/{MC}Choice/{W}numFmt")
    shown = element.find(W + "numFmt") if shown is None else shown
    name = "decimal" if shown is None else shown.get(VAL, "decimal")
    restart = element.find(W + "lvlRestart")
    text = element.find(W + "lvlText")
    printed = "" if text is None or text.get(W + "null") in ("1", "true", "on") else text.get(VAL, "")
    properties = element.find(W + "rPr")
    picture = name == "bullet" or element.find(W + "lvlPicBulletId") is not None
    return Level(
        start=number(val(element, W + "start"), 1),
        format="bullet" if picture else name,
        pattern="" if shown is None else shown.get(W + "format", ""),
        text=_bullet(printed, properties) if picture else printed,
        suffix="" if val(element, W + "suff") == "nothing" else " ",
        legal=bool(toggle(element, W + "isLgl")),
        restart=None if restart is None else number(restart.get(VAL), 0),
        style=val(element, W + "pStyle"),
        hidden=bool(toggle(properties, W + "vanish")),
    )


def _bullet(text: str, properties: Element | None) -> str:
    """A sign people can read: symbol fonts put their pictures on letters and private codes."""
    fonts = None if properties is None else properties.find(W + "rFonts")
    font = "" if fonts is None else (fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or "").lower()
    text = text.strip()
    if not text:
        return ""
    picture = any(name in font for name in _PICTURE_FONTS) or any("\ue000" <= c <= "\uf8ff" for c in text)
    return BULLET if picture or text == "o" else text
