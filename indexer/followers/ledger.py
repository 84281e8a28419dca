"""The ledger: how far each follower is, and what is known to be over there. ``metadata/followers/ledger.db``.

Not in the catalog: it outlives a change of profile, and a damaged one hurts neither search nor update. It is put aside
then, and everything is sent again as a replacement: nothing is lost, nothing is there twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import IndexerError, StoreDamaged
from ..core.model import Key, Message, raw, unraw
from ..store import disk
from .feed import Head
from .model import Item

FOLDER, NAME = "followers", "ledger.db"
_WAIT_SECONDS = 20.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS follower(name TEXT PRIMARY KEY, target TEXT NOT NULL, rules TEXT NOT NULL,
  generation TEXT NOT NULL DEFAULT '', cursor INTEGER NOT NULL DEFAULT 0, paused INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT '', error TEXT, since INTEGER NOT NULL DEFAULT 0, ok INTEGER NOT NULL DEFAULT 0,
  next INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS item(follower TEXT NOT NULL, source TEXT NOT NULL, path BLOB NOT NULL, step TEXT NOT NULL,
  digest TEXT NOT NULL, remote TEXT NOT NULL, original TEXT NOT NULL, tries INTEGER NOT NULL, retry INTEGER NOT NULL,
  note TEXT, at INTEGER NOT NULL, PRIMARY KEY(follower, source, path)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS item_open ON item(follower, retry) WHERE step NOT IN ('done','refused','skipped');
CREATE INDEX IF NOT EXISTS item_original ON item(follower, original) WHERE original<>'';
"""
_COLUMNS = "source,path,step,digest,remote,original,tries,retry,note,at"
_OPEN = "step NOT IN ('done','refused','skipped')"


class Standing(NamedTuple):
    """How a follower stands. ``state``: "" (well), down, misconfigured. Times in ns, 0 for never."""

    target: str = ""
    rules: str = ""
    head: Head = Head("", 0)
    paused: bool = False
    state: str = ""
    error: Message | None = None
    since_ns: int = 0
    ok_ns: int = 0
    next_ns: int = 0


class Ledger:
    """One connection; use it in one thread. ``damaged`` is told when an old ledger had to be put aside."""

    def __init__(self, metadata: Path, damaged: Callable[[Message], None] = lambda message: None) -> None:
        self.path = metadata / FOLDER / NAME
        self._con: sqlite3.Connection | None = None
        disk.make_folder(self.path.parent)
        try:
            self._con = self._opened()
        except StoreDamaged as e:
            self._put_aside()
            damaged(e.message)
            self._con = self._opened()

    def _opened(self) -> sqlite3.Connection:
        with self._named():
            con = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            try:
                con.execute("PRAGMA journal_mode = WAL")
                con.execute("PRAGMA synchronous = FULL")
                if con.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                    raise sqlite3.DatabaseError("quick_check")
                con.executescript(_SCHEMA)
                con.execute(f"SELECT count(*) FROM item WHERE {_OPEN}").fetchone()
            except BaseException:
                con.close()
                raise
            return con

    def _put_aside(self) -> None:
        mark = time.strftime("%Y%m%d-%H%M%S")
        with disk.failures_named(self.path.parent):
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.replace(f"{self.path}{end}", f"{self.path}.damaged-{mark}{end}")

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as e:
            name = getattr(e, "sqlite_errorname", "") or ""
            if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or str(e) == "quick_check":
                raise StoreDamaged(
                    "What is known of the followers in {path} was damaged and is put aside; everything is compared and sent anew.",
                    path=str(self.path),
                ) from e
            raise IndexerError(
                "{path} cannot be used ({why}). Check the disk and the permissions of the folder.", path=str(self.path), why=str(e)
            ) from e  # fmt: skip

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One durable transaction."""
        assert self._con is not None  # noqa: S101 - opened by the constructor
        with self._named():
            disk.step("ledger", self.path)
            self._con.execute("BEGIN IMMEDIATE")
            try:
                yield self._con
                disk.step("ledger-commit", self.path)
                self._con.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._con.execute("ROLLBACK")
                raise
            disk.step("ledger-committed", self.path)

    def _all(self, sql: str, args: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        assert self._con is not None  # noqa: S101 - opened by the constructor
        with self._named():
            return self._con.execute(sql, args).fetchall()

    # ---- followers -------------------------------------------------------------------

    def standing(self, name: str) -> Standing:
        """How a follower stands; all empty for one that never ran."""
        rows = self._all(
            "SELECT target,rules,generation,cursor,paused,state,error,since,ok,next FROM follower WHERE name=?", (name,)
        )
        if not rows:
            return Standing()
        target, rules, generation, cursor, paused, state, error, since, ok, following = rows[0]
        return Standing(
            target, rules, Head(generation, cursor), bool(paused), state, _message(error), since, ok, following
        )

    def begin(self, name: str, target: str, rules: str) -> bool:
        """Take down whom a follower follows to, and by which rules; whether all has to be compared.

        Another target knows nothing of what the old one was sent, so that is forgotten.
        """
        known = self.standing(name)
        if (known.target, known.rules) == (target, rules):
            return False
        with self._write() as con:
            con.execute("INSERT OR IGNORE INTO follower(name,target,rules) VALUES(?,?,?)", (name, target, rules))
            con.execute(
                "UPDATE follower SET target=?,rules=?,generation='',cursor=0 WHERE name=?", (target, rules, name)
            )
            if known.target != target:
                con.execute("DELETE FROM item WHERE follower=?", (name,))
        return True

    def advance(self, name: str, head: Head) -> None:
        """Everything up to this commit is over there."""
        with self._write() as con:
            con.execute("UPDATE follower SET generation=?,cursor=? WHERE name=?", (*head, name))

    def again(self, name: str) -> None:
        """Have everything compared from the beginning."""
        self.advance(name, Head("", 0))

    def pause(self, name: str, paused: bool) -> None:
        """Stop sending, or go on."""
        with self._write() as con:
            con.execute("INSERT OR IGNORE INTO follower(name,target,rules) VALUES(?,'','')", (name,))
            con.execute("UPDATE follower SET paused=? WHERE name=?", (paused, name))

    def tell(self, name: str, state: str, error: Message | None, now_ns: int, next_ns: int = 0) -> None:
        """Take down how it went: ``state`` "" is well. Since when it is not stays from the first time."""
        ok = now_ns if not state else None
        with self._write() as con:
            con.execute(
                "UPDATE follower SET since=CASE WHEN ?='' THEN 0 WHEN state=? THEN since ELSE ? END,state=?,error=?,"
                "ok=coalesce(?,ok),next=? WHERE name=?",
                (state, state, now_ns, state, _words(error), ok, next_ns, name),
            )

    # ---- documents -------------------------------------------------------------------

    def items(self, name: str, keys: Sequence[Key]) -> dict[Key, Item]:
        """What is known of these documents."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE follower=? AND source=? AND path=?"
        rows = [row for k in keys for row in self._all(sql, (name, k.source, raw(k.path)))]
        return dict(map(_item, rows))

    def keys(self, name: str) -> list[Key]:
        """Every document something is known of."""
        return [Key(s, unraw(p)) for s, p in self._all("SELECT source,path FROM item WHERE follower=?", (name,))]

    def unfinished(self, name: str, now_ns: int) -> list[Key]:
        """Documents on their way, and those whose next try is due."""
        rows = self._all(f"SELECT source,path FROM item WHERE follower=? AND {_OPEN} AND retry<=?", (name, now_ns))
        return [Key(s, unraw(p)) for s, p in rows]

    def next_try(self, name: str) -> int:
        """When the next document that failed is tried again (ns), 0 for none."""
        return int(self._all(f"SELECT coalesce(min(retry),0) FROM item WHERE follower=? AND {_OPEN}", (name,))[0][0])

    def troubled(self, name: str) -> list[tuple[Key, Item]]:
        """Documents that are not over there though they should, or not in the way asked for."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE follower=? AND step IN ('failed','refused') ORDER BY source,path"
        return list(map(_item, self._all(sql, (name,))))

    def counts(self, name: str) -> dict[str, int]:
        """Documents by step."""
        return dict(self._all("SELECT step,count(*) FROM item WHERE follower=? GROUP BY step", (name,)))

    def remotes(self, name: str) -> dict[Key, Item]:
        """Everything that is known of every document."""
        return dict(map(_item, self._all(f"SELECT {_COLUMNS} FROM item WHERE follower=?", (name,))))

    def sharing(self, name: str, originals: Sequence[str]) -> dict[Key, Item]:
        """Documents that others stand for over there."""
        sql = f"SELECT {_COLUMNS} FROM item WHERE follower=? AND original=? AND original<>''"
        return dict(_item(row) for original in originals for row in self._all(sql, (name, original)))

    def put(self, name: str, items: Mapping[Key, Item | None]) -> None:
        """Take down how documents stand, all of them or none; None forgets one."""
        if not items:
            return
        with self._write() as con:
            for key, item in items.items():
                where = (name, key.source, raw(key.path))
                if item is None:
                    con.execute("DELETE FROM item WHERE follower=? AND source=? AND path=?", where)
                    continue
                remote = json.dumps(dict(item.remote))
                con.execute(
                    "INSERT OR REPLACE INTO item VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                    (*where, item.step, item.digest, remote, item.original, item.tries, item.retry_ns, _words(item.note), item.at_ns),
                )  # fmt: skip

    def retry(self, name: str) -> int:
        """Have what failed or was refused tried again now; how many documents that are."""
        with self._write() as con:
            n = con.execute(
                "UPDATE item SET step=CASE WHEN step='refused' THEN 'absent' ELSE step END,retry=0,tries=0 "
                "WHERE follower=? AND step IN ('refused','failed')",
                (name,),
            ).rowcount
            return int(n)

    def close(self) -> None:
        """Let go of the file."""
        if self._con is not None:
            self._con.close()


def _words(message: Message | None) -> str | None:
    return json.dumps([message.text, dict(message.args)], default=str) if message is not None else None


def _message(stored: str | None) -> Message | None:
    return Message(*json.loads(stored)) if stored else None


def _item(row: Sequence[Any]) -> tuple[Key, Item]:
    source, path, step, digest, remote, original, tries, retry, note, at = row
    item = Item(step, digest, json.loads(remote), original, tries, retry, _message(note), at)
    return Key(source, unraw(path)), item
