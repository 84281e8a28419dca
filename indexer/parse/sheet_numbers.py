"""A number through the digits of a format code: grouping, scaling, percent, exponent, fraction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from .sheet_numerals import digits as each_digit

if TYPE_CHECKING:
    from .sheet_numfmt import Token

_EXACT = Context(prec=700, rounding=ROUND_HALF_UP)


def show_number(tokens: Sequence[Token], value: Decimal, numerals: str) -> str:
    """The value (not negative) as the tokens of one part show it."""
    kinds = [token.kind for token in tokens]
    for _ in range(kinds.count("percent")):
        value = _EXACT.multiply(value, Decimal(100))
    if "exponent" in kinds:
        shown = _exponent(tokens, kinds.index("exponent"), value)
    elif "slash" in kinds and _below(tokens, kinds.index("slash")):
        shown = _fraction(tokens, kinds.index("slash"), value)
    else:
        shown = _decimal(tokens, value)
    return each_digit(shown, numerals) if numerals else shown


class Simple(NamedTuple):
    """A part such as ¥#,##0.00 or 0.0%, which most cells have: what stands before and after, places, scale."""

    before: str
    after: str
    unit: Decimal
    grouped: bool
    percent: bool

    def show(self, value: Decimal) -> str:
        """The value (not negative); ten times faster than through the tokens."""
        value = _EXACT.quantize(_EXACT.scaleb(value, 2) if self.percent else value, self.unit)
        return (
            f"{self.before}{value:,f}{self.after}".strip()
            if self.grouped
            else f"{self.before}{value:f}{self.after}".strip()
        )


def simple(tokens: Sequence[Token]) -> Simple | None:
    """The quick form of a part's tokens, None where there is none."""
    marks = {"digit": "", "comma": ",", "point": ".", "percent": "%", "literal": "x"}
    code = "".join(marks.get(token.kind, "?") or token.text for token in tokens if token.kind not in ("pad", "fill"))
    found = re.fullmatch(r"(x*)(#,##0|0)(?:\.(0{1,12}))?(x*)(%?)(x*)", code)
    if found is None or (found[4] and found[5]):
        return None
    texts = [token.text for token in tokens if token.kind in ("literal", "percent")]
    before = len(found[1])
    return Simple(
        "".join(texts[:before]), "".join(texts[before:]), Decimal(1).scaleb(-len(found[3] or "")),
        "," in found[2], bool(found[5]),
    )  # fmt: skip


def _decimal(tokens: Sequence[Token], value: Decimal) -> str:
    kinds = [token.kind for token in tokens]
    point = kinds.index("point") if "point" in kinds else len(tokens)
    whole, rest = tokens[:point], tokens[point + 1 :]
    places = [i for i, token in enumerate(whole) if token.kind == "digit"]
    after = [token.text for token in rest if token.kind == "digit"]
    last = places[-1] if places else -1
    commas = [i for i, token in enumerate(whole) if token.kind == "comma"]
    scaled = sum(1 for i in commas if i > last >= 0) + sum(1 for token in rest if token.kind == "comma" and after)
    value = _EXACT.scaleb(value, -3 * scaled)
    text = f"{_EXACT.quantize(value, Decimal(1).scaleb(-len(after))):f}"
    front, _, fraction = text.partition(".")
    grouped = any(places and places[0] < i < last for i in commas)
    shown = _whole(whole, front.lstrip("0"), grouped)
    if point == len(tokens):
        return shown
    return shown + "." + _after(rest, _trimmed(fraction, after))


def _trimmed(fraction: str, places: Sequence[str]) -> str:
    """The digits after the point without zeros that the format does not ask for."""
    keep = len(fraction)
    while keep and fraction[keep - 1] == "0" and places[keep - 1] != "0":
        keep -= 1
    return fraction[:keep]


def _after(tokens: Sequence[Token], fraction: str) -> str:
    out: list[str] = []
    at = 0
    for token in tokens:
        if token.kind == "digit":
            out.append(fraction[at : at + 1])
            at += 1
        else:
            out.append(_plain(token))
    return "".join(out)


def _whole(tokens: Sequence[Token], digits: str, grouped: bool) -> str:
    """Digits into their places from the right; those left over stand at the first place."""
    out: list[str] = []
    first = next((i for i, token in enumerate(tokens) if token.kind == "digit"), -1)
    count = 0
    for i in range(len(tokens) - 1, -1, -1):
        token = tokens[i]
        if token.kind != "digit":
            out.append(_plain(token))
            continue
        take = digits if i == first else digits[-1:]
        digits = "" if i == first else digits[:-1]
        for c in reversed(take or ("0" if token.text == "0" else "")):
            if grouped and count and count % 3 == 0:
                out.append(",")
            out.append(c)
            count += 1
    if first < 0:
        out.append(digits[::-1])
    return "".join(reversed(out))


def _plain(token: Token) -> str:
    return token.text if token.kind in ("literal", "percent", "slash") else ""


def _exponent(tokens: Sequence[Token], at: int, value: Decimal) -> str:
    point = next((i for i, token in enumerate(tokens[:at]) if token.kind == "point"), at)
    step = max(1, sum(1 for token in tokens[:point] if token.kind == "digit"))
    power = value.adjusted() // step * step if value else 0
    mantissa = _decimal(tokens[:at], _EXACT.scaleb(value, -power))
    places = sum(1 for token in tokens[at:] if token.kind == "digit")
    sign = "-" if power < 0 else "+" if tokens[at].text.endswith("+") else ""
    rest = "".join(_plain(token) for token in tokens[at:])
    return f"{mantissa}E{sign}{abs(power):0{places}d}{rest}"


def _fraction(tokens: Sequence[Token], slash: int, value: Decimal) -> str:
    below = _below(tokens, slash)
    wanted = Fraction(value)
    whole, part = divmod(wanted, 1)
    if below.isdecimal() and int(below):
        part = Fraction(round(part * int(below)), int(below))
    else:
        part = part.limit_denominator(10 ** min(3, max(1, len(below))) - 1)
    whole, part = whole + int(part), part - int(part)
    if not part:
        return str(whole)
    return f"{whole} {part.numerator}/{part.denominator}" if whole else f"{part.numerator}/{part.denominator}"


def _below(tokens: Sequence[Token], slash: int) -> str:
    """The places, or the fixed number, under the fraction line."""
    return "".join(
        token.text
        for token in tokens[slash + 1 :]
        if token.kind == "digit" or (token.kind == "literal" and token.text.isdecimal())
    )
