"""The words of a question and of a text: its language, its terms, its sentences."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_OTHER_SCRIPTS = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")  # kana, hangul: Han characters do not make it Chinese
_RUNS = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[.\-'’_/][^\W_{_HAN}]+)*")
_WORD = re.compile(rf"[^\W\d_{_HAN}]+")
_SENTENCE = re.compile(
    r"[^。！？!?；;\n.]*(?:[.](?=\w)[^。！？!?；;\n.]*)*(?:[。！？!?；;]+[”’」』）)]*|[.]+[\"”’)]*|\n+|$)"
)

# What a question is made of and an answer is not: it says nothing about what is asked.
_EMPTY_EN = frozenset(
    [
        "a",
        "about",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "get",
        "give",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "may",
        "me",
        "more",
        "most",
        "much",
        "many",
        "must",
        "my",
        "no",
        "not",
        "of",
        "on",
        "one",
        "or",
        "our",
        "out",
        "please",
        "say",
        "she",
        "should",
        "so",
        "some",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "up",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_EMPTY_ZH = re.compile(
    "请问|什么时候|什么样|为什么|是什么|有什么|什么|多少|几个|几天|哪些|哪里|哪个|哪一|怎么样|怎么办|怎么|怎样|如何|"
    "是否|能不能|可不可以|可以|能否|应该|需要|吗|呢|吧|啊|的|了|是|在|和|与|或|我们|我|你|您|他|她|它|这|那|有没有|有|及|被|把"
)


def language(text: str) -> Literal["en", "zh"]:
    """ "zh" where Han characters outnumber the words of other scripts; kana or hangul are neither."""
    if _OTHER_SCRIPTS.search(text):
        return "en"
    han = sum(1 for c in text if "\u3400" <= c <= "\u9fff" or "\uf900" <= c <= "\ufaff")
    return "zh" if han > len(_WORD.findall(text)) else "en"


def terms(text: str) -> frozenset[str]:
    """What can be looked for: words in lower case, pairs of Han characters (a single one where it stands alone)."""
    found: set[str] = set()
    for run in _RUNS.findall(unicodedata.normalize("NFKC", text).casefold()):
        if "\u3400" <= run[0] <= "\u9fff" or "\uf900" <= run[0] <= "\ufaff":
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            found.add(_stem(run))
    return frozenset(found)


def asked(question: str) -> frozenset[str]:
    """The terms of a question that say what it is about; all of them where none does."""
    plain = unicodedata.normalize("NFKC", question).casefold()
    kept = terms(_EMPTY_ZH.sub(" ", plain)) - _EMPTY_EN
    return kept or terms(plain)


def share(wanted: frozenset[str], text: frozenset[str]) -> float:
    """How much of what is wanted a text has, 0 to 1; longer words count more."""
    weight = sum(map(_weight, wanted))
    return sum(_weight(w) for w in wanted & text) / weight if weight else 0.0


def sentences(text: str) -> list[str]:
    """A text's sentences, nothing lost but the white space around them."""
    return [s for m in _SENTENCE.finditer(text) if (s := " ".join(m[0].split()))]


def _weight(word: str) -> float:
    return 1.0 if word[0] >= "\u3400" else min(len(word), 8) / 4 + (0.5 if word[0].isdigit() else 0.0)


def _stem(word: str) -> str:
    """An English plural and its singular are one word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
