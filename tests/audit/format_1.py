"""A catalog as version 1 of the format had it: its tables word for word, its hashes by its formula."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT, device INTEGER, inode INTEGER);
CREATE TABLE folder(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path BLOB NOT NULL, scrubbed INTEGER NOT NULL,
  files BLOB NOT NULL, UNIQUE(source, path));
CREATE TABLE document(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, path BLOB NOT NULL, sha BLOB, state TEXT NOT NULL,
  content INTEGER, notes TEXT, tries INTEGER NOT NULL DEFAULT 0, retry_at INTEGER, denied INTEGER NOT NULL DEFAULT 0,
  held INTEGER, pinned INTEGER, metadata TEXT, proof BLOB NOT NULL, UNIQUE(source, path));
CREATE INDEX document_held ON document(held) WHERE held IS NOT NULL;
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
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, started INTEGER NOT NULL, finished INTEGER, actor TEXT, trigger TEXT,
  exit_code INTEGER, report TEXT);
CREATE TABLE attempt(source INTEGER NOT NULL, path BLOB NOT NULL, sha BLOB, tries INTEGER,
  PRIMARY KEY(source, path)) WITHOUT ROWID;
"""


def age(catalog: Path) -> list[str]:
    """Make a catalog one of format 1; returns the hashes of its commits, oldest first."""
    new = catalog.with_name("old.db")
    with closing(sqlite3.connect(new)) as con:
        con.executescript(TABLES)
        con.execute("ATTACH ? AS now", (str(catalog),))
        names = [n for (n,) in con.execute("SELECT name FROM main.sqlite_schema WHERE type='table'")]
        for name in names:
            con.execute(
                f"INSERT INTO main.{name} SELECT * FROM now.{name}" if name != "sqlite_sequence" else "SELECT 1"
            )
        con.execute("DELETE FROM main.sqlite_sequence")
        con.execute("INSERT INTO main.sqlite_sequence SELECT * FROM now.sqlite_sequence")
        con.execute("UPDATE main.meta SET value=1 WHERE key='format'")
        hashes = _rehash(con)
        con.execute("UPDATE main.meta SET value=? WHERE key='seal'", (_seal(con),))
        con.commit()
    for path in catalog.parent.glob("catalog.db*"):
        path.unlink()
    new.rename(catalog)
    (catalog.with_name("tip")).unlink()
    return hashes


def _rehash(con: sqlite3.Connection) -> list[str]:
    previous, hashes = bytes(32), []
    for n, at, run, note, added, removed, state in con.execute(
        "SELECT n,at,run,note,added,removed,state FROM main.log"
    ).fetchall():
        previous = hashlib.sha256(
            previous + json.dumps([n, at, run, note, added, removed, state.hex()]).encode()
        ).digest()
        con.execute("UPDATE main.log SET hash=? WHERE n=?", (previous, n))
        hashes.append(previous.hex())
    return hashes


def _seal(con: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(con.execute("SELECT key,value FROM main.meta WHERE key<>'seal'")):
        data = value if isinstance(value, bytes) else str(value).encode()
        digest.update(f"{name} {len(data)} ".encode() + data)
    return digest.hexdigest()
