"""A document with a bit of everything, broken at random: it is read or refused, never a crash."""

from __future__ import annotations

import copy
import random

import docx_builder as b
import pytest
from lxml import etree

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits
from indexer.parse.docx import parse

NUMBERING = b.numbering(
    b.level(0, "第%1条", "chineseCounting", extra='<w:pStyle w:val="H"/>'),
    b.level(1, "%1.%2", extra='<w:lvlRestart w:val="1"/><w:isLgl/>'),
    nums='<w:num w:numId="1"><w:abstractNumId w:val="0"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride></w:num>',
)
STYLES = b.part(
    "styles", b.style("H", "heading 1", f"<w:pPr>{b.numbered(None)}</w:pPr>") + b.style("B", "b", based_on="H")
)
BODY = (
    b.para("Head", style="H"),
    b.para("text ", b.field("PAGE", "3"), b.box(b.para("box")), properties=b.numbered(1)),
    b.para(f"<w:ins>{b.run('new')}</w:ins><w:del>{b.run('old')}</w:del>", properties="<w:rPr><w:del/></w:rPr>"),
    b.table(
        b.row(b.cell("wide", properties='<w:gridSpan w:val="2"/>')),
        b.row(b.cell("a", properties='<w:vMerge w:val="restart"/>'), b.cell(b.table(b.row("x", "y")))),
        b.row(b.cell("", properties="<w:vMerge/>"), b.control(b.cell("c"))),
    ),
    b.control(b.para("control ", b.control(b.run("inner"), "<w14:checkbox/>"))),
    b.para('<w:r><w:footnoteReference w:id="2"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'),
    b.para("<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den/></m:f></m:oMath>"),
)
PARTS = {
    "numbering.xml": ("numbering", NUMBERING),
    "styles.xml": ("styles", STYLES),
    "footnotes.xml": ("footnotes", b.part("footnotes", f'<w:footnote w:id="2">{b.para("note")}</w:footnote>')),
    "header1.xml": ("header", b.part("hdr", b.para("margin ", b.field("PAGE", "1")))),
}
VALUES = ("", "-1", "99999999999999999999", "x", "0", "true", "1.5")


def mutate(xml: str, dice: random.Random) -> str:
    """The part with up to twelve elements removed, copied, renamed, or given other attributes."""
    root = etree.fromstring(xml.encode())
    for _ in range(dice.randint(1, 12)):
        elements = list(root.iter())
        element, other = dice.choice(elements), dice.choice(elements)
        parent = element.getparent()
        action = dice.randrange(5)
        if action == 0 and parent is not None:
            parent.remove(element)
        elif action == 1:
            element.append(copy.deepcopy(other))
        elif action == 2:
            element.tag = other.tag
        elif element.attrib:
            name = dice.choice(sorted(element.attrib))
            element.set(name, dice.choice(VALUES)) if action == 3 else element.attrib.pop(name)
    return etree.tostring(root).decode()


@pytest.mark.parametrize("seed", range(60))
def test_mutants(seed: int) -> None:
    """Broken structure is read as far as it makes sense, or refused with a reason."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    parts = {name: (kind, mutate(xml, dice)) for name, (kind, xml) in PARTS.items()}
    document = mutate(b.part("document", f"<w:body>{''.join(BODY)}</w:body>"), dice)
    data = b.docx(parts=parts, extra={"word/document.xml": document})
    try:
        parsed = parse(data, ParseLimits())
    except ParseRefused as error:
        reason = str(error)
        assert "not a Word document" in reason or "nested too deeply" in reason
    else:
        assert all(section.text.endswith("\n") for section in parsed.sections)
        assert not set("\x01\x02\x03\x04") & set(parsed.text)
