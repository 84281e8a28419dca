"""JSON: every value stands beside its key, whatever the layout, the size or the damage of the file."""

from __future__ import annotations

import json as standard
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import json

CHAT = {
    "title": "群聊",
    "messages": [{"sender": "张三", "text": f"第{i}条消息，内容足够长，可以自成一段。" * 5} for i in range(4)],
    "empty": [],
    "numbers": [1, 2.5, -3e7],
}


def parse(text: str | bytes) -> Parsed:
    return json.parse(text if isinstance(text, bytes) else text.encode(), ParseLimits())


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_members_stand_on_lines_with_their_keys(indent: int | None, ascii_only: bool) -> None:
    """One line a member, escapes decoded; a section knows its path, its chunks the keys above."""
    parsed = parse(standard.dumps(CHAT, indent=indent, ensure_ascii=ascii_only))
    assert parsed.state is State.INDEXED
    assert parsed.title == "群聊"
    assert '  { "sender": "张三",\n    "text": "第0条消息' in parsed.text
    assert '"numbers": [1, 2.5, -30000000.0] }\n' in parsed.text
    assert [s.place for s in parsed.sections[1:3]] == ["messages[2]", "empty"]
    assert parsed.sections[1].lead == "messages\n"
    assert standard.loads(parsed.text) == CHAT


def test_records_have_their_lines_as_places() -> None:
    """A value a line, also under a .json name; a record that is broken costs no other."""
    parsed = parse('{"a": 1}\n\n{"b": "x\\ny"}\n{"c": \n{"d": 4}\n')
    assert [(s.place, s.text) for s in parsed.sections[:2]] == [("L1", '{ "a": 1 }\n'), ("L3", '{ "b": "x\ny" }\n')]
    assert '"d": 4' in parsed.text


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(alphabet='ab"\\/中 {}[]:,', max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet="ab 键", max_size=4), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_nothing_is_lost_and_nothing_said_of_sound_files(value: object) -> None:
    """The text holds every mark and every value, in their order; no sound file is called damaged."""
    parsed = parse(standard.dumps([value], ensure_ascii=False))
    assert parsed.state is State.INDEXED
    expected = standard.dumps([value], ensure_ascii=False).replace('\\"', '"').replace("\\\\", "\\")
    assert squeezed(parsed.text) == squeezed(expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"name": "John Doe", "hobbies": ["reading", "run', '"hobbies": ["reading"'),
        ('{"a": 1, "b": undefined, "c": 2}', '"c": 2'),
        ('{"a": "unclosed\n "b": "next"}', '"b": "next"'),
        ('{"a": [1, 2}', '"a": [1, 2'),
        ('["a" "b"]', '"b"'),
        ("var config = {};", "var config = {};"),
    ],
)
def test_damaged_json_is_indexed_and_said(text: str, words: str) -> None:
    """Cut off, mistyped or no JSON at all: its words are found."""
    parsed = parse(text)
    assert words in parsed.text
    assert parsed.state is State.WARNED


def test_comments_and_trailing_commas_are_accepted() -> None:
    """Settings of editors and compilers have them."""
    parsed = parse('// settings\n{\n  /* why */ "a": 1, // because\n  "b": [1, 2,],\n}')
    assert parsed.state is State.INDEXED
    assert all(word in parsed.text for word in ("// settings", "/* why */", '"a": 1', "// because"))


def test_strings_are_read_as_they_were_meant() -> None:
    """Escapes are characters; UTF-8 bytes written as Latin letters are repaired; bytes of pictures are out."""
    picture = "iVBORw0KGgo" * 40
    parsed = parse(
        rf'{{"a": "\u4e2d\u6587 \ud83d\ude00 \/", "b": "don\u00e2\u0080\u0099t", "c": "data:image/png;base64,{picture}", "d": "caf\u00e9"}}'
    )
    assert parsed.text.split("\n") == [
        '{ "a": "中文 😀 /",',
        '"b": "don’t",',
        '"c": "data:image/png;base64,...",',
        '"d": "café" }',
        "",
    ]
    assert "\ufffd" in parse('{"a": "\\ud83d"}').text


def test_depth_is_no_danger() -> None:
    """Thousands of levels are read to the innermost value; places stay short."""
    parsed = parse('{"a":' * 3000 + '"KEEP"' + "}" * 3000)
    assert "KEEP" in parsed.text
    assert parsed.state is State.INDEXED
    assert all(len(s.place) < 200 and len(s.lead) < 500 for s in parsed.sections)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 50_000,
        "[" * 300_000,
        "[" + "]" * 300_000,
        "{" + '"a' * 200_000,
        "[" + "/* " * 100_000,
        '{"a": "' + "\\" * 300_001 + '"}',
        "[x " * 50_000,
        "[" + "1 ," * 10 + " 1" * 100_000,
        "{" + '"a" ' * 50_000,
        "[" + " " * 300_000,
        "[" + "-" * 300_000,
    ],
)
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    """Unfinished values do not multiply."""
    start = time.process_time()
    parse(text)
    assert time.process_time() - start < 6


def test_binary_data_is_refused() -> None:
    """A picture named .json has no text."""
    from indexer.core.errors import ParseRefused

    with pytest.raises(ParseRefused):
        parse(bytes(range(256)) * 20)
