"""What no text in the index may hold: NUL, BOM, lone surrogates, foreign line ends."""

from __future__ import annotations


def clean(text: str) -> str:
    """The text fit for the index; halves of a surrogate pair are joined, a lone half becomes U+FFFD.

    Hashing, JSON and tokenizers fail on lone surrogates, which broken font tables produce.
    """
    text = normalise(text)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def normalise(text: str) -> str:
    """The text with \\n line ends, without NUL and BOM. For text from a strict decoder."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "")
    if "\ufeff" in text:
        text = text.replace("\ufeff", "")
    return text
