"""A serial number of days as the date or time a format code shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .sheet_numerals import digits, spoken

if TYPE_CHECKING:
    from .sheet_numfmt import Token

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEK = "一二三四五六日"
_LAST_DAY = 2_958_466  # 9999-12-31 and a day
_CHINESE = ("804", "404", "c04", "1004", "zh")
_SYSTEM = {"f800": "long date", "f400": "time"}  # the order of the system that shows it


def show_date(tokens: Sequence[Token], serial: float, since_1904: bool, locale: str, numerals: str) -> str | None:
    """The text; None for a number that is no date (negative, after the year 9999)."""
    if not 0 <= serial < _LAST_DAY:
        return None
    moment = _moment(serial, since_1904, _fraction_digits(tokens))
    if _SYSTEM.get(locale.lstrip("x-")) == "long date":
        return f"{moment:%Y-%m-%d}"
    noon = any(token.kind == "noon" for token in tokens)
    shown = _Shown(moment, serial, noon, locale.lstrip("0").startswith(_CHINESE), locale, numerals)
    out = []
    for i, token in enumerate(tokens):
        if token.kind == "date":
            out.append(shown.date(token.text.lower(), _is_minute(tokens, i)))
        elif token.kind == "elapsed":
            out.append(shown.elapsed(token.text))
        elif token.kind == "noon":
            out.append(shown.half(token.text))
        elif token.kind in ("literal", "slash", "comma", "point"):
            out.append(token.text)
    return "".join(out).strip()


def _moment(serial: float, since_1904: bool, places: int) -> datetime:
    # Excel has a 29 February 1900 that never was.
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30 if serial >= 60 else 31)
    unit = 10**places
    ticks = round(serial * 86400 * unit)
    return start + timedelta(seconds=ticks // unit, microseconds=ticks % unit * (1_000_000 // unit))


def _fraction_digits(tokens: Sequence[Token]) -> int:
    lengths = [len(t.text.partition(".")[2]) for t in tokens if t.kind == "date" and "." in t.text]
    return min(3, max(lengths, default=0))


def _is_minute(tokens: Sequence[Token], at: int) -> bool:
    """An m is a minute after an hour or before a second."""
    if tokens[at].text[0] not in "mM" or len(tokens[at].text) > 2:
        return False
    before = next((t for t in reversed(tokens[:at]) if t.kind in ("date", "elapsed")), None)
    after = next((t for t in tokens[at + 1 :] if t.kind in ("date", "elapsed")), None)
    return (before is not None and before.text[0] in "hH") or (after is not None and after.text[0] in "sS")


class _Shown:
    """One moment, asked for its pieces."""

    def __init__(self, moment: datetime, serial: float, noon: bool, chinese: bool, locale: str, numerals: str) -> None:
        self._moment = moment
        self._serial = serial
        self._noon = noon
        self._chinese = chinese
        self._roc = locale.lstrip("0") in ("404", "zh-tw")
        self._numerals = numerals

    def date(self, code: str, minute: bool) -> str:
        """A run of one letter."""
        moment = self._moment
        match code[0]:
            case "y":
                return self._each(f"{moment.year:04d}" if len(code) > 2 else f"{moment.year % 100:02d}")
            case "e":
                return self._each(str(moment.year - 1911 if self._roc else moment.year))
            case "b":
                return str(moment.year + 543)
            case "m":
                return self._number(moment.minute, code) if minute else self._month(code)
            case "d" | "a":
                return self._day(code)
            case "h":
                return self._number((moment.hour + 11) % 12 + 1 if self._noon else moment.hour, code)
            case "s":
                seconds, point, places = code.partition(".")
                return self._number(moment.second, seconds) + point + f"{moment.microsecond:06d}"[: len(places)]
        return ""

    def elapsed(self, code: str) -> str:
        """Hours, minutes or seconds counted beyond a day."""
        seconds = round(self._serial * 86400)
        return f"{seconds // {'h': 3600, 'm': 60, 's': 1}[code[0]]:0{len(code)}d}"

    def half(self, code: str) -> str:
        """Before or after noon."""
        first, _, second = code.partition("/")
        return first if self._moment.hour < 12 else second

    def _month(self, code: str) -> str:
        month = self._moment.month
        if len(code) < 3:
            return self._number(month, code)
        if self._chinese:
            return f"{spoken(str(month), '〇一二三四五六七八九')}月" if len(code) == 4 else f"{month}月"
        return MONTHS[month - 1] if len(code) == 4 else MONTHS[month - 1][: 1 if len(code) > 4 else 3]

    def _day(self, code: str) -> str:
        weekday = self._moment.weekday()
        if code[0] == "a":
            return ("星期" if len(code) > 3 else "") + WEEK[weekday]
        if len(code) < 3:
            return self._number(self._moment.day, code)
        if self._chinese:
            return ("星期" if len(code) > 3 else "周") + WEEK[weekday]
        return DAYS[weekday] if len(code) > 3 else DAYS[weekday][:3]

    def _number(self, value: int, code: str) -> str:
        return spoken(str(value), self._numerals) if self._numerals else f"{value:0{min(2, len(code))}d}"

    def _each(self, text: str) -> str:
        return digits(text, self._numerals) if self._numerals else text
