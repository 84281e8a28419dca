"""``key``: the keys of the web service; a key is shown once, when it is made."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import DONE, UsageError
from . import settings_of
from .times import local

if TYPE_CHECKING:
    from ..cli import Out
    from ..web.keys import Keys

_SCOPES = ("read", "write", "admin")


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument(
        "action",
        choices=tuple(_COMMANDS),
        metavar="ACTION",
        help=t("add: make a key; list: the keys; remove: end one at once"),
    )
    sub.add_argument("name", nargs="?", metavar="NAME", help=t("what it is called: whose it is, or what for"))
    sub.add_argument(
        "--scope", choices=_SCOPES, default="read",
        help=t("read: search, ask, look; write: upload, delete, update too; admin: everything (default: read)"),
    )  # fmt: skip
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    from ..web.keys import Keys

    if (options.action == "list") != (options.name is None):
        raise UsageError("Say `indexer key add NAME`, `indexer key list` or `indexer key remove NAME`.")
    return _COMMANDS[options.action](Keys(settings_of(options, out).metadata), options, out)


def _add(keys: Keys, options: argparse.Namespace, out: Out) -> int:
    key = keys.add(options.name, options.scope, local(time.time_ns()))
    out.line(key)
    if not out.quiet:
        out.warn(
            "The key {name} ({scope}) was made. It is shown this once: keep it.", name=options.name, scope=options.scope
        )
    return DONE


def _list(keys: Keys, options: argparse.Namespace, out: Out) -> int:
    entries = keys.entries()
    if options.json:
        out.json([{"name": e.name, "scope": e.scope, "created": e.created} for e in entries])
        return DONE
    for e in entries:
        out.line(f"{e.name}  {e.scope}  {e.created}")
    if not entries:
        out.say("There is no key: on this machine everybody may do everything, from elsewhere nobody can.")
    return DONE


def _remove(keys: Keys, options: argparse.Namespace, out: Out) -> int:
    keys.remove(options.name)
    out.say("The key {name} is gone; whoever used it is refused from now on.", name=options.name)
    return DONE


_COMMANDS = {"add": _add, "list": _list, "remove": _remove}
