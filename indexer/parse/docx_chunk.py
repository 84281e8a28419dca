"""Imported parts (``w:altChunk``): report generators put HTML, RTF, text or whole documents in.

What cannot be read is named in a note, never dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from indexer.core.errors import ParseRefused

from .decode import decode
from .docx_context import Block, Context, Line

MAX_IMPORTS = 4  # documents imported into documents


def import_part(context: Context, part: str, relation_id: str) -> list[Block]:
    """The blocks of the imported part; [] and an entry in ``context.unread`` when it is unreadable."""
    relation = context.package.relations(part).get(relation_id)
    data = None if relation is None or relation.external else context.package.bytes(relation.target)
    if relation is None or data is None:
        context.unread.append("altChunk" if relation is None else relation.target)
        return []
    try:
        blocks = _read(context, data, relation.target)
    except ParseRefused as refused:
        if refused.__cause__ is None and context.imports < MAX_IMPORTS:
            raise  # a limit or a trick inside ends the whole file
        blocks = None
    if blocks is None:
        context.unread.append(relation.target)
        return []
    return blocks


def _read(context: Context, data: bytes, name: str) -> list[Block] | None:
    # Few documents import anything: their readers are loaded when one does.
    from .docx_html import html_lines
    from .rtf import parse as parse_rtf

    suffix = name.rpartition(".")[2].lower()
    if data[:4] == b"PK\x03\x04":
        return _document(context, data)
    if data.lstrip()[:5] == b"{\\rtf":
        return _lines(context, parse_rtf(data, context.limits).text.split("\n"))
    if _is_mail(data):
        return _web_archive(context, data)
    if suffix in ("htm", "html", "xhtml") or b"<" in data[:1024].lstrip()[:1]:
        return _lines(context, html_lines(data))
    if suffix in ("txt", "text"):
        return _lines(context, decode(data).text.split("\n"))
    return None


def _document(context: Context, data: bytes) -> list[Block] | None:
    from .docx_document import read_document  # which imports this module

    if context.imports >= MAX_IMPORTS:
        return None
    document = read_document(data, context.limits, context.imports + 1)
    inner = document.context
    context.embedded.extend(inner.embedded)
    context.unread.extend([*inner.package.damaged, *inner.unread])
    context.pictures += inner.pictures
    blocks = [*document.body, *document.endnotes]
    for block in blocks:
        context.charge(block.text if isinstance(block, Line) else "".join(block.rows))
    return [replace(block, title=False) if isinstance(block, Line) else block for block in blocks]


def _is_mail(data: bytes) -> bool:
    head = data[:2048].lower()
    return b"mime-version:" in head or b"\ncontent-type: multipart/related" in b"\n" + head


def _web_archive(context: Context, data: bytes) -> list[Block] | None:
    """The first page of an MHT file."""
    from email import message_from_bytes
    from email.policy import compat32

    from .docx_html import html_lines

    message = message_from_bytes(data, policy=compat32)
    for section in message.walk():
        if section.get_content_type() in ("text/html", "application/xhtml+xml", "text/plain"):
            payload = section.get_payload(decode=True)
            if isinstance(payload, bytes):
                charset = section.get_content_charset()
                if section.get_content_type() == "text/plain":
                    return _lines(context, decode(payload).text.split("\n"))
                return _lines(context, html_lines(payload, charset))
    return None


def _lines(context: Context, texts: Iterable[str]) -> list[Block]:
    return [Line(context.charge(text.strip())) for text in texts if text.strip()]
