"""The catalog's tables, and the numbered steps from older formats to this one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

FORMAT = 3

# Outside the key, columns of a table without rowid have no NOT NULL: PRAGMA integrity_check of
# SQLite 3.40 reports "NULL value" for any that has.
TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT, device INTEGER, inode INTEGER);
CREATE TABLE folder(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path BLOB NOT NULL, scrubbed INTEGER NOT NULL,
  files BLOB NOT NULL, UNIQUE(source, path));
CREATE TABLE document(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path BLOB NOT NULL, sha BLOB, state TEXT NOT NULL,
  content INTEGER, notes TEXT, tries INTEGER NOT NULL DEFAULT 0, retry_at INTEGER, denied INTEGER NOT NULL DEFAULT 0,
  held INTEGER, pinned INTEGER, metadata TEXT, proof BLOB NOT NULL, UNIQUE(source, path));
CREATE INDEX document_held ON document(held) WHERE held IS NOT NULL;
CREATE INDEX document_pinned ON document(pinned) WHERE pinned IS NOT NULL;
CREATE INDEX document_odd ON document(state) WHERE state NOT IN ('indexed', 'gone');
CREATE TABLE content(id INTEGER PRIMARY KEY, sha BLOB NOT NULL UNIQUE, state TEXT NOT NULL, notes TEXT, title TEXT, details TEXT,
  spans BLOB NOT NULL, passages BLOB NOT NULL, digest BLOB NOT NULL, open INTEGER NOT NULL);
CREATE TABLE version(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, content INTEGER NOT NULL, added INTEGER NOT NULL,
  removed INTEGER, proof BLOB NOT NULL);
CREATE INDEX version_document ON version(document);
CREATE INDEX version_content ON version(content);
CREATE INDEX version_removed ON version(removed) WHERE removed IS NOT NULL;
CREATE TABLE passage(id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE, dead INTEGER);
CREATE INDEX passage_dead ON passage(dead) WHERE dead IS NOT NULL;
CREATE TABLE revival(at INTEGER NOT NULL, passage INTEGER NOT NULL, PRIMARY KEY(at, passage)) WITHOUT ROWID;
CREATE TABLE occurrence(first INTEGER NOT NULL, last INTEGER NOT NULL, content INTEGER NOT NULL,
  PRIMARY KEY(first, last, content)) WITHOUT ROWID;
CREATE TABLE segment(id INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
  vectors_sha BLOB NOT NULL, texts_sha BLOB NOT NULL, vectors_stamp TEXT NOT NULL, texts_stamp TEXT NOT NULL);
CREATE TABLE log(n INTEGER PRIMARY KEY, at INTEGER NOT NULL, run INTEGER NOT NULL, note TEXT, added INTEGER NOT NULL,
  removed INTEGER NOT NULL, state BLOB NOT NULL, hash BLOB NOT NULL);
CREATE TABLE audit(n INTEGER PRIMARY KEY, entry BLOB NOT NULL);
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, started INTEGER NOT NULL, finished INTEGER, actor TEXT, trigger TEXT,
  exit_code INTEGER, report TEXT);
CREATE TABLE attempt(source INTEGER NOT NULL, path BLOB NOT NULL, sha BLOB, tries INTEGER,
  PRIMARY KEY(source, path)) WITHOUT ROWID;
"""

SPAN = 64
"""A row of ``occurrence`` says that a content holds the passages ``first`` to ``last``, at most this many.

A new document's passages have consecutive ids, so a few rows say it for all of them: an edit changes
one or two pages where a row for each passage split eight (measured), and the table is a twelfth.
"""

HOLDS = f"o.first BETWEEN {{passage}}-{SPAN - 1} AND {{passage}} AND o.last>={{passage}}"
"""SQL: row ``o`` of ``occurrence`` includes a passage."""


def ranges(ids: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each stretch of consecutive ids, none longer than SPAN."""
    first = last = None
    for i in sorted(set(ids)):
        if first is None or last is None:
            first = i
        elif i != last + 1 or i - first >= SPAN:
            yield first, last
            first = i
        last = i
    if first is not None and last is not None:
        yield first, last


UNFILLED = "unfilled"
"""The fact in ``meta`` that text files of an older format are without a lexical index: the next update makes it."""

MIGRATIONS = {
    1: """
CREATE TABLE audit(n INTEGER PRIMARY KEY, entry BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS document_pinned ON document(pinned) WHERE pinned IS NOT NULL;
""",
    2: f"INSERT OR REPLACE INTO meta VALUES('{UNFILLED}',1)",
}
"""Step n brings format n to n + 1 and only adds: who writes to an older catalog migrates it first, who only reads reads it as it is."""
