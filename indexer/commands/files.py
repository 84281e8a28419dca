"""``files``: every document with its state, and for those in trouble what a person can do about it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..core.errors import DONE, UsageError
from ..core.model import Message, State, display, unraw
from ..store.catalog import Catalog, notes_of
from .times import local

if TYPE_CHECKING:
    import argparse

    from ..api import KnowledgeBase
    from ..cli import Out

_STATES = tuple(State)
_UNREAD = (State.FAILED, State.STALE)
_SQL = (
    "SELECT s.name,d.path,d.state,d.notes,d.tries,d.retry_at,d.held,d.pinned,length(c.passages)/8,"
    "(SELECT max(added) FROM version v WHERE v.document=d.id AND v.removed IS NULL) "
    "FROM document d JOIN source s ON s.id=d.source LEFT JOIN content c ON c.id=d.content WHERE d.state<>'gone' ORDER BY s.name,d.path"
)


def files(kb: KnowledgeBase, catalog: Catalog, options: argparse.Namespace, out: Out) -> int:
    """Prints the wanted documents; an unknown state is a mistake and not an empty list."""
    if options.state and options.state not in _STATES:
        raise UsageError(
            "There is no state {state}; the states are {states}.", state=options.state, states=", ".join(_STATES)
        )
    roots = {source.name: source.path for source in kb.settings.sources}
    rows = list(_rows(catalog, options, roots))
    catalog.close()
    if options.json:
        out.json([{**row, "reasons": [str(m) for m in row["reasons"]]} for row in rows])
        return DONE
    for row in rows:
        _say(row, out)
    if unread := [row for row in rows if row["state"] in _UNREAD]:
        out.say("{count} documents are not found in their newest version. After the remedy the next update reads them; "
                 "to try one at once, unchanged or not, name it: {command}", count=len(unread), command=unread[0]["release"])  # fmt: skip
    return DONE


def _rows(catalog: Catalog, options: argparse.Namespace, roots: dict[str, str]) -> Iterator[dict[str, Any]]:
    from ..scope import matches

    for source, path, state, notes, tries, retry_at, held, pinned, chunks, since in catalog.db.all(_SQL):
        shown = State.HELD if held is not None else state
        if (options.state and shown != options.state) or (
            options.pattern and not matches(options.pattern, source, unraw(path))
        ):
            continue
        yield {
            "source": source, "path": unraw(path), "state": shown, "chunks": chunks or 0, "version": since, "tries": tries,
            "retry_at": local(retry_at), "pinned": pinned, "reasons": notes_of(notes),
            "release": release_command(roots.get(source), unraw(path)) if shown in _UNREAD else "",
        }  # fmt: skip


def release_command(root: str | None, path: str) -> str:
    """The command that tries the document again; its folder where the name cannot be typed."""
    if root is None:
        return ""
    typed = path if display(path) == path else path.rpartition("/")[0]
    full = os.path.join(root, typed.replace("/", os.sep)) if typed else root
    near = os.path.relpath(full) if os.path.splitdrive(full)[0] == os.path.splitdrive(os.getcwd())[0] else full
    return f"indexer update --now {shlex.quote(full if near.startswith('..') else near)}"


def _say(row: dict[str, Any], out: Out) -> None:
    """One line, and below it why and what to do."""
    name = display(f"{row['source']}/{row['path']}")
    out.line(f"{out.text(Message(row['state'])):<10} {row['chunks']:>5}  {row['version'] or '-':>5}  {name}")
    for reason in row["reasons"]:
        out.line("    " + out.text(reason))
    if row["state"] == State.HELD:
        out.line("    " + out.text("Its deletion waits for `indexer update --now --allow-deletions`."))
    elif row["retry_at"]:
        out.line("    " + out.text("Next try: {at} (after {tries} attempts)", at=row["retry_at"], tries=row["tries"]))
    elif row["state"] in _UNREAD:
        out.line("    " + out.text("Tried again when the file, its parser or the settings change."))
