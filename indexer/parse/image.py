"""Pictures: scans, photographs of documents, screenshots, faxes of many pages. See `ocr`.

Read with Pillow under a limit on pixels; turned as the camera says; what is transparent is laid
on a ground that its text can be seen on. Of an animation the first picture is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

from . import ocr, progress

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = "1"
FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "DIB", "WEBP", "GIF")
MOST_PIXELS = 180_000_000  # a DIN A0 drawing at 300 dpi has 139 million
READ_PIXELS = 24_000_000  # of which so many are read: an A4 page at 600 dpi is made smaller first
LEAST_SIDES = (12, 32)  # icons: shorter and longer side
DOUBTFUL = 0.8  # mean score below which a person should look
THUMBNAIL = 1  # TIFF NewSubfileType: a small copy of another page

NO_OCR = Message("The text of pictures is read by OCR only: pip install 'indexer[ocr]'")


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The text of each page of a picture; NO_TEXT where there is none or OCR is not installed."""
    if not ocr.available():
        return Parsed((), State.NO_TEXT, (NO_OCR,), "image")
    with _opened(data) as image:
        pages = _pages(image)
        if not pages:
            return Parsed((), State.NO_TEXT, (Message("The picture is too small to hold text"),), "image")
        granted = progress.announce(len(pages))
        reader = _Reader(image, pages, paged=image.format == "TIFF" and len(pages) > 1)
        sections = tuple(reader.sections(granted))
    return _result(sections, reader, granted)


def _result(sections: tuple[Section, ...], reader: _Reader, granted: int) -> Parsed:
    notes = [note for number, note in enumerate(reader.notes) if note not in reader.notes[:number]]
    if granted < len(reader.pages):
        values = {"count": granted, "pages": len(reader.pages)}
        notes.append(Message("Only the first {count} of {pages} pages were read: raise limits.pages", values))
    if not sections:
        notes.append(Message("No text was found in the picture"))
        return Parsed((), State.NO_TEXT, tuple(notes), "image", details=reader.details())
    if reader.doubtful:
        pages = ", ".join(map(str, reader.doubtful))
        notes.append(Message("The picture is hard to read, its text may be wrong (page {pages})", {"pages": pages}))
    return Parsed(sections, State.WARNED if notes else State.INDEXED, tuple(notes), "image", details=reader.details())


class _Reader:
    """Reads the pages one after the other; keeps what a person should know of them."""

    def __init__(self, image: Image, pages: list[int], paged: bool) -> None:
        self.image = image
        self.pages = pages
        self.paged = paged
        self.notes: list[Message] = []
        self.doubtful: list[int] = []
        self.scores: list[float] = []

    def sections(self, granted: int) -> Iterator[Section]:
        for number, frame in enumerate(self.pages[:granted], 1):
            self.image.seek(frame)
            reading = ocr.read(_pixels(_loaded(self.image, self.notes)))
            if not reading.text:
                continue
            self.scores.append(round(reading.score, 3))
            if reading.score < DOUBTFUL:
                self.doubtful.append(number)
            yield Section(reading.text, page=number if self.paged else None)

    def details(self) -> dict[str, object]:
        return {"pages": len(self.pages), "scores": self.scores[:100]}


def _opened(data: bytes) -> Image:
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # our own limit, on every page, is below
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as error:
        raise ParseRefused("The file is no picture of a known kind, or it is damaged; save it again") from error


def _pages(image: Image) -> list[int]:
    """The frames worth reading. Raises ParseRefused when one is too large to be opened."""
    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    found = []
    for frame in range(count):
        image.seek(frame)
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise ParseRefused(
                "The picture has {width} x {height} pixels, more than can be read; save it smaller",
                width=width,
                height=height,
            )
        thumbnail = getattr(image, "tag_v2", {}).get(254, 0) == THUMBNAIL
        if not thumbnail and min(width, height) >= LEAST_SIDES[0] and max(width, height) >= LEAST_SIDES[1]:
            found.append(frame)
    return found


def _loaded(image: Image, notes: list[Message]) -> Image:
    """The page that was sought, upright and not larger than is read; of a file cut off, what there is."""
    from PIL import ImageFile, ImageOps

    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        image.load()
    except OSError:
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        image.load()
        notes.append(Message("The picture is damaged or cut off: only a part of it could be read"))
    factor = 1
    while image.width * image.height > READ_PIXELS * factor * factor:
        factor += 1
    smaller = _eight_bits(image)
    return ImageOps.exif_transpose(smaller.reduce(factor) if factor > 1 else smaller)


def _eight_bits(image: Image) -> Image:
    """A picture of 16 bits or floating point per pixel by its own range; the others as they are."""
    if not image.mode.startswith(("I", "F")):
        return image.convert("L") if image.mode == "1" else image
    import numpy as np
    from PIL import Image

    values = np.nan_to_num(np.asarray(image, np.float32))
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) * (255 / max(high - low, 1e-6))).astype(np.uint8))


def _pixels(image: Image) -> ocr.Image:
    """Red, green and blue; light writing on nothing gets a dark ground."""
    import numpy as np
    from PIL import Image

    if image.has_transparency_data:
        image = image.convert("RGBA")
        alpha = image.getchannel("A")
        seen = np.asarray(image.convert("L"))[np.asarray(alpha) > 127]
        ground = "black" if seen.size and float(seen.mean()) > 170 else "white"
        image = Image.composite(image.convert("RGB"), Image.new("RGB", image.size, ground), alpha)
    return np.asarray(image.convert("RGB"))
