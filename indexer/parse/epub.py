"""Books (.epub, versions 2 and 3): the documents of the spine in their order, read as web pages.

Read directly, not with ebooklib: its licence is the AGPL. Headings of the pages make the path; a
page without one stands under its title in the table of contents, all under the parts round them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from .archive import Archive

VERSION = "1"
FRONT = 5000  # characters of the first pages
SHOWN = 8  # parts named in a note
NO_TEXT = Message("The book has only pictures and no text")


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a book. Raises ParseRefused for one that is damaged, hostile or protected by DRM."""
    from .archive import open_zip
    from .clean import clean
    from .epub_package import read_package

    archive = open_zip(data, limits)
    book = read_package(archive)
    reader = _Reader(archive)
    sections = tuple(section for name in book.pages for section in reader.page(name, book.contents.get(name, ())))
    lost = [*book.missing, *reader.lost]
    notes = list(reader.notes)
    if lost:
        named = ", ".join(lost[:SHOWN]) + (" ..." if len(lost) > SHOWN else "")
        notes.append(
            Message("Parts of the book are missing or damaged: {parts}. Restore it from a good copy", {"parts": named})
        )
    facts = {name: clean(value) for name, value in book.facts.items()}
    sections = (*_front(facts, sections), *sections)
    title = facts.pop("title", "")[:300]
    facts.pop("description", "")
    details = {"pages": len(book.pages), **facts}
    if not sections:
        return Parsed((), State.NO_TEXT, (NO_TEXT, *notes), "epub", title, details)
    return Parsed(sections, State.WARNED if notes else State.INDEXED, tuple(notes), "epub", title, details)


def _front(facts: dict[str, str], sections: tuple[Section, ...]) -> Iterator[Section]:
    """What a library shows of the book, as far as its first pages do not say it."""
    from .html import read_page
    from .html_blocks import one_line

    head = "".join(section.text for section in sections[:20])[:FRONT]
    said = "".join(head.split())
    lines = [facts.get("title", ""), facts.get("author", "")]
    if "description" in facts:
        lines.append(one_line(read_page(facts["description"]).blocks))
    new = [line for line in lines if line and "".join(line.split()) not in said]
    if new and sections:
        yield Section("".join(f"{line}\n" for line in new) + "\n")


class _Reader:
    """Reads pages and remembers what was lost."""

    def __init__(self, archive: Archive) -> None:
        self.notes: list[Message] = []
        self.lost: list[str] = []
        self._archive = archive

    def page(self, name: str, titles: tuple[str, ...]) -> Iterator[Section]:
        """The sections of one document under its titles in the table of contents."""
        from .clean import normalise
        from .html import read_page
        from .html_blocks import Sections
        from .html_charset import decode_page
        from .text import damage

        try:
            data = self._archive.read(name)
            found = decode_page(data) if data else None
        except ParseRefused as refused:
            if not refused.message.text.startswith(("The file is damaged", "The file is binary")):
                raise  # a limit of the archive
            self.lost.append(name[:100])
            return
        if found is None:
            return
        page = read_page(normalise(found.text), xhtml=True)
        self._note((*damage(found), *page.notes))
        made = Sections()
        made.take(page.blocks)
        yield from _placed(made.end(), titles)

    def _note(self, notes: Iterable[Message]) -> None:
        self.notes += [note for note in notes if note not in self.notes and len(self.notes) < SHOWN]


def _placed(sections: tuple[Section, ...], titles: tuple[str, ...]) -> Iterator[Section]:
    """Under the parts of the book; what stands before the first heading also under the title of the page."""
    from .clean import clean

    titles = tuple(clean(title) for title in titles)
    said = {section.headings[0] for section in sections if section.headings}
    for section in sections:
        around = titles[:-1] if section.headings else titles
        headings = (*(title for title in around if title not in said or not section.headings), *section.headings)
        yield section._replace(headings=headings)
