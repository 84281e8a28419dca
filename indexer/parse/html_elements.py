"""What the elements of a page do to its text, and what their inline styles change of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

Attributes = Mapping[str, str | None]


def _named(names: str) -> frozenset[str]:
    return frozenset(names.split())


SILENT = _named(
    "annotation annotation-xml audio canvas datalist desc head iframe metadata meter noembed noframes noscript progress"
    " rp script style template title video"
)
"""Not on the screen, or only where the browser lacks something."""
BLOCKS = _named(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " foreignobject header hgroup hr html legend li main marquee menu nav ol optgroup p search section summary text ul"
)
APART = _named("address blockquote dl figure form hr p details")
"""A blank line follows."""
HEADINGS = {f"h{level}": level for level in range(1, 7)}
CODE = _named("pre listing xmp plaintext")
PARTS = _named("article section blockquote main")
"""A footer inside belongs to them, not to the page."""
TOUCHING = _named("a button label")
"""Set apart on the screen by more than a blank."""
VOID = _named("area base br col embed hr img input link meta param source track wbr frame keygen")
IMPLIED = _named("p li dt dd tr td th thead tbody tfoot colgroup option optgroup rp rt rb rtc")
"""A browser ends these by itself, so that their depth cannot be told from the tags."""
FORMATTING = _named("a b big code em font i nobr s small strike strong tt u")
"""Repeated by the browser in every block until they are closed."""

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.I)
_SHOWN_AS_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item)|float\s*:\s*[lr]", re.I)
_KEEPS_LINES = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.I)


def is_hidden(attributes: Attributes) -> bool:
    """Whether the element hides what is inside. A style sheet's word is not asked: scripts change it."""
    style = attributes.get("style")
    if style and _HIDDEN.search(style):
        return True
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def is_block(tag: str, attributes: Attributes) -> bool:
    """Whether it stands on lines of its own."""
    style = attributes.get("style")
    return tag in BLOCKS or bool(style and tag not in ("td", "th") and _SHOWN_AS_BLOCK.search(style))


def keeps_lines(tag: str, attributes: Attributes) -> bool:
    """Whether line ends of the source show."""
    style = attributes.get("style")
    return tag == "textarea" or bool(style and tag not in CODE and _KEEPS_LINES.search(style))
