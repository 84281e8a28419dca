"""Plain text: the right encoding, nothing lost silently, nothing harmful in the text."""

from __future__ import annotations

import codecs
import contextlib
import random
import time

import pytest
from hypothesis import given
from hypothesis import settings as rounds
from hypothesis import strategies as st

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers
from indexer.parse.decode import decode

LIMITS = ParseLimits(file_mb=2, output_chars=1_000_000)
CHINESE = "员工请假须知\n\n事假每年累计不超过十天。病假需提供医院证明，并由主管核准。姓名：王五\n"
TRADITIONAL = "員工請假須知\n\n事假每年累計不得超過十天。病假須附醫院證明，並由主管核准後送人事單位備查。\n"
JAPANESE = "有給休暇の申請について\n\nこの手続きは、勤続六か月以上のすべての従業員に適用されます。\n"
KOREAN = "연차 휴가 안내\n\n직원은 매년 십오 일의 유급 휴가를 사용할 수 있습니다.\n"
RUSSIAN = "Правила отпуска\n\nСотрудник имеет право на ежегодный оплачиваемый отпуск.\n"
FRENCH = "Réunion du comité — “budget” approuvé à 15 000 € par l’équipe où l’été a été prévu.\n"
# Words of everyday office files, in the frequent hanzi.
WORDS = (
    "年假", "工资", "报销", "会议", "合同", "客户", "产品", "安全", "培训", "考勤", "审批", "流程", "部门", "工作",
    "项目", "学习", "专业", "摘要", "准确", "通知", "公司",
)  # fmt: skip


def parse(data: bytes, name: str = "a.txt") -> Parsed:
    parsers = Parsers(LIMITS)
    try:
        return parsers.parse(name, data)
    finally:
        parsers.close()  # bytes that are another format in disguise go to a worker


@pytest.mark.parametrize(
    ("text", "codec", "recorded"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8"),
        (CHINESE, "utf-16", "utf-16-le"),
        (CHINESE, "gbk", "gb18030"),
        (CHINESE, "gb2312", "gb18030"),
        (CHINESE + "𠮷野与㐂田 €", "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5hkscs"),
        (JAPANESE, "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (JAPANESE, "iso2022_jp", "iso2022_jp_2"),
        (CHINESE, "hz", "hz"),
        (KOREAN, "euc_kr", "cp949"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (FRENCH, "cp1252", "cp1252"),
        (CHINESE, "utf-16-le", "utf-16-le"),
        (CHINESE, "utf-16-be", "utf-16-be"),
        ("Plain English without a mark.\n", "utf-16-le", "utf-16-le"),
        ("Plain English without a mark.\n", "utf-16-be", "utf-16-be"),
        (CHINESE, "utf-32-le", "utf-32-le"),
        (CHINESE, "utf-32", "utf-32-le"),
    ],
)
def test_encodings_are_read_and_recorded(text: str, codec: str, recorded: str) -> None:
    """Every encoding of the field is read exactly, and the choice is in the details."""
    parsed = parse(text.encode(codec))
    assert parsed.text == text
    assert parsed.details["encoding"] == recorded
    assert parsed.state is State.INDEXED


@pytest.mark.parametrize("word", WORDS)
def test_files_of_two_hanzi_in_gbk(word: str) -> None:
    """Even two hanzi are read right, also where their bytes happen to be valid UTF-8 (学习)."""
    assert parse(word.encode("gbk")).text == word


@pytest.mark.parametrize("text", ["é", "café", "naïve Ünïcode", "Привет", "Ωμέγα", "שלום", "ñ", "ß", "±5 µm", "日本"])
def test_short_utf8_stays_utf8(text: str) -> None:
    """The rescue of short GBK files never takes a real UTF-8 word away."""
    assert parse(text.encode()).text == text


def test_a_few_bad_bytes_do_not_flip_the_encoding() -> None:
    """Damaged UTF-8 stays UTF-8: U+FFFD at the bad places, WARNED with count and offsets."""
    data = CHINESE.encode() + b"log \xff\xfe\xff end\n" + CHINESE.encode()
    parsed = parse(data)
    at = len(CHINESE.encode()) + 4
    assert parsed.text == CHINESE + "log \ufffd\ufffd\ufffd end\n" + CHINESE
    assert parsed.state is State.WARNED
    assert f"3 places are not valid utf-8 and shown as \ufffd (at byte {at}, {at + 1}, {at + 2})" in str(
        parsed.notes[0]
    )


def test_zero_padding_of_a_log_is_left_out() -> None:
    """A log file with a block of zeros, as a crash leaves it, keeps its lines and is WARNED."""
    parsed = parse(b"line one\nline two\n" + bytes(512) + "第三行\n".encode(), "a.log")
    assert parsed.text == "line one\nline two\n第三行\n"
    assert (parsed.state, str(parsed.notes[0])[:14]) == (State.WARNED, "512 zero bytes")


def test_a_character_cut_at_the_end_is_named() -> None:
    """A half-copied file keeps its text and says where it broke."""
    parsed = parse(CHINESE.encode()[:-2])
    assert parsed.state is State.WARNED
    assert parsed.text.startswith(CHINESE[:-3])


def test_bad_bytes_in_gbk_are_named_too() -> None:
    """Damage in a legacy encoding is told in the same way."""
    data = (CHINESE * 100).encode("gbk") + b"\xff\n"
    parsed = parse(data)
    assert (parsed.state, parsed.details["encoding"]) == (State.WARNED, "gb18030")
    assert parsed.text.startswith(CHINESE)


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b" \t\r\n", "\u3000\n".encode(), codecs.BOM_UTF16_LE, b"\n\n"])
def test_white_space_is_no_text(data: bytes) -> None:
    """A BOM or white space alone is NO_TEXT with a reason."""
    parsed = parse(data)
    assert (parsed.state, parsed.sections) == (State.NO_TEXT, ())
    assert parsed.notes


def test_an_empty_file_says_so() -> None:
    """Zero bytes of any suffix are NO_TEXT, told as empty."""
    for name in ("a.txt", "a.md", "a.pdf", "a.docx"):
        parsed = parse(b"", name)
        assert (parsed.state, str(parsed.notes[0])) == (State.NO_TEXT, "The file is empty")


@pytest.mark.parametrize("seed", range(5))
def test_binary_is_refused(seed: int) -> None:
    """Bytes that are no text are never indexed as words."""
    data = random.Random(seed).randbytes(6000)  # noqa: S311 - test data
    with pytest.raises(ParseRefused, match="binary"):
        parse(data)


def test_line_ends_and_marks_are_normalised() -> None:
    """\\r\\n and \\r become \\n; NUL and BOM never reach the text."""
    assert parse(b"\xef\xbb\xbfa\r\nb\rc\n\xef\xbb\xbfd").text == "a\nb\nc\nd"


def test_log_files_with_colours_and_form_feeds_are_text() -> None:
    """Escape sequences and page breaks are not taken for binary."""
    text = "\x1b[31mERROR\x1b[0m disk full\n\x0c" * 50
    assert parse(text.encode(), "a.log").text == text


def test_size_limits_are_stated() -> None:
    """A file beyond a limit is refused by its name."""
    with pytest.raises(ParseRefused, match="size limit of 2 MB"):
        parse(b"x" * (2 << 20) + b"x")
    with pytest.raises(ParseRefused, match="limit of 1000000 characters"):
        parse(b"x" * 1_000_001)


@rounds(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_clean_text_or_a_reason(data: bytes) -> None:
    """No input raises anything but ParseRefused, and text can always be encoded."""
    try:
        parsed = parse(data)
    except ParseRefused:
        return
    parsed.text.encode()
    assert "\0" not in parsed.text
    assert "\r" not in parsed.text


@rounds(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200))
def test_utf8_is_always_read_as_utf8(text: str) -> None:
    """Valid UTF-8 longer than a few words is never taken for anything else."""
    padded = text + "。" * 64
    assert decode(padded.encode()).text == padded


@pytest.mark.parametrize("unit", [b"\xff", b"\x80A", b"\xe4\xb8", b"\0\1", b"\x1b$", b"~{", b"\xc4\xe3\xff"])
def test_time_is_linear_on_hostile_bytes(unit: bytes) -> None:
    """Two megabytes of any unit are judged in seconds."""
    begin = time.process_time()
    with contextlib.suppress(ParseRefused):
        parse(unit * ((2 << 20) // len(unit)))
    assert time.process_time() - begin < 15
