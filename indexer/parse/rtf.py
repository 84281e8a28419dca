"""Rich Text Format (.rtf, and the many .doc files that are RTF): what a person sees, in reading order.

Our own tokenizer, not `striprtf`: see docs/dependencies.md for what that leaves out or mixes up
(character sets of fonts, tables, notes, boxes, hidden and deleted text). The stations:

    rtf_reader   groups and bytes          rtf_control, rtf_words, rtf_fonts, rtf_styles, rtf_values
    rtf_story    paragraphs and tables

Headers come first and footers last, each line once; notes and boxes follow the paragraph or
table they belong to, endnotes the body. Comments are left out, tracked changes are taken as
accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from .office_outline import Block
    from .rtf_reader import Reader

VERSION = "1"


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of an RTF document. Raises ParseRefused for a file that is none, or hostile."""
    from .office_outline import Outline
    from .office_properties import is_version, real_title, version_text
    from .rtf_reader import Reader

    if b"{\\rtf" not in data[:1024]:
        raise ParseRefused("The file is no RTF document, or its beginning is damaged. Restore it from a good copy")
    reader = Reader(limits)
    whole = reader.read(data)
    body = reader.body.end(reader.groups[-1].look)
    outline = Outline(limits)
    seen: set[str] = set()
    for text in _margin(reader.margins["header"], seen):
        outline.line(text)
    outline.stand(None)
    outline.take(body)
    outline.take(reader.margins["endnote"])
    outline.stand(None)
    for text in _margin(reader.margins["footer"], seen):
        outline.line(text)
    sections = outline.sections()
    notes = tuple(_notes(reader, whole))
    state = State.WARNED if notes else State.INDEXED
    if not sections:
        state = State.NO_TEXT
        notes = (_nothing(reader), *notes)
    title = real_title(reader.values.title) or reader.body.title or (_first_heading(body))
    label = next((version_text(text) for name, text in reader.values.properties.items() if is_version(name)), "")
    return Parsed(sections, state, notes, "rtf", title, label=label)


def _margin(blocks: Iterable[Block], seen: set[str]) -> Iterator[str]:
    """The lines of headers or footers, each once: they repeat from section to section."""
    from .office_outline import Grid

    for block in blocks:
        for text in block.rows if isinstance(block, Grid) else block.text.split("\n"):
            key = "".join(text.split())
            if key not in seen and any(c.isalnum() for c in key):
                seen.add(key)
                yield text


def _first_heading(blocks: Iterable[Block]) -> str:
    from .office_outline import Paragraph

    found = [b for b in blocks if isinstance(b, Paragraph) and b.level is not None]
    first = min(found, key=lambda b: b.level or 0, default=None)
    return "" if first is None else " ".join(first.text.split())


def _notes(reader: Reader, whole: bool) -> Iterator[Message]:
    if not whole:
        yield Message("The file is cut off: text at its end may be missing. Restore it from a good copy")
    names = [name or "unknown" for name in dict.fromkeys(reader.values.objects) if not name.startswith("Equation")]
    if names:
        yield Message(
            "Embedded objects are not part of the text: {names}. Save them as files of their own to index them",
            {"names": ", ".join(name[:60] for name in names[:5]) + (", …" if len(names) > 5 else "")},
        )


def _nothing(reader: Reader) -> Message:
    if reader.pictures:
        return Message("The document has only pictures and no text")
    return Message("The document has no text")
