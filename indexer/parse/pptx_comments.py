"""Comments on a slide, old and threaded ones: "author: text", answers after what they answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .pptx_deck import P188, Deck, P
from .pptx_text import paragraphs

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def comments(deck: Deck, part: str) -> Iterator[str]:
    """The comments of the slide in the order in which they are stored."""
    for relation in deck.relations(part).values():
        if relation.kind not in ("comments", "comment") or relation.external:
            continue
        root = deck.xml(relation.target)
        for comment in () if root is None else root.iter(P + "cm", P188 + "cm", P188 + "reply"):
            text = " ".join(_text(comment).split())
            if text:
                author = deck.authors().get(comment.get("authorId", ""), "")
                yield f"{author}: {text}" if author else text


def _text(comment: Element) -> str:
    plain = comment.findtext(P + "text")
    if plain is not None:
        return plain
    body = comment.find(P188 + "txBody")
    return "" if body is None else " ".join(paragraphs(body))
