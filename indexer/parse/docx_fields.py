"""Fields: the result is text, the instruction is not; a few fields show something without a result.

A field is a run of ``fldChar`` marks (begin, separate, end) that nests and crosses paragraphs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .docx_numfmt import CIRCLED
from .docx_symbols import BALLOT, symbol
from .docx_xml import FIELD_END, FIELD_START, VAL, W, number, toggle

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

PAGE_FIELDS = frozenset({"PAGE", "NUMPAGES", "SECTIONPAGES"})
_WORD = re.compile(r'"([^"]*)"|(\S+)')
_EQ_SWITCH = re.compile(r"\\(?:\*\s*(?:\"[^\"]*\"|\S+)|[a-zA-Z]+[0-9]*|[^a-zA-Z\s])")
_RINGED = re.compile(r"[○◯]\s*[,;]\s*([0-9]{1,2})(?=\s*\))")


@dataclass(slots=True)
class Field:
    """An open field: what its instruction says so far, and whether its result has begun."""

    data: Element | None
    instruction: list[str] = field(default_factory=list)
    in_result: bool = False
    page: bool = False
    filled: bool = False  # the result has text of its own


class Fields:
    """The fields open at one point of a story."""

    def __init__(self, broken: frozenset[Element] = frozenset()) -> None:
        self._open: list[Field] = []
        self._unseen = 0  # open fields whose result has not begun
        self._broken = broken

    @property
    def showing(self) -> bool:
        """Whether text here is shown: no enclosing field is still in its instruction."""
        return self._unseen == 0

    def saw_text(self) -> None:
        """Text was shown inside the innermost open field."""
        if self._open:
            self._open[-1].filled = True

    def instruct(self, text: str) -> None:
        """Text of ``w:instrText``."""
        if self._open and not self._open[-1].in_result:
            self._open[-1].instruction.append(text)

    def mark(self, element: Element) -> str:
        """Takes a ``w:fldChar``; gives the text it shows by itself."""
        kind = element.get(W + "fldCharType", "")
        if kind == "begin" and element not in self._broken:
            self._open.append(Field(element.find(W + "ffData")))
            self._unseen += 1
        elif kind == "separate" and self._open and not self._open[-1].in_result:
            return self._begin_result(self._open[-1])
        elif kind == "end" and self._open:
            return self._end(self._open.pop())
        return ""

    def _begin_result(self, top: Field) -> str:
        top.in_result = True
        self._unseen -= 1
        name = field_name("".join(top.instruction))
        top.page = name in PAGE_FIELDS
        return FIELD_START if top.page and self.showing else ""

    def _end(self, top: Field) -> str:
        if not top.in_result:
            self._unseen -= 1
        if not self.showing:
            return ""
        if top.page:
            return FIELD_END
        if top.filled or (top.in_result and top.data is None):
            return ""
        if form := _form_value(top.data):
            return form
        return shown_by_instruction("".join(top.instruction))


def field_name(instruction: str) -> str:
    """PAGE, HYPERLINK, ... in capitals; "" when the instruction is empty."""
    return next(iter(instruction.split(None, 1)), "").upper()


def shown_by_instruction(instruction: str) -> str:
    """What Word shows for the fields that have their text in the instruction."""
    name, _, rest = instruction.strip().partition(" ")
    name = name.upper()
    if name in ("MACROBUTTON", "GOTOBUTTON"):
        return rest.strip().partition(" ")[2].strip()
    if name == "SYMBOL":
        return _symbol_field(rest)
    if name == "EQ":
        return _equation(rest)
    if name == "QUOTE":
        return next((a or b for a, b in _WORD.findall(rest)), "")
    return ""


def unmatched(root: Element) -> frozenset[Element]:
    """The ``begin`` marks below the element that never end.

    Taken at their word they would swallow the rest of the document, so they are ignored. Where
    one is missing its end, which one is a guess; those without a result are ignored with it,
    for they alone could swallow text.
    Marks inside tracked deletions do not count: the deletion is not read either.
    """
    marks = list(root.iter(W + "fldChar"))
    deleted = (W + "del", W + "moveFrom")
    if marks and next(root.iter(*deleted), None) is not None:
        marks = [m for m in marks if next(m.iterancestors(*deleted), None) is None]
    begun: list[Element] = []
    no_result: set[Element] = set()
    for mark in marks:
        kind = mark.get(W + "fldCharType")
        if kind == "begin":
            begun.append(mark)
            no_result.add(mark)
        elif kind == "separate" and begun:
            no_result.discard(begun[-1])
        elif kind == "end" and begun:
            begun.pop()
    return frozenset(begun) | no_result if begun else frozenset()


def _form_value(data: Element | None) -> str:
    """The state of a legacy check box or drop-down list, which has no result text."""
    if data is None:
        return ""
    box = data.find(W + "checkBox")
    if box is not None:
        checked = toggle(box, W + "checked")
        return BALLOT[bool(toggle(box, W + "default") if checked is None else checked)]
    choices = data.find(W + "ddList")
    if choices is None:
        return ""
    entries = [entry.get(VAL, "") for entry in choices.iterchildren(W + "listEntry")]
    chosen = choices.find(W + "result")
    chosen = choices.find(W + "default") if chosen is None else chosen
    index = 0 if chosen is None else number(chosen.get(VAL), 0)
    return entries[index] if 0 <= index < len(entries) else ""


def _symbol_field(rest: str) -> str:
    words = [a or b for a, b in _WORD.findall(rest)]
    font = next((words[i + 1] for i, word in enumerate(words[:-1]) if word.lower() == "\\f"), "")
    try:
        return symbol(font, int(words[0], 0))
    except (IndexError, ValueError):
        return ""


def _equation(rest: str) -> str:
    """The characters an EQ field arranges, in their order: ``\\o\\ac(○,3)`` is ③, ``\\f(1,2)`` is 1/2."""
    rest = _RINGED.sub(lambda m: f"○{m[1]}", rest)
    rest = re.sub(r"\\f\s*\(([^(),;]*)[,;]([^(),;]*)\)", r"\1/\2", rest, flags=re.I)
    rest = _EQ_SWITCH.sub(lambda m: m[0][1] if m[0][1] in "(),;\\" else "", rest)
    text = re.sub(r"[(),;]", "", rest)
    return re.sub(r"[○◯](\d{1,2})", _ring, text).strip()


def _ring(match: re.Match[str]) -> str:
    value = int(match[1])
    return CIRCLED[value] if value < len(CIRCLED) else match[0]
