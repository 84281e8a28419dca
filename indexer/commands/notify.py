"""``notify test``: whether news would arrive."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import DONE, PARTIAL, ConfigError
from . import knowledge_base

if TYPE_CHECKING:
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("action", choices=("test",), help=t("send a test message to each address of [notify]"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Sends to each address; exit code 3 when one did not take it."""
    from ..i18n import language
    from ..notify import Place, label, send, test_message

    settings = knowledge_base(options, out).settings
    if not settings.notify.urls:
        raise ConfigError(
            "There is no address to send to; write one into indexer.toml, such as\n"
            '[notify]\nurls = ["mailtos://USER:PASSWORD@smtp.example.com?to=you@example.com"]\n'
            "docs/notifications.md has the others."
        )
    configured = settings.notify.language
    lang = configured if configured != "auto" else language(settings.language)
    message = test_message(Place(settings.home, platform.node()), lang)
    failed = 0
    for index, url in enumerate(settings.notify.urls):
        why = send(url, lambda names: message)
        if why is None:
            out.say("{channel}: sent", channel=label(index, url))
        else:
            failed += 1
            out.warn("{channel}: not sent: {why}", channel=label(index, url), why=why)
    return PARTIAL if failed else DONE
