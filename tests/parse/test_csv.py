"""Tables as text: delimiters, encodings, quotes, and the header with each row group."""

from __future__ import annotations

import time

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import State
from indexer.core.tables import ParseLimits, SplitSettings
from indexer.parse.csv import parse
from indexer.split import make_splitter

LIMITS = ParseLimits()


def lines(text: str | bytes) -> list[str]:
    """The parsed lines of a table."""
    return parse(text.encode() if isinstance(text, str) else text, LIMITS).text.splitlines()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_counted(delimiter: str) -> None:
    """The delimiter that makes all records alike is the one."""
    text = "\n".join(delimiter.join(row) for row in (["姓名", "金额"], ["张三", "12.5"], ["李四", "8"]))
    assert lines(text) == ["姓名 | 金额", "张三 | 12.5", "李四 | 8"]


def test_decimal_commas_do_not_part() -> None:
    """1,5 in a table with semicolons is one number."""
    assert lines("Maß;Wert;Art\na;1,5;x\nb;2,5;y\n")[1] == "a | 1,5 | x"


def test_declared_delimiter() -> None:
    """The line sep=; is an instruction of Excel, not text."""
    assert lines("sep=;\r\na;b,c\r\nd;e\r\n") == ["a | b,c", "d | e"]


def test_quotes() -> None:
    """Quoted delimiters, line ends and doubled quotes belong to their cell; a cell is one line."""
    assert lines('名,注\r\n"a,b","one\ntwo ""x"""\r\n') == ["名 | 注", 'a,b | one two "x"']


def test_a_quote_that_is_never_closed() -> None:
    """The rows after it are still rows."""
    body = "".join(f"{i},x{i}\n" for i in range(3000))
    found = lines('n,v\n1,"open\n' + body)
    assert len(found) == 3002
    assert found[1] == '1 | "open'
    assert found[-1] == "2999 | x2999"


def test_an_open_quote_near_the_end() -> None:
    """Also when the text ends before anything looks odd."""
    assert lines('a,b\n1,"x\n2,y\n3,z\n') == ["a | b", '1 | "x', "2 | y", "3 | z"]


def test_ragged_rows() -> None:
    """Short rows end early, long rows keep their cells, trailing empty cells are left out."""
    assert lines("a,b,c\n1\n1,2,3,4\n5,,\n,6\n") == ["a | b | c", "1", "1 | 2 | 3 | 4", "5", " | 6"]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "gb18030", "utf-16-le"])
def test_encodings(codec: str) -> None:
    """The encoding is found as for any text; a byte order mark is not part of the first cell."""
    rows = "部门,职责说明\n" + "".join(f"部门{i},负责第{i}项工作，按月汇报进展情况\n" for i in range(20))
    assert lines(rows.encode(codec))[:2] == ["部门 | 职责说明", "部门0 | 负责第0项工作，按月汇报进展情况"]


def test_header_goes_with_every_chunk() -> None:
    """A chunk from the middle of a long table can be understood alone, and says where it stands."""
    text = "工号,姓名,部门\n" + "".join(f"{i},员工{i},部门{i % 7}\n" for i in range(500))
    parsed = parse(text.encode(), LIMITS)
    assert parsed.sections[0].place == "A1:C51"
    assert parsed.sections[1].place == "A52:C101"
    chunks = make_splitter(SplitSettings())(parsed)
    assert all(chunk.text.startswith("工号 | 姓名 | 部门\n") for chunk in chunks)
    assert all(len(chunk.text) <= 256 for chunk in chunks)


def test_damage_is_said() -> None:
    """Bytes that are no text are counted, the rest is read."""
    parsed = parse("姓名,备注\n张三,好\n".encode() * 20 + b"\xff,x\n", LIMITS)
    assert parsed.state is State.WARNED
    assert "张三 | 好" in parsed.text


def test_white_space_only() -> None:
    """Nothing to find is NO_TEXT."""
    assert parse(b" \n\t\n", LIMITS).state is State.NO_TEXT
    assert not parse(b",,,\n,,\n", LIMITS).sections


def test_more_text_than_allowed() -> None:
    """The limit is named before the memory is gone."""
    with pytest.raises(ParseRefused, match="output_chars"):
        parse(b"a,b\n" * 1000, ParseLimits(output_chars=2000))


@pytest.mark.parametrize(
    "data", [b'"' * 200_000, b"a" * 2_000_000, b'x,"\n' * 50_000, b'"\n' * 50_000, b"," * 500_000, b'a"b,' * 100_000]
)
def test_hostile_texts_end(data: bytes) -> None:
    """Quotes and delimiters in any number take linear time."""
    started = time.process_time()
    parse(data, LIMITS)
    assert time.process_time() - started < 10
