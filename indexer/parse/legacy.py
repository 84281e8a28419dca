"""Office files of before 2007 (.doc, .xls, .ppt), and WPS Office's: LibreOffice turns them into the newer format.

The newer format's own parser then reads what came out, in the same sandboxed process.
"""

from __future__ import annotations

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from . import progress, soffice
from .call import call

VERSION = "1"
FORMS = {
    "doc": ("docx:MS Word 2007 XML", "docx"),
    "xls": ("xlsx:Calc MS Excel 2007 XML", "xlsx"),
    "ppt": ("pptx:Impress MS PowerPoint 2007 XML", "pptx"),
}


def parse(data: bytes, limits: ParseLimits, form: str) -> Parsed:
    """The sections of the converted document; ``form`` is doc, xls or ppt."""
    target, parser = FORMS[form]
    if not soffice.find():
        raise ParseRefused(
            "Files of Office 97 to 2003 (.doc, .xls, .ppt) are read through LibreOffice, which is not installed;"
            " install it, or save the file as .{suffix}",
            suffix=parser,
        )
    progress.announce(1)  # a large document takes LibreOffice longer than it takes a parser
    progress.page()
    try:
        converted = soffice.convert(data, form, target)
    except ParseRefused:
        if protected(data, form):
            raise ParseRefused("The file is protected by a password; save it without one") from None
        raise
    parsed = call(parser, converted, limits)
    details = {**parsed.details, "converted": f"LibreOffice {soffice.release()}"}
    return parsed._replace(parser=f"legacy:{form}", details=details)


def protected(data: bytes, form: str) -> bool:
    """Whether an old file is encrypted, by the marks in its first sector."""
    if form == "ppt":
        return "EncryptedSummary".encode("utf-16-le") in data
    mark = b"\xec\xa5" if form == "doc" else b"\x09\x08"
    for start in range(512, len(data), 512):
        if data.startswith(mark, start):
            return _encrypted_word(data[start:]) if form == "doc" else _encrypted_sheet(data[start : start + 4096])
    return False


def _encrypted_word(header: bytes) -> bool:
    """The flag fEncrypted of the document's header (FIB)."""
    return len(header) > 11 and bool(header[11] & 0x01)


def _encrypted_sheet(records: bytes) -> bool:
    """A FILEPASS record among the first ones of the workbook."""
    at = 0
    for _ in range(8):
        kind, size = int.from_bytes(records[at : at + 2], "little"), int.from_bytes(records[at + 2 : at + 4], "little")
        if kind == 0x2F:
            return True
        at += 4 + size
    return False
