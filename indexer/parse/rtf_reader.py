"""The stream of an RTF file: groups, control words and bytes, turned into the texts of its stories."""

from __future__ import annotations

import re
from dataclasses import replace

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

from .metafile import metafile_lines
from .office_outline import Block, Paragraph
from .rtf_control import HANDLERS, METAFILE, PICTURE, Group
from .rtf_fonts import Fonts
from .rtf_story import Look, Story
from .rtf_styles import Styles
from .rtf_values import Values
from .rtf_words import CHARACTERS, SHOWN, SILENT, STORIES, VALUES

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32}+)(-?[0-9]{1,10}+)? ?|\\'([0-9a-fA-F]{2})|\\(.)|([{}])|[\r\n]++|([^\\{}\r\n]++)", re.S
)
_PAGE_NUMBER = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.I)
MOST_PICTURE = 16 << 20  # bytes of a picture looked into for its text
COPY = "copy"  # the first half of \\upr, for old readers; \\*\\ud inside is the real one
DEEPEST = 5_000  # open groups; Word writes a few dozen


class Reader:
    """Reads the file once; ``body``, ``headers`` and ``footers`` are what a person sees of it."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limit = limits.output_chars
        self._written = 0
        self._raw = bytearray()
        self._pending_skip = 0
        self.fonts: Fonts = Fonts()
        self.styles: Styles = Styles()
        self.body = Story()
        self.margins: dict[str, list[Block]] = {"header": [], "footer": [], "endnote": []}
        self.values = Values()
        self.pictures = 0
        self.groups = [Group(self.body, Look())]

    def read(self, data: bytes) -> bool:
        """Reads everything; False when the file ends before its last group does."""
        at, end = data.find(b"{"), len(data)
        while 0 <= at < end:
            match = _TOKEN.match(data, at)
            if match is None:
                at += 1  # a lone backslash at the end
                continue
            at = match.end() + self._token(match)
            if len(self.groups) == 1:
                return True  # what follows the document is no part of it
        self._flush()
        while len(self.groups) > 1:
            self._close()
        return False

    def _token(self, match: re.Match[bytes]) -> int:
        """Handles one token; returns how many bytes after it are not RTF."""
        kind = match.lastindex
        if kind == 6:
            self._bytes(match[6])
        elif kind in (1, 2):
            return self._word(match[1], None if match[2] is None else int(match[2]))
        elif kind == 3:
            self._bytes(bytes((int(match[3], 16),)))
        elif kind == 5:
            self._flush()
            self._pending_skip = 0
            self._open() if match[5] == b"{" else self._close()
        elif kind == 4:
            self._symbol(match[4])
        return 0

    # ---- characters ------------------------------------------------------------------

    def _bytes(self, data: bytes) -> None:
        if self._pending_skip:
            skipped = min(self._pending_skip, len(data))
            self._pending_skip -= skipped
            data = data[skipped:]
        if not self.groups[-1].silent:
            self._raw += data

    def _flush(self) -> None:
        if self._raw:
            group = self.groups[-1]
            text = self.fonts.decode(bytes(self._raw.replace(b"\0", b"")), group.font)
            self._raw.clear()
            self._say(text, group)

    def _say(self, text: str, group: Group) -> None:
        if group.silent:
            return
        if group.value == PICTURE:
            return
        if group.value is not None:
            if group.value == "font":
                self.fonts.add_name(group.font, text)
            else:
                group.texts.append(text)
            if group.value == METAFILE:
                return
        elif not (group.hidden or group.deleted):
            group.story.say(text)
        self.charge(len(text))

    def charge(self, count: int) -> None:
        """Counts characters of the result; raises ParseRefused beyond ``output_chars``."""
        self._written += count
        if self._written > self._limit:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=self._limit,
            )

    def _symbol(self, mark: bytes) -> None:
        if mark in b"\\{}":
            self._bytes(mark)
            return
        self._flush()
        if mark == b"*":
            self.groups[-1].optional = True
        elif mark in b"~_":
            self._say("\u00a0" if mark == b"~" else "-", self.groups[-1])
        elif mark in b"\r\n":
            self.end_paragraph(self.groups[-1])

    # ---- groups ----------------------------------------------------------------------

    def _open(self) -> None:
        if len(self.groups) > DEEPEST:
            raise ParseRefused(
                "The file is nested too deeply, as no office program writes it; save it again with its application, or exclude it"
            )
        group = self.groups[-1]
        self.groups.append(replace(group, look=replace(group.look), optional=False, style=-1, texts=[]))

    def _close(self) -> None:
        if len(self.groups) < 2:
            return
        group = self.groups.pop()
        outer = self.groups[-1]
        if group.story is not outer.story:
            self._end_story(group, outer)
        elif group.value is not None and group.texts and not group.silent:
            self._end_value(group, outer)

    def _end_story(self, group: Group, outer: Group) -> None:
        blocks = group.story.end(group.look)
        if group.story.kind in self.margins:
            self.margins[group.story.kind].extend(blocks)
        else:  # a note or box cannot open a chapter of the text around it
            outer.story.add([Paragraph(b.text) if isinstance(b, Paragraph) else b for b in blocks])

    def _end_value(self, group: Group, outer: Group) -> None:
        text = "".join(group.texts)
        if outer.value == group.value and group.value != "style":
            outer.texts.append(text)  # the value goes on around this group
        elif group.value == "style":
            self.styles.define(group.style, text, group.look.level)
        elif group.value == "number":
            if any(c.isalnum() for c in text) and text.strip() != "o":
                self._say(text.strip() + " ", outer)
        elif group.value == METAFILE:
            outer.story.add([Paragraph(line) for line in metafile_lines(_from_hex(text[: 2 * MOST_PICTURE]))])
        elif art := self.values.keep(group.value or "", text):
            outer.story.add([Paragraph(art)])

    # ---- control words ---------------------------------------------------------------

    def _word(self, name: bytes, value: int | None) -> int:
        group = self.groups[-1]
        if name == b"bin":
            return max(0, value or 0)
        if group.silent:
            return 0
        self._flush()
        if name in CHARACTERS:
            if self._pending_skip:
                self._pending_skip -= 1
            else:
                self._say(CHARACTERS[name], group)
        elif name == b"u" and value is not None:
            self._unicode(value % 0x10000, group)
        elif (handler := HANDLERS.get(name)) is not None:
            handler(self, group, value)
        else:
            self._destination(name, group)
        return 0

    def _unicode(self, code: int, group: Group) -> None:
        text = chr(code)
        if 0xF000 <= code <= 0xF0FF or self.fonts.is_symbol(group.font):
            text = self.fonts.symbols(text, group.font)
        self._say(text, group)
        self._pending_skip = group.skip

    def _destination(self, name: bytes, group: Group) -> None:
        optional, group.optional = group.optional, False
        if name == b"ud" and len(self.groups) > 2:
            group.value = self.groups[-3].value  # of what stands around \\upr
        elif group.value == COPY:
            group.silent = name in STORIES or name in VALUES
        elif name in STORIES:
            group.story, group.look, group.value = Story(STORIES[name]), Look(), None
        elif name in VALUES:
            group.value = VALUES[name]
        elif name == b"pict":
            self.pictures += 1
            group.value = PICTURE
        elif name in SILENT or (optional and name not in SHOWN):
            group.silent = True
        elif name == b"fldrslt":
            numbers = group.story.kind in self.margins and _PAGE_NUMBER.match(self.values.instruction)
            group.silent = bool(numbers)
        elif name == b"upr":
            group.value = COPY

    def end_paragraph(self, group: Group) -> None:
        """``\\par`` and its like."""
        if group.value is None:
            self.charge(1)
            group.story.paragraph(group.look)


def _from_hex(text: str) -> bytes:
    digits = "".join(text.split())
    try:
        return bytes.fromhex(digits[: len(digits) & ~1])
    except ValueError:
        return b""
