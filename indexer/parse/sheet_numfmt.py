"""Number formats: a cell's value as the spreadsheet shows it.

The codes of ECMA-376 18.8.31. A date without a year-first order of its own (format 14, the
system's order) is written 2024-01-05, the same on every system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

from .sheet_dates import show_date
from .sheet_numbers import Simple, show_number, simple
from .sheet_numerals import FORMAL, PLAIN, spoken

LONGEST_EXACT = 17  # characters of a number that has no more than 15 digits
LONGEST = 500  # characters of a code; Excel's limit is 255
EXACT = Context(prec=340, rounding=ROUND_HALF_UP)

BUILTIN: Mapping[int, str] = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0;\\-"$"#,##0', 6: '"$"#,##0;\\-"$"#,##0',
    7: '"$"#,##0.00;\\-"$"#,##0.00', 8: '"$"#,##0.00;\\-"$"#,##0.00', 9: "0%", 10: "0.00%", 11: "0.00E+00",
    12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 27: 'yyyy"年"m"月"', 28: 'm"月"d"日"',
    29: 'm"月"d"日"', 30: "m-d-yy", 31: 'yyyy"年"m"月"d"日"', 32: 'h"时"mm"分"', 33: 'h"时"mm"分"ss"秒"',
    34: '上午/下午h"时"mm"分"', 35: '上午/下午h"时"mm"分"ss"秒"', 36: 'yyyy"年"m"月"', 37: "#,##0;\\-#,##0",
    38: "#,##0;\\-#,##0", 39: "#,##0.00;\\-#,##0.00", 40: "#,##0.00;\\-#,##0.00", 41: '#,##0;\\-#,##0;"-"',
    42: '"$"#,##0;\\-"$"#,##0;"-"', 43: '#,##0.00;\\-#,##0.00;"-"', 44: '"$"#,##0.00;\\-"$"#,##0.00;"-"', 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@", 50: 'yyyy"年"m"月"', 51: 'm"月"d"日"', 52: 'yyyy"年"m"月"',
    53: 'm"月"d"日"', 54: 'm"月"d"日"', 55: '上午/下午h"时"mm"分"', 56: '上午/下午h"时"mm"分"ss"秒"', 57: 'yyyy"年"m"月"',
    58: 'm"月"d"日"',
}  # fmt: skip
"""Formats known by number only; 27 to 36 and 50 to 58 as in Chinese Excel."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*+)"?|[\\!](?P<escaped>.)|_(?P<pad>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*+)\]'
    r"|(?P<general>General|G/通用格式)|(?P<noon>AM/PM|A/P|上午/下午)|(?P<exponent>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+|a{3,4}|b{2,4}|g{1,3})|(?P<digit>[0#?])|(?P<point>\.)|(?P<comma>,)"
    r"|(?P<percent>%)|(?P<slash>/)|(?P<text>@)|(?P<end>;)|(?P<other>.)",
    re.I | re.S,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_LOCALE = re.compile(r"\$([^-\]]*)(?:-([0-9A-Za-z-]+))?")


class Token(NamedTuple):
    """A piece of a format code; ``kind`` is "literal" or a group name of the scanner."""

    kind: str
    text: str


class Part(NamedTuple):
    """One of the up to four parts of a code."""

    kind: str  # general, number, date, text, literal
    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    locale: str
    numerals: str  # "" for Western digits
    quick: Simple | None


class Format:
    """One compiled code. ``cheap``: not worth remembering what it made of a number; ``plain``: shows text as it is."""

    def __init__(self, code: str, since_1904: bool = False) -> None:
        self._parts = list(_parts(code if len(code) <= LONGEST else "General"))
        self._since_1904 = since_1904
        text = [part for part in self._parts if part.kind == "text"]
        self._text = text[-1] if text else self._parts[3] if len(self._parts) > 3 else None
        self._numeric = [part for part in self._parts[:3] if part is not self._text] or [_GENERAL]
        self.general = len(self._numeric) == 1 and self._numeric[0] == _GENERAL
        first = self._numeric[0]
        self._quick = None if any(part.condition for part in self._numeric) or len(self._numeric) > 2 else first.quick
        self.cheap = self.general or self._quick is not None
        shown = [token.kind for token in self._text.tokens if token.kind not in ("pad", "fill")] if self._text else []
        self.plain = self._text is None or shown in (["text"], ["general"])

    def text(self, value: str) -> str:
        """A text as the format shows it."""
        if self.plain or self._text is None:
            return value
        return "".join(
            value if t.kind == "text" else t.text for t in self._text.tokens if t.kind in ("text", "literal")
        )

    def number(self, value: str) -> str:
        """A number, written as in the file, as the format shows it; anything else unchanged."""
        try:
            if self.general and len(value) < 12 and value.isdecimal() and value[0] != "0":
                return value
            if self._quick is not None and len(value) < LONGEST_EXACT and value[:1].isdecimal():
                return self._quick.show(Decimal(value))
            real = float(value)
            if self.general or not abs(real) < 1e300:
                return general(value, real)
            return self._number(value, real)
        except (ValueError, ArithmeticError, OverflowError):
            return value

    def _number(self, value: str, real: float) -> str:
        part, bare = self._choose(real)
        if part.kind == "date":
            shown = show_date(part.tokens, real, self._since_1904, part.locale, part.numerals)
            return general(value, real) if shown is None else shown
        magnitude = exact(value, real)
        negative = magnitude < 0 and not bare
        magnitude = abs(magnitude)
        if part.kind == "general":
            shown = general(str(magnitude), float(magnitude))
            shown = spoken(shown, part.numerals) if part.numerals else shown
            shown = "".join(
                shown if t.kind == "general" else t.text for t in part.tokens if t.kind in ("general", "literal")
            )
        elif part.kind == "literal":
            return "".join(token.text for token in part.tokens if token.kind in ("literal", "percent")).strip()
        else:
            shown = part.quick.show(magnitude) if part.quick else show_number(part.tokens, magnitude, part.numerals)
            negative = negative and any(c in "123456789" for c in shown)
        return ("-" if negative else "") + shown.strip()

    def _choose(self, real: float) -> tuple[Part, bool]:
        """The part for a value, and whether it is shown without its sign."""
        parts = self._numeric
        if any(part.condition for part in parts):
            for part in parts:
                if part.condition is None or _holds(part.condition, real):
                    return part, part.condition is not None and part.condition[0] in ("<", "<=") and part.condition[
                        1
                    ] <= 0
            return _GENERAL, False
        if len(parts) == 1 or real > 0 or (real == 0 and len(parts) < 3):
            return parts[0], False
        return (parts[1], True) if real < 0 else (parts[2], False)


def exact(value: str, real: float) -> Decimal:
    """The number with the 15 digits a spreadsheet shows; whole numbers in full."""
    text = value.strip()
    if text.lstrip("-").isdecimal() or (len(text) < LONGEST_EXACT and "E" not in text and "e" not in text):
        return Decimal(text)
    return EXACT.create_decimal(f"{real:.15g}")


def general(value: str, real: float) -> str:
    """A number without a format: whole ones in full, others with ten digits."""
    text = value.strip()
    if text.isdecimal():
        return text.lstrip("0") or "0"
    if real == int(real) and abs(real) < 1e15:
        return str(int(real))
    shown = f"{real:.10g}"
    if "e" not in shown:
        return shown
    mantissa, _, power = shown.partition("e")
    return f"{mantissa}E{power}"


@lru_cache(maxsize=4096)
def compiled(code: str, since_1904: bool = False) -> Format:
    """The format of a code; General where the code makes no sense."""
    return Format(code, since_1904)


def _holds(condition: tuple[str, float], real: float) -> bool:
    sign, limit = condition
    return (
        ("=" in sign and sign != "<>" and real == limit)
        or (sign[0] == "<" and sign != "<>" and real < limit)
        or (sign[0] == ">" and real > limit)
        or (sign == "<>" and real != limit)
    )


def _parts(code: str) -> list[Part]:
    parts: list[Part] = []
    tokens: list[Token] = []
    brackets: list[str] = []
    for found in _TOKEN.finditer(code):
        kind, text = found.lastgroup or "other", found[found.lastgroup or 0]
        if kind == "end":
            parts.append(_part(tokens, brackets))
            tokens, brackets = [], []
        elif kind == "bracket":
            brackets.append(text)
            if re.fullmatch(r"(?i)h+|m+|s+", text):
                tokens.append(Token("elapsed", text.lower()))
            elif (locale := _LOCALE.match(text)) and locale[1]:
                tokens.append(Token("literal", locale[1]))
        elif kind in ("quoted", "escaped", "other"):
            tokens.append(Token("literal", text))
        else:
            tokens.append(Token(kind, text))
    return [*parts, _part(tokens, brackets)]


def _part(tokens: list[Token], brackets: list[str]) -> Part:
    kinds = {token.kind for token in tokens}
    conditions = [found for bracket in brackets if (found := _CONDITION.match(bracket))]
    locales = [found[2] for bracket in brackets if (found := _LOCALE.match(bracket)) and found[2]]
    numerals = {"dbnum1": PLAIN, "dbnum2": FORMAL}
    spoken_as = next((numerals[b.lower()] for b in brackets if b.lower() in numerals), "")
    kind = (
        "general" if "general" in kinds
        else "date" if kinds & {"date", "elapsed"} and not kinds & {"exponent"}
        else "text" if "text" in kinds
        else "number" if "digit" in kinds
        else "literal"
    )  # fmt: skip
    condition = (conditions[0][1], float(conditions[0][2])) if conditions else None
    quick = simple(tokens) if kind == "number" and not spoken_as else None
    return Part(kind, tuple(tokens), condition, locales[0].lower() if locales else "", spoken_as, quick)


_GENERAL = _part([Token("general", "General")], [])
