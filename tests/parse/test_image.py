"""Pictures as documents: what is decoded, what is refused, what is said without OCR."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, image, ocr, worker
from indexer.parse.ocr import Reading

Image = pytest.importorskip("PIL.Image", reason="Pillow comes with indexer[ocr]")

LIMITS = ParseLimits()
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(name="seen", autouse=True)
def fixture_seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shape of each page and its mean colours; a reader that needs no models takes OCR's place."""
    pages: list[tuple[int, ...]] = []

    def read(pixels: ocr.Image) -> Reading:
        mean = pixels.reshape(-1, 3).mean(axis=0)
        pages.append((*pixels.shape, *(round(float(value)) for value in mean)))
        return Reading(f"page {len(pages)}\n", 0.99, 1)

    monkeypatch.setattr(ocr, "available", lambda: True)
    monkeypatch.setattr(ocr, "read", read)
    return pages


def saved(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def blank(width: int = 60, height: int = 40, colour: object = (200, 100, 50), mode: str = "RGB") -> Image.Image:
    return Image.new(mode, (width, height), colour)


def test_without_the_extra_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note names what to install; the picture is not even opened."""
    monkeypatch.setattr(ocr, "available", lambda: False)
    parsed = image.parse(b"no picture", LIMITS)
    assert (parsed.state, parsed.sections) == (State.NO_TEXT, ())
    assert "pip install 'indexer[ocr]'" in str(parsed.notes[0])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP", "WEBP", "GIF"])
def test_kinds(kind: str, seen: list[tuple[int, ...]]) -> None:
    """Each kind becomes rows of red, green and blue."""
    parsed = image.parse(saved(blank(), kind), LIMITS)
    assert (parsed.text, parsed.sections[0].page, parsed.state) == ("page 1\n", None, State.INDEXED)
    assert seen[0][:3] == (40, 60, 3)
    assert seen[0][3] == pytest.approx(200, abs=12)


def test_pages_of_a_fax(seen: list[tuple[int, ...]]) -> None:
    """Each page of a TIFF is a section with its number; black and white becomes grey."""
    pages = [blank(60 + n, 80, 1, "1") for n in range(3)]
    parsed = image.parse(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="group4"), LIMITS)
    assert [(s.text, s.page) for s in parsed.sections] == [("page 1\n", 1), ("page 2\n", 2), ("page 3\n", 3)]
    assert [page[1] for page in seen] == [60, 61, 62]
    assert seen[0][3:] == (255, 255, 255)


def test_pages_beyond_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not granted time is not read, and said."""
    monkeypatch.setattr("indexer.parse.progress.announce", lambda pages: 2)
    pages = [blank() for _ in range(3)]
    parsed = image.parse(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]), LIMITS)
    assert (len(parsed.sections), parsed.state) == (2, State.WARNED)
    assert str(parsed.notes[0]) == "Only the first 2 of 3 pages were read: raise limits.pages"


def test_first_picture_of_an_animation() -> None:
    """An animation says the same thing many times."""
    frames = [blank(colour=(n * 40, 0, 0)) for n in range(4)]
    assert image.parse(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]), LIMITS).text == "page 1\n"


def test_turned_as_the_camera_says(seen: list[tuple[int, ...]]) -> None:
    """A telephone writes the turn into EXIF and leaves the pixels as they are."""
    exif = Image.Exif()
    exif[274] = 6
    image.parse(saved(blank(60, 40), "JPEG", exif=exif), LIMITS)
    assert seen[0][:2] == (60, 40)


@pytest.mark.parametrize(("ink", "ground"), [((0, 0, 0, 255), 255), ((255, 255, 255, 255), 0)])
def test_transparent_ground(seen: list[tuple[int, ...]], ink: tuple[int, ...], ground: int) -> None:
    """Dark writing on nothing is seen on white, light writing on black."""
    picture = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    picture.paste(ink, (0, 0, 10, 10))
    image.parse(saved(picture), LIMITS)
    assert seen[0][3] == pytest.approx(ground, abs=5)


def test_sixteen_bits_and_other_colours(seen: list[tuple[int, ...]]) -> None:
    """Scanners write 16 bits, printers cyan, magenta, yellow and black, palettes anything."""
    deep = Image.frombytes("I;16", (2, 40), struct.pack("<HH", 0, 60000) * 40)
    for picture, kind in (
        (deep, "PNG"),
        (blank(mode="CMYK", colour=(0, 0, 0, 255)), "JPEG"),
        (blank().quantize(4), "PNG"),
    ):
        image.parse(saved(picture.resize((40, 40), 0), kind), LIMITS)
    assert seen[0][3:] == (128, 128, 128)
    assert seen[1][3:] == (0, 0, 0)
    assert seen[2][3] == pytest.approx(200, abs=2)


def test_icons_are_not_read(seen: list[tuple[int, ...]]) -> None:
    """What is smaller than a line of text has none."""
    parsed = image.parse(saved(blank(16, 16)), LIMITS)
    assert (parsed.state, str(parsed.notes[0]), seen) == (State.NO_TEXT, "The picture is too small to hold text", [])


def test_doubtful_reading_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person is told which pages to look at; a picture without text is NO_TEXT."""
    readings = iter([Reading("sure\n", 0.99, 1), Reading("l1tt1e\n", 0.7, 1), Reading("", 0.0, 0)])
    monkeypatch.setattr(ocr, "read", lambda pixels: next(readings))
    pages = [blank() for _ in range(3)]
    parsed = image.parse(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]), LIMITS)
    assert (parsed.text, parsed.state) == ("sure\nl1tt1e\n", State.WARNED)
    assert "(page 2)" in str(parsed.notes[0])
    monkeypatch.setattr(ocr, "read", lambda pixels: Reading("", 0.0, 0))
    parsed = image.parse(saved(blank()), LIMITS)
    assert (parsed.state, str(parsed.notes[0])) == (State.NO_TEXT, "No text was found in the picture")


def test_a_picture_cut_off_is_read_as_far_as_it_goes() -> None:
    """A broken copy is said, what arrived is read."""
    data = saved(Image.effect_noise((400, 400), 90), "JPEG")
    parsed = image.parse(data[: len(data) // 2], LIMITS)
    assert (parsed.text, parsed.state) == ("page 1\n", State.WARNED)
    assert "cut off" in str(parsed.notes[0])


def test_a_bomb_is_refused_before_it_is_opened() -> None:
    """A few bytes that claim 10,000 million pixels."""
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    data = PNG + b"".join(struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks)
    with pytest.raises(ParseRefused, match="100000 x 100000 pixels"):
        image.parse(data, LIMITS)


@pytest.mark.parametrize(
    "data", [PNG, b"GIF89a", b"\xff\xd8\xff\xe0" + bytes(50), b"II*\0" + bytes(20), b"BM" + bytes(60), b"no"]
)
def test_damaged_pictures_are_refused(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence with a remedy, as the worker gives it."""
    monkeypatch.setattr(ocr, "available", lambda: True)
    header, _ = worker.answer({"parser": "image"}, data, LIMITS)
    assert header["answer"] == "refused"
    assert re.search("again|copy|save", str(header["message"]))


def test_huge_scans_are_made_smaller(seen: list[tuple[int, ...]]) -> None:
    """A drawing of 40 million pixels is read at a quarter of them."""
    image.parse(saved(blank(8000, 5000, 1, "1"), "TIFF", compression="group4"), LIMITS)
    assert seen[0][:2] == (2500, 4000)


@pytest.fixture(name="parsers")
def fixture_parsers() -> Iterator[Parsers]:
    parsers = Parsers(LIMITS)
    yield parsers
    parsers.close()


def test_a_picture_named_otherwise_is_a_picture(parsers: Parsers) -> None:
    """The profile shows OCR for pictures; a lying suffix is said."""
    assert "rapidocr" in parsers.fingerprint()["image"]
    assert "rapidocr" not in parsers.fingerprint()["docx"]
    assert "PNG image" in str(parsers.parse("a.docx", saved(blank(16, 16))).notes[0])
