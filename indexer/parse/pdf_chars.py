"""pdfium's characters of a page, gathered into lines.

pdfium gives each character its place; it sorts what stands on one base line, sets right-to-left
text in order and says where it does not know a character. A line here is what stands on one
base line without a jump back, in the order of the content; text that is turned is looked at
from its own side.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

UNREADABLE = "\ufffd"
HYPHEN = 2  # what pdfium puts in the place of a hyphen at the end of a line
FIXED_PITCH = 1  # font flag, ISO 32000-2 table 121
BOLD = 600  # font weight
FEW = 60  # characters: a stamp, no text
COVERED = 0.8  # of the page
WIDE_GAP = 1.6  # in heights of the line: cells of a table or columns, not words


class Cell(NamedTuple):
    """What stands between wide gaps of a line."""

    text: str
    left: float
    right: float


class Line(NamedTuple):
    """A line of a page; lengths in points, as seen upright. ``height`` 0: its place is unknown."""

    text: str
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    height: float = 0.0
    turn: int = 0  # quarter turns
    style: tuple[int, int] = (0, 0)  # at its beginning and its end: differs where weight or pitch differ
    cells: tuple[Cell, ...] = ()  # of a line with wide gaps, else empty
    fixed: bool = False  # every letter is as wide as the next: code, a listing

    @property
    def placed(self) -> bool:
        """Whether the line may be compared with others by its place."""
        return self.height > 0


class Char(NamedTuple):
    """One character, its box turned upright; ``gap``: white space was before it."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    turn: int
    number: int
    gap: bool


class Page(NamedTuple):
    """What pdfium finds on a page; ``picture``: next to nothing but one large image.

    ``objects`` counts what the content draws: fewer than it asks for where pdfium lost the thread.
    """

    lines: list[Line]
    height: float
    picture: bool
    objects: int


def read_page(document: PdfDocument, index: int) -> Page:
    """The lines of a page (from 0), in the order of its content."""
    from pypdfium2.raw import FPDFPage_CountObjects

    with closing(document[index]) as page, closing(page.get_textpage()) as textpage:
        raw = textpage.raw
        chars = list(_chars(raw, textpage.count_chars()))
        lines = [_line(raw, group) for group in _merged(_groups(chars))]
        picture = len(chars) < FEW and _is_picture(page)
        objects = FPDFPage_CountObjects(page)
        return Page([line for line in lines if line.text.strip()], page.get_height(), picture, objects)


def _is_picture(page: PdfPage) -> bool:
    """Whether one image covers the page, as on a scan with the stamp of a scanner program."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    whole = page.get_width() * page.get_height()
    for image in page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = image.get_bounds()
        if (right - left) * (top - bottom) > COVERED * whole:
            return True
    return False


def _chars(raw: ctypes.c_void_p, count: int) -> Iterator[Char]:
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    gap = False
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(raw, index)
        if pdfium.FPDFText_IsGenerated(raw, index) or code in (0x20, 0x0D, 0x0A, 0x09, 0xA0):
            gap = True
            continue
        if not pdfium.FPDFText_GetLooseCharBox(raw, index, box):
            continue
        text = "-" if code == HYPHEN and pdfium.FPDFText_IsHyphen(raw, index) else chr(code) if code else UNREADABLE
        if pdfium.FPDFText_HasUnicodeMapError(raw, index):
            text = UNREADABLE
        turn = round(pdfium.FPDFText_GetCharAngle(raw, index) / (math.pi / 2)) % 4
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if top <= bottom:  # a font that is not at hand has no height
            top = bottom + max(right - left, pdfium.FPDFText_GetFontSize(raw, index), 1.0)
        yield Char(text, *_turned(turn, left, right, bottom, top), turn, index, gap)
        gap = False


def _turned(turn: int, left: float, right: float, bottom: float, top: float) -> tuple[float, float, float, float]:
    """The box as it stands when the page is turned so that the text is upright."""
    if turn == 1:
        return -top, -bottom, left, right
    if turn == 2:
        return -right, -left, -top, -bottom
    if turn == 3:
        return bottom, top, -right, -left
    return left, right, bottom, top


def _groups(chars: list[Char]) -> Iterator[list[Char]]:
    """Characters that follow each other on one base line, or down one vertical line."""
    group: list[Char] = []
    for char in chars:
        if group and not _goes_on(group[-1], char):
            yield group
            group = []
        group.append(char)
    if group:
        yield group


def _goes_on(last: Char, char: Char) -> bool:
    if last.turn != char.turn:
        return False
    height = min(last.top - last.bottom, char.top - char.bottom)
    overlap = min(last.top, char.top) - max(last.bottom, char.bottom)
    if overlap > 0.35 * height:
        back = char.left < last.left - 0.5 * height
        return not back or _right_to_left(char.text) or _right_to_left(last.text)
    middles = abs(last.left + last.right - char.left - char.right) / 2
    below = last.bottom - char.bottom
    return not char.gap and middles < 0.1 * height and 0 < below < 1.5 * height  # vertical writing


def _right_to_left(text: str) -> bool:
    return bidirectional(text) in ("R", "AL", "NSM", "AN")


def _merged(groups: Iterator[list[Char]]) -> Iterator[list[Char]]:
    """Neighbouring groups on one base line as one, from left to right: pdfium sorts upright text only."""
    last: list[Char] = []
    for group in groups:
        if last and _same_base(last[0], group[0]) and not any(_right_to_left(c.text) for c in (*last, *group)):
            joined = sorted((last, group), key=lambda part: part[0].left)
            last = [*joined[0], joined[1][0]._replace(gap=True), *joined[1][1:]]
            continue
        if last:
            yield last
        last = group
    if last:
        yield last


def _same_base(first: Char, second: Char) -> bool:
    height = min(first.top - first.bottom, second.top - second.bottom)
    return first.turn == second.turn and abs(first.bottom - second.bottom) < 0.25 * height


def _line(raw: ctypes.c_void_p, group: list[Char]) -> Line:
    heights = sorted(char.top - char.bottom for char in group)
    height = heights[len(heights) // 2]
    cells = [_cell(part) for part in _parts(group, WIDE_GAP * height)]
    style = _style(raw, group[0].number), _style(raw, group[-1].number)
    text = " ".join(cell.text for cell in cells)
    line = Line(text, min(c.left for c in group), max(c.right for c in group), min(c.bottom for c in group), height)
    parted = tuple(cells) if len(cells) > 1 else ()
    return line._replace(turn=group[0].turn, style=style, cells=parted, fixed=style[0] & style[1] & 1 == 1)


def _parts(group: list[Char], wide: float) -> Iterator[list[Char]]:
    """A line cut at its wide gaps."""
    part, end = [group[0]], group[0].right
    for char in group[1:]:
        if char.left - end > wide and not _right_to_left(char.text):
            yield part
            part = []
        part.append(char)
        end = max(end, char.right)
    yield part


def _cell(part: list[Char]) -> Cell:
    text = "".join(" " + char.text if char.gap else char.text for char in part).strip()
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # pdfium gives halves of a pair
    return Cell(text, min(char.left for char in part), max(char.right for char in part))


def _style(raw: ctypes.c_void_p, number: int) -> int:
    """1 for letters of a fixed width, 2 for bold ones, 3 for both."""
    import pypdfium2.raw as pdfium

    flags, name = ctypes.c_int(), ctypes.create_string_buffer(128)
    pdfium.FPDFText_GetFontInfo(raw, number, name, 128, flags)
    said = name.value.lower()
    fixed = bool(flags.value & FIXED_PITCH) or any(part in said for part in (b"courier", b"mono", b"consol"))
    return fixed + 2 * (b"bold" in said or pdfium.FPDFText_GetFontWeight(raw, number) >= BOLD)
