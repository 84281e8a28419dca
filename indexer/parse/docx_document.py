"""One document read whole: body, notes, headers and footers as blocks, and what is to be said about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.core.model import Message
from indexer.core.tables import ParseLimits

from .docx_binding import Bindings
from .docx_body import Story
from .docx_context import Block, Context, Line, Table
from .docx_numbering import Counters, Numbering
from .docx_package import Package
from .docx_styles import Styles
from .docx_xml import FIELD_END, FIELD_START, PAGE_SEEN, R, W
from .office_properties import stated_label, stated_title

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

SHOWN = 5  # names listed in a note
_PAGE_NUMBER = re.compile(f"{FIELD_START}[^{FIELD_END}]*{FIELD_END}?")


@dataclass(frozen=True, slots=True)
class Document:
    """The blocks of a document. ``pages`` is None unless the recorded page breaks can be trusted."""

    context: Context
    headers: tuple[str, ...]
    body: tuple[Block, ...]
    endnotes: tuple[Block, ...]
    footers: tuple[str, ...]
    pages: int | None
    title: str
    label: str
    mended: Message | None

    def notes(self) -> Iterator[Message]:
        """What a person should know: damage, and content that is not in the text."""
        if self.mended is not None:
            yield self.mended
        if self.context.package.damaged:
            yield Message(
                "Damaged parts were left out: {parts}. Restore the file from a good copy",
                {"parts": _listed(self.context.package.damaged)},
            )
        if self.context.held_deletions:
            yield Message(
                "Most of the text is in tables that a tracked change deletes; they were kept. "
                "Accept or reject the change in Word"
            )
        if self.context.unread:
            yield Message(
                "Imported parts (altChunk) could not be read: {parts}. Open the file in Word and save it again",
                {"parts": _listed(self.context.unread)},
            )
        if self.context.linked:
            yield Message(
                "The text of subdocuments is not in this file: {names}. Index them beside it",
                {"names": _listed(self.context.linked)},
            )
        files = [name for name in self.context.embedded if not name.startswith("Equation")]
        if files:
            yield Message(
                "Embedded objects are not part of the text: {names}. Save them as files of their own to index them",
                {"names": _listed(files)},
            )


def read_document(data: bytes, limits: ParseLimits, imports: int = 0) -> Document:
    """Reads a package. Raises ParseRefused."""
    package = Package(data, limits)
    root, mended = package.document()
    context = _context(package, limits, imports)
    notes = _Notes(context)
    story = Story(context, package.main, root, Counters(context.numbering), notes.read)
    body = tuple(block for element in root.iterchildren(W + "body") for block in story.blocks(element))
    references = list(root.iter(W + "headerReference", W + "footerReference"))
    seen: set[str] = set()
    headers = _margins(context, (r for r in references if r.tag == W + "headerReference"), seen)
    footers = _margins(context, (r for r in references if r.tag == W + "footerReference"), seen)
    title = _title(package, body)
    return Document(
        context,
        headers,
        body,
        tuple(notes.at_end),
        footers,
        _pages(package, body),
        title,
        stated_label(package),
        mended,
    )


def _context(package: Package, limits: ParseLimits, imports: int) -> Context:
    styles = Styles(package.xml(package.related(package.main, "styles")))
    numbering = Numbering(package.xml(package.related(package.main, "numbering")), styles)
    context = Context(package, styles, numbering, Bindings(package), limits)
    context.imports = imports
    return context


class _Notes:
    """Foot- and endnotes by id. A note that nothing refers to (a separator, a deleted one) is not shown."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._parts: dict[str, tuple[str, dict[str, Element]]] = {}
        self.at_end: list[Block] = []

    def read(self, kind: str, note_id: str) -> list[Block]:
        """The blocks of a footnote, the first time it is asked for; endnotes are kept for the end."""
        if kind not in self._parts:
            self._parts[kind] = self._open(kind)
        part, notes = self._parts[kind]
        note = notes.pop(note_id, None)
        if note is None:
            return []
        story = Story(self._context, part, note, self._context.note_counters, self.read)
        blocks = [Line(b.text) if isinstance(b, Line) else b for b in story.blocks(note)]
        if kind == "footnote":
            return blocks
        self.at_end.extend(blocks)
        return []

    def _open(self, kind: str) -> tuple[str, dict[str, Element]]:
        package = self._context.package
        part = package.related(package.main, f"{kind}s") or ""
        root = package.xml(part)
        found = () if root is None else root.iterchildren(W + kind)
        return part, {note.get(W + "id", ""): note for note in found}


def _margins(context: Context, references: Iterable[Element], seen: set[str]) -> tuple[str, ...]:
    """The lines of headers or footers, each once: they repeat from section to section and page to page.

    A line that says no more than a page number is left out.
    """
    package, lines = context.package, []
    targets = dict.fromkeys(reference.get(R + "id", "") for reference in references)
    for relation_id in targets:
        relation = package.relations(package.main).get(relation_id)
        root = None if relation is None else package.xml(relation.target)
        if relation is None or root is None:
            continue
        story = Story(context, relation.target, root, Counters(context.numbering))
        for text in _texts(story.blocks(root)):
            key = "".join(_PAGE_NUMBER.sub("", text).split())
            if key not in seen and any(c.isalnum() for c in key):
                seen.add(key)
                lines.append(text)
    return tuple(lines)


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Table):
            yield from block.rows
        else:
            yield from block.text.split("\n")


def _pages(package: Package, body: tuple[Block, ...]) -> int | None:
    """The number of pages when the breaks Word recorded agree with the count it recorded.

    They disagree after an edit by another program, and where Word put none down. One page proves
    nothing: generators that never lay a page out state it too.
    """
    root = package.xml(package.related("", "extended-properties"))
    stated = next((e.text for e in root.iter() if str(e.tag).endswith("}Pages")), "") if root is not None else ""
    counted = 1 + sum(text.count(PAGE_SEEN) for text in _texts(body))
    return counted if counted > 1 and stated == str(counted) else None


def _title(package: Package, body: tuple[Block, ...]) -> str:
    if stated := stated_title(package):
        return stated
    lines = [block for block in body if isinstance(block, Line)]
    named = next((line for line in lines if line.title), None)
    named = named or min((line for line in lines if line.level is not None), key=lambda x: x.level or 0, default=None)
    return " ".join(plain(named.text).split()) if named else ""


def plain(text: str) -> str:
    """The text without the marks of `docx_xml`."""
    return text.translate(_MARKS)


_MARKS = dict.fromkeys(range(1, 5))


def _listed(names: list[str]) -> str:
    unique = list(dict.fromkeys(name or "unknown" for name in names))
    shown = ", ".join(name.rpartition("/")[2][:60] for name in unique[:SHOWN])
    return shown if len(unique) <= SHOWN else f"{shown}, … ({len(unique)})"
