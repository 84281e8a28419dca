"""Text of pictures: pages that were scanned, photographs of documents, screenshots.

The contract, for every parser that meets pictures of text:

    if ocr.available():                       # cheap: the extra `indexer[ocr]` is installed
        granted = progress.announce(count)    # once a file: so many pictures follow; the clocks allow for
                                              # `granted` of them, the pages beyond must be named in a note
        text = ocr.read_page(rgb)             # for each: uint8 array (height, width, 3), RGB, upright or not

``read_page`` gives the text in reading order: columns one after the other, the lines of a
paragraph joined (Chinese without a space, English with one, hyphens at line ends repaired),
lines that stand alone on their own, paragraphs apart by an empty line; it ends with a line end,
"" where no text was found. It never fails for what a picture shows; MemoryError is the
sandbox's limit. 200 dpi is enough; above 300 only costs time. Nothing is downloaded: the
models (PP-OCRv6: Chinese, English, Japanese and Latin letters) are files of the package.

``read`` also tells how sure the reading is (`Reading.score`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import ocr_layout, progress
from .ocr_layout import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
}
SIDE = 1536  # pixels of the longer side in which lines are looked for
TILE = 2.0  # a picture longer than so many widths is looked at in pieces
THINNEST = 200  # times as long as wide: no page, no screenshot
SURE = 0.6  # a line below is noise: textures and stains are read as letters too
SAMPLE = 4  # lines that decide whether a page stands on its head


class Reading(NamedTuple):
    """What was read; ``score`` is the mean over the characters, 0 to 1."""

    text: str
    score: float
    lines: int


def available() -> bool:
    """Whether the extra is installed; nothing of it is imported."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def read_page(image: Image) -> str:
    """The text of one picture in reading order; "" when there is none."""
    return read(image).text


def read(image: Image) -> Reading:
    """The text of one picture, and how sure it is."""
    progress.page()
    try:
        return _read(image)
    except Exception as error:
        if _out_of_memory(error):
            raise MemoryError from error
        raise


def _read(image: Image) -> Reading:
    engine = _engine()
    boxes = list(_boxes(engine, image))
    if _sideways(boxes):
        image = _turned(image, 1)
        boxes = list(_boxes(engine, image))
    if _upside_down(engine, image, boxes):
        image = _turned(image, 2)
        boxes = list(_boxes(engine, image))
    lines = [line for box in boxes if (line := _line(engine, image, box)) is not None]
    size = sum(len(line.text) for line in lines)
    score = sum(line.score * len(line.text) for line in lines) / size if size else 0.0
    return Reading(ocr_layout.text(lines), score, len(lines))


@lru_cache(maxsize=1)
def _engine() -> Any:
    """The models, loaded once a process: one thread, no download, no word on the terminal."""
    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    folder = Path(str(rapidocr.__file__)).parent / "models"
    runtime = "EngineConfig.onnxruntime."
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_preprocess_img": False,
            "Global.text_score": 0.0,
            runtime + "intra_op_num_threads": 1,
            runtime + "inter_op_num_threads": 1,
            **{f"{part}.model_path": str(folder / name) for part, name in MODELS.items()},
        }
    )


def _ask(engine: Any, image: Image, det: bool = False, cls: bool = False, rec: bool = False) -> Any:
    return engine(image, use_det=det, use_cls=cls, use_rec=rec)


def _boxes(engine: Any, image: Image) -> Iterator[Any]:
    """The four corners of each line, in pixels of the picture, clockwise from its upper left."""
    import cv2
    import numpy as np

    if max(image.shape[:2]) > THINNEST * min(image.shape[:2]):
        return
    for top, tile in _tiles(image):
        height, width = tile.shape[:2]
        scale = min(1.0, SIDE / max(height, width))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        small = tile if scale == 1 else cv2.resize(tile, size, interpolation=cv2.INTER_AREA)
        # The detector enlarges until the shorter side has 736 pixels: a strip would become enormous.
        right, below = max(0, max(64, size[1] // 4) - size[0]), max(0, max(64, size[0] // 4) - size[1])
        small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE)
        found = _ask(engine, np.ascontiguousarray(small[:, :, ::-1]), det=True).boxes
        for box in () if found is None else found:
            yield (np.asarray(box, np.float32) * (width / size[0], height / size[1]) + (0, top)).astype(np.float32)


def _tiles(image: Image) -> Iterator[tuple[int, Image]]:
    """Long screenshots in pieces, cut where the rows of pixels are the emptiest."""
    height, width = image.shape[:2]
    piece = max(int(width * TILE), 256)
    top = 0
    while height - top > piece * 1.25:
        window = image[top + piece // 2 : top + piece].mean(axis=2).std(axis=1)
        end = top + piece // 2 + int(len(window) - 1 - window[::-1].argmin())
        yield top, image[top:end]
        top = end
    yield top, image[top:]


def _turned(image: Image, quarters: int) -> Image:
    import numpy as np

    return np.ascontiguousarray(np.rot90(image, quarters))


def _size(box: Any) -> tuple[float, float]:
    """Width along the text's upper edge, and height."""
    (x0, y0), (x1, y1), _, (x3, y3) = box
    return ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, ((x3 - x0) ** 2 + (y3 - y0) ** 2) ** 0.5


def _sideways(boxes: list[Any]) -> bool:
    """Whether most of the text runs from top to bottom: a page on its side, or vertical writing."""
    sizes = [_size(box) for box in boxes]
    tall = sum(height for width, height in sizes if height > 1.5 * width)
    return tall > sum(width for width, height in sizes if width > 1.5 * height)


def _upside_down(engine: Any, image: Image, boxes: list[Any]) -> bool:
    """Asked only when the cheap classifier doubts: it takes single lines for turned that are not."""
    crops = [_crop(image, box) for box in boxes]
    turned = sum(_ask(engine, crop, cls=True).cls_res[0][0] == "180" for crop in crops)
    if turned <= len(crops) * 0.25:
        return False
    crops = sorted(crops, key=lambda crop: abs(crop.shape[1] / crop.shape[0] - 10))[:SAMPLE]
    upright = sum(_recognised(engine, crop)[1] for crop in crops)
    return sum(_recognised(engine, _turned(crop, 2))[1] for crop in crops) > upright


def _crop(image: Image, box: Any) -> Image:
    """The line as a picture of its own, straightened, blue first as the models want it."""
    import numpy as np
    from rapidocr.utils.process_img import get_rotate_crop_image

    x0, y0 = np.floor(box.min(axis=0)).astype(int).clip(0)
    x1, y1 = np.ceil(box.max(axis=0)).astype(int) + 1
    part = np.ascontiguousarray(image[y0:y1, x0:x1, ::-1])
    crop: Image = get_rotate_crop_image(part, (box - (x0, y0)).astype(np.float32))
    return crop


def _recognised(engine: Any, crop: Image) -> tuple[str, float]:
    found = _ask(engine, crop, rec=True)
    return found.txts[0].strip(), float(found.scores[0])


def _line(engine: Any, image: Image, box: Any) -> Line | None:
    text, score = _recognised(engine, _crop(image, box))
    if score < SURE or not any(c.isalnum() for c in text):
        return None
    return Line(tuple((float(x), float(y)) for x, y in box), text, score)


def _out_of_memory(error: BaseException) -> bool:
    words = f"{error} {error.__cause__}".lower()
    return any(sign in words for sign in ("bad alloc", "bad_alloc", "insufficient memory", "failed to allocate"))
