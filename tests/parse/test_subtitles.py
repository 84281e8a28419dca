"""Subtitles: the words with their times, nothing else."""

from __future__ import annotations

import time

import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import subtitles

SRT = """1
00:00:01,000 --> 00:00:02,500
<i>Hello</i> {\\an8}there,
General.

2
00:00:03,000 --> 00:00:04,000 X1:10 X2:20
- Who is it?
- 我。

10
00:10:05,000 --> 00:10:06,000
2048
"""
VTT = """WEBVTT - 培训录像

STYLE
::cue { color: red }

NOTE nobody sees this
nor this

intro
00:01.000 --> 00:02.000 align:start
<v 张三>大家好 &amp; 欢迎</v>

NOTE again

00:02.000 --> 00:03.000
<v 张三>今天<c.loud>讲</c><00:02.500>安全

01:00:02.000 --> 01:00:03.000
<v.first Li Si>好的
"""


def parse(text: str | bytes) -> Parsed:
    return subtitles.parse(text if isinstance(text, bytes) else text.encode(), ParseLimits())


def test_srt_is_what_is_said() -> None:
    """Numbers, times and markup are out; dialogues keep their lines; a silence begins a section."""
    parsed = parse(SRT)
    assert [(s.place, s.text) for s in parsed.sections] == [
        ("00:00:01", "Hello there, General.\n- Who is it?\n- 我。\n"),
        ("00:10:05", "2048\n"),
    ]
    assert parse(SRT.replace("\n", "\r\n")).sections == parsed.sections


def test_vtt_keeps_speakers_and_title() -> None:
    """A speaker is named where he changes; comments, styles and names of cues are out."""
    parsed = parse(VTT)
    assert parsed.title == "培训录像"
    assert [(s.place, s.text) for s in parsed.sections] == [
        ("", "培训录像\n\n"),
        ("00:00:01", "张三: 大家好 & 欢迎\n今天讲安全\n"),
        ("01:00:02", "Li Si: 好的\n"),
    ]


def test_rolling_captions_are_said_once() -> None:
    """Machine captions repeat the line above; a line repeated later is said again."""
    cues = [("00:01", "a"), ("00:02", "a\nb"), ("00:03", "b\nc"), ("00:09", "c")]
    text = "WEBVTT\n\n" + "".join(
        f"00:{t}.000 --> 00:00:0{int(t[-1]) + 1}.000\n{x}\n\n".replace("00:00:", "00:", 1) for t, x in cues
    )
    assert parse(text.replace("--> 00:", "--> 00:00:").replace("00:00:00:", "00:00:")).text == "a\nb\nc\nc\n"


def test_numbers_without_a_blank_line_before_them() -> None:
    """Files put together by hand lack blank lines; the number of the next cue is still no text."""
    assert parse("1\n00:00:01,0 --> 00:00:02,0\na\n2\n00:00:02,0 --> 00:00:03,0\nb\n").text == "a\nb\n"


def test_sections_are_about_a_chunk() -> None:
    """So that the time of a hit is near its words."""
    cues = "".join(
        f"{i}\n00:{i:02}:00,000 --> 00:{i:02}:59,000\nThis is sentence number {i} of the talk.\n\n" for i in range(50)
    )
    parsed = parse(cues)
    assert len(parsed.sections) > 5
    assert all(len(s.text) <= 260 and s.place for s in parsed.sections)
    assert parsed.sections[1].place == f"00:{parsed.sections[0].text.count(chr(10)):02}:00"


def test_a_gb2312_file_is_decoded() -> None:
    """Old Chinese subtitles have no mark."""
    assert (
        "保护我们远离邪恶"
        in parse(SRT.replace("Hello", "保护我们远离邪恶，轻轻一跳就能飞跃高楼").encode("gb18030")).text
    )


def test_a_file_without_cues_is_plain_text() -> None:
    """Nothing is lost, and it is said."""
    parsed = parse("only words\n")
    assert (parsed.text, parsed.state) == ("only words\n", State.WARNED)


@pytest.mark.parametrize(
    "text",
    [
        "<" * 300_000,
        "{\\" * 200_000,
        "1:" * 300_000,
        "00:00:01 --> 00:00:02\n" * 30_000,
        "00:00:01 -->" * 50_000,
        "\n" * 500_000 + "x",
    ],
)
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    """Unfinished marks do not multiply."""
    start = time.process_time()
    parse(f"00:00:01,000 --> 00:00:02,000\n{text}\n")
    assert time.process_time() - start < 3
