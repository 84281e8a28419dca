"""Web pages (.html, .htm, .xhtml): what a reader sees, in reading order.

    html_charset   bytes to characters            html_tree     characters to the browser's tree
    html_reader    tree to blocks                 html_lists, html_forms, html_table
    html_blocks    blocks to sections with heading paths

Navigation and footers stay, outside of the headings round them: no rule tells content from
boilerplate without losing content on some page (see docs/dependencies.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from .html_blocks import Block

VERSION = "1"
NO_TEXT = Message("The page has no text of its own: scripts or other files fill it")
FLATTENED = Message("The page is nested too deeply or too large for its structure; its words were read without it")
HIDDEN = Message("Most of the text is hidden until a script shows it; it was kept")


class Page(NamedTuple):
    """A page as read: its blocks, its title, what a person should know."""

    blocks: list[Block]
    title: str = ""
    notes: tuple[Message, ...] = ()
    meta: dict[str, str] = {}  # noqa: RUF012  never changed


def parse(data: bytes, limits: ParseLimits) -> Parsed:
    """The sections of a page. Raises ParseRefused for binary data."""
    del limits  # size and output are judged by the caller; the tree is bounded by `html_tree`
    return parse_page(data)


def parse_page(data: bytes, stated: str = "") -> Parsed:
    """The sections of a page whose container (an archive, a mail) states an encoding."""
    from .clean import normalise
    from .html_charset import decode_page
    from .text import damage

    found = decode_page(data, stated)
    details: dict[str, object] = {"encoding": found.encoding}
    if found.confidence < 1:
        details["confidence"] = found.confidence
    page = read_page(normalise(found.text))
    sections, title = assemble(page)
    details |= {name: page.meta[name] for name in ("author", "description") if name in page.meta}
    notes = (*damage(found), *page.notes)
    if not sections:
        return Parsed((), State.NO_TEXT, (NO_TEXT, *notes), "html", title, details)
    state = State.WARNED if notes else State.INDEXED
    return Parsed(sections, state, notes, "html", title, details, page.meta.get("version", ""))


def read_page(text: str, xhtml: bool = False) -> Page:
    """The blocks of a page."""
    from .html_blocks import Block
    from .html_reader import Reader
    from .html_tree import parse_tree, plain_lines

    root = parse_tree(text, xhtml)
    if root is None:
        words = plain_lines(text)
        return Page([Block("text", words.rstrip("\n"))] if words else [], "", (FLATTENED,))
    reader = Reader(show_hidden=False)
    blocks = reader.read(root)
    notes: tuple[Message, ...] = ()
    if reader.hidden > sum(len(block.text) for block in blocks):
        blocks, notes = Reader(show_hidden=True).read(root), (HIDDEN,)
    return Page(blocks, _title(root), notes, _meta(root))


def assemble(page: Page) -> tuple[tuple[Section, ...], str]:
    """The sections of a page and its title, which comes first in the text unless a heading says it."""
    from .html_blocks import Block, Sections

    made = Sections()
    headings = [block.text for block in page.blocks if block.kind == "heading"]
    blocks = page.blocks
    if page.title and not _said(page.title, blocks):
        blocks = [Block("text", page.title, apart=True), *blocks]
    made.take(blocks)
    first = min(made.first, default=0)
    return made.end(), page.title or (made.first[first] if headings and first else "")


def _said(title: str, blocks: list[Block]) -> bool:
    """Whether a first-level heading or the first line is the title, or the title with the site's name."""
    squeezed = "".join(title.split())
    shown = [block.text for block in blocks if block.kind == "heading" and block.level == 1][:3]
    shown += [block.text for block in blocks[:1]]
    return any(
        "".join(text.split()) in squeezed or squeezed in "".join(text.split()) for text in shown if len(text) > 1
    )


def _title(root: LexborNode) -> str:
    node = root.css_first("head title")
    return " ".join(node.text().split())[:300] if node is not None else ""


def _meta(root: LexborNode) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in root.css("meta[name]")[:100]:
        name, content = (node.attributes.get("name") or "").lower(), node.attributes.get("content") or ""
        if name in ("author", "description", "version", "keywords") and content.strip():
            found.setdefault(name, " ".join(content.split())[:500])
    return found
