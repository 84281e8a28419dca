"""Bytes of an RTF text to characters: the document's code page, the fonts' character sets, symbol fonts."""

from __future__ import annotations

import codecs

from .docx_symbols import decode_symbols, is_symbol_font

# \fcharsetN, the Windows numbers of character sets.
_CHARSETS = {
    **{0: "cp1252", 77: "mac-roman", 78: "cp932", 79: "cp949", 80: "gb18030", 81: "big5", 83: "mac-greek"},
    **{84: "mac-turkish", 89: "mac-cyrillic", 88: "mac-latin2"},
    **{128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5hkscs", 161: "cp1253", 162: "cp1254"},
    **{163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250"},
    **{254: "cp437", 255: "cp850"},
}
_PAGES = {
    **{"cp936": "gb18030", "cp950": "big5hkscs", "cp65001": "utf-8", "cp10000": "mac-roman", "cp54936": "gb18030"},
    **{"cp10001": "shift_jis", "cp10002": "big5hkscs", "cp10003": "euc-kr", "cp10006": "mac-greek", "cp1361": "johab"},
    **{"cp10007": "mac-cyrillic", "cp10008": "gb2312", "cp10029": "mac-latin2", "cp708": "iso8859-6", "cp0": "cp1252"},
    **{"cp20932": "euc-jp", "cp51932": "euc-jp", "cp51949": "euc-kr", "cp51936": "gb18030", "cp20127": "cp1252"},
}
_WIDE = frozenset(("gb18030", "gb2312", "big5hkscs", "cp932", "shift_jis", "cp949", "euc-kr", "euc-jp", "johab"))


def code_page(number: int) -> str:
    """The codec of a Windows or Macintosh code page; cp1252 for one that is unknown."""
    name = _PAGES.get(f"cp{number}", f"cp{number}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name


class Fonts:
    """The font table: what each font number means for bytes and for characters."""

    def __init__(self) -> None:
        self.page = "cp1252"  # \ansicpg
        self.default = -1  # \deff
        self._charsets: dict[int, int] = {}
        self._pages: dict[int, str] = {}
        self._names: dict[int, str] = {}

    def set_charset(self, font: int, charset: int) -> None:
        """``\\fcharset`` of a font in the table."""
        self._charsets.setdefault(font, charset)

    def set_page(self, font: int, number: int) -> None:
        """``\\cpg`` of a font in the table, stronger than its character set."""
        self._pages[font] = code_page(number)

    def add_name(self, font: int, text: str) -> None:
        """A piece of a font's name, which ends with a semicolon."""
        self._names[font] = (self._names.get(font, "") + text)[:80]

    def decode(self, data: bytes, font: int) -> str:
        """The characters of bytes set in a font."""
        if self.is_symbol(font):
            return decode_symbols(self._name(font), data.decode("latin-1"))
        return data.decode("ascii") if data.isascii() else self._decode(data, self._codec(font))

    def is_symbol(self, font: int) -> bool:
        """Whether a font shows pictures or Greek where other fonts show letters."""
        return self._charsets.get(font) == 2 or is_symbol_font(self._name(font))

    def symbols(self, text: str, font: int) -> str:
        """Characters given by number in a symbol font, or of its private area in any font."""
        return decode_symbols(self._name(font) if self.is_symbol(font) else "", text)

    def _name(self, font: int) -> str:
        return self._names.get(font, "").partition(";")[0].strip()

    def _codec(self, font: int) -> str:
        font = self.default if font not in self._charsets and font not in self._pages else font
        if font in self._pages:
            return self._pages[font]
        charset = self._charsets.get(font, 1)
        if charset == 1 or charset not in _CHARSETS:
            return self.page
        # Many generators call every font "ANSI" (0) and mean the code page of the document.
        if charset == 0 and not any(_CHARSETS.get(c) == self.page for c in self._charsets.values()):
            return self.page
        return _CHARSETS[charset]

    def _decode(self, data: bytes, codec: str) -> str:
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            pass
        for other in (self.page, "utf-8"):  # editors that write UTF-8 raw, fonts with a wrong set
            if other != codec and (other in _WIDE or other == "utf-8"):
                try:
                    return data.decode(other)
                except UnicodeDecodeError:
                    continue
        return data.decode(codec, "replace")
