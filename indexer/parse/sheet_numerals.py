"""Chinese numerals, as the number formats [DBNum1] and [DBNum2] show them."""

from __future__ import annotations

PLAIN, FORMAL = "〇一二三四五六七八九", "零壹贰叁肆伍陆柒捌玖"
_UNITS = {PLAIN: ("", "十", "百", "千"), FORMAL: ("", "拾", "佰", "仟")}
_GROUPS = ("", "万", "亿", "万亿")


def digits(text: str, numerals: str) -> str:
    """Each digit for itself: 2024 is 二〇二四."""
    return "".join(numerals[int(c)] if c in "0123456789" else c for c in text)


def spoken(text: str, numerals: str) -> str:
    """A number as it is said: 120.5 is 一百二十.五. Longer than 16 digits: each digit for itself."""
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, point, fraction = text.partition(".")
    if not whole.isdecimal() or len(whole) > 16:
        return sign + digits(text, numerals)
    said = _whole(int(whole), numerals)
    if numerals is PLAIN and said.startswith("一十"):
        said = said[1:]
    return sign + said + point + digits(fraction, numerals)


def _whole(value: int, numerals: str) -> str:
    if value == 0:
        return numerals[0]
    zero = "零" if numerals is FORMAL else "〇"
    said = ""
    gap = False  # a zero is said once between two digits
    text = str(value)
    for i, c in enumerate(text):
        place = len(text) - 1 - i
        if c == "0":
            gap = True
        else:
            said += (zero if gap and said else "") + numerals[int(c)] + _UNITS[numerals][place % 4]
            gap = False
        if place % 4 == 0 and place and value // 10**place % 10000:
            said += _GROUPS[place // 4]
    return said
