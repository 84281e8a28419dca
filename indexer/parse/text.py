"""Plain text: one section, decoded without losing a byte silently.

Runs in the main process: nothing but codecs and fixed linear scans touches the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from .decode import Decoded

VERSION = "1"
SHOWN = 8  # byte offsets named in a note


class Readable(NamedTuple):
    """Normalised text with what a person should know of how it was read."""

    text: str
    state: State
    notes: tuple[Message, ...]
    details: dict[str, object]


def read(data: bytes) -> Readable:
    """Decodes a text file; ParseRefused for binary data, NO_TEXT for white space only."""
    from .clean import normalise
    from .decode import decode

    found = decode(data)
    details: dict[str, object] = {"encoding": found.encoding}
    if found.confidence < 1:
        details["confidence"] = found.confidence
    text = normalise(found.text)
    if not text or text.isspace():
        return Readable("", State.NO_TEXT, (Message("The file has no text, only white space"),), details)
    notes = tuple(damage(found))
    if notes:
        return Readable(text, State.WARNED, notes, details)
    return Readable(text, State.INDEXED, (), details)


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """One section without headings."""
    del limits  # size and output are judged by the caller; decoding is linear
    found = read(data)
    sections = (Section(found.text),) if found.text else ()
    return Parsed(sections, found.state, found.notes, "text", details=found.details)


def damage(found: Decoded) -> Iterator[Message]:
    """What a person should know of how the bytes were read: zeros left out, places that are no text."""
    if found.zeros:
        yield Message(
            "{count} zero bytes in the text were left out, as after a crash; check the file", {"count": found.zeros}
        )
    if not found.bad:
        return
    offsets = ", ".join(str(at) for at in found.bad[:SHOWN]) + (" ..." if len(found.bad) > SHOWN else "")
    yield Message(
        "{count} places are not valid {encoding} and shown as \ufffd (at byte {offsets}); save the file as UTF-8",
        {"count": len(found.bad), "encoding": found.encoding, "offsets": offsets},
    )
