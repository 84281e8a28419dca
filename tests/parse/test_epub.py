"""Books: the pages of the spine in their order, under their titles; damage and locks are said."""

from __future__ import annotations

import io
import zipfile

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import epub

CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><nav epub:type="toc"><ol>'
    '<li><span>Part One</span><ol><li><a href="text/b%20c.xhtml">First</a></li><li><a href="text/a.xhtml#x">Second</a></li></ol></li>'
    "</ol></nav></html>"
)
NCX = (
    '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part One</text></navLabel>'
    '<content src="text/none.xhtml"/><navPoint><navLabel><text>First</text></navLabel><content src="text/b%20c.xhtml"/></navPoint>'
    "</navPoint></navMap></ncx>"
)
PAGES = {
    "text/b c.xhtml": '<html><head><title/></head><body><a id="p"/><p>没有标题的一章</p></body></html>',
    "text/a.xhtml": "<html><head><title>x</title></head><body><h1>Second</h1><p>more</p></body></html>",
}


def book(
    version: int = 3,
    pages: dict[str, str] = PAGES,
    spine: str = "",
    stored: dict[str, str] | None = None,
    head: str = '<?xml version="1.0"?>',
    **more: str,
) -> bytes:
    items = "".join(
        f'<item id="i{i}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for i, name in enumerate(pages)
    )
    nav = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    refs = spine or "".join(f'<itemref idref="i{i}"/>' for i in range(len(pages)))
    opf = (
        f'{head}<package xmlns="http://www.idpf.org/2007/opf" version="{version}.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>书名</dc:title><dc:creator>甲</dc:creator>'
        "<dc:creator>乙</dc:creator><dc:description>&lt;p&gt;About it&lt;/p&gt;</dc:description></metadata>"
        f'<manifest>{items}{nav if version == 3 else ncx}</manifest><spine toc="ncx">{refs}</spine></package>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/book.opf", opf)
        archive.writestr("OEBPS/nav.xhtml" if version == 3 else "OEBPS/toc.ncx", NAV if version == 3 else NCX)
        for name, text in (*pages.items(), *more.items()):
            name = (stored or {}).get(name, name)
            archive.writestr(name.replace("__", "/") if "__" in name else f"OEBPS/{name}", text)
    return stream.getvalue()


def parse(data: bytes) -> Parsed:
    return epub.parse(data, ParseLimits())


@pytest.mark.parametrize("version", [2, 3])
def test_pages_stand_in_the_order_of_the_spine_under_their_titles(version: int) -> None:
    """A page without a heading has its title of the contents; parts stand above chapters."""
    parsed = parse(book(version))
    assert parsed.title == "书名"
    assert parsed.details["author"] == "甲, 乙"
    assert parsed.sections[0].text == "书名\n甲, 乙\nAbout it\n\n"
    assert [(s.text.strip(), s.headings) for s in parsed.sections[1:]] == [
        ("没有标题的一章", ("Part One", "First")),
        ("Second\n\nmore", ("Part One", "Second") if version == 3 else ("Second",)),
    ]


def test_chapters_named_xml_and_links_in_other_letters() -> None:
    """The manifest says what a page is, not its name; letter case differs in many books."""
    pages = {"Ch1.xml": "<html><body><p>chapter one</p></body></html>"}
    assert "chapter one" in parse(book(pages=pages, stored={"Ch1.xml": "ch1.XML"})).text


def test_what_the_front_pages_say_is_not_said_again() -> None:
    """Title and authors come first only where the book itself does not show them."""
    parsed = parse(book(pages={"a.xhtml": "<body><h1>书名</h1><p>甲, 乙</p></body>"}))
    assert parsed.sections[0].text == "About it\n\n"


def test_a_missing_page_costs_no_other() -> None:
    """It is named."""
    parsed = parse(book(stored={"text/a.xhtml": "text/q.xhtml"}))
    missing = parse(book(pages={**PAGES, "gone.xhtml": ""}, spine='<itemref idref="i0"/><itemref idref="i9"/>'))
    assert missing.state is State.INDEXED
    assert parsed.state is State.WARNED
    assert "missing" in str(parsed.notes[0])


def test_a_book_without_a_package_is_read_in_natural_order() -> None:
    """Page 2 comes before page 10."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in (10, 2):
            archive.writestr(f"p{number}.html", f"<p>page {number}</p>")
    assert parse(stream.getvalue()).text.split("\n") == ["page 2", "", "page 10", "", ""]


def test_encrypted_text_is_refused_but_scrambled_fonts_are_not() -> None:
    """The reason names the protection."""
    lock = '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:CipherReference URI="OEBPS/{}"/></encryption>'
    with pytest.raises(ParseRefused, match="DRM"):
        parse(book(**{"META-INF__encryption.xml": lock.format("text/a.xhtml")}))
    assert parse(book(**{"META-INF__encryption.xml": lock.format("font.otf")})).state is State.INDEXED


def test_damage_and_tricks_are_refused() -> None:
    """Cut off, no book inside, entities."""
    with pytest.raises(ParseRefused, match="damaged"):
        parse(book()[:400])
    with pytest.raises(ParseRefused, match="no readable book"):
        parse(book(pages={}, spine=" "))
    with pytest.raises(ParseRefused, match="entities"):
        parse(book(head="<!DOCTYPE p [<!ENTITY a '1'>]>"))


def test_a_book_of_pictures_has_no_text() -> None:
    """Said as such."""
    assert parse(book(pages={"a.xhtml": "<body><img src='p.png'/></body>"})).state is State.NO_TEXT
