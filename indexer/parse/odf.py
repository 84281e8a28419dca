"""OpenDocument texts and presentations (.odt, .ott, .odp, .otp, .odg): what a person sees, in reading order.

Read with lxml: `odfpy` has not been released since 2020 and gives a document tree, not a text.
The stations:

    odf_package   parts, encryption, properties     odf_styles, odf_lists   what is hidden, numbers
    odf_inline    characters of a paragraph         odf_story               blocks
    odf_objects   charts, formulas, sheets inside   odf_slides              pages of a presentation

Headers come first and footers last, each line once; footnotes follow their paragraph, endnotes
the body. Tracked changes are taken as accepted, comments are left out. A page is a slide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

from .archive import depth_refused
from .office_outline import Block, Grid, Outline, Paragraph

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from .odf_package import Package
    from .odf_story import Context

VERSION = "1"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of an OpenDocument text, presentation or drawing.

    Raises ParseRefused for a file that is none, that is protected by a password, damaged or
    hostile. Parts that are damaged or cannot be read make it WARNED, each with a note.
    """
    with depth_refused():
        return _parse(data, limits)


def _parse(data: bytes, limits: ParseLimits) -> Parsed:
    from .odf_package import OFFICE, Package
    from .odf_story import Context
    from .odf_styles import Styles

    package = Package(data, limits)
    content, named = package.content(), package.xml("styles.xml")
    context = Context(package, Styles([content, named]))
    outline = Outline(limits)
    details: dict[str, object] = {}
    first = ""
    for body in content.iterfind(OFFICE + "body/*"):
        if body.tag == OFFICE + "text":
            first = _text(context, outline, body, named)
        elif body.tag in (OFFICE + "presentation", OFFICE + "drawing"):
            first, details = _slides(context, outline, body, named)
        else:
            raise ParseRefused(
                "The file is an OpenDocument {kind}, not a text or presentation; give its name the right ending",
                kind=body.tag.rpartition("}")[2][:40],
            )
    title, label = package.properties()
    return _made(outline, context, package, title or first, label, details)


def _made(
    outline: Outline, context: Context, package: Package, title: str, label: str, details: dict[str, object]
) -> Parsed:
    sections = outline.sections()
    notes = tuple(_notes(package, context))
    state = State.WARNED if notes else State.INDEXED
    if not sections:
        state = State.NO_TEXT
        nothing = Message("The document has no text")
        notes = (Message("The document has only pictures and no text") if context.pictures else nothing, *notes)
    return Parsed(sections, state, notes, "odf", title, details, label)


def _text(context: Context, outline: Outline, body: Element, named: Element | None) -> str:
    """Writes a text; returns its title as its own first lines give it."""
    from .odf_story import Story

    blocks = Story(context).blocks(body)
    seen: set[str] = set()
    for text in _margins(context, named, "header", seen):
        outline.line(text)
    outline.stand(None)
    outline.take(blocks)
    outline.take(context.endnotes)
    outline.stand(None)
    for text in _margins(context, named, "footer", seen):
        outline.line(text)
    headings = [b for b in blocks if isinstance(b, Paragraph) and b.level is not None]
    first = min(headings, key=lambda b: b.level or 0, default=None)
    found = context.titles[0] if context.titles else first.text if first else ""
    return " ".join(found.split())


def _margins(context: Context, named: Element | None, kind: str, seen: set[str]) -> Iterator[str]:
    """The lines of headers or footers, each once: they repeat from page style to page style."""
    from .odf_package import STYLE
    from .odf_story import Story

    tags = [STYLE + kind + which for which in ("", "-first", "-left")]
    for element in () if named is None else named.iter(*tags):
        if element.get(STYLE + "display", "true") == "false":
            continue
        for text in _lines(Story(context, margin=True).blocks(element)):
            key = "".join(text.split())
            if key not in seen and any(c.isalnum() for c in key):
                seen.add(key)
                yield text


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from block.rows if isinstance(block, Grid) else block.text.split("\n")


def _slides(context: Context, outline: Outline, body: Element, named: Element | None) -> tuple[str, dict[str, object]]:
    from .odf_package import STYLE
    from .odf_slides import Slides

    masters = () if named is None else named.iter(STYLE + "master-page")
    slides = Slides(context, outline, body, masters)
    slides.read()
    outline.stand(None)
    for text in slides.fixed:
        outline.line(text)
    details: dict[str, object] = {"slides": slides.count}
    return slides.title, details | ({"hidden_slides": slides.hidden[:100]} if slides.hidden else {})


def _notes(package: Package, context: Context) -> Iterator[Message]:
    if package.mended is not None:
        yield package.mended
    if package.damaged:
        yield Message(
            "Damaged parts were left out: {parts}. Restore the file from a good copy",
            {"parts": ", ".join(name[:60] for name in dict.fromkeys(package.damaged[:5]))},
        )
    names = list(dict.fromkeys(context.embedded))
    if names:
        yield Message(
            "Embedded objects are not part of the text: {names}. Save them as files of their own to index them",
            {"names": ", ".join(name[:60] for name in names[:5]) + (", …" if len(names) > 5 else "")},
        )
