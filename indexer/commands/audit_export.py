"""``audit export``: lines for people and other programs, or the entries as they are hashed."""

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

from ..core.errors import DAMAGED, DONE, IndexerError, UsageError
from .inspect import catalog_of

if TYPE_CHECKING:
    from ..api import KnowledgeBase
    from ..care.audit_export import Span
    from ..cli import Out
    from ..store.catalog import Catalog


def export(kb: KnowledgeBase, options: argparse.Namespace, out: Out) -> int:
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
            _print(part)
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
    from ..scope import time_ns

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
        # what is no UTF-8 in a name becomes the JSON escape of a lone surrogate
        yield json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


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
    from ..scope import matches

    return (lambda source, path: matches(options.path, source, path)) if options.path else None


def _print(part: bytes) -> None:
    """UTF-8 whatever the terminal's encoding, as JSON wants it."""
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.flush()
        sys.stdout.buffer.write(part)
    else:
        sys.stdout.write(part.decode("utf-8"))


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
