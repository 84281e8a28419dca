"""``audit verify``, ``audit export``: who changed which documents when, proved and for other programs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..core.errors import DAMAGED, DONE, PARTIAL, UsageError
from . import knowledge_base
from .audit_export import export
from .inspect import catalog_of
from .times import local

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..care.audit_proofs import Checked
    from ..care.audit_witness import Expected
    from ..care.findings import Finding
    from ..cli import Out

_OF = {"verify": ("json", "expect"), "export": ("format", "since", "until", "path", "output")}


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("what", choices=("verify", "export"), help=t("prove the trail, or write it for other programs"))
    sub.add_argument("--json", action="store_true", help=t("verify: print one JSON document"))
    sub.add_argument(
        "--expect", metavar="HASH", action="append", default=[],
        help=t("verify: a hash noted earlier must still be in the trail (may be given several times)"),
    )  # fmt: skip
    sub.add_argument(
        "--format", choices=("jsonl", "csv", "entries"),
        help=t("export: a line for each changed document (jsonl, csv), or the entries as they are hashed"),
    )  # fmt: skip
    sub.add_argument("--since", metavar="TIME", help=t("export: from this commit or time on"))
    sub.add_argument("--until", metavar="TIME", help=t("export: up to this commit or time"))
    sub.add_argument("--path", metavar="GLOB", help=t("export: only documents matching this glob or folder"))
    sub.add_argument("-o", "--output", metavar="FILE", help=t("export: write to this file, readable by you alone"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    for what, names in _OF.items():
        if what != options.what and (given := [n for n in names if getattr(options, n)]):
            raise UsageError("`indexer audit {what}` does not take --{option}.", what=options.what, option=given[0])
    kb = knowledge_base(options, out)
    return _verify(kb, options, out) if options.what == "verify" else export(kb, options, out)


# ---- verify ----------------------------------------------------------------------------


def _verify(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care import audit_proofs, audit_witness
    from ..store import tip

    noted = [_noted(h) for h in options.expect]
    with closing(catalog_of(kb)) as catalog:
        folder = catalog.db.path.parent
        known = tip.read(folder)
        with catalog.db.read():
            checked = audit_proofs.check(catalog)
            found = [*checked.findings, *audit_witness.published(catalog, known)]
            found += audit_witness.in_snapshots(kb.layout, folder.name, checked)
            wanted = [audit_witness.expected(catalog, checked, h) for h in noted]
    found.sort(key=lambda f: f[0])
    if options.json:
        out.json(_as_json(checked, found, wanted))
    else:
        _say(checked, found, wanted, out)
        if found:
            out.warn(
                "Keep a copy of {folder} before anything else. `indexer repair` puts back what a snapshot still holds and puts on record what is missing.",
                folder=str(kb.layout.metadata),
            )
    if found or any(not e.kept and not e.gone for e in wanted):
        return DAMAGED
    return PARTIAL if any(e.gone for e in wanted) else DONE


def _noted(text: str) -> str:
    hash_ = text.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{16,64}", hash_):
        raise UsageError("{text} is no hash: 64 hexadecimal digits, or the first 16 or more of them.", text=text)
    return hash_


def _as_json(checked: Checked, found: list[tuple[int, Finding]], wanted: list[Expected]) -> dict[str, Any]:
    ends = [
        {"commit": n, "at": local(checked.links[n].at), "hash": checked.links[n].hash.hex()} for n in _ends(checked)
    ]
    return {
        "ok": not found and all(e.kept for e in wanted), "entries": len(checked.links), "first": ends[0] if ends else None,
        "last": ends[-1] if ends else None, "findings": [{"commit": n, "message": str(f.message)} for n, f in found],
        "remarks": [str(m) for m in checked.remarks],
        "expected": [{"hash": e.hash, "commit": e.commit or None, "proved": e.kept} for e in wanted],
    }  # fmt: skip


def _ends(checked: Checked) -> list[int]:
    return [min(checked.links), max(checked.links)] if checked.links else []


def _say(checked: Checked, found: list[tuple[int, Finding]], wanted: list[Expected], out: Out) -> None:
    if found:
        out.warn("The audit trail does not hold: {problem}.", problem=found[0][1].message)
        if len(found) > 1:
            out.warn("{count} more findings; --json lists them.", count=len(found) - 1)
    elif checked.links:
        first, last = _ends(checked)
        out.say(
            "The audit trail holds: {count} entries, from commit {first} ({since}) to commit {last} ({until}).",
            count=len(checked.links), first=first, since=local(checked.links[first].at), last=last, until=local(checked.links[last].at),
        )  # fmt: skip
        out.say("Hash of commit {n}: {hash}", n=last, hash=checked.links[last].hash.hex())
        out.say("Note it where nobody who can write here can change it; later give it to --expect.")
    else:
        out.say("There is no audit entry yet: the next commit makes the first.")
    for remark in checked.remarks:
        out.say("Note: {remark}.", remark=remark)
    for e in wanted:
        words = {"hash": e.hash[:16], "n": e.commit}
        if e.kept:
            out.say("{hash} is commit {n}.", **words)
        elif e.gone:
            out.warn("{hash} is commit {n}, whose entry is not there any more: nothing up to it can be proved.", **words)  # fmt: skip
        else:
            out.warn("{hash} is not in the trail: it was rewritten since, or belongs to another knowledge base.", **words)  # fmt: skip
