"""The line scanner for reStructuredText: titles, literal blocks, tables, with exact positions."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.core.model import Kind, Section

# A line of one repeated mark: under (and over) a title, or round a table.
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*+[ \t]*+")
_SIMPLE_BORDER = re.compile(r"={1,}(?: +=+)+ *")
_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+ *")
_CODE = re.compile(r"([ \t]*+)\.\.[ \t]+(?:code|code-block|sourcecode|parsed-literal|literalinclude|math|raw)::")
_TABLE = re.compile(r"([ \t]*+)\.\.[ \t]+(?:csv-table|list-table)::")
_DIRECTIVE = re.compile(r"[ \t]*+\.\.(?:[ \t]|$)")
_VERSION = re.compile(r":(?:Version|version|VERSION|版本):[ \t]+(\S[^\n]{0,60}+)")
_ROLE = re.compile(r":[a-zA-Z][\w:.+-]{0,40}:`([^`<>]{1,200})(?:[ ]<[^`<>]{1,200}>)?`")
_LINK = re.compile(r"`([^`<>]{1,200}?)(?: <[^`<>]{1,300}>)?`__?")
_EMPHASIS = re.compile(r"(\*\*|\*|``|`)(\S(?:.{0,200}?\S)?)\1")
_ESCAPE = re.compile(r"\\(.)")
MAX_TITLE = 300


class _Cut(NamedTuple):
    line: int
    kind: Kind
    headings: tuple[str, ...]
    lead: str = ""


class Scan:
    """One pass over the lines; ``cuts`` are those at which a section begins."""

    def __init__(self, text: str) -> None:
        self.title = ""
        self.label = ""
        self._lines = text.split("\n")
        self._styles: list[tuple[str, bool]] = []  # in the order of their first use: the level
        self._path: list[tuple[int, str]] = []
        self._cuts = [_Cut(0, "text", ())]
        at = 0
        while at < len(self._lines):
            at = self._element(at)

    def sections(self) -> tuple[Section, ...]:
        """The text between the cuts; white space alone stays with what stands before it."""
        made: list[Section] = []
        ends = [cut.line for cut in self._cuts[1:]] + [len(self._lines)]
        blank = ""
        for cut, end in zip(self._cuts, ends, strict=True):
            piece = "\n".join(self._lines[cut.line : end])
            piece = blank + (f"{piece}\n" if end < len(self._lines) else piece)
            blank = ""
            if piece and not piece.isspace():
                made.append(Section(piece, cut.headings, None, cut.kind, "", cut.lead))
            elif made:
                made[-1] = made[-1]._replace(text=made[-1].text + piece)
            else:
                blank = piece
        return tuple(made)

    # ---- elements -------------------------------------------------------------------

    def _element(self, at: int) -> int:
        """Handles what begins at a line and returns the line after it."""
        line = self._lines[at]
        if not line.strip():
            return at + 1
        if line[0] not in " \t":
            end = self._heading(at)
            if end:
                return end
        start = line.lstrip()
        if start[0] in "+=" and (end := self._table(at, start)):
            return end
        if start.startswith(".."):
            return self._directive(at, line)
        if not self.label and start[0] == ":" and (version := _VERSION.match(start)):
            self.label = version[1].strip()
        if line.rstrip().endswith("::"):
            return self._literal(at)
        return at + 1

    def _heading(self, at: int) -> int:
        """The line after a title that begins here, 0 if none does."""
        line, under = self._lines[at].rstrip(), self._line(at + 1).rstrip()
        over = len(line) > 1 and _ADORNMENT.fullmatch(line) and self._line(at + 2).rstrip() == line
        if over and under and (len(under) < 2 or not _ADORNMENT.fullmatch(under)):
            self._titled(at, under.strip(), (line[0], True))
            return at + 3
        if (
            under
            and _ADORNMENT.fullmatch(under)
            and not _ADORNMENT.fullmatch(line)
            and len(under) >= min(width(line), 4)
            and (at == 0 or not self._lines[at - 1].strip() or self._cuts[-1].line == at)
            and not line.startswith(".. ")
        ):
            self._titled(at, line, (under[0], False))
            return at + 2
        return 0

    def _titled(self, at: int, raw: str, style: tuple[str, bool]) -> None:
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style)
        title = plain_title(raw)
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        if title:
            self._path.append((level, title))
            self.title = self.title or title
        self._cut(at, "text")

    def _table(self, at: int, start: str) -> int:
        """The line after a grid or simple table that begins here, 0 if none does."""
        indent = len(self._lines[at]) - len(start)
        if _GRID_BORDER.fullmatch(start):
            end = at + 1
            while self._line(end)[indent : indent + 1] in ("|", "+") and self._line(end).strip():
                end += 1
            head = next((i for i in range(at + 1, end) if self._lines[i].lstrip().startswith("+=")), at)
            return self._block(at, end, "table", self._text(at, head + 1) if head > at else "")
        if not _SIMPLE_BORDER.fullmatch(start):
            return 0
        borders = [at]
        end = at + 1
        while end < len(self._lines) and len(borders) < 3:
            line = self._lines[end]
            if line.strip() == start.strip() or (_SIMPLE_BORDER.fullmatch(line.strip()) and "=" in line):
                borders.append(end)
                if not self._line(end + 1).strip():
                    break
            elif line.strip() and len(line) - len(line.lstrip()) < indent:
                return 0
            end += 1
        if len(borders) < 2 or borders[-1] == at:
            return 0
        lead = self._text(at, borders[1] + 1) if len(borders) > 2 else ""
        return self._block(at, borders[-1] + 1, "table", lead)

    def _directive(self, at: int, line: str) -> int:
        """Code and tables of directives are blocks; the text of any other directive is text."""
        for pattern, kind in ((_CODE, "code"), (_TABLE, "table")):
            if found := pattern.match(line):
                end = self._indented(at + 1, len(found[1]))
                return self._block(at, end, "code" if kind == "code" else "table", "")
        return self._literal(at) if line.rstrip().endswith("::") and not _is_directive(line) else at + 1

    def _literal(self, at: int) -> int:
        """The indented block after a paragraph that ends with two colons."""
        indent = len(self._lines[at]) - len(self._lines[at].lstrip())
        if self._line(at + 1).strip():
            return at + 1
        end = self._indented(at + 1, indent)
        return self._block(at + 1, end, "code", "") if end > at + 2 else at + 1

    def _indented(self, at: int, indent: int) -> int:
        """The line after the lines that are blank or indented by more; blank ones at the end stay outside."""
        end = last = at
        while end < len(self._lines):
            line = self._lines[end]
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                last = end + 1
            end += 1
        return last

    def _block(self, start: int, end: int, kind: Kind, lead: str) -> int:
        self._cut(start, kind, lead)
        self._cut(end, "text")
        return end

    def _cut(self, line: int, kind: Kind, lead: str = "") -> None:
        cut = _Cut(line, kind, tuple(title for _, title in self._path), lead)
        if self._cuts[-1].line == line:
            self._cuts[-1] = cut
        else:
            self._cuts.append(cut)

    def _line(self, at: int) -> str:
        return self._lines[at] if at < len(self._lines) else ""

    def _text(self, start: int, end: int) -> str:
        return "".join(f"{line}\n" for line in self._lines[start:end])


def _is_directive(line: str) -> bool:
    return _DIRECTIVE.match(line) is not None


def width(line: str) -> int:
    """Columns of a line: hanzi take two."""
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(c) in "WF" else 1 for c in line.rstrip())


def plain_title(raw: str) -> str:
    """A title without its inline marks: "The :class:`Parser` **class**" is "The Parser class"."""
    title = _ROLE.sub(r"\1", raw.strip()[: 2 * MAX_TITLE])
    title = _LINK.sub(r"\1", title)
    title = _EMPHASIS.sub(r"\2", title)
    return " ".join(_ESCAPE.sub(r"\1", title).split())[:MAX_TITLE]
