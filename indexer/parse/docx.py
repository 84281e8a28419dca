"""Word documents (.docx, .docm, .dotx): everything a reader of the page sees, in reading order.

The package is read by its relations with lxml, not with python-docx: that library refuses
packages Word opens (a picture that is missing, strict OOXML, macro types) and leaves out much
of the text (numbers, boxes, notes, controls, insertions). The stations:

    docx_package   parts and relations, damage
    docx_styles, docx_numbering, docx_numfmt   what styles and lists add to a paragraph
    docx_inline    characters of a paragraph      docx_fields, docx_symbols, docx_math
    docx_body      blocks of a story              docx_table, docx_drawn, docx_chunk
    docx_sections  blocks to sections with heading paths and pages

Headers come first and footers last, each line once; footnotes follow the paragraph or table
that refers to them, endnotes the body.
"""

from __future__ import annotations

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

from .archive import depth_refused

VERSION = "2"
NO_TEXT = Message("The document has no text")


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a Word document.

    Raises ParseRefused for a file that is none, that is protected by a password, damaged or
    hostile. Parts that are damaged or cannot be read make it WARNED, each with a note.
    """
    if not data:
        return Parsed((), State.NO_TEXT, (Message("The file is empty"),), "docx")
    try:
        with depth_refused():
            return _parse(data, limits)
    except MemoryError as error:
        raise ParseRefused(
            "The file needs more memory than the limit of {limit} MB; split it, or raise memory_mb",
            limit=limits.memory_mb,
        ) from error


def _parse(data: bytes, limits: ParseLimits) -> Parsed:
    from .docx_document import read_document
    from .docx_sections import assemble

    document = read_document(data, limits)
    sections = assemble(document)
    notes = tuple(document.notes())
    details = {"pages": document.pages} if document.pages is not None else {}
    if not sections:
        reason = Message("The document has only pictures and no text") if document.context.pictures else NO_TEXT
        return Parsed((), State.NO_TEXT, (reason, *notes), "docx", document.title, details, document.label)
    state = State.WARNED if notes else State.INDEXED
    return Parsed(sections, state, notes, "docx", document.title, details, document.label)
