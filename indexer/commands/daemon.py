"""``run``, ``schedule``, ``watch``, ``serve``: the daemon, with all triggers or one, with the web service or alone with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import state
from ..core.errors import Busy
from . import flags_of

if TYPE_CHECKING:
    import argparse

    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the commands take."""
    if name == "run":
        group = sub.add_mutually_exclusive_group()
        group.add_argument("--watch", action="store_true", default=None, help=t("follow the folders as well"))
        group.add_argument("--no-watch", dest="watch", action="store_false", help=t("do not follow the folders"))
    if name == "serve":
        sub.add_argument("--listen", metavar="ADDRESS:PORT", help=t("where (default: 127.0.0.1:8765)"))
        sub.add_argument("--schedule", action="store_true", help=t("update by the schedule as well"))
        sub.add_argument("--watch", action="store_true", help=t("follow the folders as well"))
    if name in ("run", "watch"):
        sub.add_argument(
            "--debounce", type=float, metavar="SECONDS", help=t("quiet time after a change; 0: at once (default: 2)")
        )
        sub.add_argument(
            "--max-wait", type=float, metavar="SECONDS", help=t("at the latest after this time (default: 30)")
        )


def run(options: argparse.Namespace, out: Out) -> int:
    """Work until Ctrl-C or SIGTERM."""
    from ..config import load_settings, resolve_home
    from ..daemon import Wants
    from ..daemon import run as work

    home, flags = resolve_home(options.home), flags_of(options)
    flags |= {f"watch.{key}": getattr(options, key, None) for key in ("debounce", "max_wait")}
    flags["serve.listen"] = getattr(options, "listen", None)
    settings = load_settings(home, flags)
    if settings.language in ("en", "zh"):
        out.lang = settings.language
    wants = {
        "run": Wants(watch=getattr(options, "watch", None)),
        "schedule": Wants(schedule=True, watch=False),
        "watch": Wants(schedule=False, watch=True),
        "serve": Wants(getattr(options, "schedule", False), getattr(options, "watch", False), serve=True),
    }[options.command]
    try:
        return work(lambda: load_settings(home, flags), options.command, wants, out.lang)
    except Busy as e:
        if options.command == "serve" and (other := state.read(settings.metadata)) is not None:
            raise Busy(_RUNNING, pid=other.get("pid", "?")) from e
        raise


_RUNNING = (
    "A daemon of this knowledge base is running already (process {pid}). To have it serve as well, set enabled = true "
    "below [serve] in indexer.toml and let it read that: kill -HUP {pid}"
)
