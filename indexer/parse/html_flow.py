"""Inline text of a page becoming blocks: white space, line ends, code, fields, readings."""

from __future__ import annotations

from .html_blocks import BREAK, Block, collapsed
from .html_elements import Attributes
from .html_forms import alternative, field_text
from .html_lists import Lists


class Flow:
    """The blocks of the page or of one cell, and the inline text waiting to become one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.pieces: list[str] = []

    def space_below(self) -> None:
        """A blank line after the last block."""
        if self.blocks and self.blocks[-1].kind == "text":
            self.blocks[-1] = self.blocks[-1]._replace(apart=True)


class Writer:
    """What the walk writes to: the flow of the page, or of the cell it is in."""

    def __init__(self) -> None:
        self.hidden = 0  # characters that styles hide
        self._dark = 0  # depth below a hidden element
        self._flow = Flow()
        self._lists = Lists()
        self._code = 0
        self._keep: list[bool] = []  # of each open element: whether line ends of the source show
        self._touching = False
        self._ruby: list[tuple[list[str], list[str]]] = []

    def _text(self, text: str) -> None:
        if self._dark:
            self.hidden += len(text.strip())
            return
        if BREAK in text:
            text = text.replace(BREAK, " ")
        if self._code:
            self._flow.pieces.append(text)
            return
        if True in self._keep:
            text = text.replace("\r", "").replace("\n", BREAK)
        self._flow.pieces.append(text)
        self._touching = False

    def _flush(self, level: int = 0) -> None:
        """Ends the line: the inline text becomes a block."""
        flow = self._flow
        if self._code:
            flow.pieces.append("\n" if flow.pieces and not flow.pieces[-1].endswith("\n") else "")
            return
        text = collapsed(flow.pieces)
        flow.pieces = []
        if not text:
            return
        if level:
            flow.blocks.append(Block("heading", " ".join(text.split()), level))
        else:
            flow.blocks.append(Block("text", self._lists.marked(text)))

    def _break(self, tag: str, attributes: Attributes) -> None:
        self._flow.pieces.append("\n" if self._code else BREAK)

    def _rule(self, tag: str, attributes: Attributes) -> None:
        self._flow.space_below()

    def _picture(self, tag: str, attributes: Attributes) -> None:
        text = alternative(attributes)
        if text:
            self._flow.pieces.append(f" {text} ")

    def _field(self, tag: str, attributes: Attributes) -> None:
        self._flow.pieces.append(field_text(tag, attributes))

    def _blank(self, tag: str, attributes: Attributes | None = None) -> None:
        self._flow.pieces.append(" ")

    def _quote(self, tag: str, attributes: Attributes | None = None) -> None:
        self._flow.pieces.append("“" if attributes is not None else "”")

    def _open_code(self, tag: str, attributes: Attributes) -> None:
        self._flush()
        self._code += 1

    def _close_code(self, tag: str) -> None:
        self._code -= 1
        if not self._code:
            self._end_code()

    def _end_code(self) -> None:
        text = "".join(self._flow.pieces).replace("\r\n", "\n").expandtabs(8).strip("\n")
        self._flow.pieces = []
        if text.strip():
            self._flow.blocks.append(Block("code", "\n".join(line.rstrip() for line in text.split("\n"))))

    def _open_ruby(self, tag: str, attributes: Attributes) -> None:
        self._ruby.append((self._flow.pieces, []))

    def _close_ruby(self, tag: str) -> None:
        _, readings = self._ruby.pop()
        if readings:
            self._flow.pieces.append(f"({''.join(readings)})")

    def _open_reading(self, tag: str, attributes: Attributes) -> None:
        if self._ruby:
            self._ruby[-1] = (self._flow.pieces, self._ruby[-1][1])
            self._flow.pieces = []

    def _close_reading(self, tag: str) -> None:
        if self._ruby:
            pieces, readings = self._ruby[-1]
            readings.append(collapsed(self._flow.pieces))
            self._flow.pieces = pieces
