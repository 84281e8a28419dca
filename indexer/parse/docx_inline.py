"""The characters of one paragraph, in reading order, and what hangs on it (boxes, notes).

Tracked changes are read as accepted, fields as their results; comments and hidden text are
not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .docx_context import Context
from .docx_drawing import FloatKind, drawn, pick
from .docx_fields import PAGE_FIELDS, Fields, field_name, shown_by_instruction
from .docx_math import linear
from .docx_styles import Look
from .docx_symbols import BALLOT, decode_symbols, is_symbol_font, symbol
from .docx_xml import (
    FIELD_END,
    FIELD_START,
    MC,
    PAGE_BREAK,
    PAGE_SEEN,
    W14,
    M,
    W,
    own_text,
    parts,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


@dataclass(slots=True)
class Inline:
    """A paragraph's characters (with the marks of `docx_xml`), drawings' texts, and note references."""

    text: str = ""
    floats: list[tuple[FloatKind, Element]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


class InlineReader:
    """Reads the paragraphs of one story; fields may stay open from one to the next."""

    def __init__(self, context: Context, fields: Fields) -> None:
        self._context = context
        self._fields = fields
        self._look = Look()
        self._parts: list[str] = []
        self._readings: list[str] = []
        self._out = Inline()
        self.keep_deleted = False  # inside a table whose deletion is held

    def read(self, content: Iterable[Element], look: Look) -> Inline:
        """The runs and wrapped runs of one paragraph."""
        self._look, self._parts, self._readings, self._out = look, [], [], Inline()
        self._each(content)
        if self._readings:
            # Beside its base a reading would cut the word in two for a search.
            self._parts.append(f" ({' '.join(self._readings)})")
        self._out.text = "".join(self._parts)
        return self._out

    def _children(self, element: Element) -> None:
        self._each(element.iterchildren())

    def _each(self, content: Iterable[Element]) -> None:
        for child in content:
            handler = _INLINE.get(child.tag)
            if handler is not None:
                handler(self, child)

    def _say(self, text: str) -> None:
        if text and self._fields.showing:
            self._parts.append(text)
            self._fields.saw_text()

    def _run(self, run: Element) -> None:
        properties = parts(run.find(W + "rPr"))
        hidden = self._context.styles.run_hidden(self._look, properties)
        font = _font(properties)
        for child in run.iterchildren():
            tag = child.tag
            if tag == W + "t":
                if not hidden:
                    text = own_text(child)
                    self._say(decode_symbols(font, text) if font else text)
            elif tag == W + "fldChar":
                self._parts.append(self._fields.mark(child))
            elif tag == W + "delText":
                self._say(own_text(child) if self.keep_deleted and not hidden else "")
            elif tag == W + "instrText":
                self._fields.instruct(child.text or "")
            elif not hidden and self._fields.showing:
                handler = _IN_RUN.get(tag)
                if handler is not None:
                    handler(self, child)

    def _deletion(self, element: Element) -> None:
        if self.keep_deleted:
            self._children(element)

    def _break(self, element: Element) -> None:
        self._say(PAGE_BREAK if element.get(W + "type") == "page" else "\n")

    def _symbol(self, element: Element) -> None:
        try:
            code = int(element.get(W + "char", ""), 16)
        except ValueError:
            return
        self._say(symbol(element.get(W + "font", ""), code))

    def _ruby(self, element: Element) -> None:
        for base in element.iterchildren(W + "rubyBase"):
            self._children(base)
        reading = "".join(t.text or "" for rt in element.iterchildren(W + "rt") for t in rt.iter(W + "t"))
        if reading.strip():
            self._readings.append(reading.strip())

    def _note(self, element: Element) -> None:
        kind = "footnote" if element.tag == W + "footnoteReference" else "endnote"
        self._out.notes.append((kind, element.get(W + "id", "")))

    def _math(self, element: Element) -> None:
        self._say(linear(element))

    def _simple_field(self, element: Element) -> None:
        instruction = element.get(W + "instr", "")
        page = field_name(instruction) in PAGE_FIELDS
        self._say(FIELD_START if page else "")
        before = len(self._parts)
        self._children(element)
        if len(self._parts) == before:
            self._say(shown_by_instruction(instruction))
        self._say(FIELD_END if page else "")

    def _control(self, element: Element) -> None:
        properties, content = element.find(W + "sdtPr"), element.find(W + "sdtContent")
        if properties is not None and self._fields.showing:
            bound = self._context.bindings.value(properties, content)
            if bound is not None:
                self._say(bound)
                return
        before = len(self._parts)
        if content is not None:
            self._children(content)
        checkbox = None if properties is None else properties.find(W14 + "checkbox")
        if checkbox is not None and not "".join(self._parts[before:]).strip():
            checked = checkbox.find(W14 + "checked")
            self._say(BALLOT[checked is not None and checked.get(W14 + "val") in ("1", "true", "on")])

    def _alternate(self, element: Element) -> None:
        branch = pick(element)
        if branch is not None:
            self._children(branch)

    def _run_alternate(self, element: Element) -> None:
        branch = pick(element)
        for child in () if branch is None else branch.iterchildren():
            handler = _IN_RUN.get(child.tag)
            if handler is not None:
                handler(self, child)
            elif child.tag == W + "t":
                self._say(own_text(child))

    def _drawing(self, element: Element) -> None:
        for kind, found in drawn(element, self._context):
            self._out.floats.append((kind, found))


def _font(properties: Mapping[str, Element]) -> str:
    fonts = properties.get(W + "rFonts")
    name = "" if fonts is None else fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or ""
    return name if name and is_symbol_font(name) else ""


def _constant(text: str) -> Callable[[InlineReader, Element], None]:
    return lambda reader, element: reader._say(text)


_Handler = Callable[[InlineReader, "Element"], None]
_WRAPPERS = (
    *("hyperlink", "smartTag", "customXml", "ins", "moveTo", "dir", "bdo", "sdtContent", "rubyBase"),
    "p",  # inside an inline control that should have been a block control
)
_INLINE: dict[str, _Handler] = {
    W + "r": InlineReader._run,
    **{W + name: InlineReader._children for name in _WRAPPERS},
    W14 + "conflictIns": InlineReader._children,
    W + "del": InlineReader._deletion,
    W + "fldSimple": InlineReader._simple_field,
    W + "sdt": InlineReader._control,
    M + "oMath": InlineReader._math,
    M + "oMathPara": InlineReader._math,
    MC + "AlternateContent": InlineReader._alternate,
}
_IN_RUN: dict[str, _Handler] = {
    W + "tab": _constant("\t"),
    W + "ptab": _constant("\t"),
    W + "cr": _constant("\n"),
    W + "br": InlineReader._break,
    W + "noBreakHyphen": _constant("-"),
    W + "lastRenderedPageBreak": _constant(PAGE_SEEN),
    W + "sym": InlineReader._symbol,
    W + "ruby": InlineReader._ruby,
    W + "footnoteReference": InlineReader._note,
    W + "endnoteReference": InlineReader._note,
    W + "drawing": InlineReader._drawing,
    W + "pict": InlineReader._drawing,
    W + "object": InlineReader._drawing,
    W + "r": InlineReader._run,
    M + "oMath": InlineReader._math,
    MC + "AlternateContent": InlineReader._run_alternate,
}
