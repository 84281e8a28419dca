"""Sentences for a wrong key or value: which, where, what was given, what is right."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from ..core.errors import ConfigError
from ..core.model import Message
from ..i18n import code

Location = tuple[str | int, ...]

SYNONYMS = {  # what people bring from other tools
    "chunk_size": "split.size",
    "chunk_overlap": "split.overlap",
    "embedding_model": "embedding.model",
    "embeddings": "embedding",
    "source": "sources",
    "lang": "language",
    "retention": "retention_days",
}


class Wrong(ValueError):
    """Raised in a validator: why the value is wrong and, in a table check, which key to name."""

    def __init__(self, why: Message, key: str = "") -> None:
        super().__init__(str(why))
        self.why, self.key = why, key


def dotted(location: Location) -> str:
    """``("sources", 1, "path")`` → ``sources[1].path``."""
    out = ""
    for part in location:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            out += "." * bool(out) + (part if re.fullmatch(r"[\w-]+", part) else f'"{part}"')
    return out


def close(given: str, allowed: Iterable[str]) -> str | None:
    """The allowed word most like the given one: case, spelling, then one inside the other."""
    words = {word.casefold(): word for word in allowed}
    text = given.strip().casefold()
    if text in words:
        return words[text]
    if found := difflib.get_close_matches(text, words, n=1, cutoff=0.6):
        return words[found[0]]
    inside = [w for w in words if len(w) > 1 and text and (w in text or text in w)]
    return words[max(inside, key=len)] if inside else None


def nearest(given: str, allowed: Sequence[str]) -> Message:
    """What is allowed, and which of it was probably meant."""
    listed = {"allowed": ", ".join(allowed)}
    if guess := close(given, allowed) or close(code(given) or "", allowed):
        return Message("did you mean {guess}? Possible: {allowed}", {"guess": guess, **listed})
    return Message("possible: {allowed}", listed)


def unknown_key(where: Message, location: Location, keys: Sequence[str]) -> Message:
    """A key that does not exist; ``keys`` are all that do, dotted, with ``[]`` for list items."""
    *table, leaf = location
    inside = "".join(f"{p}." for p in dotted(tuple(p for p in table if not isinstance(p, int))).split(".") if p)
    siblings = {k.removeprefix(inside): k for k in keys if k.startswith(inside)}
    leaves = {k.rpartition(".")[2]: k for k in reversed(keys)}
    guess = SYNONYMS.get(str(leaf)) or leaves.get(str(leaf)) if not inside else None
    if guess is None and (word := close(str(leaf), siblings)):
        guess = dotted((*table, word)) if table else word
    if guess is None and (word := close(str(leaf), leaves)):
        guess = leaves[word]
    args = {"where": where, "key": dotted(location)}
    if guess:
        return Message("{where}: there is no setting {key}; did you mean {guess}?", {**args, "guess": guess})
    allowed = ", ".join(k for k in siblings if "." not in k)
    return Message("{where}: there is no setting {key}; possible here: {allowed}", {**args, "allowed": allowed})


def wrong_value(where: Message, location: Location, given: object, why: Message) -> Message:
    """A value that does not hold; secrets are not repeated."""
    secret = (
        location in (("embedding",), ("llm",))
        or location[-1] in ("api_key", "password")
        or location[:2] == ("notify", "urls")
    )
    shown = "***" if secret and given else _short(given)
    args = {"where": where, "key": dotted(location), "given": shown, "why": why}
    return Message("{where}: {key} = {given}: {why}", args)


def _short(value: object) -> str:
    if isinstance(value, Mapping):  # may hold a secret somewhere inside
        return "{…}" if value else "{}"
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = re.sub(r"(//|\")[^/@\s]+@", r"\1***@", text)  # user:password@host
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else text[:77] + "..."


def reason(location: Location, kind: str, context: Mapping[str, Any], given: object) -> Message:
    """Why pydantic refused the value (its error type and context), in our words."""
    if isinstance(context.get("error"), Wrong):
        why: Message = context["error"].why
        return why
    if kind == "literal_error":
        allowed = [word.strip("' ") for word in context["expected"].replace(" or ", ",").split(",")]
        return nearest(str(given), allowed)
    if location[0] == "sources" and len(location) <= 2 and kind != "too_short":
        return Message('each source is a table: [[sources]] and below it path = "FOLDER"')
    return _bounds(context) or _types(kind)


def _bounds(context: Mapping[str, Any]) -> Message | None:
    if "ge" in context:
        return Message("it must be {limit} or more", {"limit": f"{context['ge']:g}"})
    if "gt" in context:
        return Message("it must be more than {limit}", {"limit": f"{context['gt']:g}"})
    if "le" in context:
        return Message("it must be {limit} or less", {"limit": f"{context['le']:g}"})
    return None


def _types(kind: str) -> Message:
    if kind.startswith("int"):
        return Message("a whole number is expected")
    if kind.startswith(("float", "finite")):
        return Message("a number is expected")
    if kind.startswith("string"):
        return Message("a text in quotes is expected")
    if kind == "too_short":
        return Message("at least one is needed; without this key the folder knowledge_base is used")
    if kind.startswith("list"):
        return Message('a list is expected, such as ["*.pdf", "*.docx"]')
    if kind.startswith(("dict", "model")):
        return Message("a table of keys and values is expected")
    if kind == "missing":
        return Message("this key is needed")
    return Message("this value is not possible")


def raise_all(problems: Sequence[Message]) -> None:
    """ConfigError with every problem on its own line, in the file's order; returns if there is none."""
    if problems:
        problems = sorted(problems, key=_line)
        raise ConfigError(reduce(lambda a, b: Message("{first}\n{rest}", {"first": a, "rest": b}), problems))


def _line(problem: Message) -> int:
    where = problem.args.get("where")
    line = where.args.get("line", 0) if isinstance(where, Message) else 0
    return line if isinstance(line, int) else 0
