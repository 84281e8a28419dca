"""The line scanner for Markdown: headings, fences, tables, raw HTML, with exact positions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.core.model import Kind, Section

# The only lines that matter; everything between two of them is text.
_MARK = re.compile(
    r"""^(?P<indent>[ \t]*+)(?:
      (?P<atx>\#{1,6}+)(?=[ \t\n]|\Z)(?P<title>[^\n]*+)
    | (?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n]*+)
    | (?P<under>=++|-++)[ \t]*+$
    | (?P<delimiter>\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+$)
    | <(?P<html>!--|/?[a-zA-Z][a-zA-Z0-9]*+)
    )""",
    re.M | re.X,
)
_NOT_SETEXT = re.compile(r" {4}|\t| {0,3}(?:[-*+>|<]|\d{1,9}[.)](?=[ \t]))")
_ROW = re.compile(r"(?! {0,3}(?:\#{1,6}[ \t]|```|~~~|>))[^\n]*\|[^\n]*(?:\n|\Z)")
_BLANK = re.compile(r"\n[ \t]*+\n")
_RAW = frozenset(("pre", "script", "style", "textarea"))
_BLOCK_TAG = re.compile(
    "/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main"
    "|menu|nav|ol|optgroup|option|p|param|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
)
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_ANCHOR = re.compile(r"<[^<>]{0,200}>|[ \t]*\{#[^{}]{0,100}\}[ \t]*$")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}(?: \"[^\"]{0,200}\")?\)")
_EMPHASIS = re.compile(r"(\*\*\*?|\*|__|`)(\S(?:.{0,200}?\S)?)\1")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
MAX_SETEXT = 200
MAX_TITLE = 300
MAX_SECTIONS = 100_000  # beyond it (a hostile file) the rest is one section


class Scan:
    """One pass over the text; ``cuts`` are the places where a section begins."""

    def __init__(self, text: str, start: int, path: Iterable[tuple[int, str]] = ()) -> None:
        self.text = text
        self.first_h1 = ""
        self.path = list(path)  # the headings (level, title) that the text stands under
        self.cuts: list[tuple[int, Kind, tuple[str, ...]]] = [
            (0, "code" if start else "text", tuple(title for _, title in self.path))
        ]
        self.leads: dict[int, str] = {}  # by the start of a table: its header and delimiter lines
        if start:
            self._cut(start, "text")
        self.unclosed = {"`": MAX_TITLE, "~": MAX_TITLE}  # fences this long or longer have no end
        self.floor = start  # end of the last element: a table or heading cannot begin before it
        while match := _MARK.search(text, start):
            start = self._element(match)

    def sections(self) -> tuple[Section, ...]:
        """The text between the cuts; white space alone stays with what stands before it, at the top with what follows."""
        ends = [start for start, _, _ in self.cuts[1:]] + [len(self.text)]
        made: list[Section] = []
        blank = ""
        for (start, kind, headings), end in zip(self.cuts, ends, strict=True):
            piece = blank + self.text[start:end]
            blank = ""
            if piece and not piece.isspace():
                made.append(Section(piece, headings, None, kind, lead=self.leads.get(start, "")))
            elif made:
                made[-1] = made[-1]._replace(text=made[-1].text + piece)
            else:
                blank = piece
        return tuple(made)

    def _element(self, match: re.Match[str]) -> int:
        """Handles one marked line and returns where the scan goes on."""
        shallow = len(match["indent"].expandtabs(4)) <= 3
        end = self._line_end(match.end())
        if match["fence"]:
            return self._fence(match, shallow, end)
        if match["delimiter"]:
            return self._table(match.start(), end)
        if not shallow:
            return end
        if match["atx"]:
            self._heading(match.start(), len(match["atx"]), _ATX_CLOSE.sub("", match["title"][: 2 * MAX_TITLE]), end)
        elif match["under"]:
            self._setext(match, end)
        elif match["html"]:
            return self._html(match["html"].lower(), match.end(), end)
        return end

    def _line_end(self, at: int) -> int:
        """The position after the line end."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def _cut(self, start: int, kind: Kind) -> None:
        if len(self.cuts) >= MAX_SECTIONS:
            return
        path = tuple(title for _, title in self.path)
        if self.cuts[-1][0] == start:
            self.cuts[-1] = (start, kind, path)
        else:
            self.cuts.append((start, kind, path))

    def _block(self, start: int, end: int, kind: Kind) -> int:
        self._cut(start, kind)
        self._cut(end, "text")
        self.floor = end
        return end

    def _heading(self, start: int, level: int, raw: str, end: int) -> None:
        title = plain_title(raw)
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        if title:
            self.path.append((level, title))
        if level == 1 and not self.first_h1:
            self.first_h1 = title
        self._cut(start, "text")
        self.floor = end

    def _fence(self, match: re.Match[str], shallow: bool, end: int) -> int:
        mark = match["fence"]
        if mark[0] == "`" and "`" in match["info"]:
            return end  # inline code, not a fence
        close = self._closing(mark, end)
        if close is None and not shallow:
            return end
        return self._block(match.start(), self._line_end(close.end()) if close else len(self.text), "code")

    def _closing(self, mark: str, start: int) -> re.Match[str] | None:
        if len(mark) >= self.unclosed[mark[0]]:
            return None  # looked for before: a thousand open fences must not cost a thousand scans
        pattern = re.compile(rf"^[ \t]*+{mark[0]}{{{len(mark)},}}+[ \t]*+$", re.M)
        close = pattern.search(self.text, start)
        if close is None:
            self.unclosed[mark[0]] = len(mark)
        return close

    def _table(self, start: int, end: int) -> int:
        above = self.text.rfind("\n", 0, max(start - 1, 0)) + 1
        head = self.text[above:start]
        if above < self.floor or "|" not in head:
            return end
        self.leads[above] = self.text[above:end]
        while row := _ROW.match(self.text, end):
            if row.end() == end:
                break
            end = row.end()
        return self._block(above, end, "table")

    def _setext(self, match: re.Match[str], end: int) -> None:
        start = match.start()
        first = start
        for _ in range(3):
            above = self.text.rfind("\n", 0, max(first - 1, 0)) + 1
            if above < self.floor or above >= first or self.text[above:first].isspace():
                break
            first = above
        else:
            before = self.text.rfind("\n", 0, max(first - 1, 0)) + 1
            if self.floor <= before < first and not self.text[before:first].isspace():
                return  # a paragraph of more than three lines above a rule
        raw = self.text[first:start]
        if raw.strip() and len(raw) <= MAX_SETEXT and not _NOT_SETEXT.match(raw):
            self._heading(first, 1 if match["under"][0] == "=" else 2, raw, end)

    def _html(self, tag: str, inside: int, end: int) -> int:
        """Skips an HTML block, in which ``#`` begins no heading (CommonMark 4.6, kinds 1, 2 and 6)."""
        if tag == "!--":
            close = self.text.find("-->", inside)
            self.floor = len(self.text) if close < 0 else self._line_end(close)
        elif tag in _RAW:
            found = re.compile(f"</{tag}>", re.I).search(self.text, inside)
            self.floor = self._line_end(found.end()) if found else len(self.text)
        elif _BLOCK_TAG.fullmatch(tag):
            blank = _BLANK.search(self.text, inside)
            self.floor = blank.end() if blank else len(self.text)
        else:
            return end
        return self.floor


def plain_title(raw: str) -> str:
    """A heading without its inline marks: ``**Leave** [policy](x.md) {#a}`` is ``Leave policy``."""
    title = _ANCHOR.sub("", raw[: 2 * MAX_TITLE])
    title = _LINK.sub(r"\1", title)
    title = _EMPHASIS.sub(r"\2", title)
    return " ".join(_ESCAPE.sub(r"\1", title).split())[:MAX_TITLE]
