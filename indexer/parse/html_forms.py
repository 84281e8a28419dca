"""What stands on the screen for pictures and form fields."""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_ALTERNATIVE = 2000
_FILE = re.compile(r"\S{1,200}\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|ico|emf|wmf)", re.I)
_WITHOUT_MEANING = re.compile(
    r"(?:image|img|picture|pic|photo|icon|logo|spacer|blank|clip_?image|图片?|图像|图标|照片)?[ _-]?\d{0,8}", re.I
)
_WORD = re.compile(r"[^\W\d_]")


def alternative(attributes: Mapping[str, str | None]) -> str:
    """The ``alt`` of a picture if it reads as text: no file name, no address, no bare "image3"."""
    text = " ".join((attributes.get("alt") or "").split())
    if not text or len(text) > MAX_ALTERNATIVE or _FILE.fullmatch(text) or _WITHOUT_MEANING.fullmatch(text):
        return ""
    if text.startswith(("http:", "https:", "data:", "file:")) or not _WORD.search(text):
        return ""
    return text


def field_text(tag: str, attributes: Mapping[str, str | None]) -> str:
    """The value of an input, else its placeholder; ``[x]`` for a box that is checked."""
    if tag == "optgroup":
        return f" {attributes.get('label') or ''} "
    type_ = (attributes.get("type") or "text").lower()
    if type_ in ("checkbox", "radio"):
        return " [x] " if "checked" in attributes else " [ ] "
    if type_ == "image":
        return f" {alternative(attributes)} "
    if type_ in ("hidden", "password", "file", "range"):
        return ""
    return f" {attributes.get('value') or attributes.get('placeholder') or ''} "
