"""Text that may leave the process: JSON holds no half characters, a person's terminal takes no commands."""

from __future__ import annotations


def plain(text: str) -> str:
    """For JSON: half a character (a lone surrogate) becomes a question mark, so that positions stay."""
    return text.encode("utf-8", "replace").decode()


def harmless(text: str) -> str:
    """For people: what a terminal would take for a command, and what turns the direction of writing, is replaced."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
