"""Which language a person reads, and that translating never fails."""

from __future__ import annotations

import pytest

from indexer.core.errors import ConfigError
from indexer.core.model import Message
from indexer.i18n import code, language, translate


def nothing() -> str | None:
    return None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("zh", "zh"),
        ("zh_CN.UTF-8", "zh"),
        ("zh-Hant-TW", "zh"),
        ("ZH_cn@x", "zh"),
        ("Chinese (Simplified)_China", "zh"),
        ("English_United States", "en"),
        ("en_GB", "en"),
        ("zhuang", None),
        ("C.UTF-8", None),
        ("auto", None),
        ("", None),
    ],
)
def test_codes(name: str, meant: str | None) -> None:
    """Names of languages and locales on all systems."""
    assert code(name) == meant


@pytest.mark.parametrize(
    ("configured", "environ", "system", "meant"),
    [
        ("zh", {"INDEXER_LANG": "en", "LANG": "en_US"}, None, "zh"),
        ("auto", {"INDEXER_LANG": "zh", "LC_ALL": "C"}, None, "zh"),
        ("auto", {"INDEXER_LANG": "fr", "LANG": "zh_CN"}, None, "zh"),
        ("auto", {"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US"}, None, "zh"),
        ("auto", {"LC_ALL": "", "LC_MESSAGES": "en_US", "LANG": "zh_CN"}, None, "en"),
        ("auto", {"LANG": "zh_TW.Big5"}, None, "zh"),
        ("auto", {"LANG": "en_US.UTF-8", "LANGUAGE": "fr:zh_CN:en"}, None, "zh"),
        ("auto", {"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, None, "en"),
        ("auto", {"LANGUAGE": "zh_CN:en"}, None, "zh"),
        ("auto", {"LANG": "de_DE"}, "zh_CN", "en"),
        ("auto", {}, "Chinese (Simplified)_China", "zh"),
        ("auto", {}, None, "en"),
    ],
)
def test_choice(configured: str, environ: dict[str, str], system: str | None, meant: str) -> None:
    """Configured, INDEXER_LANG, the locale as gettext reads it, the system, English."""
    assert language(configured, environ, lambda: system) == meant


def test_translation_and_fallback() -> None:
    """Chinese where there is one, English else; the template is the key."""
    message = Message("environment variable {name}", {"name": "X"})
    assert translate(message, "zh") == "环境变量 X"
    assert translate(message, "en") == str(message) == "environment variable X"
    assert translate(Message("no such {thing}", {"thing": 1}), "zh") == "no such 1"


def test_messages_inside_messages() -> None:
    """A value that is a message is translated with it, in an error too."""
    inner = Message("environment variable {name}", {"name": "X"})
    error = ConfigError("{where}: {key} = {given}: {why}", where=inner, key="a", given=1, why=inner)
    assert translate(error.message, "zh") == "环境变量 X：a = 1：环境变量 X"
    assert translate(Message("{a}", {"a": [inner, inner]}), "zh") == "环境变量 X、环境变量 X"


@pytest.mark.parametrize(
    ("template", "args", "out"),
    [
        ("no {braces}", {}, "no {braces}"),
        ("{a} and {b}", {"a": 1}, "1 and {b}"),
        ("{a:d}", {"a": "x"}, "x"),
        ("{a.b} {c}", {"a": 1, "c": 2}, "1 2"),
        ("{a[0]:>5} {c}", {"a": 1}, "1 {c}"),
        ("{", {"a": 1}, "{"),
        ("{0} {a}", {"a": "{b}"}, "{0} {b}"),
    ],
)
def test_it_never_raises(template: str, args: dict[str, object], out: str) -> None:
    """A stored reason whose template or values changed since is still shown."""
    for lang in ("en", "zh"):
        assert translate(Message(template, args), lang) == out
