"""``followers``, ``flush``, ``pause``, ``resume``, ``resync``: the systems that are kept in step with the index."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, PARTIAL, USAGE, Busy
from ..core.following import STATES
from ..core.model import Key, Message
from ..glance import message_of
from . import knowledge_base
from .times import local
from .update import stop_on_signal

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out
    from ..core.following import FollowerSettings
    from ..followers.resync import Difference

PATIENCE_SECONDS = 15.0
"""How long `resync` waits for the daemon to be between two steps."""


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the commands take."""
    if name == "followers":
        sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
        return
    many = name in ("flush", "resync")
    sub.add_argument("name", nargs="?" if many else None, metavar="NAME", help=t("which follower (default: all)") if many else t("which follower"))  # fmt: skip
    if name == "flush":
        sub.add_argument("--retry", action="store_true", help=t("also what failed or was refused there before"))
    if name == "resync":
        sub.add_argument("--dry-run", action="store_true", help=t("say what differs, change nothing"))
        sub.add_argument(
            "--remove-unknown", action="store_true", help=t("delete there what is named like our documents and is not known here")
        )  # fmt: skip


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    kb = knowledge_base(options, out)
    return _COMMANDS[options.command](kb, options, out)


def _list(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..followers.opening import opened
    from ..followers.told import facts, troubles

    found = []
    for settings in kb.settings.followers:
        with opened(kb, settings, out.warn) as follower:
            found.append({**facts(follower), "troubles": troubles(follower)})
    if options.json:
        out.json(found)
    else:
        for one in found:
            for line in _lines(one):
                out.say(line)
        if not found:
            out.say("No follower is configured. Add [[followers]] to indexer.toml; docs/followers.md shows how.")
    bad = any(f["state"] in ("down", "misconfigured") or f["documents"]["failed"] for f in found)
    return PARTIAL if bad else DONE


def _lines(one: dict[str, Any]) -> Iterator[Message]:
    words: dict[str, Any] = {"name": one["name"], "kind": one["kind"], "state": STATES[one["state"]]}
    if one["since_ns"]:
        yield Message("{name} ({kind}): {state} since {since}", {**words, "since": local(one["since_ns"])})
    else:
        yield Message("{name} ({kind}): {state}", words)
    if one["error"]:
        yield Message("  {error}", {"error": message_of(one["error"])})
    if one["next_ns"]:
        yield Message("  next try: {at}", {"at": local(one["next_ns"])})
    if one["behind"]:
        words = {
            "count": one["behind"],
            "since": local(one["behind_since_ns"]),
            "cursor": one["cursor"],
            "commit": one["commit"],
        }
        yield Message("  behind by {count} documents since {since} (commit {cursor} of {commit})", words)
    else:
        yield Message("  in step with commit {commit}", {"commit": one["commit"]})
    yield Message("  documents: {there} there, {moving} on their way, {skipped} not sent, {refused} refused, {failed} failed", one["documents"])  # fmt: skip
    for t in one["troubles"][:20]:
        name = str(Key(t["source"], t["path"]))
        yield Message("  {state}: {path}: {reason}", {"state": STATES[t["state"]], "path": name, "reason": message_of(t["why"])})  # fmt: skip
    if len(one["troubles"]) > 20:
        yield Message("  … and {count} more: `indexer followers --json`", {"count": len(one["troubles"]) - 20})


def _flush(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    return flush_all(kb, _chosen(kb, options.name), out, retry=options.retry)


def flush_all(kb: KnowledgeBase, chosen: list[FollowerSettings], out: Out, *, retry: bool = False) -> int:
    """Send now, each follower until it is in step or cannot go on; the worst exit code."""
    from ..followers.opening import opened
    from ..followers.runner import MISCONFIGURED, Runner, flush

    stop, code = stop_on_signal(), DONE
    for settings in chosen:
        with opened(kb, settings, out.warn) as follower:
            if retry:
                follower.ledger.retry(settings.name)
            runner = Runner(follower)
            why = flush(runner, stop)
            if why is None:
                n = follower.ledger.counts(settings.name).get("done", 0)
                out.say("{name}: in step; {count} documents are there", name=settings.name, count=n)
                continue
            if behind := follower.behind().documents:
                out.warn("{name}: behind by {count} documents: {error}", name=settings.name, count=behind, error=why)
            else:
                out.warn("{name}: {error}", name=settings.name, error=why)
            code = max(code, USAGE if runner.state == MISCONFIGURED else PARTIAL)
    return code


def _pause(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..followers.opening import opened

    paused = options.command == "pause"
    for settings in _chosen(kb, options.name):
        with opened(kb, settings, out.warn) as follower:
            follower.ledger.pause(settings.name, paused)
    if paused:
        out.say("{name} is paused: changes wait until `indexer resume {name}`.", name=options.name)
    else:
        out.say("{name} goes on: the daemon sends what waited, or `indexer flush {name}`.", name=options.name)
    return DONE


def _resync(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..followers.model import FollowerError
    from ..followers.opening import opened
    from ..followers.resync import compare, repair
    from ..followers.runner import alone

    chosen, code = _chosen(kb, options.name), DONE
    stop = stop_on_signal()
    for settings in chosen:
        with opened(kb, settings, out.warn) as follower:
            try:
                with alone(follower.ledger.path.parent, settings.name, PATIENCE_SECONDS):
                    difference = compare(follower)
                    _say_difference(settings.name, difference, options, out)
                    if not options.dry_run:
                        repair(follower, difference, remove_unknown=options.remove_unknown, stop=stop)
            except FollowerError as e:
                out.warn("{name}: {error}", name=settings.name, error=e.message)
                code = PARTIAL
            except Busy:
                out.warn("{name}: it is at work just now; try again in a moment.", name=settings.name)
                code = PARTIAL
    return code if options.dry_run or code != DONE else flush_all(kb, chosen, out)


def _say_difference(name: str, found: Difference, options: argparse.Namespace, out: Out) -> None:
    if not found.listed:
        out.say("{name}: it cannot be asked what it has; everything is compared with what was sent.", name=name)
        return
    words = {"name": name, "missing": len(found.missing), "unknown": len(found.unknown), "foreign": found.foreign}
    out.say("{name}: {missing} documents are missing there, {unknown} are named like ours and not known here, {foreign} are others'", **words)  # fmt: skip
    for key in found.missing[:20]:
        out.say("  missing: {path}", path=str(key))
    for remote in found.unknown[:20]:
        out.say("  unknown: {path} ({id})", path=remote.name, id=remote.id)
    if found.unknown and not options.remove_unknown:
        out.say("To delete the unknown ones there: `indexer resync {name} --remove-unknown`", name=name)


def _chosen(kb: KnowledgeBase, name: str | None) -> list[FollowerSettings]:
    from ..followers.opening import named

    if name is not None:
        return [named(kb.settings, name)]
    if not kb.settings.followers:
        named(kb.settings, "")
    return [f for f in kb.settings.followers if f.enabled]


_COMMANDS: dict[str, Callable[..., int]] = {
    "followers": _list, "flush": _flush, "pause": _pause, "resume": _pause, "resync": _resync,
}  # fmt: skip
