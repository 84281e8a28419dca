"""Number formats: what the cell shows."""

from __future__ import annotations

import pytest

from indexer.parse.sheet_numfmt import BUILTIN, compiled

ACCOUNTING = '_ ¥* #,##0.00_ ;_ ¥* \\-#,##0.00_ ;_ ¥* "-"??_ ;_ @_ '


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("General", "1234.5", "1234.5"),
        ("General", "0.30000000000000004", "0.3"),
        ("General", "110101199001011234", "110101199001011234"),
        ("General", "1E-12", "1E-12"),
        ("0%", "0.256", "26%"),
        ("0.00%", "-0.1234", "-12.34%"),
        ("#,##0.00", "1234567.891", "1,234,567.89"),
        ("0.00", "0.125", "0.13"),
        ("0.00", "-0.001", "0.00"),
        (ACCOUNTING, "-1234.5", "¥-1,234.50"),
        (ACCOUNTING, "0", "¥-"),
        ("[$¥-804]#,##0.00", "12", "¥12.00"),
        ("0.00_);[Red]\\(0.00\\)", "-3.14159", "(3.14)"),
        ("000000", "123", "000123"),
        ("000-0000-0000", "13812345678", "138-1234-5678"),
        ("0.00E+00", "12345", "1.23E+04"),
        ("##0.0E+0", "12345", "12.3E+3"),
        ("# ?/?", "1.5", "1 1/2"),
        ("# ?/8", "0.375", "3/8"),
        ("#,##0,", "1234567", "1,235"),
        ('0!.0,"万"', "123456", "12.3万"),
        ("[>=100]0;[<100]0.00", "5", "5.00"),
        ('General"个"', "12", "12个"),
        (";;;", "5", ""),
        ("0;-0;;@", "0", ""),
        ("[DBNum2][$-804]General", "10203", "壹万零贰佰零叁"),
        ("[DBNum1]General", "12", "十二"),
    ],
)
def test_numbers(code: str, value: str, shown: str) -> None:
    """Percent, thousands, currency, accounting, signs, fixed digits, powers, fractions, scales, Chinese numerals."""
    assert compiled(code).number(value) == shown


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("yyyy-mm-dd", "45296", "2024-01-05"),
        ('yyyy"年"m"月"d"日"', "45296", "2024年1月5日"),
        ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "45296", "2024-01-05"),
        ('[DBNum1][$-804]yyyy"年"m"月"d"日"', "45296", "二〇二四年一月五日"),
        ("yyyy/m/d;@", "45296.5", "2024/1/5"),
        ("d-mmm-yy", "45296", "5-Jan-24"),
        ("[$-804]aaaa", "45296", "星期五"),
        ("h:mm AM/PM", "0.75", "6:00 PM"),
        ("[h]:mm:ss", "1.5", "36:00:00"),
        ("yyyy-mm-dd hh:mm:ss", "45296.999999", "2024-01-06 00:00:00"),
        ("mm:ss.0", "0.5001", "00:08.6"),
        ("yyyy-mm-dd", "60", "1900-02-28"),
        ("yyyy-mm-dd", "-5", "-5"),
        ("yyyy-mm-dd", "99999999", "99999999"),
    ],
)
def test_dates(code: str, value: str, shown: str) -> None:
    """Dates and times by their code; a number that is no date stays a number."""
    assert compiled(code).number(value) == shown


def test_dates_of_the_other_epoch() -> None:
    """Workbooks of the old Macintosh count from 1904."""
    assert compiled("yyyy-mm-dd", since_1904=True).number("0") == "1904-01-01"


def test_formats_known_by_number() -> None:
    """Format 14 is the system's order of a date: written year first; 31 is the Chinese long date."""
    assert compiled(BUILTIN[14]).number("45296") == "2024-01-05"
    assert compiled(BUILTIN[31]).number("45296") == "2024年1月5日"


def test_text_through_a_format() -> None:
    """The fourth part of a code is for text; without one text is shown as it is."""
    assert compiled('"编号"@').text("7") == "编号7"
    assert compiled("@").text("007") == "007"
    assert compiled("0;0;0;").text("hidden") == ""
    assert compiled("0.00").plain


@pytest.mark.parametrize(
    "code", ["", "[", '"', "\\", "0" * 400, "E+", "/", "0/0", "[h", "#" * 600, "@@@;;;;;;", ",", "0,,,,,,,,", "[>x]0"]
)
def test_nonsense_never_raises(code: str) -> None:
    """A code that makes no sense gives some text, never an error."""
    for value in ("0", "1.5", "-1e300", "1e-300", "nan", "inf", "x", ""):
        assert isinstance(compiled(code).number(value), str)
