"""What a paragraph's style says: heading level, hidden text, list number.

Direct properties win over the style, a style over the one it is based on. Heading levels come
from ``w:outlineLvl`` and, where a generator left it out, from the built-in style's name, which
Word stores in English whatever its own language; other programs translate it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .docx_xml import VAL, W, is_on, number, toggle, val, value

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_CHAIN = 32  # styles based on each other in a circle exist
BODY_LEVEL = 9  # w:outlineLvl of ordinary text
_HEADING = re.compile(
    r"(?i)^(?:heading|标题|標題|見出し|제목|titre|título|titolo|titulo|überschrift|ueberschrift|kop|rubrik|overskrift"
    r"|otsikko|заголовок|nagłówek|nadpis|naslov|başlık|đề mục|cím(?:sor)?|judul|έπικεφαλίδα|επικεφαλίδα)\s*([1-9])$"
)
_CHINESE_HEADING = re.compile(r"^([一二三四五六七八九])级标题$")
_TITLE = re.compile(r"(?i)^(?:title|标题|標題|表題|제목|titre|título|titolo|titel|название|заглавие)$")


@dataclass(frozen=True, slots=True)
class Style:
    """One ``w:style``, with its own properties only."""

    name: str
    based_on: str
    level: int | None
    hidden: bool | None
    num_id: str | None
    num_level: int | None


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph style comes to after following what it is based on. ``level`` 0..8 or None."""

    level: int | None = None
    title: bool = False
    hidden: bool = False
    num_id: str | None = None
    num_level: int | None = None
    chain: tuple[str, ...] = ()


class Styles:
    """The styles part; works without one too, as Word does."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, Style] = {}
        self._default = {"paragraph": "", "character": ""}
        self._hidden_by_default = False
        if root is not None:
            self._read(root)
        self.look = lru_cache(maxsize=4096)(self._look)
        self.character_hidden = lru_cache(maxsize=4096)(self._character_hidden)

    def _read(self, root: Element) -> None:
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self._hidden_by_default = bool(toggle(defaults, W + "vanish"))
        for element in root.iterchildren(W + "style"):
            style_id = element.get(W + "styleId", "")
            if not style_id:
                continue  # nothing can refer to it
            kind = element.get(W + "type", "paragraph")
            self._styles[style_id] = _read_style(element)
            if element.get(W + "default", "0") in ("1", "true", "on") and kind in self._default:
                self._default[kind] = style_id

    def numbering_of(self, style_id: str) -> str | None:
        """The ``numId`` a numbering style carries (the target of ``w:numStyleLink``)."""
        for style in self._chain(style_id):
            if style.num_id is not None:
                return style.num_id
        return None

    def run_hidden(self, look: Look, properties: Mapping[str, Element]) -> bool:
        """Whether a run with these ``w:rPr`` inside a paragraph of this look is hidden text."""
        direct = is_on(properties.get(W + "vanish"))
        if direct is not None:
            return direct
        character = self.character_hidden(value(properties.get(W + "rStyle")))
        # Toggle property: two styles that both say "hidden" cancel each other (17.7.3).
        return character != look.hidden or self._hidden_by_default

    def _chain(self, style_id: str) -> Iterator[Style]:
        seen: set[str] = set()
        while style_id in self._styles and style_id not in seen and len(seen) < MAX_CHAIN:
            seen.add(style_id)
            style = self._styles[style_id]
            yield style
            style_id = style.based_on

    def _look(self, style_id: str) -> Look:
        style_id = style_id or self._default["paragraph"]
        if style_id not in self._styles:
            # A generator may name a built-in style without defining it.
            return Look(_level_of_name(style_id), bool(_TITLE.match(style_id)), chain=(style_id,))
        chain = list(self._chain(style_id))
        hidden = next((s.hidden for s in chain if s.hidden is not None), False)
        num_id = next((s.num_id for s in chain if s.num_id is not None), None)
        num_level = next((s.num_level for s in chain if s.num_level is not None), None)
        title = bool(_TITLE.match(chain[0].name))
        return Look(_level(chain), title, hidden, num_id, num_level, self._ids(style_id))

    def _ids(self, style_id: str) -> tuple[str, ...]:
        ids: list[str] = []
        while style_id in self._styles and style_id not in ids and len(ids) < MAX_CHAIN:
            ids.append(style_id)
            style_id = self._styles[style_id].based_on
        return tuple(ids)

    def _character_hidden(self, style_id: str) -> bool:
        style_id = style_id or self._default["character"]
        return next((s.hidden for s in self._chain(style_id) if s.hidden is not None), False)


def _level(chain: list[Style]) -> int | None:
    for style in chain:
        level = style.level if style.level is not None else _level_of_name(style.name)
        if level is not None:
            return level if level < BODY_LEVEL else None
    return None


def _level_of_name(name: str) -> int | None:
    if match := _HEADING.match(name.strip()):
        return int(match[1]) - 1
    match = _CHINESE_HEADING.match(name.strip())
    return "一二三四五六七八九".index(match[1]) if match else None


def _read_style(element: Element) -> Style:
    paragraph, run = element.find(W + "pPr"), element.find(W + "rPr")
    numbering = None if paragraph is None else paragraph.find(W + "numPr")
    outline = None if paragraph is None else paragraph.find(W + "outlineLvl")
    num_id = None if numbering is None else numbering.find(W + "numId")
    num_level = None if numbering is None else numbering.find(W + "ilvl")
    return Style(
        name=val(element, W + "name"),
        based_on=val(element, W + "basedOn"),
        level=None if outline is None else number(outline.get(VAL), BODY_LEVEL),
        hidden=toggle(run, W + "vanish"),
        num_id=None if num_id is None else num_id.get(VAL, "0"),
        num_level=None if num_level is None else number(num_level.get(VAL), 0),
    )
