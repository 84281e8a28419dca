"""The daemon and what it needs: schedule, log, notifications, metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .. import state
from ..core.model import Message, display
from ..settings import Settings
from .finding import Case, Finding, ok, warning
from .mounts import existing


def daemon(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether one runs, and in the version and on the configuration of today."""
    from .. import __version__
    from ..glance import glance, message_of

    name, running = Message("daemon"), state.read(settings.metadata)
    if running is None:
        fresh = False
        try:
            fresh = glance(settings, case.now_ns)["fresh"]["fresh"]
        finally:
            if fresh:
                yield ok(name, Message("none runs; the index is fresh all the same"))
            else:
                remedy = Message("Start it: `indexer run`, or with the machine: `indexer install-service --install`.")
                yield warning(name, Message("none runs, and nothing else keeps the index fresh"), remedy)
        return
    words = {"pid": running.get("pid"), "mode": running.get("mode"), "version": running.get("version")}
    if running.get("version") not in (None, __version__):
        text = Message("process {pid} runs version {version}, installed is {installed}", {**words, "installed": __version__})  # fmt: skip
        yield warning(name, text, Message("Start it again: systemctl restart indexer"))
    else:
        yield ok(name, Message("process {pid} runs ({mode})", words))
    for watched in running.get("watch") or []:
        if watched.get("how") == "polling":
            why = message_of(watched.get("why") or "")
            yield ok(name, Message("{source} is polled: {why}", {"source": watched.get("source"), "why": why}))


def schedule(case: Case, settings: Settings) -> Iterator[Finding]:
    """When the next run comes."""
    from datetime import UTC, datetime, timedelta

    from ..commands.times import local
    from ..triggers.due import nanoseconds
    from ..triggers.wall import build, fires
    from ..triggers.words import describe
    from ..triggers.zone import zone

    name, where = Message("schedule"), zone(settings.schedule.time_zone)
    text = describe(settings.schedule, where)
    if not settings.schedule.enabled and settings.watch.enabled:
        yield ok(name, Message("switched off; watch mode is on"))
        return
    if not settings.schedule.enabled:
        remedy = Message("Set enabled = true below [schedule], or below [watch].")
        yield warning(name, Message("switched off, and watch mode too: nothing is updated by itself"), remedy)
        return
    now = datetime.fromtimestamp(case.now_ns / 1e9, UTC)
    coming = next(iter(fires(build(settings.schedule, where), now, now + timedelta(days=366))), None)
    if coming is None:
        yield warning(name, Message("{schedule}: no run within a year", {"schedule": text}))
    else:
        yield ok(name, Message("{schedule}; next: {at}", {"schedule": text, "at": local(nanoseconds(coming))}))


def log(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the daemon's log can be written."""
    from ..logs.log import FILE

    name = Message("log")
    path = os.path.join(settings.metadata, os.path.expanduser(settings.log.file) or FILE)
    words = {"path": display(path)}
    there = path if os.path.lexists(path) else existing(os.path.dirname(path))
    if os.path.isdir(path) or not os.access(there, os.W_OK):
        text = Message("{path} cannot be written by this user; lines would go to stderr only", words)
        yield warning(name, text, Message("Allow this user to write it, or name another file below [log]."))
    else:
        yield ok(name, Message("{path}", words))


def notifications(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether each address leads to a channel; nothing is sent."""
    from ..config.channels import problems, scheme

    name = Message("notifications")
    if not settings.notify.urls:
        yield ok(name, Message("nobody is told: no address below [notify]"))
        return
    wrong = list(problems(settings.notify.urls))
    for message in wrong:
        yield warning(name, message, Message("Correct the address below [notify]."))
    if not wrong:
        kinds = ", ".join(sorted({scheme(url) for url in settings.notify.urls}))
        yield ok(name, Message("{count} addresses ({kinds})", {"count": len(settings.notify.urls), "kinds": kinds}))


def metrics(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the address can be listened on, where no daemon does so now."""
    name, listen = Message("metrics"), settings.metrics.listen
    if not listen:
        yield ok(name, Message("off: no address below [metrics]"))
        return
    if state.read(settings.metadata) is not None:
        yield ok(name, Message("served by the daemon on {listen}", {"listen": listen}))
        return
    yield _free(name, listen, Message("Give another address below [metrics], or end the program that has this one."))


def web(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether the web service may begin: a key where others reach it, an address that is free."""
    from ..web.admission import check
    from ..web.keys import Keys

    name, serve = Message("web service"), settings.serve
    keys = Keys(settings.metadata)
    if serve.enabled or keys.path.exists():
        check(serve, keys)  # a file of keys that does not hold is a finding too
    daemon = state.read(settings.metadata)
    if daemon is not None and daemon.get("web"):
        yield ok(name, Message("served on {address}", {"address": daemon["web"]}))
    elif not serve.enabled:
        yield ok(name, Message("off: `indexer serve` begins it, or enabled = true below [serve]"))
    else:
        yield _free(
            name, serve.listen, Message("Give another address below [serve], or end the program that has this one.")
        )


def _free(name: Message, listen: str, remedy: Message) -> Finding:
    """Whether an address can be listened on."""
    import socket

    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as e:
        text = Message("nothing can be served on {listen} ({why})", {"listen": listen, "why": str(e)})
        return warning(name, text, remedy)
    return ok(name, Message("{listen} is free", {"listen": listen}))
