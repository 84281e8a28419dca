"""Bookmarks to heading paths: a page is cut where the title of a bookmark stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.core.model import Section

from .pdf_objects import as_dict, entry, text_string

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_BOOKMARKS = 20_000
MAX_TITLE = 200
MAX_LABEL = 20
# A title may be broken over this many lines.
MAX_TITLE_LINES = 3

_NUMBERING = re.compile(r"^(?:chapter|section|part)?[\divx]+(?:[.\-][\divx]+)*[.:)]?(?=[^\d])", re.IGNORECASE)

_MADE_UP = re.compile(
    r"untitled.*|无标题.*|document ?\d*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|odt|wps)", re.IGNORECASE
)


class Bookmark(NamedTuple):
    """An entry of the outline; ``page`` counts from 0."""

    level: int
    title: str
    page: int


class Outline:
    """Gives each stretch of text the titles above it; call `sections` page by page, in order."""

    def __init__(self, bookmarks: Iterable[Bookmark]) -> None:
        self._by_page: dict[int, list[Bookmark]] = {}
        for bookmark in bookmarks:
            self._by_page.setdefault(bookmark.page, []).append(bookmark)
        self._path: list[tuple[int, str]] = []

    def sections(self, page: int, text: str) -> Iterator[Section]:
        """The sections of one page (from 0); their texts joined are ``text``."""
        start = 0
        for bookmark, cut in self._cuts(page, text):
            if cut > start:
                yield self._section(text[start:cut], page)
                start = cut
            self._enter(bookmark)
        if start < len(text):
            yield self._section(text[start:], page)

    def breaks(self, page: int, texts: list[str]) -> set[int]:
        """The lines of a page (from 0) where a title begins or ends: no paragraph crosses them."""
        lines = [(number, _plain(text)) for number, text in enumerate(texts)]
        found: set[int] = set()
        first = 0
        for bookmark in self._by_page.get(page, ()):
            stretch = _find(bookmark.title, lines, first)
            if stretch is not None:
                found |= set(stretch)
                first = stretch[0] + 1
        return found

    def _cuts(self, page: int, text: str) -> Iterator[tuple[Bookmark, int]]:
        lines = _lines(text)
        position, first = 0, 0
        for bookmark in self._by_page.get(page, ()):
            found = _find(bookmark.title, lines, first)
            if found is not None:
                first, position = found[0] + 1, lines[found[0]][0]
            yield bookmark, position

    def _enter(self, bookmark: Bookmark) -> None:
        while self._path and self._path[-1][0] >= bookmark.level:
            self._path.pop()
        self._path.append((bookmark.level, bookmark.title))

    def _section(self, text: str, page: int) -> Section:
        return Section(text, tuple(title for _, title in self._path), page + 1)


def bookmarks(reader: PdfReader) -> list[Bookmark]:
    """The outline in reading order; what is broken of it is left out."""
    try:
        return sorted(_walk(reader, reader.outline, 0), key=lambda bookmark: bookmark.page)[:MAX_BOOKMARKS]
    except MemoryError:
        raise
    except Exception:  # an outline is a convenience: a broken one costs the headings, not the text
        return []


def _walk(reader: PdfReader, entries: Iterable[Any], level: int) -> Iterator[Bookmark]:
    for item in entries:
        if isinstance(item, list):
            yield from _walk(reader, item, level + 1)
            continue
        title = _printable(str(item.title or ""))
        try:
            page = reader.get_destination_page_number(item)
        except (AttributeError, AssertionError, KeyError, TypeError, ValueError):
            page = None
        if title and page is not None:
            yield Bookmark(level, title, page)


def _printable(title: str) -> str:
    text = "".join(char if char.isprintable() and char != "\ufffd" else " " for char in title)
    return " ".join(text.split())[:MAX_TITLE]


def _lines(text: str) -> list[tuple[int, str]]:
    """(position, comparable form) of each line."""
    lines, position = [], 0
    for line in text.splitlines(keepends=True):
        lines.append((position, _plain(line)))
        position += len(line)
    return lines


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _find(title: str, lines: list[tuple[int, str]], first: int) -> tuple[int, int] | None:
    """The line where a title starts and the one after it: whole lines equal it, with or without its numbering."""
    wanted = _plain(title)
    wants = {wanted, _NUMBERING.sub("", wanted)} - {""}
    for index in range(first, len(lines)):
        joined = ""
        for after, (_, line) in enumerate(lines[index : index + MAX_TITLE_LINES], index + 1):
            joined += line
            if joined in wants or (_NUMBERING.sub("", joined) or joined) in wants:
                return index, after
            if len(joined) > len(wanted) + MAX_TITLE // 4:
                break
    return None


def labels(reader: PdfReader) -> dict[int, str]:
    """The printed number of each page (from 0), such as "iv" or "A-3", where it is not simply its place in the file."""
    try:
        if "/PageLabels" not in reader.root_object:
            return {}
        printed = [_printable(label)[:MAX_LABEL] for label in reader.page_labels]
    except MemoryError:
        raise
    except Exception:  # broken labels cost the printed numbers, not the text
        return {}
    return {index: label for index, label in enumerate(printed) if label and label != str(index + 1)}


def title(reader: PdfReader) -> str:
    """The title of the document information, unless a program made it up; "" without one."""
    try:
        raw = entry(as_dict(reader.trailer.get("/Info")), "/Title")
    except MemoryError:
        raise
    except Exception:  # a broken information dictionary costs the title, not the text
        return ""
    text = _printable(text_string(raw) or "")
    text = re.sub(r"^Microsoft (?:Word|PowerPoint|Excel) - ", "", text)
    return "" if _MADE_UP.fullmatch(text) else text
