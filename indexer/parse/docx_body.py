"""One story (body, header, note, text box) as a list of blocks in reading order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .docx_chunk import import_part
from .docx_context import Block, Context, Line
from .docx_drawing import line_text, pick
from .docx_drawn import read_drawn
from .docx_fields import Fields, unmatched
from .docx_inline import Inline, InlineReader
from .docx_numbering import Counters
from .docx_styles import Look
from .docx_table import held_tables, is_frame, rows_of, write_rows
from .docx_xml import MC, PAGE_BREAK, VAL, W14, M, R, W, is_on, number, parts, val, value

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


@dataclass(frozen=True, slots=True)
class Properties:
    """What decides how a paragraph is written. ``joins``: its text continues in the next one."""

    look: Look
    level: int | None = None
    number: tuple[str, int] | None = None
    joins: bool = False
    new_page: bool = False


class Story:
    """Reads block-level content of one part. ``notes`` gives the blocks of a foot- or endnote."""

    def __init__(
        self,
        context: Context,
        part: str,
        root: Element,
        counters: Counters,
        notes: Callable[[str, str], list[Block]] | None = None,
    ) -> None:
        self._context = context
        self._part = part
        self._counters = counters
        self._notes = notes
        self._reader = InlineReader(context, Fields(unmatched(root)))
        self._held_tables = held_tables(root)
        self._held: list[Inline] = []  # paragraphs whose end mark is deleted or hidden, and the present one
        self._waiting: list[Block] = []  # notes of a table, until the table ends
        self._cells = 0  # how many tables of several columns we are in

    def blocks(self, parent: Element) -> list[Block]:
        """The blocks of everything inside the element."""
        out: list[Block] = []
        self._children(parent, out)
        self._release(out)
        return out

    def _children(self, parent: Element, out: list[Block]) -> None:
        for child in parent.iterchildren():
            handler = _BLOCKS.get(child.tag)
            if handler is not None:
                handler(self, child, out)

    # ---- paragraphs ------------------------------------------------------------------

    def _paragraph(self, element: Element, out: list[Block]) -> None:
        properties = self._properties(element.find(W + "pPr"))
        inline = self._reader.read(element.iterchildren(), properties.look)
        if properties.new_page:
            inline.text = PAGE_BREAK + inline.text
        self._held.append(inline)
        if not properties.joins:
            self._release(out, properties)

    def _release(self, out: list[Block], properties: Properties | None = None) -> None:
        """Writes what is held as one paragraph with these properties."""
        held, self._held = self._held, []
        text = "".join(inline.text for inline in held).strip()
        level, title = None, False
        if properties is not None:
            label = self._counters.label(*properties.number) if properties.number else ""
            # A number alone is content in a table (a column of row numbers), noise elsewhere.
            text = label + text if text or self._cells else text
            level, title = properties.level, properties.look.title
        if text:
            out.append(Line(self._context.charge(text.rstrip()), level, title))
        for inline in held:
            for kind, element in inline.floats:
                out.extend(self._float(kind, element))
            for note in inline.notes if self._notes else ():
                self._waiting.extend(self._notes(*note) if self._notes else ())
        self._give_notes(out)

    def _give_notes(self, out: list[Block]) -> None:
        if not self._cells:
            out.extend(self._waiting)
            self._waiting = []

    def _properties(self, element: Element | None) -> Properties:
        said = parts(element)
        look = self._context.styles.look(value(said.get(W + "pStyle")))
        if not said:
            return Properties(look, look.level, self._number(None, look), joins=look.hidden)
        outline = said.get(W + "outlineLvl")
        level = look.level if outline is None else number(outline.get(VAL), 9)
        frame = said.get(W + "framePr")
        return Properties(
            look,
            level if level is not None and 0 <= level < 9 else None,
            self._number(said.get(W + "numPr"), look),
            _mark_gone(said.get(W + "rPr"), look) or (frame is not None and frame.get(W + "dropCap", "none") != "none"),
            bool(is_on(said.get(W + "pageBreakBefore"))),
        )

    def _number(self, direct: Element | None, look: Look) -> tuple[str, int] | None:
        num_id = val(direct, W + "numId") or look.num_id or "0"
        if num_id == "0":
            return None
        level = val(direct, W + "ilvl")
        if level:
            return num_id, number(level, 0)
        linked = self._context.numbering.level_of_style(num_id, look.chain)
        return num_id, look.num_level or 0 if linked is None else linked

    def _float(self, kind: str, element: Element) -> list[Block]:
        if kind == "line":
            text = line_text(element)
            return [Line(self._context.charge(text))] if text else []
        if kind != "box":
            return read_drawn(self._context, self._part, element)
        box = Story(self._context, self._part, element, self._context.box_counters, self._notes)
        # A box stands beside the text: it cannot open a chapter of it.
        return [Line(b.text, None, b.title) if isinstance(b, Line) else b for b in box.blocks(element)]

    # ---- everything else -------------------------------------------------------------

    def _table(self, element: Element, out: list[Block]) -> None:
        self._release(out)
        if element in self._held_tables:
            self._held_table(element, out)
            return
        rows = rows_of(element, self._reader.keep_deleted)
        if is_frame(rows):
            for cells in rows:
                for cell in cells:
                    out.extend(self.blocks(cell))
            return
        self._cells += 1
        table = write_rows(rows, self.blocks)
        self._cells -= 1
        if table.rows:
            out.append(table)
        self._give_notes(out)

    def _held_table(self, element: Element, out: list[Block]) -> None:
        self._held_tables -= {element}
        self._context.held_deletions += 1
        self._reader.keep_deleted = True
        self._table(element, out)
        self._reader.keep_deleted = False

    def _control(self, element: Element, out: list[Block]) -> None:
        properties, content = element.find(W + "sdtPr"), element.find(W + "sdtContent")
        bound = None if properties is None else self._context.bindings.value(properties, content)
        if bound is not None and content is not None:
            paragraph = content.find(W + "p")
            found = self._properties(None if paragraph is None else paragraph.find(W + "pPr"))
            self._held.append(Inline(bound))
            self._release(out, found)
        elif content is not None:
            self._children(content, out)

    def _alternate(self, element: Element, out: list[Block]) -> None:
        branch = pick(element)
        if branch is not None:
            self._children(branch, out)

    def _loose(self, element: Element, out: list[Block]) -> None:
        """Runs that stand where only paragraphs may."""
        self._release(out)
        self._held.append(self._reader.read([element], Look()))
        self._release(out)

    def _import(self, element: Element, out: list[Block]) -> None:
        self._release(out)
        out.extend(import_part(self._context, self._part, element.get(R + "id", "")))

    def _subdocument(self, element: Element, out: list[Block]) -> None:
        relation = self._context.package.relations(self._part).get(element.get(R + "id", ""))
        self._context.linked.append("" if relation is None else relation.target)


def _mark_gone(mark: Element | None, look: Look) -> bool:
    """Whether the paragraph's end is deleted, moved away or hidden, so that the next one continues it."""
    said = parts(mark)
    if W + "del" in said or W + "moveFrom" in said:
        return True
    if W + "specVanish" in said:
        return False  # a style separator: heading and text on one printed line, yet two paragraphs
    hidden = is_on(said.get(W + "vanish"))
    return look.hidden if hidden is None else hidden


_Handler = Callable[[Story, "Element", list[Block]], None]
_BLOCKS: dict[str, _Handler] = {
    W + "p": Story._paragraph,
    W + "tbl": Story._table,
    W + "sdt": Story._control,
    W + "altChunk": Story._import,
    W + "subDoc": Story._subdocument,
    MC + "AlternateContent": Story._alternate,
    **dict.fromkeys((W + "r", W + "hyperlink", W + "fldSimple", M + "oMath", M + "oMathPara"), Story._loose),
    **{W + name: Story._children for name in ("customXml", "smartTag", "ins", "moveTo", "sdtContent", "body")},
    W14 + "conflictIns": Story._children,
}
