"""Opening a PDF that may be locked, cut off, damaged or made to harm.

Everything that goes wrong before there are pages becomes a ParseRefused here, in words a
person can act on; what was lost on the way is a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message
from indexer.core.tables import ParseLimits

from .pdf_objects import as_dict, as_list

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

# Viewers look for the header and the end within this many bytes.
MARGIN = 1024
MAX_SALVAGED_OBJECTS = 100_000
REPAIRED = Message("The PDF is damaged and was repaired; check it, or export it again")

_OBJECT = re.compile(rb"\d+[\x00\t\n\x0c\r ]+\d+[\x00\t\n\x0c\r ]+obj\b")
_CATALOG = re.compile(rb"/Type[\x00\t\n\x0c\r ]*/Catalog\b")
_LINEAR_LENGTH = re.compile(rb"/Linearized\b.{0,200}?/L[\x00\t\n\x0c\r ]+(\d+)", re.DOTALL)


@dataclass(slots=True)
class Opened:
    """A PDF ready to be read page by page; ``notes`` say what is missing."""

    reader: PdfReader
    pages: list[PageObject]
    notes: list[Message] = field(default_factory=list)


@contextmanager
def bounded(limits: ParseLimits, size: int) -> Iterator[None]:
    """pypdf's own limits set from ours, for a file of ``size`` bytes."""
    from pypdf import apply_configuration

    inflated = min(limits.inflated_mb << 20, 75_000_000)
    with apply_configuration(
        zlib_maximum_output_length=inflated,
        lzw_maximum_output_length=inflated,
        run_length_maximum_output_length=inflated,
        array_based_stream_maximum_output_length=inflated,
        maximum_declared_stream_length=max(size, 75_000_000),
        jbig2dec_binary=None,  # never starts another program
    ):
        yield


def open_pdf(data: bytes) -> Opened:
    """The pages of a PDF. Raises ParseRefused with the reason."""
    reader, notes = _opened(data)
    pages, declared = _pages(reader)
    if not pages:
        pages = _salvaged(reader)
        if pages and not notes:
            notes.append(Message("The page list is damaged; pages were recovered and may be out of order"))
    if not pages and (declared or notes):
        raise ParseRefused("The PDF is damaged: no page can be read; copy or export it again")
    if 0 < len(pages) < declared <= len(data):
        notes.append(
            Message("Only {found} of {declared} pages are in the file", {"found": len(pages), "declared": declared})
        )
    return Opened(reader, pages, notes)


def _opened(data: bytes) -> tuple[PdfReader, list[Message]]:
    """The reader, and what is known to be lost before any page is read."""
    notes = []
    if is_cut_off(data):
        notes.append(
            Message("The end of the file is missing (an incomplete copy?); what could be recovered is indexed")
        )
    try:
        return _reader(data), notes
    except ParseRefused as refused:
        if not _is_damage(refused.__cause__):
            raise
        first = refused
    try:
        reader = _reader(data + _new_end(data))
    except ParseRefused:
        raise first from first.__cause__
    return reader, notes or [REPAIRED]


def is_cut_off(data: bytes) -> bool:
    """Whether the file stops before the end that its writer gave it.

    Bytes after the last %%EOF are harmless unless objects are among them: then it is the end of
    an earlier part (a linearised first page, an older revision), and the newer one is cut off.
    """
    linear = _LINEAR_LENGTH.search(data, 0, MARGIN)
    if linear and len(data) < int(linear[1]):
        return True
    end = data.rfind(b"%%EOF")
    if end < 0:
        return b"startxref" not in data[-MARGIN:].rstrip(b"\0")
    return _OBJECT.search(data, end) is not None


def _new_end(data: bytes) -> bytes:
    """An end that makes pypdf look for every object itself, and leads it to the catalog."""
    root = b"/Size 10000" if b"/ObjStm" in data else b""  # packed away: it tries so many numbers
    for found in _CATALOG.finditer(data):
        headers = list(_OBJECT.finditer(data, max(0, found.start() - MARGIN), found.start()))
        if headers:
            root = b"/Root " + headers[-1][0][: -len(b"obj")] + b"R"
    return b"\ntrailer\n<<%s>>\nstartxref\n0\n%%%%EOF\n" % root


def _is_damage(cause: BaseException | None) -> bool:
    """Whether another end of the file may help: not against a password or a limit."""
    from pypdf.errors import DependencyError, LimitReachedError

    return cause is not None and not isinstance(cause, LimitReachedError | DependencyError | NotImplementedError)


def _reader(data: bytes) -> PdfReader:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, LimitReachedError

    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ParseRefused("The PDF needs a password to open; save a copy without a password")
    except (ParseRefused, MemoryError):
        raise
    except LimitReachedError as error:
        raise limit_reached(error) from error
    except (NotImplementedError, DependencyError) as error:
        raise ParseRefused(
            "The PDF is encrypted in a way that cannot be read ({detail}); save a copy without a password",
            detail=one_line(error),
        ) from error
    except Exception as error:  # a hostile file makes pypdf raise nearly anything
        raise damaged(error) from error
    return reader


def _pages(reader: PdfReader) -> tuple[list[PageObject], int]:
    """The pages that can be reached, and how many the file claims to have."""
    from pypdf.errors import LimitReachedError

    try:
        declared = reader.root_object["/Pages"].get_object().get("/Count", 0).get_object()  # type: ignore[union-attr]
    except Exception:  # no root, no page tree, no number: the pages themselves decide
        declared = 0
    try:
        pages = list(reader.pages)
    except MemoryError:
        raise
    except LimitReachedError as error:
        raise limit_reached(error) from error
    except Exception:  # the page tree is broken: pages are looked for one by one
        pages = []
    return pages, declared if isinstance(declared, int) else 0


def _salvaged(reader: PdfReader) -> list[PageObject]:
    """Page objects found by their type when no page tree leads to them, in the order of their numbers."""
    from pypdf import PageObject
    from pypdf.generic import DictionaryObject, IndirectObject

    numbers = sorted({n for entries in reader.xref.values() for n in entries} | set(reader.xref_objStm))
    pages = []
    for number in numbers[:MAX_SALVAGED_OBJECTS]:
        try:
            found = reader.get_object(IndirectObject(number, 0, reader))
            if isinstance(found, DictionaryObject) and found.get("/Type") == "/Page":
                page = PageObject(reader, found.indirect_reference)
                page.update(found)
                pages.append(page)
        except MemoryError:
            raise
        except Exception:  # noqa: S112 - one unreadable object of many; the next may be a page
            continue
    return pages


def limit_reached(error: Exception) -> ParseRefused:
    """A limit of the reader, as a reason."""
    return ParseRefused(
        "The PDF exceeds a safety limit ({detail}); export it again in a simpler form", detail=one_line(error)
    )


def damaged(error: BaseException) -> ParseRefused:
    """A failure of the reader, as a reason."""
    return ParseRefused("The PDF is damaged ({detail}); copy or export it again", detail=one_line(error))


def one_line(error: BaseException) -> str:
    """What an exception says, short, on one line; its class if it says nothing."""
    said = " ".join(str(error).split())
    return said if 0 < len(said) <= 120 else said[:117] + "..." if said else type(error).__name__


def hidden_layers(reader: PdfReader) -> frozenset[int]:
    """The object numbers of optional content groups that the default view switches off."""
    try:
        settings = as_dict(as_dict(reader.root_object.get("/OCProperties")).get("/D"))
        off = {getattr(group, "idnum", 0) for group in as_list(settings.get("/OFF"))}
    except MemoryError:
        raise
    except Exception:  # broken layer settings hide nothing
        return frozenset()
    return frozenset(off - {0})
