"""PowerPoint presentations (.pptx, .pptm, .ppsx, .potx): everything on the slides, in reading order.

The package is read by its relations with lxml, not with python-pptx: that library gives shapes
in the order of drawing, knows no SmartArt and no compatibility pairs, and refuses packages that
PowerPoint opens. The stations:

    pptx_deck     slides in order, their layouts and masters, damage
    pptx_shapes   the shapes of a slide as blocks       pptx_order, pptx_text

A page is a slide, counted as PowerPoint counts: a hidden slide is read too (whoever opens the
file sees it) and named in the details. Notes and comments follow their slide, at the places
``notes`` and ``comments``. Footers and texts of layouts and masters are written once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

from .archive import depth_refused
from .office_outline import Grid, Outline, Paragraph

if TYPE_CHECKING:
    from .pptx_deck import Deck, Slide
    from .pptx_shapes import Shapes

VERSION = "1"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a presentation, a slide after the other.

    Raises ParseRefused for a file that is none, that is protected by a password, damaged or
    hostile. Parts that are damaged or cannot be read make it WARNED, each with a note.
    """
    with depth_refused():
        return _parse(data, limits)


def _parse(data: bytes, limits: ParseLimits) -> Parsed:
    from .office_properties import stated_label, stated_title
    from .pptx_deck import Deck

    deck = Deck(data, limits)
    reader = _Reader(deck, Outline(limits))
    for page, slide in enumerate(deck.slides(), 1):
        reader.slide(page, slide)
    reader.margins()
    sections = reader.outline.sections()
    notes = (*deck.damage(), *reader.notes())
    title, label = stated_title(deck) or reader.title, stated_label(deck)
    state = (State.WARNED if notes else State.INDEXED) if sections else State.NO_TEXT
    if not sections:
        notes = (
            Message("The slides have only pictures and no text" if reader.pictures else "The slides have no text"),
            *notes,
        )
    return Parsed(sections, state, notes, "pptx", title, reader.details(), label)


class _Reader:
    """Writes slide after slide into the outline."""

    def __init__(self, deck: Deck, outline: Outline) -> None:
        self._deck = deck
        self.outline = outline
        self.title = ""
        self.pictures = 0
        self._slides = 0
        self._hidden: list[int] = []
        self._margins: dict[str, None] = {}
        self._embedded: list[str] = []
        self._seen: set[int] = set()  # layouts and masters whose texts are collected

    def slide(self, page: int, slide: Slide) -> None:
        """One slide with its notes and comments."""
        self._slides = page
        if slide.hidden:
            self._hidden.append(page)
        if slide.root is None:
            return
        shapes = self._shapes(slide)
        self.outline.stand(page)
        blocks = list(shapes.blocks(slide.root))
        self.title = self.title or next((b.text for b in blocks if isinstance(b, Paragraph) and b.level == 0), "")
        self.outline.take(blocks)
        self._keep(shapes)
        self._fixed(slide)
        self._notes(page, slide)
        self._comments(page, slide)

    def margins(self) -> None:
        """Footers, dates and texts of layouts and masters, each line once."""
        self.outline.stand(None)
        for text in self._margins:
            self.outline.line(text)

    def notes(self) -> Iterator[Message]:
        """What a person should know beyond damage."""
        names = list(dict.fromkeys(name or "unknown" for name in self._embedded))
        if names:
            shown = ", ".join(name[:60] for name in names[:5]) + (", …" if len(names) > 5 else "")
            yield Message(
                "Embedded objects are not part of the text: {names}. Save them as files of their own to index them",
                {"names": shown},
            )

    def details(self) -> dict[str, object]:
        """Numbers of slides."""
        return {"slides": self._slides} | ({"hidden_slides": self._hidden[:100]} if self._hidden else {})

    def _shapes(self, slide: Slide) -> Shapes:
        from .pptx_shapes import Shapes

        return Shapes(self._deck, slide)

    def _keep(self, shapes: Shapes) -> None:
        self._margins.update(dict.fromkeys(text for text in shapes.margins if any(c.isalnum() for c in text)))
        self._embedded.extend(shapes.embedded)
        self.pictures += shapes.pictures

    def _fixed(self, slide: Slide) -> None:
        """Texts that layout and master put on the slide."""
        below = slide.root
        for root in (slide.layout, slide.master):
            if root is None or below is None or below.get("showMasterSp", "1") in ("0", "false"):
                return
            below = root
            if id(root) not in self._seen:
                self._seen.add(id(root))
                shapes = self._shapes(slide._replace(part=self._deck.part_of(root)))
                for block in shapes.fixed(root):
                    self._margins.update(dict.fromkeys(block.rows if isinstance(block, Grid) else [block.text]))

    def _notes(self, page: int, slide: Slide) -> None:
        part = self._deck.related(slide.part, "notesSlide")
        root = self._deck.xml(part)
        if part is None or root is None:
            return
        shapes = self._shapes(slide._replace(part=part, layout=None, master=None))
        self.outline.stand(page, "notes", keep_path=True)
        self.outline.take(shapes.blocks(root))

    def _comments(self, page: int, slide: Slide) -> None:
        from .pptx_comments import comments

        self.outline.stand(page, "comments", keep_path=True)
        for text in comments(self._deck, slide.part):
            self.outline.line(text)
