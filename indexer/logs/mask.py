"""What must never be written down: keys, passwords and tokens, replaced by ``***`` wherever they turn up.

Nothing of ours puts a secret into a sentence; this is for what other packages put into theirs
(an exception of ``requests`` quotes the whole address of a webhook).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ..config import channels
from ..config.inputs import SECRET_WORDS

if TYPE_CHECKING:
    from ..settings import Settings

Mask = Callable[[str], str]

HIDDEN = "***"


def mask_for(secrets: Iterable[str]) -> Mask:
    """A function that hides these texts where they stand as whole words; the longest first."""
    words = sorted({s for s in secrets if s}, key=len, reverse=True)
    if not words:
        return lambda text: text
    pattern = re.compile("|".join(map(_whole, words)))
    return lambda text: pattern.sub(HIDDEN, text)


def _whole(word: str) -> str:
    """A pattern for the text where it is not part of a longer word."""
    before, after = (r"(?<!\w)" if word[0].isalnum() else "", r"(?!\w)" if word[-1].isalnum() else "")
    return before + re.escape(word) + after


def mask_of(settings: Settings) -> Mask:
    """Hides every secret of a configuration."""
    embedding, llm = settings.embedding, settings.llm
    found = [embedding.api_key, llm.api_key]
    for follower in settings.followers:
        found += [follower.api_key, follower.password]
    for options in (embedding.options, llm.options, llm.rerank_options, *(f.options for f in settings.followers)):
        found += _named(options)
    found += [part for url in settings.notify.urls for part in channels.secrets(url)]
    for url in (embedding.base_url, llm.base_url, *(f.url for f in settings.followers)):
        found += re.findall(r"//[^/@:]*:([^/@]+)@", url)
    return mask_for(found)


def _named(options: Mapping[str, object]) -> Iterable[str]:
    """Values of options whose name says that they are secret."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _named(value)
        elif isinstance(value, str) and re.search(SECRET_WORDS, str(name), re.IGNORECASE):
            yield value
