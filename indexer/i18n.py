"""English and Chinese: which one a person reads, and the sentence in it.

The English template is the key (see :class:`indexer.core.model.Message`), so a reason
stored years ago is shown in the language of whoever reads it now.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from .core.model import Message

Language = Literal["en", "zh"]


def code(name: str) -> Language | None:
    """``zh_CN.UTF-8``, ``zh-Hant``, ``Chinese (Simplified)_China`` → zh; English alike; else None."""
    word = name.strip().casefold().replace("-", "_").split(".")[0].split("@")[0]
    for language, full in (("zh", "chinese"), ("en", "english")):
        if word == language or word.startswith((language + "_", full)):
            return "zh" if language == "zh" else "en"
    return None


def system_locale() -> str | None:
    """What the operating system's own setting says (Windows has no LANG); None if nothing."""
    import locale

    try:
        return locale.getlocale()[0]
    except ValueError:  # a locale name Python cannot parse
        return None


def language(
    configured: str = "auto",
    environ: Mapping[str, str] = os.environ,
    locale: Callable[[], str | None] = system_locale,
) -> Language:
    """The configured language; if that is ``auto``: INDEXER_LANG, then the locale, then English.

    The locale is read as gettext does: LC_ALL, LC_MESSAGES, LANG name it, the list in
    LANGUAGE refines it unless it is C or POSIX. A locale that is neither is English.
    """
    for explicit in (configured, environ.get("INDEXER_LANG", "")):
        if found := code(explicit):
            return found
    effective = next((v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := environ.get(k))), "")
    if effective.split(".")[0] in ("C", "POSIX"):
        return "en"
    for wish in [*environ.get("LANGUAGE", "").split(":"), effective]:
        if found := code(wish):
            return found
    return "en" if effective else code(locale() or "") or "en"


@cache
def _table(name: str) -> Mapping[str, Any]:
    import json

    path = os.path.join(os.path.dirname(__file__), "locale", name)
    try:
        with open(path, encoding="utf-8") as file:
            table: dict[str, Any] = json.load(file)
    except (OSError, ValueError):  # an incomplete installation still speaks English
        return {}
    return table


def _template(message: Message, lang: str) -> str:
    """The Chinese sentence, or the English one in its singular where the number it counts with is 1."""
    if lang == "zh":
        chinese: str = _table("zh.json").get(message.text, message.text)
        return chinese
    number, singular = _table("en_one.json").get(message.text, ("", "")) if 1 in message.args.values() else ("", "")
    return singular if number and message.args.get(number) == 1 else message.text


def translate(message: Message, lang: str) -> str:
    """The sentence in ``lang``; English where no translation exists; never raises.

    Values that are messages themselves are translated too, lists of them joined by commas.
    """
    template = _template(message, lang)
    if not message.args:
        return template
    args = {name: _value(value, lang) for name, value in message.args.items()}
    try:
        return template.format(**args)
    except (LookupError, AttributeError, TypeError, ValueError):
        return _lenient(template, args)


def _value(value: object, lang: str) -> object:
    if isinstance(value, Message):
        return translate(value, lang)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, Message) for v in value):
        return ("、" if lang == "zh" else ", ").join(translate(v, lang) for v in value)
    return value


def _lenient(template: str, args: Mapping[str, object]) -> str:
    """``str.format`` that keeps ``{name}`` for a value that is missing or will not be formatted."""

    def value(match: re.Match[str]) -> str:
        return str(args[match[1]]) if match[1] in args else match[0]

    return re.sub(r"\{(\w+)[^{}]*\}", value, template)
