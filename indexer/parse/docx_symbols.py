"""Characters of symbol fonts as the Unicode characters they look like."""

from __future__ import annotations

# Code points 0x20 to 0x7E and 0xA0 to 0xFE of the font "Symbol"; a blank stands for nothing legible.
_SYMBOL_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…   ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑          〉∫⌠ ⌡       "
_WINGDINGS = {
    **dict.fromkeys((0x6C, 0x9F, 0x9E), "•"),
    **dict.fromkeys((0x6E, 0xA7), "▪"),
    **dict.fromkeys((0x6F, 0x70, 0x71, 0x72, 0xA8), "☐"),
    **dict.fromkeys((0x78, 0xFD, 0xFE), "☒"),
    **{0x21: "✏", 0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x41: "✌", 0x45: "☜", 0x46: "☞"},
    **{0x4A: "☺", 0x4B: "😐", 0x4C: "☹", 0x52: "☼", 0x6D: "❍", 0x75: "◆", 0x76: "❖", 0xA1: "○", 0xAB: "★"},
    **{0xD8: "➢", 0xE0: "→", 0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓"},
    **{0x80 + n: "⓪①②③④⑤⑥⑦⑧⑨⑩"[n] for n in range(11)},
    **{0x8B + n: "⓿❶❷❸❹❺❻❼❽❾❿"[n] for n in range(11)},
}
_WINGDINGS2 = {
    **dict.fromkeys((0x4F, 0x53, 0x54, 0x56), "☒"),
    **{0x50: "✓", 0x51: "☒", 0x52: "☑", 0x2A: "☐", 0xA3: "☐", 0x97: "•"},
}


def _table(low: str, high: str) -> dict[int, str]:
    return {0x20 + i: c for i, c in enumerate(low)} | {0xA0 + i: c for i, c in enumerate(high)}


_FONTS = {"symbol": _table(_SYMBOL_LOW, _SYMBOL_HIGH), "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS2}
BALLOT = {True: "☒", False: "☐"}


def symbol(font: str, code: int) -> str:
    """The character of ``w:sym``; "" for a picture that has no counterpart.

    Fonts other than the symbol fonts keep their characters, less the 0xF000 that marks them.
    """
    place = code - 0xF000 if 0xF000 <= code <= 0xF0FF else code
    table = _FONTS.get(font.strip().lower())
    if table is not None:
        return table.get(place, "").strip()
    if 0xF000 <= code <= 0xF0FF:
        return chr(place) if 0x20 <= place < 0x7F and "ding" not in font.lower() else ""
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def is_symbol_font(font: str) -> bool:
    """Whether a font shows pictures or Greek where other fonts show letters."""
    return font.strip().lower() in _FONTS


def decode_symbols(font: str, text: str) -> str:
    """A run set in a symbol font: its letters, and private characters U+F020 to U+F0FF, as what they look like."""
    return "".join(
        symbol(font, ord(c)) or ("" if "\uf020" <= c <= "\uf0ff" else c)
        if c < "\u0100" or "\uf020" <= c <= "\uf0ff"
        else c
        for c in text
    )
