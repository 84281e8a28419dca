"""``install-service``: print, install or remove what starts the daemon with the machine."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import DONE, UsageError
from ..core.model import Message
from ..service_units import KINDS
from . import settings_of

if TYPE_CHECKING:
    from ..cli import Out
    from ..service_units import Facts, Plan


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    what = sub.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", help=t("print it (this is what happens without an option)"))
    what.add_argument("--install", action="store_true", help=t("show what would change, ask, write it and start it"))
    what.add_argument("--uninstall", action="store_true", help=t("end it and remove what was installed"))
    scope = sub.add_mutually_exclusive_group()
    scope.add_argument("--system", action="store_true", help=t("starts with the machine (default for root)"))
    scope.add_argument("--user", action="store_true", help=t("starts with your session (default for others)"))
    sub.add_argument("--kind", choices=KINDS, help=t("for which system (default: this one)"))
    sub.add_argument("--name", default="indexer", metavar="NAME", help=t("its name; each knowledge base needs its own"))
    sub.add_argument("-y", "--yes", action="store_true", help=t("do not ask"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    from ..service_units import plan
    from ..service_units.facts import facts_of

    settings = settings_of(options, out)
    kind = options.kind or default_kind()
    scope = "system" if options.system or (not options.user and _is_root()) else "user"
    facts = facts_of(settings, scope, options.name, out.lang if settings.language == "auto" else "")
    made = plan(kind, facts)
    if options.install or options.uninstall:
        if kind == "systemd" and scope == "system" and not _is_root():
            raise UsageError("Only root may do this: run it with sudo, or with --user.")
        (_install if options.install else _uninstall)(made, facts, options, out)
    else:
        _print(made, kind, out)
    return DONE


def default_kind() -> str:
    """The one this machine starts its services with."""
    if sys.platform == "win32":
        return "windows"
    if sys.platform == "darwin":
        return "launchd"
    if os.path.isdir("/run/systemd/system"):
        return "systemd"
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return "docker"
    import shutil

    return "systemd" if shutil.which("systemctl") else "cron"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _print(plan: Plan, kind: str, out: Out) -> None:
    """The text to stdout, so that it can be redirected; the rest to stderr."""
    from ..service_units.installing import shown

    for text in shown(plan):
        sys.stdout.write(text)
    if out.quiet:
        return
    if not plan.marked:
        out.warn("It belongs into {path}.", path=", ".join(f.path for f in plan.files))
    for command in (*plan.enable, *plan.created):
        out.warn("Then: {command}", command=shlex.join(command))
    for note in plan.notes:
        out.warn("Then: {command}", command=note)
    out.warn("`indexer install-service --install` does all this (--kind {kind}).", kind=kind)


def _install(plan: Plan, facts: Facts, options: argparse.Namespace, out: Out) -> None:
    from ..service_units import installing

    found = installing.changes(plan)
    for change in found:
        out.line(change.diff())
    if found and not _agreed(Message("Write this and start it?"), options, out):
        return
    installing.install(plan, facts, found, lambda text: out.say("done: {what}", what=text))
    out.say("It is installed." if found else "It was installed already; nothing was written.")
    for note in plan.notes:
        out.say("You may want to run: {command}", command=note)


def _uninstall(plan: Plan, facts: Facts, options: argparse.Namespace, out: Out) -> None:
    from ..service_units import installing

    found = installing.changes(plan, remove=True)
    if not found:
        out.say("Nothing is installed.")
        return
    for change in found:
        out.line(change.diff())
    if not _agreed(Message("End it and remove this?"), options, out):
        return
    installing.uninstall(plan, found, lambda text: out.say("done: {what}", what=text))
    out.say("It is removed; the index stays.")


def _agreed(question: Message, options: argparse.Namespace, out: Out) -> bool:
    """Whether to go on; raises UsageError where nobody can be asked."""
    if options.yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("Nobody is there to be asked; say --yes.")
    sys.stdout.write(out.text("{question} [y/N] ", question=question))
    sys.stdout.flush()
    if sys.stdin.readline().strip().casefold() in ("y", "yes", "是"):
        return True
    out.say("Nothing was changed.")
    return False
