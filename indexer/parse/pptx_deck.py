"""The package of a presentation: its slides in order, and what each of them leans on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from indexer.core.errors import ParseRefused
from indexer.core.model import Message
from indexer.core.tables import ParseLimits

from .docx_package import Package
from .docx_xml import OPEN, R

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

P = "{" + OPEN + "presentationml/2006/main}"
P188 = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
_SLIDE_NAME = re.compile(r"(?i)^ppt/slides/slide(\d+)\.xml$")


class Slide(NamedTuple):
    """One slide: its part, its root (None when damaged), and the roots of its layout and master."""

    part: str
    root: Element | None
    layout: Element | None
    master: Element | None
    hidden: bool


class Deck(Package):
    """The parts of one presentation; PowerPoint's own tolerance for missing parts is kept."""

    MAIN_NAME = re.compile(r"(?i)^ppt/presentation\d*\.xml$")

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        super().__init__(data, limits)
        self._roots: dict[str, Element | None] = {}
        root, self.mended = self.main_root()
        if root.tag != P + "presentation":
            raise self.not_this_kind()
        self.presentation: Element = root
        self._authors: dict[str, str] | None = None

    def not_this_kind(self) -> ParseRefused:
        """The reason for a zip file that is no presentation."""
        return ParseRefused("The file is a zip archive, not a presentation; unpack it or exclude it")

    def slides(self) -> Iterator[Slide]:
        """The slides in the order in which they are shown, hidden ones at their places."""
        for part in self._slide_parts():
            root = self.xml(part)
            layout = self.related(part, "slideLayout")
            master = self.related(layout, "slideMaster") if layout else None
            hidden = root is not None and root.get("show", "1") in ("0", "false")
            yield Slide(part, root, self._shared(layout), self._shared(master), hidden)

    def authors(self) -> dict[str, str]:
        """Who comments, by id: names of old and of threaded comments."""
        if self._authors is None:
            self._authors = {}
            for kind in ("commentAuthors", "authors"):
                root = self.xml(self.related(self.main, kind))
                for author in () if root is None else root.iter(P + "cmAuthor", P188 + "author"):
                    self._authors[author.get("id", "")] = author.get("name", "").strip()
        return self._authors

    def part_of(self, root: Element) -> str:
        """The name of the part that a layout or master was read from."""
        return next((part for part, known in self._roots.items() if known is root), "")

    def damage(self) -> Iterator[Message]:
        """What a person should know about parts that could not be read."""
        if self.mended is not None:
            yield self.mended
        if self.damaged:
            names = ", ".join(name.rpartition("/")[2][:60] for name in dict.fromkeys(self.damaged[:5]))
            yield Message(
                "Damaged parts were left out: {parts}. Restore the file from a good copy",
                {"parts": names if len(self.damaged) <= 5 else f"{names}, … ({len(self.damaged)})"},
            )

    def _slide_parts(self) -> list[str]:
        relations = self.relations(self.main)
        listed = [
            relation.target
            for entry in self.presentation.iterfind(f"{P}sldIdLst/{P}sldId")
            if (relation := relations.get(entry.get(R + "id", ""))) is not None and not relation.external
        ]
        if listed:
            return list(dict.fromkeys(listed))
        named = [(int(match[1]), name) for name in self.archive.names() if (match := _SLIDE_NAME.match(name))]
        # A presentation emptied of its slides has none; one whose relations are lost still has its parts.
        return [] if relations else [name for _, name in sorted(named)]

    def _shared(self, part: str | None) -> Element | None:
        """Layouts and masters serve many slides: read once."""
        if part is None:
            return None
        if part not in self._roots:
            self._roots[part] = self.xml(part)
        return self._roots[part]
