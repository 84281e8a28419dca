"""The models themselves (extra indexer[ocr]): what a person reads on a picture is what is found."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import pytest

from indexer.core.errors import ParserDied
from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, ocr

rapidocr = pytest.importorskip("rapidocr", reason="needs the extra indexer[ocr]")
Image = pytest.importorskip("PIL.Image")
ImageDraw = pytest.importorskip("PIL.ImageDraw")
ImageFont = pytest.importorskip("PIL.ImageFont")

LETTER = [
    "Employees may work remotely up to three days a week with the approval",
    "of their manager. Requests are filed in the portal at least two working",
    "days ahead and are answered within one day.",
]
WHOLE = " ".join(LETTER)


def drawn(lines: list[str], size: int = 28, width: int = 1240, ink: object = 0, ground: object = 255) -> Image.Image:
    picture = Image.new("RGB", (width, 120 + len(lines) * size * 2), ground)
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size)
    for number, line in enumerate(lines):
        pen.text((80, 60 + number * size * 1.6), line, font=font, fill=ink)
    return picture


def found(picture: Image.Image) -> str:
    import numpy as np

    return ocr.read_page(np.asarray(picture.convert("RGB")))


def png(picture: Image.Image) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def test_a_paragraph_is_read() -> None:
    """The lines of a paragraph are one line of text."""
    assert found(drawn(LETTER)) == WHOLE + "\n"


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_pages_on_their_side_or_head(turn: int) -> None:
    """A scanner does not know what is up."""
    assert found(drawn(LETTER).rotate(turn, expand=True)) == WHOLE + "\n"


def test_a_page_scanned_askew() -> None:
    """Two degrees are usual."""
    assert found(drawn(LETTER).rotate(2, fillcolor="white", resample=Image.Resampling.BICUBIC)) == WHOLE + "\n"


def test_light_on_dark() -> None:
    """Screenshots have dark themes."""
    assert found(drawn(LETTER, ink=(120, 220, 140), ground=(30, 30, 34))) == WHOLE + "\n"


def test_chinese() -> None:
    """Characters that can be drawn with a few strokes."""
    picture = Image.new("RGB", (500, 160), "white")
    pen = ImageDraw.Draw(picture)
    for at, strokes in enumerate(STROKES.values()):
        for x0, y0, x1, y1 in strokes:
            left, top = 60 + at * 75, 50
            pen.line((left + x0 * 0.6, top + y0 * 0.6, left + x1 * 0.6, top + y1 * 0.6), fill=0, width=6)
    assert found(picture).strip() == "".join(STROKES)


STROKES = {
    "王": [(10, 10, 90, 10), (15, 50, 85, 50), (5, 92, 95, 92), (50, 10, 50, 92)],
    "田": [(12, 10, 88, 10), (12, 90, 88, 90), (12, 10, 12, 92), (88, 10, 88, 92), (12, 50, 88, 50), (50, 10, 50, 90)],
    "中": [(15, 25, 85, 25), (15, 65, 85, 65), (15, 25, 15, 68), (85, 25, 85, 68), (50, 2, 50, 98)],
    "正": [(10, 10, 90, 10), (50, 10, 50, 92), (50, 50, 85, 50), (25, 45, 25, 92), (5, 92, 95, 92)],
    "山": [(50, 5, 50, 90), (12, 35, 12, 90), (88, 35, 88, 90), (12, 90, 88, 90)],
}


def test_long_screenshots_are_read_in_pieces() -> None:
    """Twenty times as high as wide: at the size of a page nothing could be read."""
    lines = [f"Message number {n} is short" for n in range(1, 41)]
    picture = Image.new("RGB", (420, 40 * 200), "white")
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        pen.text((30, 60 + number * 200), line, font=ImageFont.load_default(24), fill=0)
    assert found(picture).split("\n")[:-1] == lines


@pytest.mark.parametrize("ground", ["white", "black", "grey"])
def test_nothing_is_read_where_there_is_nothing(ground: str) -> None:
    """An empty page has no text."""
    assert found(Image.new("RGB", (600, 800), ground)) == ""


def test_noise_is_no_text() -> None:
    """Patterns are not read as letters."""
    assert found(Image.effect_noise((600, 800), 120)) == ""


@pytest.mark.parametrize("size", [(1, 1), (3000, 2), (2, 3000), (31, 31), (5000, 40)])
def test_odd_shapes(size: tuple[int, int]) -> None:
    """Lines and points are pictures too."""
    assert found(Image.new("RGB", size, "white")) == ""


def test_in_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the sandbox, without network and files, and the worker goes on with other files."""
    parsers = Parsers(ParseLimits(cpu_seconds=120, wall_seconds=600))
    parsed = parsers.parse("a.png", png(drawn(LETTER)))
    assert (parsed.text, parsed.state) == (WHOLE + "\n", State.INDEXED)
    assert parsers.parse("a.png", png(Image.new("RGB", (300, 300), "white"))).state is State.NO_TEXT
    parsers.close()


def test_too_little_memory_is_named() -> None:
    """Models need more than a parser does."""
    parsers = Parsers(ParseLimits(cpu_seconds=120, wall_seconds=600, memory_mb=300, extra_memory_mb=200))
    with pytest.raises(ParserDied, match="MB of memory"):
        parsers.parse("a.png", png(drawn(LETTER)))
    parsers.close()


def test_nothing_is_downloaded() -> None:
    """The models are files of the package."""
    from pathlib import Path

    folder = Path(rapidocr.__file__).parent / "models"
    assert all((folder / name).is_file() for name in ocr.MODELS.values())


def test_to_ask_whether_it_is_there_imports_nothing() -> None:
    """`indexer status` asks."""
    script = "import sys; from indexer.parse import ocr; print(ocr.available(), 'rapidocr' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]


def test_it_says_nothing(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither on the terminal nor in the log."""
    with caplog.at_level(logging.DEBUG):
        found(drawn(["A word"]))
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
