"""A page's text to the tree a browser builds (Lexbor), kept from what makes that expensive.

Building the tree costs time in proportion to how deep elements lie, and formatting elements
that are never closed are repeated in every block. Real pages stay far below the limits here; what
lies beyond loses its formatting tags first (nothing a reader notices), then its structure.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from .html_elements import FORMATTING, IMPLIED, VOID

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

DEEPEST = 1000  # browsers stop at 512
MAX_TAGS = 2_000_000  # about 400 MB of tree
FEW = 8  # formatting elements in each other, as in real pages
MAX_CLONES = 2_000_000  # more of them, if unclosed, formatting times the blocks that repeat them
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*+)")
_INLINE = re.compile(r"</?(?:a|abbr|b|big|code|em|font|i|nobr|s|small|span|strike|strong|tt|u)\b[^<>]*+>", re.I)
_SELF_CLOSED = re.compile(r"<([a-zA-Z][\w:.-]{0,60}+)((?:[^<>\"']|\"[^\"<]{0,4000}+\"|'[^'<]{0,4000}+')*+)(?<=/)>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.S)
_XHTML = re.compile(r"\s*+<\?xml\b|[^>]{0,300}<!DOCTYPE[^>]{0,200}XHTML", re.I)
_PREFIXED = re.compile(r"(</?)(?:html|xhtml|h):(?=[a-zA-Z])")

Event = tuple[Literal["open", "close", "text"], "LexborNode"]


def parse_tree(text: str, xhtml: bool = False) -> LexborNode | None:
    """The root element; None when the page is too deep or too large for a tree."""
    from selectolax.lexbor import LexborHTMLParser

    if text.count("<") > MAX_TAGS:
        return None
    if xhtml or _XHTML.match(text):
        text = _as_html(text)
    if not _bearable(text):
        text = _INLINE.sub("", text)
        if not _bearable(text):
            return None
    return LexborHTMLParser(text).root


def walk(root: LexborNode, silent: frozenset[str]) -> Iterator[Event]:
    """Elements in reading order, each opened and closed, with the texts between; ``silent`` ones are left out whole."""
    node: LexborNode | None = root
    while node is not None:
        if node.is_text_node:
            yield "text", node
        elif node.is_element_node and node.tag not in silent:
            yield "open", node
            child = node.first_child
            if child is not None:
                node = child
                continue
            yield "close", node
        while node.next is None:
            parent = node.parent
            if parent is None or parent.tag == "-undef" or not parent.is_element_node:
                return
            yield "close", parent
            if parent.mem_id == root.mem_id:
                return
            node = parent
        node = node.next


def _bearable(text: str) -> bool:
    """Whether a tree of this page costs no more than its length, judged by counting tags."""
    opened: dict[str, int] = {}
    depth = deepest = formatting = most = blocks = 0
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if name in VOID or name in IMPLIED:
            blocks += 1
            continue
        count = opened.get(name, 0)
        step = -1 if match[1] else 1
        if step < 0 and not count:
            continue
        opened[name] = count + step
        depth += step
        if name in FORMATTING:
            formatting += step
            most = max(most, formatting)
        else:
            blocks += 1
        if depth > deepest:
            deepest = depth
            if deepest > DEEPEST:
                return False
    return (most - FEW) * blocks <= MAX_CLONES


def _as_html(text: str) -> str:
    """XHTML in the notation of HTML: ``<title/>`` would swallow the page, CDATA would be a comment."""
    text = _PREFIXED.sub(r"\1", text)
    text = _CDATA.sub(lambda match: html.escape(match[1], quote=False), text)
    return _SELF_CLOSED.sub(_opened_and_closed, text)


def _opened_and_closed(match: re.Match[str]) -> str:
    name = match[1]
    if name.lower() in VOID:
        return match[0]
    return f"<{name}{match[2].removesuffix('/')}></{name}>"


# ---- without a tree -------------------------------------------------------------------

_DROPPED = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|head)\b[^<>]*+>.*?(?:</\1\s*+>|\Z)", re.I | re.S
)
_CELL = re.compile(r"</t[dh]\s*+>\s*+<t[dh]\b[^<>]*+>", re.I)
_BREAK = re.compile(
    r"</?(?:address|article|aside|blockquote|body|br|caption|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form"
    r"|h[1-6]|header|hr|html|legend|li|main|nav|ol|option|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul)\b[^<>]*+>",
    re.I,
)
_ANY = re.compile(r"</?[a-zA-Z][^<>]*+>")


def plain_lines(text: str) -> str:
    """The words of a page without its structure: blocks on lines, cells apart; linear in its length."""
    text = _DROPPED.sub(" ", text)
    text = " ".join(text.split("\n")) if text.count("\n") < 1_000_000 else text
    text = _ANY.sub("", _BREAK.sub("\n", _CELL.sub(" | ", text)))
    lines = (" ".join(line.split()) for line in html.unescape(text).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)
