"""Web archives (.mht, .mhtml): a page and what it loads, as one MIME message; its pages are read, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from email.message import Message as Mail

VERSION = "1"
PAGES = frozenset({"text/html", "application/xhtml+xml"})


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of the archived page and of its frames."""
    del limits
    from email import message_from_bytes
    from email.policy import compat32

    from .html import NO_TEXT, parse_page

    mail = message_from_bytes(data.lstrip(), policy=compat32)
    read = [parse_page(body, charset) for body, charset in _pages(mail) if body.strip()]
    if not read:
        if mail.get_content_maintype() != "multipart":
            raise ParseRefused("The file is damaged: it is cut off or no web archive. Restore it from a good copy")
        return Parsed((), State.NO_TEXT, (NO_TEXT,), "mhtml")
    sections: list[Section] = []
    notes: list[Message] = []
    for page in read:
        sections += page.sections
        notes += [note for note in page.notes if note not in (NO_TEXT, *notes)]
    if not sections:
        return Parsed((), State.NO_TEXT, (NO_TEXT, *notes), "mhtml", read[0].title)
    state = State.WARNED if notes else State.INDEXED
    return Parsed(tuple(sections), state, tuple(notes), "mhtml", read[0].title, read[0].details, read[0].label)


def _pages(mail: Mail) -> Iterator[tuple[bytes, str]]:
    """Each page's bytes with the encoding its part states."""
    for part in mail.walk():
        if part.get_content_type() in PAGES:
            body = part.get_payload(decode=True)
            if isinstance(body, bytes):
                yield body, str(part.get_content_charset() or "")
