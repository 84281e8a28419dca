"""``snapshots``, ``rollback``, ``verify``, ``repair``, ``gc``: keeping the index whole and restorable."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.errors import DAMAGED, DONE, UsageError
from ..core.model import Message, display, unraw
from . import knowledge_base
from .times import local

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..cli import Out
    from ..store.local import Store


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    if name == "snapshots":
        sub.add_argument("--take", action="store_true", help=t("take one now"))
    if name == "rollback":
        sub.add_argument("commit", nargs="?", metavar="COMMIT", help=t("the commit to show again"))
        sub.add_argument("--dry-run", action="store_true", help=t("say what would be done, change nothing"))
        sub.add_argument(
            "--release", action="store_true", help=t("let the next update bring back what lies in the folder")
        )
    if name == "repair":
        sub.add_argument("--rebuild", action="store_true", help=t("parse and embed everything again"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    kb = knowledge_base(options, out)
    return _COMMANDS[options.command](kb, options, out)


@contextmanager
def _writing(kb: KnowledgeBase) -> Iterator[Store]:
    """The served generation, held for writing."""
    from ..store.local import Store
    from ..store.lock import writer_lock

    with writer_lock(kb.layout.lock, "care"):
        store = Store.open(kb.layout, _served(kb))
        try:
            yield store
        finally:
            store.close()


def _served(kb: KnowledgeBase) -> str:
    served = kb.layout.served()
    if served is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    return served


def _snapshots(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care import snapshots

    if options.take:
        with _writing(kb) as store:
            snapshots.take(store, time.time_ns())
            snapshots.prune(kb.layout, store.generation, kb.settings.snapshots_kept)
    found = snapshots.listed(kb.layout, _served(kb))
    if options.json:
        out.json([{"commit": s.commit, "at": local(s.at), "folder": str(s.folder), "bytes": s.bytes} for s in found])
        return DONE
    for s in found:
        out.say(
            "commit {commit}  {at}  {mb} MB  {folder}",
            commit=s.commit,
            at=local(s.at),
            mb=f"{s.bytes / 2**20:.1f}",
            folder=str(s.folder),
        )
    if not found:
        out.say("No snapshot yet; one is taken by the first update and then once a day.")
    return DONE


def _rollback(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care import rollback
    from ..care.own_run import recorded
    from ..store.author import Author

    if options.release:
        with _writing(kb) as store, recorded(store, Author(trigger="release"), time.time_ns) as (run, at, summary):
            count = summary["released"] = rollback.release(store, run, at)
        out.say("{count} documents are released; the next update shows what lies in the folder.", count=count)
        return DONE
    if not (options.commit or "").isdigit():
        raise UsageError("Say which commit: `indexer rollback COMMIT` (`indexer history` lists them).")
    wanted = int(options.commit)
    with _writing(kb) as store:
        rollback.check_commit(store.catalog, wanted)
        if options.dry_run:
            changes, head = rollback.changes(store.catalog, store.catalog.head(), wanted), store.catalog.head()
        else:
            with recorded(store, Author(trigger="rollback"), time.time_ns) as (run, at, summary):
                head, changes = rollback.rollback(store, wanted, run, at)
                summary["rolled_back"] = len(changes)
    if options.json:
        out.json(
            {
                "commit": head,
                "dry_run": options.dry_run,
                "changes": [[c.source, unraw(c.path), _verb(c)] for c in changes],
            }
        )
        return DONE
    for c in changes:
        out.say("{name}: {path}", name=Message(_verb(c)), path=display(f"{c.source}/{unraw(c.path)}"))
    if options.dry_run:
        out.say("Dry run: {count} documents would change; nothing was changed.", count=len(changes))
    else:
        out.say(
            "Commit {commit} shows what commit {old} showed. {count} documents are pinned until their file changes or `indexer rollback --release`.",
            commit=head, old=wanted, count=len(changes),
        )  # fmt: skip
    return DONE


def _verb(change) -> str:  # type: ignore[no-untyped-def]
    if change.after is None:
        return "deleted"
    return "added" if change.before is None else "modified"


def _verify(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care.verify import verify

    with _writing(kb) as store:
        findings = verify(store)
    if options.json:
        out.json({"ok": not findings, "findings": [{"what": f.what, "message": str(f.message)} for f in findings]})
    else:
        for f in findings:
            out.warn(f.message)
        if findings:
            out.warn("Run `indexer repair` to mend it.")
        else:
            out.say("Everything holds.")
    return DAMAGED if findings else DONE


def _repair(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..update import Request, update
    from .update import listener, print_report, stop_on_signal

    tell = listener(options, out)
    report = update(
        kb.world(stop=stop_on_signal(), tell=tell), Request(repair=True, rebuild=options.rebuild, trigger="repair")
    )
    tell("end", {})
    if not report.healed and not options.json:
        out.say("Nothing needed repair.")
    print_report(report, options, out)
    return report.exit_code


def _gc(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care import audit_retention, snapshots, upkeep

    now = time.time_ns()
    with _writing(kb) as store:
        oldest = upkeep.forget(store, now - kb.settings.retention_days * upkeep.DAY_NS, now)
        entries = audit_retention.forget(store, kb.settings.audit_days, now)
        while upkeep.merge(store):
            pass
        upkeep.old_generations(store)
        files = upkeep.sweep(store)
        gone = snapshots.prune(kb.layout, store.generation, kb.settings.snapshots_kept)
        store.catalog.db.vacuum()
    if options.json:
        out.json({"oldest": oldest, "files": files, "snapshots": gone, "audit_entries": entries})
    else:
        out.say(
            "{files} files and {snapshots} snapshots removed; commits from {oldest} on can be searched.",
            files=files,
            snapshots=gone,
            oldest=oldest,
        )
        if entries:
            out.say("{count} audit entries older than audit_days were removed.", count=entries)
    return DONE


_COMMANDS = {"snapshots": _snapshots, "rollback": _rollback, "verify": _verify, "repair": _repair, "gc": _gc}
