"""Writes small PDFs byte by byte, right or wrong on purpose; no PDF library is involved."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

HELVETICA = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"


@dataclass
class Pdf:
    """Objects by number; 1 is the catalog, 2 the page tree."""

    objects: dict[int, bytes] = field(default_factory=dict)
    pages: list[int] = field(default_factory=list)
    catalog: str = ""
    trailer: str = ""
    _next: int = 3

    def add(self, body: str | bytes) -> int:
        """Adds an object and returns its number."""
        number, self._next = self._next, self._next + 1
        self.objects[number] = body if isinstance(body, bytes) else body.encode("latin-1")
        return number

    def reserve(self) -> int:
        """A number to be filled later."""
        return self.add("null")

    def put(self, number: int, body: str | bytes) -> None:
        """Fills a reserved number."""
        self.objects[number] = body if isinstance(body, bytes) else body.encode("latin-1")

    def stream(self, data: bytes, entries: str = "", *, deflate: bool = False) -> int:
        """Adds a stream with these dictionary entries."""
        if deflate:
            data, entries = zlib.compress(data), entries + "/Filter/FlateDecode"
        return self.add(b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries.encode(), len(data), data))

    def page(
        self,
        content: str | bytes | None,
        *,
        fonts: Mapping[str, str] | None = None,
        resources: str = "",
        entries: str = "",
        deflate: bool = False,
    ) -> int:
        """Adds a page; ``fonts`` are bodies by name, F1 is Helvetica unless given."""
        given = {"F1": HELVETICA} | dict(fonts or {})
        listed = "".join(f"/{name} {self.add(body)} 0 R" for name, body in given.items())
        if content is not None:
            data = content.encode("latin-1") if isinstance(content, str) else content
            entries += f"/Contents {self.stream(data, deflate=deflate)} 0 R"
        number = self.add(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<<{listed}>>{resources}>>{entries}>>"
        )
        self.pages.append(number)
        return number

    def lines(self, *lines: str, deflate: bool = False, entries: str = "") -> int:
        """Adds a page with these lines of Latin text."""
        return self.page(show(*lines), deflate=deflate, entries=entries)

    def image(self, width: int = 100, height: int = 100) -> int:
        """Adds a grey image."""
        entries = f"/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceGray/BitsPerComponent 8"
        return self.stream(b"\x80" * (width * height), entries, deflate=True)

    def scan(self) -> int:
        """Adds a page that is one image."""
        return self.page("q 595 0 0 842 0 0 cm /Im0 Do Q", resources=f"/XObject<</Im0 {self.image()} 0 R>>")

    def data(self, *, header: bytes = b"%PDF-1.7\n", count: int | None = None) -> bytes:
        """The file: objects, cross-reference table, trailer."""
        kids = " ".join(f"{number} 0 R" for number in self.pages)
        count = len(self.pages) if count is None else count
        self.put(1, f"<</Type/Catalog/Pages 2 0 R{self.catalog}>>")
        self.put(2, f"<</Type/Pages/Count {count}/Kids[{kids}]>>")
        out, offsets = bytearray(header), {}
        for number in sorted(self.objects):
            offsets[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self.objects[number])
        start, size = len(out), max(self.objects) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        out += b"".join(b"%010d 00000 n \n" % offsets[number] for number in range(1, size))
        out += f"trailer\n<</Size {size}/Root 1 0 R{self.trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)


def show(*lines: str, font: str = "F1") -> str:
    """A content stream that shows these lines from the top of a page."""
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /{font} 12 Tf 14 TL 50 780 Td {shown} ET"


def composite(
    pdf: Pdf, *, encoding: str = "/Identity-H", ordering: str = "Identity", to_unicode: str = "", embedded: bool = False
) -> str:
    """The body of a Type 0 font; ``encoding`` and ``to_unicode`` are names or references."""
    file = f"/FontFile2 {pdf.stream(b'not a font')} 0 R" if embedded else ""
    descriptor = pdf.add(f"<</Type/FontDescriptor/FontName/Test/Flags 4/FontBBox[0 0 1 1]{file}>>")
    descendant = pdf.add(
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/Test/DW 1000"
        f"/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>/FontDescriptor {descriptor} 0 R>>"
    )
    meaning = f"/ToUnicode {to_unicode}" if to_unicode else ""
    return f"<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding {encoding}/DescendantFonts[{descendant} 0 R]{meaning}>>"


def cmap(*pairs: tuple[str, str]) -> bytes:
    """A /ToUnicode map from hexadecimal codes to hexadecimal UTF-16."""
    width = len(pairs[0][0])
    listed = "\n".join(f"<{code}> <{text}>" for code, text in pairs)
    return (
        f"/CIDInit /ProcSet findresource begin begincmap\n1 begincodespacerange\n<{'0' * width}> <{'F' * width}>\n"
        f"endcodespacerange\n{len(pairs)} beginbfchar\n{listed}\nendbfchar\nendcmap end"
    ).encode()
