"""What a file really is, by its first bytes: a suffix that lies is said, not suffered.

Only fixed marks are compared, nothing is decoded or unpacked, so this may run in the main
process on hostile bytes.
"""

from __future__ import annotations

import re
import struct

from indexer.core.errors import ParseRefused
from indexer.core.model import Message

from .formats import CONTENT, PROGRAMS, TEXTUAL

HEAD = 4096
WEB_ARCHIVE = "web archive (MHTML)"
NO_PAGES = frozenset(
    {"text", "mhtml", "json", "ipynb", "subtitles", "xml"}
)  # textual formats in which HTML is not at home

# (offset, mark, what it is); the order decides.
MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"{\\rtf", "RTF document"),
    (0, b"\x1f\x8b\x08", "gzip archive"),
    (4, b"1AY&SY", "bzip2 archive"),
    (0, b"\xfd7zXZ\0", "xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"MSCF\0\0\0\0", "Windows cabinet archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (8, b"WEBP", "WebP image"),
    (4, b"ftypheic", "HEIC image"),
    (4, b"ftyp", "MP4 video"),
    (0, b"8BPS\0", "Photoshop image"),
    (0, b"\x7fELF", "ELF program (binary)"),
    (0, b"\xca\xfe\xba\xbe\0", "Java class or Mach-O program (binary)"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program (binary)"),
    (0, b"\xfe\xed\xfa\xcf", "Mach-O program (binary)"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"ID3\x03", "MP3 recording"),
    (0, b"ID3\x04", "MP3 recording"),
    (0, b"OggS\0", "Ogg recording"),
    (0, b"fLaC\0", "FLAC recording"),
    (0, b"%!PS-Adobe", "PostScript document"),
    (0, b"\xffWPC", "WordPerfect document"),
    (0, b"\x80\x02", "Python pickle (binary)"),
    (0, b"wOF2", "font file"),
    (0, b"version https://git-lfs.github.com/spec/", "Git LFS pointer (the real file was not downloaded)"),
)
PLAIN_KINDS = frozenset({"RTF document", "PostScript document", MAGIC[-1][2]})
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Stream names in the directory of an OLE file, which is UTF-16LE.
OLE_STREAMS: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", "password"),
    ("WordDocument", "legacy Word 97-2003 document (.doc)"),
    ("Workbook", "legacy Excel 97-2003 workbook (.xls)"),
    ("PowerPoint Document", "legacy PowerPoint 97-2003 presentation (.ppt)"),
    ("__nameid_version1.0", "Outlook message (.msg)"),
    ("VisioDocument", "Visio drawing"),
    ("Quill", "Publisher document"),
    ("Book", "legacy Excel 5 workbook (.xls)"),
)
ANY_LEGACY = ("legacy OLE document (.doc, .xls or .ppt)", "Word 2003 XML document", "XML file", "WordPerfect document")
PLAIN = "plain text file"
PLAIN_LEGACY = {"legacy:doc": "text", "legacy:xls": "csv"}
# Member names in the directory of a zip file; the first match decides.
ZIP_MEMBERS: tuple[tuple[bytes, str], ...] = (
    (b"xl/workbook", "Excel workbook (.xlsx)"),
    (b"ppt/presentation", "PowerPoint presentation (.pptx)"),
    (b"visio/document", "Visio drawing (.vsdx)"),
    (b"AndroidManifest.xml", "Android package (.apk)"),
    (b"META-INF/MANIFEST.MF", "Java archive (.jar)"),
)
OPEN_DOCUMENT = {
    b"text": "OpenDocument text (.odt)",
    b"spreadsheet": "OpenDocument spreadsheet (.ods)",
    b"presentation": "OpenDocument presentation (.odp)",
    b"graphics": "OpenDocument drawing (.odg)",
}
# A text whose first byte is none of these cannot carry a mark that matters for texts; marks
# deeper in (tar, MP4) come with NUL bytes, which the decoder meets and asks `identify` about.
_FIRST = frozenset(mark[0] for offset, mark, _ in MAGIC if offset == 0) | frozenset(b"\xd0P%<\0MBR \t\r\n\xef\xfeFfmSs")
_HTML = re.compile(rb"(?:<!--.*?-->|<\?xml[^>]*\?>|\s)*<(?:!doctype\s+html|html|head|body|meta)\b", re.I | re.S)
_PDF_START = re.compile(rb"\s{0,64}%PDF-\d\.\d")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
_HEADER = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]")
_MAIL = re.compile(rb"^(?:received|message-id|to|return-path|delivered-to):[^\n]", re.I | re.M)
_MHTML = re.compile(rb"\s*(?:from:|mime-version:|subject:)[^\n]*\n", re.I)


def check(parser: str, data: bytes) -> tuple[str, Message | None]:
    """The parser that really fits, and a note when it is not the suffix's own.

    Raises ParseRefused, naming what the file is and the remedy, when no parser fits.
    """
    textual = parser in TEXTUAL
    if textual and data[0] not in _FIRST:
        return parser, None
    kind = identify(data, binary=not textual)
    real = CONTENT.get(kind or "")
    if parser == "html" and kind is None and _is_archive(data[:HEAD]):
        kind, real = WEB_ARCHIVE, CONTENT.get(WEB_ARCHIVE)
    if kind == PLAIN and parser in PLAIN_LEGACY:
        real = PLAIN_LEGACY[parser]  # reports of old programs: text with tabs, named .xls
    if kind is None or real == parser or _at_home(kind, parser, textual):
        return parser, None
    if real is None:
        raise refusal(kind)
    return real, Message("The file is a {kind} and was read as such; correct the ending of its name", {"kind": kind})


def _at_home(kind: str, parser: str, textual: bool) -> bool:
    """Pages in Markdown, templates and code are what they say; so is a mail of a page and its pictures."""
    if parser in PROGRAMS and kind in ANY_LEGACY:
        return True  # LibreOffice looks for itself
    return (kind == "HTML page" and textual and parser not in NO_PAGES) or (kind, parser) == (
        WEB_ARCHIVE,
        "eml",
    )


def refusal(kind: str) -> ParseRefused:
    """The reason for a file that is a ``kind`` of :func:`identify` and has no parser here."""
    if kind == "password":
        return ParseRefused("The file is protected by a password; save it without one")
    if kind == "zeros":
        return ParseRefused(
            "The file holds only zero bytes (binary), as after a broken copy; restore it from a good one"
        )
    return ParseRefused(
        "The content is of another format than the name says: {kind}. Rename the file, or save it in that format",
        kind=kind,
    )


def identify(data: bytes, binary: bool) -> str | None:
    """The name of a known format, None for anything else.

    ``binary`` says that the suffix promises a binary format: there junk may stand before a
    PDF header, and plain text is a finding too.
    """
    head = data[:HEAD]
    if head[:8] == OLE:
        return _ole(data)
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _zip(data)
    if _is_pdf(data, head, binary):
        return "PDF document"
    plain = not binary and _plain(head)
    for offset, mark, kind in MAGIC:
        if plain and kind not in PLAIN_KINDS:
            continue  # "GIF89a is a format ..." is a text
        if head.startswith(mark, offset):
            return kind
    if head[:2] == b"MZ" and b"\0" in head:
        return "Windows program (binary)"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "BMP image"
    if not head.strip(b"\0") and not data.strip(b"\0"):
        return "zeros"
    return _textual(head, binary)


def _is_pdf(data: bytes, head: bytes, binary: bool) -> bool:
    if binary:
        return b"%PDF-" in head
    # A text that only talks about PDF headers has no objects.
    return _PDF_START.match(head) is not None and (b"endobj" in data or b"startxref" in data)


def _ole(data: bytes) -> str:
    for name, kind in OLE_STREAMS:
        if name.encode("utf-16-le") in data:
            return kind
    return ANY_LEGACY[0]


def _zip(data: bytes) -> str:
    if data[30:38] == b"mimetype":
        if data.startswith(b"application/epub+zip", 38):
            return "EPUB book (.epub)"
        match = re.match(rb"application/vnd\.oasis\.opendocument\.([a-z]+)", data[38:120])
        if match:
            return OPEN_DOCUMENT.get(match[1], "OpenDocument file")
    data = _directory(data)
    for member, kind in ZIP_MEMBERS:
        if member in data:
            return kind
    if b"META-INF/container.xml" in data and b".opf" in data:
        return "EPUB book (.epub)"  # its mimetype is not the first part, as in many books
    if b"word/" in data or b"[Content_Types].xml" in data or b"word\\" in data:
        return "Word document (.docx)"
    if b"content.xml" in data and b"META-INF/manifest.xml" in data:
        return "OpenDocument file"
    return "zip archive"


def _directory(data: bytes) -> bytes:
    """The zip's own list of names: a workbook stored inside a document has a list of its own."""
    end = data.rfind(b"PK\x05\x06")
    if end >= 0 and len(data) >= end + 22:
        size, offset = struct.unpack_from("<II", data, end + 12)
        if data[offset : offset + 4] == b"PK\x01\x02":
            return data[offset : offset + size]
    return data


def _textual(head: bytes, binary: bool) -> str | None:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if _HTML.match(head.decode("utf-16", "replace").encode() if wide else head.removeprefix(b"\xef\xbb\xbf")):
        return "HTML page"
    if not binary:
        return None
    if wide:
        return "plain text file"
    if b'progid="Word.Document"' in head:
        return "Word 2003 XML document"
    if _is_mail(head):
        return "e-mail message"
    if _is_archive(head):
        return WEB_ARCHIVE
    if head.lstrip().startswith(b"<?xml"):
        return "XML file"
    return "plain text file" if _plain(head) else None


def _is_mail(head: bytes) -> bool:
    """Browsers put a sender into their archives, but no receiver and no way the message took."""
    headers = head.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return (
        _HEADER.match(headers) is not None
        and re.search(rb"^from:", headers, re.I | re.M) is not None
        and (_MAIL.search(headers) is not None)
    )


def _is_archive(head: bytes) -> bool:
    return _MHTML.match(head) is not None and b"multipart/related" in head.lower()


def _plain(head: bytes) -> bool:
    if _CONTROL.search(head):
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4 and len(head) == HEAD  # a character cut at the edge
    return True
