"""Fonts: what codes mean by CMap, character collection or glyph name."""

from __future__ import annotations

import pytest
from pdf_builder import Pdf, cmap, composite

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.pdf import parse
from indexer.parse.pdf_cids import COLLECTIONS, cid_decoder
from indexer.parse.pdf_cmap import read_cmap
from indexer.parse.pdf_fonts import CODECS, predefined


def read(pdf: Pdf) -> Parsed:
    return parse(pdf.data(), ParseLimits())


def page(pdf: Pdf, font: str, codes: bytes) -> Parsed:
    pdf.page(f"BT /F2 12 Tf 50 700 Td <{codes.hex()}> Tj ET", fonts={"F2": font})
    return read(pdf)


@pytest.mark.parametrize(
    ("encoding", "codec", "text"),
    [
        ("UniGB-UCS2-H", "utf-16-be", "年假申请须提前三个工作日"),
        ("UniGB-UTF16-H", "utf-16-be", "年假𠮷申请"),
        ("UniGB-UCS2-V", "utf-16-be", "竖排文字"),
        ("UniCNS-UCS2-H", "utf-16-be", "請假辦法"),
        ("UniJIS-UCS2-H", "utf-16-be", "休暇規程"),
        ("UniJIS-UTF16-H", "utf-16-be", "有給休暇"),
        ("UniKS-UCS2-H", "utf-16-be", "연차 휴가"),
        ("UniGB-UTF8-H", "utf-8", "员工手册 v2"),
        ("UniJIS-UTF32-H", "utf-32-be", "就業規則"),
        ("GBK-EUC-H", "gbk", "信息安全 ABC 管理办法"),
        ("GBKp-EUC-H", "gbk", "镕基 GBK"),
        ("GB-EUC-H", "gb2312", "报销标准"),
        ("GBpc-EUC-V", "gb2312", "产品说明书"),
        ("GBK2K-H", "gb18030", "㐂四字节𠮷"),
        ("ETen-B5-H", "big5", "員工手冊 Handbook"),
        ("ETenms-B5-H", "big5", "資訊安全"),
        ("B5pc-H", "big5", "產假"),
        ("HKscs-B5-H", "big5hkscs", "香港嘅規定"),
        ("90ms-RKSJ-H", "cp932", "テスト①文書 ｱｲｳ"),
        ("90msp-RKSJ-H", "cp932", "情報セキュリティ"),
        ("90pv-RKSJ-H", "cp932", "経費精算"),
        ("EUC-H", "euc_jp", "出張旅費"),
        ("KSC-EUC-H", "euc_kr", "보안 지침"),
        ("KSCms-UHC-H", "cp949", "똠방각하"),
    ],
)
def test_predefined_cmaps(encoding: str, codec: str, text: str) -> None:
    """Text in a predefined CMap, not embedded and without /ToUnicode, comes out exactly."""
    pdf = Pdf()
    parsed = page(pdf, composite(pdf, encoding=f"/{encoding}"), text.encode(codec))
    assert (parsed.state, parsed.text) == (State.INDEXED, text + "\n")


def test_seven_bit_maps() -> None:
    """H and GB-H hold the pairs without their high bits."""
    pairs = bytes(code & 0x7F for code in "日本".encode("euc_jp"))
    decode = predefined("H")
    assert decode is not None
    assert decode(pairs) == "日本"


def test_every_codec_exists() -> None:
    """Each codec of the table is one of Python's."""
    for codec in CODECS.values():
        assert b"A".decode(codec) == "A"


@pytest.mark.parametrize(
    ("ordering", "cids", "text"),
    [
        ("GB1", [34, 35, 940, 941], "AB啊阿"),
        ("GB1", [2893, 2124], "年假"),
        ("Japan1", [34, 843, 1125], "Aあ亜"),
        ("CNS1", [34, 595, 596], "A一乙"),
        ("Korea1", [34, 1086], "A가"),
    ],
)
def test_adobe_collections(ordering: str, cids: list[int], text: str) -> None:
    """CIDs of Adobe's collections have a fixed meaning, whatever the font file."""
    pdf = Pdf()
    codes = b"".join(cid.to_bytes(2, "big") for cid in cids)
    parsed = page(pdf, composite(pdf, ordering=ordering, embedded=True), codes)
    assert (parsed.state, parsed.text) == (State.INDEXED, text + "\n")


@pytest.mark.parametrize("collection", sorted(COLLECTIONS))
def test_collections_hold_together(collection: str) -> None:
    """Each CID has one character, and the ASCII row is where every collection has it."""
    decode = cid_decoder(collection)
    assert decode is not None
    codes = b"".join((cid + 1).to_bytes(2, "big") for cid in range(32, 58))
    assert decode(codes)[1:] == "ABCDEFGHIJKLMNOPQRSTUVWXY"
    assert decode(b"\xff\xff") == "\ufffd"


def test_own_cmap_with_to_unicode() -> None:
    """A CMap inside the file with two-byte codes is read by /ToUnicode, not byte by byte."""
    pdf = Pdf()
    own = pdf.stream(
        b"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 begincidrange <0000> <FFFF> 0 endcidrange"
    )
    meaning = pdf.stream(cmap(("0141", "5E74"), ("0142", "5047")))
    font = composite(pdf, encoding=f"{own} 0 R", to_unicode=f"{meaning} 0 R", embedded=True)
    assert page(pdf, font, b"\x01\x41\x01\x42").text == "年假\n"


def test_own_cmap_with_a_collection() -> None:
    """Without /ToUnicode the CMap leads to CIDs, and the collection to characters."""
    pdf = Pdf()
    own = pdf.stream(
        b"1 begincodespacerange <00> <7F> endcodespacerange 1 begincodespacerange <8000> <FFFF> endcodespacerange "
        b"1 begincidrange <41> <5A> 34 endcidrange 1 begincidchar <8001> 940 endcidchar"
    )
    font = composite(pdf, encoding=f"{own} 0 R", ordering="GB1", embedded=True)
    assert page(pdf, font, b"AB\x80\x01C").text == "AB啊C\n"


def test_code_spaces() -> None:
    """Codes are cut by the code spaces; their length is known when they agree."""
    mixed = read_cmap(b"begincodespacerange <00> <80> <8140> <FEFE> endcodespacerange")
    assert mixed.split(b"A\x81\x40B\xff") == [0x41, 0x8140, 0x42]
    assert mixed.width == 0
    assert read_cmap(b"begincodespacerange <0000> <FFFF> endcodespacerange").width == 2


def test_unmapped_glyph_of_a_mapped_font() -> None:
    """A code that /ToUnicode leaves out is dropped, not taken for a character."""
    pdf = Pdf()
    font = composite(pdf, to_unicode=f"{pdf.stream(cmap(('0001', '5E74')))} 0 R", embedded=True)
    assert page(pdf, font, b"\x00\x01\x1a\x31").text == "年\n"


@pytest.mark.parametrize(
    ("names", "codes", "text"),
    [
        ("65/f_i/a.sc/uni5E74/u1F600", b"ABCD", "fia年😀"),
        ("65/G41/G42/G43", b"ABC", "ABC"),
        ("97/c97/c98", b"ab", "ab"),
        ("65/Bullet/space", b"AB", "•"),
    ],
)
def test_glyph_names(names: str, codes: bytes, text: str) -> None:
    """Glyph names are read by the rules of the Adobe Glyph List, never shown as they stand."""
    pdf = Pdf()
    font = f"<</Type/Font/Subtype/Type1/BaseFont/T/Encoding<</Differences[{names}]>>>>"
    assert page(pdf, font, codes).text.strip() == text


def test_counting_glyph_names() -> None:
    """Names that only count, in another order than their codes, have no meaning."""
    pdf = Pdf()
    font = "<</Type/Font/Subtype/Type1/BaseFont/T/Encoding<</Differences[1/g23/g7/g99/g12]>>>>"
    parsed = page(pdf, font, bytes([1, 2, 3, 4]))
    assert (parsed.state, parsed.text) == (State.NO_TEXT, "")


def test_missing_font() -> None:
    """Text in a font the page does not define is read as viewers show it."""
    pdf = Pdf()
    pdf.page("BT /Nowhere 12 Tf 50 700 Td (still here) Tj ET")
    assert read(pdf).text == "still here\n"


def test_chinese_bytes_in_a_latin_font() -> None:
    """GBK bytes shown through a single-byte font are read as Chinese, and that is said."""
    pdf = Pdf()
    lines = ["关于员工休假的规定", "年假申请须提前三个工作日提交"]
    shown = " T* ".join(f"<{line.encode('gbk').hex()}> Tj" for line in lines)
    font = "<</Type/Font/Subtype/TrueType/BaseFont/Song/Encoding/WinAnsiEncoding>>"
    pdf.page(f"BT /F2 12 Tf 14 TL 50 700 Td {shown} ET", fonts={"F2": font})
    parsed = read(pdf)
    assert parsed.state is State.WARNED
    assert parsed.text == "\n".join(lines) + "\n"


@pytest.mark.parametrize("text", ["Été à Nîmes, déjà vu; Müßiggang für Öl", "naïve café £100 ± 5 µm ½ §12 «citation»"])
def test_latin_letters_stay(text: str) -> None:
    """Accented European text is not taken for Chinese bytes."""
    pdf = Pdf()
    font = "<</Type/Font/Subtype/TrueType/BaseFont/Sans/Encoding/WinAnsiEncoding>>"
    parsed = page(pdf, font, text.encode("cp1252"))
    assert (parsed.state, parsed.text) == (State.INDEXED, text + "\n")


def test_codes_said_to_be_unicode() -> None:
    """A /ToUnicode that is the name Identity-H says that the codes are Unicode."""
    pdf = Pdf()
    font = composite(pdf, to_unicode="/Identity-H", embedded=True)
    assert page(pdf, font, "Všechna přání 年假".encode("utf-16-be")).text == "Všechna přání 年假\n"


def test_map_based_on_a_collection() -> None:
    """A /ToUnicode that changes a collection's map keeps the rest of it; one with CID ranges is a map too."""
    pdf = Pdf()
    based = pdf.stream(b"/Adobe-Korea1-UCS2 usecmap begincmap endcmap")
    assert page(pdf, composite(pdf, to_unicode=f"{based} 0 R", embedded=True), b"\x04\x3e").text == "가\n"
    pdf = Pdf()
    ranged = pdf.stream(b"1 begincidrange <0020> <007E> 32 endcidrange")
    own = pdf.stream(b"begincodespacerange <00> <ff> endcodespacerange begincidrange <20> <7e> 32 endcidrange")
    font = composite(pdf, encoding=f"{own} 0 R", to_unicode=f"{ranged} 0 R", embedded=True)
    assert page(pdf, font, b"plain").text == "plain\n"


def test_variable_length_codes() -> None:
    """UTF-8 codes by a CMap in the file are cut by its code spaces before they are looked up."""
    pdf = Pdf()
    own = pdf.stream(b"2 begincodespacerange <00> <7f> <c080> <dfbf> endcodespacerange")
    meaning = pdf.stream(b"2 beginbfrange <41> <5A> <0041> <d090> <d0af> <0410> endbfrange")
    font = composite(pdf, encoding=f"{own} 0 R", to_unicode=f"{meaning} 0 R", embedded=True)
    assert page(pdf, font, "AМАССАZ".encode()).text == "AМАССАZ\n"


def test_differences_before_the_font_file() -> None:
    """The font's own /Differences come before the encoding in its file, and the file's before the standard."""
    pdf = Pdf()
    program = pdf.stream(b"%!PS-AdobeFont\n/Encoding 256 array\ndup 65 /zeta put\ndup 66 /omega put\neexec")
    descriptor = pdf.add(f"<</Type/FontDescriptor/FontName/T/Flags 4/FontBBox[0 0 1 1]/FontFile {program} 0 R>>")
    font = (
        "<</Type/Font/Subtype/Type1/BaseFont/T/Encoding<</Differences[65/L/a]>>"
        f"/FontDescriptor {descriptor} 0 R/FirstChar 65/LastChar 67/Widths[500 500 500]>>"
    )
    pdf.page("BT /F2 12 Tf 50 700 Td (AB) Tj ET", fonts={"F2": font})
    pdf.page("BT /F2 12 Tf 50 700 Td (AB) Tj ET", fonts={"F2": font.replace("/L/a", "/L")})
    assert [section.text for section in read(pdf).sections] == ["La\n", "Lω\n"]


def test_names_that_are_character_codes() -> None:
    """Counting names that spell text by their numbers are read, also beside a map that leaves them out."""
    for names, text in [("1/G4B/G61/G72/G65/G6C", "Karel"), ("1/C71/C97/C114/C121", "Gary")]:
        pdf = Pdf()
        font = f"<</Type/Font/Subtype/Type1/BaseFont/T/Encoding<</Differences[{names}]>>>>"
        assert page(pdf, font, bytes(range(1, len(text) + 1))).text == text + "\n"


def test_font_in_ruins() -> None:
    """A font whose map cannot be had costs neither the page nor the file."""
    pdf = Pdf()
    broken = pdf.add(b"<</Filter/FlateDecode/Length 4>>\nstream\nJUNK\nendstream")
    pdf.page(
        "BT /F2 12 Tf 50 700 Td (legible) Tj ET", fonts={"F2": f"<</Type/Font/Subtype/Type1/ToUnicode {broken} 0 R>>"}
    )
    assert read(pdf).text == "legible\n"


PROSE = (
    "This department keeps the records of every purchase, and answers questions about them. Requests "
    "are sent by mail before noon and answered within three days; urgent ones are marked as such."
)


def shifted(text: str) -> bytes:
    """The text as glyph numbers of a typical TrueType subset, 29 below the letters."""
    return bytes((ord(char) - 29) % 256 for char in text)


def test_letters_in_the_order_of_a_subset() -> None:
    """Text that only a font program explains comes out as random letters: that is said."""
    pdf = Pdf()
    file = pdf.stream(b"not a font")
    descriptor = pdf.add(f"<</Type/FontDescriptor/FontName/T/Flags 4/FontBBox[0 0 1 1]/FontFile2 {file} 0 R>>")
    font = f"<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+T/FontDescriptor {descriptor} 0 R>>"
    lines = " T* ".join(f"<{shifted(line).hex()}> Tj" for line in PROSE.split(" "))
    pdf.page(f"BT /F2 12 Tf 14 TL 50 800 Td {lines} ET", fonts={"F2": font})
    parsed = read(pdf)
    assert parsed.state is State.WARNED
    assert "nreadable font" in str(parsed.notes[0])


@pytest.mark.parametrize(
    "text",
    [PROSE, "Größe: Überprüfung der Öffnungszeiten " * 5, "RC0402FR-07 10KL M4x10 DIN7984 PN16 DN50 Valve G1/2 " * 6],
)
def test_words_and_part_numbers_are_no_warning(text: str) -> None:
    """Prose and part numbers in fonts that say what they show warn nobody."""
    pdf = Pdf()
    font = "<</Type/Font/Subtype/TrueType/BaseFont/Sans/Encoding/WinAnsiEncoding>>"
    assert page(pdf, font, text.encode("cp1252")).state is State.INDEXED
