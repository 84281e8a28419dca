"""A list number as text: the number formats of ECMA-376 part 1, 17.18.59.

Formats Word offers but this table lacks fall back to Arabic digits, which is also what Word
does when a number is outside a format's range.
"""

from __future__ import annotations

from collections.abc import Callable

CIRCLED = "⓪①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟㊱㊲㊳㊴㊵㊶㊷㊸㊹㊺㊻㊼㊽㊾㊿"
STEMS, BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_ORDINALS = {
    **{"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"},
    "twelve": "twelfth",
}


def roman(n: int) -> str:
    """Lower-case Roman; plain digits outside 1..32767."""
    if not 0 < n < 32768:
        return str(n)
    out = ""
    for value, letters in _ROMAN:
        count, n = divmod(n, value)
        out += letters * count
    return out


def _letters(alphabet: str) -> Callable[[int], str]:
    """a .. z, aa, bb ..: Word repeats the letter instead of counting in base 26."""

    def text(n: int) -> str:
        if not 0 < n <= 40 * len(alphabet):
            return str(n)
        return alphabet[(n - 1) % len(alphabet)] * ((n - 1) // len(alphabet) + 1)

    return text


def _row(symbols: str, first: int = 1) -> Callable[[int], str]:
    """One symbol per number, digits beyond the row."""
    return lambda n: symbols[n - first] if first <= n < first + len(symbols) else str(n)


def _digits(symbols: str) -> Callable[[int], str]:
    """Decimal places written with other digits."""
    return lambda n: "".join(symbols[int(c)] if c.isdigit() else c for c in str(n))


def _counting(digits: str, units: str, myriads: str, zero: str, *, bare_ten: bool) -> Callable[[int], str]:
    """East Asian numerals: digit and unit, myriads of four places.

    ``zero`` marks skipped places ("" where the language does not); ``bare_ten`` writes 十, not 一十.
    """

    def four(n: int) -> str:
        out, gap = "", False
        for place in (3, 2, 1, 0):
            digit = n // 10**place % 10
            if digit:
                bare = bare_ten and digit == 1 and ((place == 1 and not out) or (place > 0 and not zero))
                out += (zero if gap and out else "") + ("" if bare else digits[digit]) + units[place].strip()
            gap = not digit if digit or out else gap
        return out

    def text(n: int) -> str:
        if not 0 < n < 10**8:
            return digits[0] if n == 0 else str(n)
        high, low = divmod(n, 10**4)
        joint = zero if high and 0 < low < 1000 else ""
        return (four(high) + myriads if high else "") + joint + four(low)

    return text


def words(n: int) -> str:
    """English cardinal in lower case, 0..999,999."""
    if not 0 <= n < 10**6:
        return str(n)
    if n < 20:
        return _ONES[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_ONES[n % 10]}" if n % 10 else "")
    unit, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    rest = f" {words(n % unit)}" if n % unit else ""
    return f"{words(n // unit)} {name}{rest}"


def _ordinal_words(n: int) -> str:
    text = words(n)
    cut = max(text.rfind(" "), text.rfind("-")) + 1
    head, last = text[:cut], text[cut:]
    if last in _ORDINALS:
        return head + _ORDINALS[last]
    return head + (last[:-1] + "ieth" if last.endswith("y") else last + "th" if last.isalpha() else last)


def _ordinal(n: int) -> str:
    suffix = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def _chicago(n: int) -> str:
    return "*†‡§"[(n - 1) % 4] * ((n - 1) // 4 + 1) if 0 < n < 200 else str(n)


def _sexagenary(n: int) -> str:
    return STEMS[(n - 1) % 10] + BRANCHES[(n - 1) % 12] if 0 < n <= 60 else str(n)


def _korean_native(n: int) -> str:
    return (_KO_TENS[n // 10] + _KO_ONES[n % 10]) if 0 < n < 100 else str(n)


def _counting_below_100(text: Callable[[int], str], digits: str) -> Callable[[int], str]:
    # The "counting system" formats write places, not units, from one hundred on.
    return lambda n: text(n) if n < 100 else _digits(digits)(n)


_KO_ONES = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_KO_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_HANZI = "〇一二三四五六七八九"
_PLACES = "○一二三四五六七八九"
_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_HALF_KANA = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_zh = _counting("零一二三四五六七八九", " 十百千", "万", "零", bare_ten=True)
_tw = _counting("零一二三四五六七八九", " 十百千", "萬", "零", bare_ten=True)
_ja = _counting("〇一二三四五六七八九", " 十百千", "万", "", bare_ten=True)
_ko = _counting("영일이삼사오육칠팔구", " 십백천", "만", "", bare_ten=True)
_full = _digits("０１２３４５６７８９")
_latin = _letters("abcdefghijklmnopqrstuvwxyz")
_ru = _letters("абвгдежзиклмнопрстуфхцчшщыэюя")

FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda n: f"{n:02d}",
    "upperRoman": lambda n: roman(n).upper(),
    "lowerRoman": roman,
    "upperLetter": lambda n: _latin(n).upper(),
    "lowerLetter": _latin,
    "ordinal": _ordinal,
    "cardinalText": lambda n: words(n).capitalize(),
    "ordinalText": lambda n: _ordinal_words(n).capitalize(),
    "hex": lambda n: f"{n:X}",
    "chicago": _chicago,
    "numberInDash": lambda n: f"- {n} -",
    "decimalFullWidth": _full,
    "decimalFullWidth2": _full,
    "decimalHalfWidth": str,
    "decimalEnclosedCircle": _row(CIRCLED, 0),
    "decimalEnclosedCircleChinese": _row(CIRCLED, 0),
    "decimalEnclosedFullstop": _row("⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛"),
    "decimalEnclosedParen": _row("⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇"),
    "ideographEnclosedCircle": _row("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"),
    "ideographTraditional": _row(STEMS),
    "ideographZodiac": _row(BRANCHES),
    "ideographZodiacTraditional": _sexagenary,
    "ideographDigital": _digits(_HANZI),
    "japaneseDigitalTenThousand": _digits(_HANZI),
    "taiwaneseDigital": _digits(_PLACES),
    "koreanDigital2": _digits("零一二三四五六七八九"),
    "koreanDigital": _digits("영일이삼사오육칠팔구"),
    "chineseCounting": _counting_below_100(_zh, _PLACES),
    "taiwaneseCounting": _counting_below_100(_tw, _PLACES),
    "chineseCountingThousand": _zh,
    "taiwaneseCountingThousand": _tw,
    "japaneseCounting": _ja,
    "koreanCounting": _ko,
    "koreanLegal": _korean_native,
    "chineseLegalSimplified": _counting("零壹贰叁肆伍陆柒捌玖", " 拾佰仟", "万", "零", bare_ten=False),
    "ideographLegalTraditional": _counting("零壹貳參肆伍陸柒捌玖", " 拾佰仟", "萬", "零", bare_ten=False),
    "japaneseLegal": _counting("〇壱弐参四伍六七八九", " 拾百阡", "萬", "", bare_ten=False),
    "aiueoFullWidth": _letters(_KANA),
    "aiueo": _letters(_HALF_KANA),
    "irohaFullWidth": _letters(_IROHA),
    "iroha": _letters(_IROHA),
    "ganada": _letters("가나다라마바사아자차카타파하"),
    "chosung": _letters("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
    "russianLower": _ru,
    "russianUpper": lambda n: _ru(n).upper(),
    "hebrew2": _letters("אבגדהוזחטיכלמנסעפצקרשת"),
    "arabicAlpha": _letters("أبتثجحخدذرزسشصضطظعغفقكلمنهوي"),
    "arabicAbjad": _letters("أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"),
    "hindiNumbers": _digits("०१२३४५६७८९"),
    "hindiConsonants": _letters("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह"),
    "thaiNumbers": _digits("๐๑๒๓๔๕๖๗๘๙"),
    "thaiLetters": _letters("กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ"),
    "none": lambda n: "",
}


def format_number(n: int, name: str, pattern: str = "") -> str:
    """The number in the format ``name``; ``pattern`` is the sample of a custom format ("001, 002, ...")."""
    if name == "custom":
        sample = pattern.partition(",")[0].strip()
        return f"{n:0{len(sample)}d}" if sample.isdigit() else str(n)
    return FORMATS.get(name, str)(n)
