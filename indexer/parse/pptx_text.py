"""The paragraphs of a text body as they are shown: numbers of lists written out, slide numbers left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .docx_drawing import pick
from .docx_math import linear
from .docx_numfmt import format_number
from .docx_xml import MC, A, M, number

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Name of an automatic number's form: what the figure looks like, what stands around it.
_FORMS = {
    **{"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman"},
    **{"romanUc": "upperRoman", "circleNumDb": "decimalEnclosedCircle", "circleNumWdBlack": "decimalEnclosedCircle"},
    **{
        "circleNumWdWhite": "decimalEnclosedCircle",
        "arabicDb": "decimalFullWidth",
        "ea1Chs": "chineseCountingThousand",
    },
    **{"ea1Cht": "taiwaneseCountingThousand", "ea1JpnChsDb": "chineseCountingThousand", "ea1JpnKor": "koreanCounting"},
    **{"hindiNum": "hindiNumbers", "thaiNum": "thaiNumbers", "thaiAlpha": "thaiLetters", "hebrew2": "hebrew2"},
}
_AROUND = (("ParenBoth", "({})"), ("ParenR", "{})"), ("Period", "{}."), ("Minus", "{}-"), ("Plain", "{}"))
MATH = "{http://schemas.microsoft.com/office/drawing/2010/main}m"


def paragraphs(body: Element) -> Iterator[str]:
    """The text of each paragraph that has one."""
    counters: dict[int, tuple[str, int]] = {}
    for paragraph in body.iterchildren(A + "p"):
        text = _text(paragraph).strip()
        if text:
            yield _number(paragraph.find(A + "pPr"), counters) + text


def _text(paragraph: Element) -> str:
    pieces: list[str] = []
    waiting = [paragraph]
    while waiting:
        node = waiting.pop()
        if node.tag == A + "t":
            pieces.append((node.text or "").replace("\v", "\n"))
        elif node.tag == A + "br":
            pieces.append("\n")
        elif node.tag == A + "tab":
            pieces.append("\t")
        elif node.tag in (M + "oMath", M + "oMathPara"):
            pieces.append(linear(node))
        elif node.tag == MC + "AlternateContent":
            branch = pick(node)
            waiting.extend([] if branch is None else [branch])
        elif not (node.tag == A + "fld" and node.get("type", "") == "slidenum"):
            waiting.extend(node.iterchildren(reversed=True))
    return "".join(pieces)


def _number(properties: Element | None, counters: dict[int, tuple[str, int]]) -> str:
    """The automatic number before a paragraph; paragraphs without one end the lists at their level and below."""
    level = number(None if properties is None else properties.get("lvl"), 0)
    auto = None if properties is None else properties.find(A + "buAutoNum")
    for deeper in [key for key in counters if key > level or (auto is None and key == level)]:
        del counters[deeper]
    if auto is None:
        return ""
    form = auto.get("type", "arabicPeriod")
    start = number(auto.get("startAt"), 1)
    said, last = counters.get(level, ("", 0))
    now = last + 1 if said == f"{form} {start}" else start
    counters[level] = (f"{form} {start}", now)
    for ending, around in _AROUND:
        if form.endswith(ending):
            return around.format(format_number(now, _FORMS.get(form.removesuffix(ending), "decimal"))) + " "
    return f"{now}. "
