"""RTF: characters of every code page, and only what a person sees."""

from __future__ import annotations

import contextlib
import time

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.rtf import parse

LIMITS = ParseLimits()


def read(body: str | bytes, head: str = "\\ansi\\ansicpg1252") -> Parsed:
    inner = body if isinstance(body, bytes) else body.encode("latin-1")
    return parse(b"{\\rtf1" + head.encode() + b" " + inner + b"}", LIMITS)


def text(body: str | bytes, head: str = "\\ansi\\ansicpg1252") -> str:
    return read(body, head).text


def escaped(words: str, codec: str) -> str:
    return "".join(f"\\'{byte:02x}" for byte in words.encode(codec))


@pytest.mark.parametrize(
    ("words", "codec", "page"),
    [("年假管理办法", "gbk", 936), ("員工手冊", "big5", 950), ("就業規則", "cp932", 932), ("Привет", "cp1251", 1251)],
)
def test_the_code_page_of_the_document(words: str, codec: str, page: int) -> None:
    """Escaped or raw bytes, whole characters though each byte stands alone."""
    assert text(escaped(words, codec), f"\\ansi\\ansicpg{page}") == words + "\n"
    if not {0x5C, 0x7B, 0x7D} & set(words.encode(codec)):
        assert text(words.encode(codec), f"\\ansi\\ansicpg{page}") == words + "\n"


def test_the_character_set_of_the_font() -> None:
    """Each font has its own, whatever the document's code page; ``\\plain`` goes back to the default font."""
    fonts = "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset134 SimSun;}{\\f2\\fcharset204 Arial Cyr;}}"
    words = f"\\f1 {escaped('制度', 'gbk')}{{\\f2 {escaped('Да', 'cp1251')}}}\\plain\\'e9"
    assert text(fonts + words, "\\ansi\\ansicpg1252\\deff0") == "制度Даé\n"


def test_a_font_called_ansi_may_be_anything() -> None:
    """Generators call every font ANSI and mean the code page of the document."""
    assert text("{\\fonttbl{\\f0\\fcharset0 SimSun;}}\\f0 " + escaped("制度", "gbk"), "\\ansi\\ansicpg936") == "制度\n"


def test_a_code_page_that_does_not_exist() -> None:
    """Is taken for the Western one."""
    assert text("caf\\'e9", "\\ansi\\ansicpg12") == "café\n"


def test_a_trail_byte_may_be_a_letter() -> None:
    """The second byte of a double-byte character is often written as a plain ASCII character."""
    assert text("\\'94\\'4e \\'94N", "\\ansi\\ansicpg932") == "年 年\n"


def test_unicode_escapes_replace_their_fallback() -> None:
    """As many characters are skipped as ``\\uc`` says; halves of a pair are joined, lone ones marked."""
    assert text("\\uc1\\u24180?a\\uc2\\u24180\\'94\\'4eb\\uc0\\u24180c") == "年a年b年c\n"
    assert text("{\\uc0 \\u-10187\\u-8704}x") == "\U0001d600x\n"
    assert text("\\uc0\\u-10240 x") == "\ufffdx\n"
    assert text("{\\uc2\\u8220\\'a1\\'b0}\\u8221?z") == "“”z\n"


def test_symbol_fonts() -> None:
    """Letters of a symbol font are what they look like."""
    assert text("{\\fonttbl{\\f3\\fcharset2 Wingdings;}}\\f3\\'fc\\f0 ok") == "✓ok\n"


def test_what_is_no_text() -> None:
    """Tables of fonts and colours, pictures, unknown optional groups, hidden and deleted text, comments."""
    body = (
        "{\\colortbl;\\red0\\green0\\blue0;}{\\*\\generator Word;}{\\pict\\wmetafile8 0102ff}{\\*\\unknown x}"
        "a{\\v hidden}{\\deleted gone}{\\*\\annotation {\\atnid n}comment}{\\xe index}b\\v h\\v0 c"
    )
    assert text(body) == "abc\n"


def test_binary_data_is_skipped_whole() -> None:
    """``\\bin`` counts bytes, braces among them."""
    assert text(b"a{\\pict\\bin5 }}}{{}b") == "ab\n"
    assert text(b"a{\\pict\\bin99999999 xx") == "a\n"


def test_fields_show_their_result() -> None:
    """The instruction is no text."""
    field = '{\\field{\\*\\fldinst {HYPERLINK "http://x"}}{\\fldrslt {see here}}}'
    assert text(f"a {field} b") == "a see here b\n"


def test_headings_come_from_styles_and_outline_levels() -> None:
    """By the name of the style (also of one it is based on) or by the level."""
    sheet = "{\\stylesheet{\\s1 heading 1;}{\\s2\\sbasedon1 own;}{\\s7 Title;}}"
    body = "{\\pard\\s7 手册\\par}{\\pard\\s1 A\\par}x\\par{\\pard\\outlinelevel1 B\\par}y\\par{\\pard\\s2 C\\par}"
    parsed = read((sheet + body).encode("gbk"), "\\ansi\\ansicpg936")
    assert [(s.headings, s.text) for s in parsed.sections] == [
        ((), "手册\n"),
        (("A",), "A\nx\n"),
        (("A", "B"), "B\ny\n"),
        (("C",), "C\n"),
    ]
    assert parsed.title == "手册"


def test_title_and_label_from_properties() -> None:
    """The information group and the user's own properties, none of which is text."""
    info = "{\\info{\\title Report}{\\author Li}{\\*\\company X}}"
    own = "{\\*\\userprops{\\propname Version}\\proptype30{\\staticval 3.1}}"
    parsed = read(info + own + "body")
    assert (parsed.title, parsed.label, parsed.text) == ("Report", "3.1", "body\n")
    twice = "{\\info{\\upr{\\title ??}{\\*\\ud\\uc0{\\title \\u24180 \\u20551 }}}}b"
    assert (read(twice).title, read(twice).text) == ("年假", "b\n")


def row(*cells: str, before: str = "") -> str:
    return f"\\trowd{before}\\cellx1\\pard\\intbl " + "".join(f"{c}\\cell " for c in cells) + "\\row\n"


def test_tables() -> None:
    """One row a line; the paragraphs of a cell on one line; the header as lead; text goes on after it."""
    body = (
        "before\\par "
        + row("h1", "h2", before="\\trhdr")
        + row("a\\par b", "c")
        + row("", "d", "")
        + "\\pard after\\par"
    )
    assert [(s.kind, s.text, s.lead) for s in read(body).sections] == [
        ("text", "before\n", ""),
        ("table", "h1 | h2\na b | c\n| d\n", "h1 | h2\n"),
        ("text", "after\n", ""),
    ]


def test_the_first_of_three_rows_is_the_header() -> None:
    """Of two rows it is not."""
    assert read(row("a", "b") + row("c", "d") + row("e", "f")).sections[0].lead == "a | b\n"
    assert read(row("a", "b") + row("c", "d")).sections[0].lead == ""


def test_a_table_in_a_cell() -> None:
    """Its rows stand in their place."""
    nested = (
        "\\itap2\\intbl n1\\nestcell n2\\nestcell{\\*\\nesttableprops\\trowd\\cellx1\\nestrow}{\\nonesttables\\par}"
        "\\pard\\intbl\\itap1 below"
    )
    assert text(row("left", "above\\par " + nested)).splitlines() == ["left | above", "n1 | n2", "below"]


def test_lists_have_their_numbers() -> None:
    """Numbers are written out by the program; bullets are no text."""
    number = "{\\listtext\\pard\\plain 1.\\tab}"
    bullet = "{\\listtext\\f3\\'b7\\tab}"
    assert text(f"{number}one\\par {bullet}two\\par {{\\pntext 3)\\tab}}three\\par") == "1. one\ntwo\n3) three\n"


def test_notes_follow_their_paragraph() -> None:
    """Footnotes after the paragraph, endnotes after the body."""
    body = "a{\\footnote \\pard note\\par}b\\par c{\\footnote\\ftnalt end}\\par d\\par"
    assert text(body) == "ab\nnote\nc\nd\nend\n"


def test_headers_first_and_footers_last_once() -> None:
    """Repeated lines once, page numbers not at all."""
    margin = "{\\header 密级：内部\\par}{\\headerf 密级：内部\\par}{\\footer {\\field{\\*\\fldinst PAGE}{\\fldrslt 3}}\\par 公司\\par}"
    assert text((margin + "正文\\par").encode("gbk"), "\\ansi\\ansicpg936") == "密级：内部\n正文\n公司\n"


def test_text_boxes_once() -> None:
    """The box of the shape, not its copy for old readers."""
    box = "{\\shp{\\*\\shpinst{\\sp{\\sn shapeType}{\\sv 202}}{\\shptxt\\pard boxed\\par}}{\\shprslt{\\*\\do{\\dptxbxtext boxed\\par}}}}"
    assert text(f"a{box}b\\par c") == "ab\nboxed\nc\n"
    art = "{\\shp{\\*\\shpinst{\\sp{\\sn gtextUNICODE}{\\sv ART}}}}"
    assert text(f"a{art}\\par b") == "a\nART\nb\n"


def test_embedded_objects_are_said() -> None:
    """Their picture's text is read, their data is not."""
    parsed = read("a{\\object\\objemb{\\*\\objclass Excel.Sheet.8}{\\*\\objdata 0105}{\\result shown}}")
    assert parsed.text == "ashown\n"
    assert parsed.state is State.WARNED
    assert "Excel.Sheet.8" in str(parsed.notes[0])


def test_a_file_cut_off_is_said() -> None:
    """What is there is read."""
    parsed = parse(b"{\\rtf1\\ansi\\pard first\\par sec", LIMITS)
    assert parsed.text == "first\nsec\n"
    assert parsed.state is State.WARNED


def test_what_follows_the_document_is_not_read() -> None:
    """Mail gateways and editors leave bytes behind the last brace."""
    assert parse(b"{\\rtf1\\ansi a}\0\0junk{", LIMITS).text == "a\n"


def test_nothing_to_read() -> None:
    """An empty document, and one of pictures."""
    assert read("\\pard\\par").state is State.NO_TEXT
    assert "pictures" in str(read("{\\pict 00}").notes[0])
    with pytest.raises(ParseRefused, match="no RTF"):
        parse(b"hello", LIMITS)


def test_the_output_is_bounded() -> None:
    """More text than the limit is refused."""
    with pytest.raises(ParseRefused, match="longer than the limit"):
        parse(b"{\\rtf1 " + b"abcdefghij" * 100 + b"}", ParseLimits(output_chars=500))


@pytest.mark.parametrize(
    "unit", [b"{", b"}", b"\\", b"\\'", b"\\u1", b"\\bin1", b"\\cell", b"{\\*", b"a", b"\\par", b"{\\footnote"]
)
def test_time_is_linear_on_hostile_files(unit: bytes) -> None:
    """Half a megabyte of any unit is read in seconds, or refused."""
    begin = time.process_time()
    with contextlib.suppress(ParseRefused):
        parse(b"{\\rtf1 " + unit * (500_000 // len(unit)), LIMITS)
    assert time.process_time() - begin < 15
