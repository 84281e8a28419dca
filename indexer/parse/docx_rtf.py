"""The text of an imported RTF part."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
# Groups that are not text: tables, pictures, instructions, comments.
_SILENT = frozenset(
    {
        b"fonttbl",
        b"colortbl",
        b"stylesheet",
        b"info",
        b"pict",
        b"object",
        b"objdata",
        b"fldinst",
        b"header",
        b"headerl",
        b"headerr",
        b"headerf",
        b"footer",
        b"footerl",
        b"footerr",
        b"footerf",
        b"annotation",
        b"atnid",
        b"atnauthor",
        b"bkmkstart",
        b"bkmkend",
        b"listtable",
        b"listoverridetable",
        b"generator",
        b"rsidtbl",
        b"themedata",
        b"colorschememapping",
        b"datastore",
        b"xmlnstbl",
        b"latentstyles",
        b"filetbl",
        b"revtbl",
        b"nonshppict",
        b"mmathPr",
        b"tc",
        b"xe",
    }
)
_WRITTEN = {
    **{b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"row": "\n", b"tab": "\t", b"cell": " | "},
    **{b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“"},
    **{b"rdblquote": "”", b"emspace": " ", b"enspace": " "},
}
_CODE_PAGES = {
    **{0: "cp1252", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254"},
    **{163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250"},
}


@dataclass(slots=True)
class _Group:
    silent: bool
    skip: int  # characters that stand for a \u character in old readers
    hidden: bool
    font: int


class _Reader:
    """Takes tokens, keeps the groups' settings, writes what is visible."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self._raw = bytearray()
        self._groups = [_Group(False, 1, False, -1)]
        self._code_page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font_table = 0
        self._pending_skip = 0

    def say(self, text: str) -> None:
        self._flush()
        group = self._groups[-1]
        if not (group.silent or group.hidden):
            self.out.append(text)

    def raw(self, data: bytes) -> None:
        skipped = min(self._pending_skip, len(data))
        self._pending_skip -= skipped
        group = self._groups[-1]
        if not (group.silent or group.hidden):
            self._raw += data[skipped:]

    def _flush(self) -> None:
        if self._raw:
            page = self._fonts.get(self._groups[-1].font, self._code_page)
            self.out.append(self._raw.decode(page, "replace"))
            self._raw.clear()

    def brace(self, mark: bytes) -> None:
        self._flush()
        self._pending_skip = 0
        if mark == b"{":
            group = self._groups[-1]
            self._groups.append(_Group(group.silent, group.skip, group.hidden, group.font))
        elif len(self._groups) > 1:
            self._groups.pop()
            if len(self._groups) < self._font_table:
                self._font_table = 0

    def symbol(self, mark: bytes) -> None:
        if mark == b"*":
            self._groups[-1].silent = True
        elif mark in b"\\{}":
            self.raw(mark)
        elif mark in b"~_-":
            self.say({b"~": " ", b"_": "-", b"-": ""}[mark])
        elif mark in b"\r\n":
            self.say("\n")

    def word(self, name: bytes, value: int | None) -> None:
        group = self._groups[-1]
        if name in _WRITTEN:
            self.say(_WRITTEN[name])
        elif name == b"u" and value is not None:
            self.say(chr(value % 0x10000))
            self._pending_skip = group.skip
        elif name in _SILENT:
            self._flush()
            group.silent = True
            if name == b"fonttbl":
                self._font_table = len(self._groups)
        else:
            self._set(group, name, value)

    def _set(self, group: _Group, name: bytes, value: int | None) -> None:
        self._flush()
        if name == b"uc":
            group.skip = max(0, value or 0)
        elif name == b"v":
            group.hidden = value != 0
        elif name == b"plain":
            group.hidden = False
        elif name == b"ansicpg" and value:
            self._code_page = _known(f"cp{value}")
        elif name == b"f" and value is not None:
            group.font = value
        elif name == b"fcharset" and self._font_table and value in _CODE_PAGES:
            self._fonts[group.font] = _CODE_PAGES[value]

    def text(self) -> str:
        self._flush()
        joined = "".join(self.out)
        # \u writes astral characters as two halves.
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _known(page: str) -> str:
    page = {"cp936": "gb18030", "cp950": "big5", "cp65001": "utf-8", "cp10000": "mac-roman"}.get(page, page)
    try:
        b"".decode(page)
    except LookupError:
        return "cp1252"
    return page


def rtf_text(data: bytes) -> str:
    """Paragraphs on lines; hidden text, pictures, instructions, headers and comments are left out."""
    reader = _Reader()
    for match in _TOKEN.finditer(data):
        word, value, code, symbol, brace, plain = match.groups()
        if word is not None:
            reader.word(word, None if value is None else int(value))
        elif code is not None:
            reader.raw(bytes.fromhex(code.decode()))
        elif brace is not None:
            reader.brace(brace)
        elif symbol is not None:
            reader.symbol(symbol)
        elif plain is not None:
            reader.raw(plain)
    return reader.text()
