"""The body of a message, which mostly comes twice, as plain text and as HTML: written once."""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.core.model import Section

SAME = 0.75  # share of the words of one form found in the other, from which it says the same
_WORD = re.compile(r"[a-zA-Z0-9_]{1,40}|[^\W\d_a-zA-Z]")
_ARMOUR = re.compile(r"-----BEGIN PGP (MESSAGE|SIGNATURE|PUBLIC KEY BLOCK)-----.*?(?:-----END PGP \1-----|\Z)", re.S)
_SIGNED = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:Hash: [^\n]*\n)*+\n?")
_BLANK_LINES = re.compile(r"\n[ \t\u00a0]*\n(?:[ \t\u00a0]*\n)++")
MOST_WORDS = 50_000


class Body(NamedTuple):
    """One body: its forms, either of which may be missing."""

    plain: str = ""
    html: str = ""


def body_sections(body: Body) -> tuple[Section, ...]:
    """The form that says more; both when each says something of its own.

    HTML is preferred when the plain text is only a stub for old programs, and when it has
    tables that the plain text tore apart.
    """
    plain, html = plain_section(body.plain), html_sections(body.html)
    if not (plain and html):
        return plain or html
    ours, theirs = words("".join(s.text for s in plain)), words("".join(s.text for s in html))
    html_in_plain, plain_in_html = share(theirs, ours), share(ours, theirs)
    if html_in_plain >= SAME and not (plain_in_html >= SAME and any(s.kind == "table" and s.lead for s in html)):
        return plain
    return html if plain_in_html >= SAME or len(ours) < 3 else (*plain, *html)


def plain_section(text: str) -> tuple[Section, ...]:
    """Plain text without the armour of signatures and ciphers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "-----BEGIN PGP " in text:
        text = _ARMOUR.sub("", _SIGNED.sub("", text))
    text = _BLANK_LINES.sub("\n\n", text).strip("\n")
    return (Section(text + "\n"),) if text.strip() else ()


def html_sections(html: str) -> tuple[Section, ...]:
    """What a page shows, with its headings and tables."""
    if not html.strip():
        return ()
    from .html import parse_page

    return parse_page(html.replace("\0", "").encode("utf-8", "replace"), "utf-8").sections


def words(text: str) -> dict[str, int]:
    """The words of a text (East Asian characters one by one) and how often each occurs."""
    counts: dict[str, int] = {}
    for index, match in enumerate(_WORD.finditer(text)):
        if index >= MOST_WORDS:
            break
        word = match[0].lower()
        counts[word] = counts.get(word, 0) + 1
    return counts


def share(part: dict[str, int], whole: dict[str, int]) -> float:
    """How much of ``part`` is in ``whole``, 0 to 1."""
    total = sum(part.values())
    return sum(min(count, whole.get(word, 0)) for word, count in part.items()) / total if total else 1.0
