"""What a Word paragraph says: every character a reader of the page sees, once, and nothing else."""

from __future__ import annotations

import docx_builder as b
import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse.docx import parse

STYLES = b.part(
    "styles",
    b.style("Hidden", "hidden par", "<w:rPr><w:vanish/></w:rPr>")
    + b.style("HiddenChild", "hidden child", based_on="Hidden")
    + b.style("Secret", "secret", "<w:rPr><w:vanish/></w:rPr>", kind="character"),
)


def read(*body: str, **options: object) -> Parsed:
    return parse(b.docx(*body, **options), ParseLimits())  # type: ignore[arg-type]


def text(*body: str, **options: object) -> str:
    parsed = read(*body, **options)
    assert all(s.text.endswith("\n") for s in parsed.sections)
    assert parsed.state is State.INDEXED, parsed.notes
    return parsed.text


def styled(*body: str) -> str:
    return text(*body, parts={"styles.xml": ("styles", STYLES)})


def test_paragraphs_are_lines() -> None:
    """One paragraph, one line; empty ones leave none."""
    assert text(b.para("one"), b.para(), b.para("two")) == "one\ntwo\n"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>", "a\tb"),
        ("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>", "a\nb"),
        ("<w:r><w:t>a</w:t><w:cr/><w:t>b</w:t></w:r>", "a\nb"),
        ("<w:r><w:t>a</w:t><w:ptab/><w:t>b</w:t></w:r>", "a\tb"),
        ("<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t></w:r>", "e-mail"),
        ("<w:r><w:t>hy</w:t><w:softHyphen/><w:t>phen</w:t></w:r>", "hyphen"),
        ("<w:r><w:t>a</w:t></w:r><w:proofErr w:type='spellStart'/><w:r><w:t>b</w:t></w:r>", "ab"),
        ("<w:hyperlink r:id='rId9'><w:r><w:t>link</w:t></w:r></w:hyperlink>", "link"),
        ("<w:smartTag><w:smartTag><w:r><w:t>tag</w:t></w:r></w:smartTag></w:smartTag>", "tag"),
        ("<w:customXml><w:r><w:t>own</w:t></w:r></w:customXml>", "own"),
        ("<w:bdo w:val='rtl'><w:r><w:t>bidi</w:t></w:r></w:bdo>", "bidi"),
        ("<w:dir w:val='ltr'><w:r><w:t>dir</w:t></w:r></w:dir>", "dir"),
        ("<w:r><w:t>\n    pretty\n  printed\n </w:t></w:r>", "pretty printed"),
        ("<w:r><w:commentReference w:id='1'/><w:annotationRef/></w:r><w:r><w:t>x</w:t></w:r>", "x"),
        ("<w:r><w:delText>gone</w:delText><w:t>x</w:t></w:r>", "x"),
    ],
)
def test_run_content(inner: str, expected: str) -> None:
    """Each element that shows something is written, each that shows nothing is not."""
    assert text(f"<w:p>{inner}</w:p>") == expected + "\n"


@pytest.mark.parametrize(
    ("font", "char", "expected"),
    [
        ("Wingdings", "F0FE", "☒"),
        ("Wingdings", "F0A8", "☐"),
        ("Wingdings", "F0FC", "✓"),
        ("Wingdings 2", "0052", "☑"),
        ("Wingdings 2", "F0A3", "☐"),
        ("Symbol", "F061", "α"),
        ("Symbol", "F0B3", "≥"),
        ("Symbol", "F0AE", "→"),
        ("Arial", "00E9", "é"),
        ("Unknown Dingbats", "F041", ""),
        ("Arial", "zz", ""),
    ],
)
def test_symbols(font: str, char: str, expected: str) -> None:
    """w:sym is the character it looks like; a picture without a counterpart is nothing."""
    sym = f'<w:r><w:sym w:font="{font}" w:char="{char}"/></w:r>'
    assert text(b.para("x", sym)) == f"x{expected}\n"


def test_text_set_in_a_symbol_font() -> None:
    """Letters and private characters of a symbol font become what they look like; Chinese text stays."""
    fonts = '<w:rFonts w:ascii="{0}" w:hAnsi="{0}"/>'
    assert text(b.para(b.run("\uf061b", fonts.format("Symbol")))) == "αβ\n"
    assert text(b.para(b.run("\uf0fe同意", fonts.format("Wingdings")))) == "☒同意\n"
    assert text(b.para(b.run("abc", fonts.format("Arial")))) == "abc\n"


# ---- hidden text -------------------------------------------------------------------------


def test_hidden_runs_are_left_out() -> None:
    """w:vanish hides, w:webHidden does not, val=0 switches it off."""
    body = b.para(
        "a", b.run("HID", "<w:vanish/>"), b.run("b", "<w:webHidden/>"), b.run("c", '<w:vanish w:val="false"/>')
    )
    assert text(body) == "abc\n"


def test_hidden_by_style() -> None:
    """A hidden paragraph style, one based on it, and a hidden character style; a direct "off" wins."""
    shown = b.run("shown", '<w:vanish w:val="0"/>')
    body = (
        b.para("HID", style="Hidden"),
        b.para("HID", style="HiddenChild"),
        b.para("seen ", b.run("HID", '<w:rStyle w:val="Secret"/>')),
        b.para(shown, style="Hidden"),
    )
    assert styled(*body) == "seen\nshown\n"


def test_hidden_by_both_styles_is_shown() -> None:
    """Toggle properties of a character and a paragraph style cancel each other (17.7.3)."""
    assert styled(b.para(b.run("shown", '<w:rStyle w:val="Secret"/>'), style="Hidden")) == "shown\n"


def test_hidden_by_default() -> None:
    """Document defaults may hide everything that does not say otherwise."""
    defaults = b.part(
        "styles", "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>"
    )
    body = b.para("HID", b.run("shown", '<w:vanish w:val="0"/>'))
    assert text(body, parts={"styles.xml": ("styles", defaults)}) == "shown\n"


def test_hidden_paragraph_end_joins() -> None:
    """A hidden paragraph mark continues the line; a style separator keeps heading and text apart."""
    vanish = "<w:rPr><w:vanish/></w:rPr>"
    assert text(b.para("one ", properties=vanish), b.para("two")) == "one two\n"
    separator = "<w:rPr><w:vanish/><w:specVanish/></w:rPr>"
    assert text(b.para("Run-in head.", properties=separator), b.para("Body")) == "Run-in head.\nBody\n"


# ---- tracked changes ---------------------------------------------------------------------


def test_changes_are_read_as_accepted() -> None:
    """Insertions and move targets stay; deletions and move sources go, however they are nested."""
    body = b.para(
        f"<w:ins>{b.run('new ')}<w:del><w:r><w:delText>NO</w:delText></w:r></w:del></w:ins>",
        f"<w:del>{b.run('NO')}</w:del>",
        f"<w:moveFrom>{b.run('NO')}</w:moveFrom>",
        f"<w:moveTo>{b.run('moved')}</w:moveTo>",
        f"<w:hyperlink><w:del>{b.run('NO')}</w:del><w:ins>{b.run(' link')}</w:ins></w:hyperlink>",
    )
    assert text(body) == "new moved link\n"


def test_deleted_paragraph_mark_joins_paragraphs() -> None:
    """Accepting the deletion of a paragraph's end leaves one paragraph, also when its text went too."""
    gone = "<w:rPr><w:del/></w:rPr>"
    assert text(b.para("one ", properties=gone), b.para("two")) == "one two\n"
    assert text(b.para(f"<w:del>{b.run('NO')}</w:del>", properties=gone), b.para("two")) == "two\n"
    assert text(b.para("last", properties=gone)) == "last\n"
    moved = "<w:rPr><w:moveFrom/></w:rPr>"
    assert text(b.para(f"<w:moveFrom>{b.run('NO')}</w:moveFrom>", properties=moved), b.para("x")) == "x\n"


def test_former_properties_are_not_read() -> None:
    """What a formatting change replaced (pPrChange) decides nothing."""
    change = f'<w:pPrChange><w:pPr>{b.numbered(0)}<w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>'
    parts = {"numbering.xml": ("numbering", b.numbering(b.level(0, "%1.")))}
    parsed = read(b.para("plain", properties=change), parts=parts)
    assert parsed.text == "plain\n"
    assert parsed.sections[0].headings == ()


def test_a_table_deletion_that_would_empty_the_document_is_held() -> None:
    """A pending deletion of most of the text is kept and said; an ordinary one is accepted."""
    gone = b.row(
        b.cell(b.para("<w:del><w:r><w:delText>application form of the applicant</w:delText></w:r></w:del>")),
        "",
        properties="<w:del/>",
    )
    held = read(b.para("Title"), b.table(gone, gone))
    assert held.state is State.WARNED
    assert held.text.count("application form") == 2
    kept = read(b.para("A much longer text that remains, and remains the most of the document " * 3), b.table(gone))
    assert kept.state is State.INDEXED
    assert "application" not in kept.text


# ---- fields ------------------------------------------------------------------------------


SEPARATE = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
END = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'


def opened(instruction: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{instruction}</w:instrText></w:r>'


def test_field_results_are_text_instructions_are_not() -> None:
    """Complex and simple fields, nested ones and fields over several paragraphs."""
    nested = b.field(" IF ", b.run("x "), b.field("MERGEFIELD name", "Li"))
    assert text(b.para("a ", b.field("REF _x \\h", "Section 3"), " b")) == "a Section 3 b\n"
    assert text(b.para('<w:fldSimple w:instr="AUTHOR">' + b.run("Li") + "</w:fldSimple>")) == "Li\n"
    assert text(b.para(nested)) == "x Li\n"
    inner = opened("IF ")
    inner += b.field("MERGEFIELD x", "HIDDEN") + "<w:r><w:instrText> = 1</w:instrText></w:r>"
    inner += SEPARATE + b.run("yes") + END
    assert text(b.para(inner)) == "yes\n"
    start = opened("TOC") + SEPARATE
    assert text(b.para(start, "One 1"), b.para("Two 2"), b.para(END)) == "One 1\nTwo 2\n"


def test_index_entries_show_nothing() -> None:
    """Fields without a result (XE, TC) leave no trace."""
    assert text(b.para("a", b.field('XE "SECRET"', separate=False), "b")) == "ab\n"


def test_a_field_without_end_swallows_nothing() -> None:
    """A begin mark that is never closed, alone or inside another field, is ignored."""
    begin = opened("PAGE")
    assert text(b.para(begin, "one"), b.para("two")) == "one\ntwo\n"
    assert text(b.para(b.field("REF a", begin, "in"), " out"), b.para("two")).split() == ["in", "out", "two"]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("MACROBUTTON NoMacro [click here]", "[click here]"),
        ("GOTOBUTTON x Go there", "Go there"),
        ('SYMBOL 168 \\f "Wingdings"', "☐"),
        ("SYMBOL 0xFE \\f Wingdings", "☒"),
        ("SYMBOL zz", ""),
        ("eq \\o\\ac(○,3)", "③"),
        ("EQ \\f(1,2)", "1/2"),
        ("EQ \\r(3,x)", "3x"),
        ("PAGE", ""),
    ],
)
def test_fields_that_show_their_instruction(instruction: str, expected: str) -> None:
    """The few fields Word prints without storing a result."""
    assert text(b.para("a", b.field(instruction, separate=False), "b")) == f"a{expected}b\n"


def test_legacy_form_fields() -> None:
    """Check boxes and drop-down lists keep their value in the field's data."""

    def form(data: str, result: str = "") -> str:
        return (
            f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
            "<w:r><w:instrText>FORM</w:instrText></w:r>"
            f"{SEPARATE}{result}{END}"
        )

    on = form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')
    off = form('<w:checkBox><w:default w:val="0"/></w:checkBox>')
    chosen = form('<w:ddList><w:result w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/></w:ddList>')
    given = form("<w:textInput/>", b.run("typed"))
    assert text(b.para(on, off, chosen, given)) == "☒☐Btyped\n"


# ---- controls ----------------------------------------------------------------------------


def test_content_controls_are_transparent() -> None:
    """Block, inline, nested, with a picture beside the text."""
    picture = "<w:r><w:drawing><wp:inline><a:graphic><a:blip/></a:graphic></wp:inline></w:drawing></w:r>"
    body = (
        b.control(b.para(picture) + b.control(b.para("Cover"))),
        b.para("Name: ", b.control(b.control(b.run("Li"))), " end"),
    )
    assert text(*body) == "Cover\nName: Li end\n"


def test_checkbox_control() -> None:
    """The glyph in the control, or its state where the glyph is missing."""
    state = '<w14:checkbox><w14:checked w14:val="{}"/></w14:checkbox>'
    assert text(b.para(b.control(b.run("☒"), state.format(1)), " yes")) == "☒ yes\n"
    assert text(b.para(b.control("", state.format(1)), b.control("", state.format(0)))) == "☒☐\n"


STORE = "{11111111-2222-3333-4444-555555555555}"


@pytest.mark.parametrize(
    ("xpath", "extra", "cached", "expected"),
    [
        ("/x:data[1]/x:name[1]", "<w:showingPlcHdr/>", "Click here", "bound Li"),
        ("/x:data[1]/x:name[1]", "<w:text/>", "stale", "bound Li"),
        ("/x:data[1]/x:name[2]", "", "", "second"),
        ("/x:data[1]/@x:id", "", "", "A7"),
        ("/x:data[1]/x:name[1]", "<w:date/>", "1 May", "1 May"),
        ("/x:data[1]/x:none[1]", "", "cached", "cached"),
        ("count(//x:name)", "", "cached", "cached"),
    ],
)
def test_bound_controls_show_the_data(xpath: str, extra: str, cached: str, expected: str) -> None:
    """Word shows the bound data part; the copy counts where the binding finds nothing or is translated."""
    binding = f'<w:dataBinding w:prefixMappings="xmlns:x=\'urn:x\'" w:xpath="{xpath}" w:storeItemID="{STORE.lower()}"/>'
    data = '<x:data xmlns:x="urn:x" x:id="A7"><x:name>bound Li</x:name><x:name>second</x:name></x:data>'
    properties = (
        '<ds:datastoreItem xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml" '
        f'ds:itemID="{STORE}"/>'
    )
    control = b.control(b.run(cached), extra + binding)
    result = text(
        b.para("v: ", control),
        b.control(b.para(cached), extra + binding),
        parts={"../customXml/item1.xml": ("customXml", "")},
        extra={
            "customXml/item1.xml": data,
            "customXml/itemProps1.xml": properties,
            "customXml/_rels/item1.xml.rels": b.relations([("rId1", "customXmlProps", "itemProps1.xml")]),
        },
    )
    assert result == f"v: {expected}\n{expected}\n"


# ---- boxes, formulas, readings -----------------------------------------------------------


def test_text_boxes_once() -> None:
    """Of the two copies of a box one is read, after its paragraph; old VML boxes are read too."""
    assert text(b.para("before ", b.box(b.para("box")), "after"), b.para("next")) == "before after\nbox\nnext\n"
    assert text(b.para(f"<w:r>{b.old_box(b.para('old box'))}</w:r>")) == "old box\n"
    assert text(b.para(b.box(b.para(b.box(b.para("inner")), "outer")))) == "outer\ninner\n"


def test_fallback_is_read_when_the_modern_branch_says_nothing() -> None:
    """An empty mc:Choice does not hide the text of the mc:Fallback; blocks have branches too."""
    pair = b.alternate("<w:drawing/>", b.old_box(b.para("kept")))
    assert text(b.para(f"<w:r>{pair}</w:r>")) == "kept\n"
    assert text(b.alternate(b.para("new"), b.para("old"))) == "new\n"
    assert text(b.para(b.alternate(b.run("new"), b.run("old")))) == "new\n"


def test_word_art_and_drawn_shapes() -> None:
    """VML WordArt keeps its text in an attribute, a locked canvas in DrawingML paragraphs."""
    art = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'
    words = "<a:p><a:r><a:t>sha</a:t></a:r><a:r><a:t>pe</a:t></a:r></a:p>"
    canvas = f"<w:r><w:drawing><a:sp><a:txBody>{words}</a:txBody></a:sp></w:drawing></w:r>"
    assert text(b.para(art), b.para(canvas)) == "DRAFT\nshape\n"


def test_hidden_drawings_are_left_out() -> None:
    """A drawing switched to hidden, in either notation."""
    inner = f'<wp:docPr id="1" name="n" hidden="1"/><w:txbxContent>{b.para("HID")}</w:txbxContent>'
    new = f"<w:r><w:drawing><wp:anchor>{inner}</wp:anchor></w:drawing></w:r>"
    old = f"<w:r>{b.old_box(b.para('HID'), 'position:absolute; visibility: hidden')}</w:r>"
    assert text(b.para("x", new, old)) == "x\n"


def test_ruby_keeps_the_word_whole() -> None:
    """The base stays in its sentence, the reading stands at the end."""
    reading, base = f"<w:rt>{b.run('とうきょう')}</w:rt>", f"<w:rubyBase>{b.run('東京')}</w:rubyBase>"
    ruby = f"<w:r><w:ruby><w:rubyPr/>{reading}{base}</w:ruby></w:r>"
    assert text(b.para(ruby, "都の中心")) == "東京都の中心 (とうきょう)\n"


def m(name: str, *inner: str) -> str:
    """An element of a formula; characters become a math run."""
    return f"<m:{name}>{''.join(x if x.startswith('<') else f'<m:r><m:t>{x}</m:t></m:r>' for x in inner)}</m:{name}>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (m("oMath", "E=m", m("sSup", m("e", "c"), m("sup", "2"))), "E=mc^2"),
        (m("oMath", m("f", m("num", "a"), m("den", "b"))), "a/b"),
        (m("oMath", m("d", "<m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr>", m("e", "x"))), "[x]"),
        (m("oMath", m("d", m("e", "x"), m("e", "y"))), "(x|y)"),
        (m("oMath", m("rad", "<m:deg/>", m("e", "2"))), "√2"),
        (m("oMath", m("nary", "<m:naryPr><m:chr m:val='∑'/></m:naryPr>", m("sub", "i"), m("e", "x"))), "∑_ix"),
        (m("oMath", m("m", m("mr", m("e", "1"), m("e", "0")), m("mr", m("e", "0"), m("e", "1")))), "1 0 0 1"),
    ],
)
def test_formulas(formula: str, expected: str) -> None:
    """Formulas are written on the line, in a paragraph of their own, or loose in the body."""
    assert text(b.para("f: ", formula)) == f"f: {expected}\n"
    assert text(f"<m:oMathPara>{formula}</m:oMathPara>") == f"{expected}\n"


def test_drop_cap_joins_its_word() -> None:
    """A drop cap is a paragraph of its own in the file and a letter of the next one on the page."""
    cap = b.para("O", properties='<w:framePr w:dropCap="drop" w:lines="3"/>')
    assert text(cap, b.para("nce upon a time")) == "Once upon a time\n"


def test_loose_runs_are_not_lost() -> None:
    """Generators put runs where only paragraphs may stand."""
    assert text(b.run("loose"), b.para("next")) == "loose\nnext\n"
