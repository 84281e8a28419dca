"""``audit verify``, ``audit export``: who changed which documents when, proved and for other programs."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, BinaryIO

from ..core.errors import DAMAGED, DONE, PARTIAL, IndexerError, UsageError
from . import knowledge_base
from .inspect import catalog_of
from .times import local

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..care.audit_export import Span
    from ..care.audit_proofs import Checked
    from ..care.audit_witness import Expected
    from ..care.findings import Finding
    from ..cli import Out
    from ..store.catalog import Catalog

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
    return {"verify": _verify, "export": _export}[options.what](kb, options, out)


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
                folder=str(folder),
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


# ---- export ----------------------------------------------------------------------------


def _export(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
    from ..care.audit_export import Span

    if options.format == "entries" and options.path:
        raise UsageError("Entries are written whole, or they could not be proved: give --path with jsonl or csv.")
    span = Span(_point(options.since), _point(options.until, last=True))
    with closing(catalog_of(kb)) as catalog, catalog.db.read():
        _deliver(_FORMATS[options.format or "jsonl"](catalog, span, options), options, out)
    for n in span.unreadable:
        out.warn("The audit entry of commit {n} cannot be read and is left out; see `indexer audit verify`.", n=n)
    return DAMAGED if span.unreadable else DONE


def _deliver(parts: Iterator[bytes], options: argparse.Namespace, out: Out) -> None:
    if not options.output:
        for part in parts:
            sys.stdout.write(part.decode("utf-8"))
        return
    count = 0
    with _written(options.output) as file:
        if options.format == "csv":
            file.write(b"\xef\xbb\xbf")  # without it spreadsheets take Chinese for another encoding
        for count, part in enumerate(parts, 1):  # noqa: B007 - how many there were
            file.write(part)
    out.say("{count} lines were written to {path}.", count=count, path=options.output)


def _point(text: str | None, *, last: bool = False) -> tuple[str, int] | None:
    """A commit or a time; a day alone is its beginning, or its end where it is the last one wanted."""
    from ..search import time_ns

    if not text:
        return None
    if text.isdigit():
        return "commit", int(text)
    if last and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        time_ns(text)  # raises UsageError for what is no day
        return "time", time_ns((datetime.fromisoformat(text) + timedelta(days=1)).isoformat()) - 1
    return "time", time_ns(text)


def _jsonl(catalog: Catalog, span: Span, options: argparse.Namespace) -> Iterator[bytes]:
    from ..care.audit_export import lines

    for line in lines(catalog, span, _matcher(options)):
        yield json.dumps(line, ensure_ascii=True).encode() + b"\n"


def _csv(catalog: Catalog, span: Span, options: argparse.Namespace) -> Iterator[bytes]:
    from ..care.audit_export import COLUMNS, lines

    def row(values: list[Any]) -> bytes:
        text = io.StringIO()
        csv.writer(text).writerow([_cell(v) for v in values])
        return text.getvalue().encode("utf-8", "backslashreplace")

    yield row(list(COLUMNS))
    for line in lines(catalog, span, _matcher(options)):
        yield row(list(line.values()))


def _cell(value: Any) -> Any:
    """A text a spreadsheet would run as a formula gets an apostrophe in front, as one would type it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _entries(catalog: Catalog, span: Span, options: argparse.Namespace) -> Iterator[bytes]:
    from ..care.audit_export import texts

    for text in texts(catalog, span):
        yield text + b"\n"


_FORMATS: dict[str, Callable[[Catalog, Span, argparse.Namespace], Iterator[bytes]]] = {
    "jsonl": _jsonl, "csv": _csv, "entries": _entries,
}  # fmt: skip


def _matcher(options: argparse.Namespace) -> Callable[[str, str], bool] | None:
    from ..search import matches

    return (lambda source, path: matches(options.path, source, path)) if options.path else None


@contextmanager
def _written(path: str) -> Iterator[BinaryIO]:
    """A file that takes its name when it is whole."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as e:
        raise IndexerError("{path} cannot be written: {why}", path=path, why=e.strerror or str(e)) from e
