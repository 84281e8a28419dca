"""Kept answers: ``metadata/answers.db``, for its owner's eyes only.

Beside the catalog and not in it: questions are the users', not the index's, and neither a damaged
``answers.db`` nor a full one may ever hurt a search or an update. A damaged one is put aside under
another name, and said. Each answer proves itself by its SHA-256.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..core.errors import IndexerError, StoreDamaged, UsageError
from ..core.model import Message
from ..store import disk
from . import wire
from .model import Answer

NAME = "answers.db"
SHORTEST = 4
"""Characters of an id that are enough to name it, where no other begins like this."""
_DAY = 86_400 * 10**9
_WAIT_SECONDS = 20.0
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS answer (id TEXT PRIMARY KEY, created INTEGER NOT NULL, digest BLOB NOT NULL, data BLOB "
    "NOT NULL)",
    "CREATE INDEX IF NOT EXISTS answer_created ON answer (created)",
)


class Answers:
    """The answers of one knowledge base. Thread-safe, and safe beside other processes: each call has its own connection.

    ``days``: how long they are kept, 0 for ever.
    """

    def __init__(self, metadata: Path, days: int) -> None:
        self.path, self.days = metadata / NAME, days

    def put(self, answer: Answer) -> tuple[Answer, tuple[Message, ...]]:
        """The answer with its id and, if a damaged file was put aside, the note of it. Raises IndexerError."""
        kept = answer._replace(id=secrets.token_hex(6))
        try:
            self._insert(kept)
            return kept, ()
        except StoreDamaged as damage:
            self._insert(kept)
            return kept, (damage.message,)

    def get(self, name: str) -> Answer:
        """The answer with this id, or the only one whose id begins so. Raises UsageError, StoreDamaged."""
        sql = "SELECT digest,data FROM answer WHERE id=? OR (length(?)>=? AND substr(id,1,length(?))=?) LIMIT 2"
        rows = self._rows(sql, (name, name, SHORTEST, name, name))
        if len(rows) > 1:
            raise UsageError("More than one answer begins with {id}; give more of it.", id=name)
        if not rows:
            raise UsageError("There is no answer {id}. `indexer answer` lists the latest ones.", id=name[:100])
        return _unpacked(*rows[0], name)

    def latest(self, limit: int = 20, before_ns: int = 0) -> list[Answer]:
        """The newest answers, newest first; ``before_ns``: only older ones."""
        sql = "SELECT digest,data FROM answer WHERE created<? ORDER BY created DESC, id LIMIT ?"
        rows = self._rows(sql, (before_ns or 2**63 - 1, limit))
        return [_unpacked(digest, data, "") for digest, data in rows if hashlib.sha256(data).digest() == digest]

    def _insert(self, answer: Answer) -> None:
        data = zlib.compress(json.dumps(wire.pack(answer), ensure_ascii=True, default=str).encode())
        with self._open(create=True) as con, con:
            con.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA:
                con.execute(statement)
            row = (answer.id, answer.created_ns, hashlib.sha256(data).digest(), data)
            con.execute("INSERT INTO answer VALUES (?,?,?,?)", row)
            if self.days:
                con.execute("DELETE FROM answer WHERE created<?", (answer.created_ns - self.days * _DAY,))
            disk.step("answer", self.path)

    def _rows(self, sql: str, args: tuple[object, ...]) -> list[tuple[bytes, bytes]]:
        if not self.path.exists():
            return []
        with self._open() as con:
            try:
                return con.execute(sql, args).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):  # made, and then nothing was written
                    return []
                raise

    @contextlib.contextmanager
    def _open(self, create: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection; what SQLite and the system say becomes an IndexerError, after damage was put aside."""
        try:
            if create:
                self._create()
            inode = os.stat(self.path).st_ino
            con = sqlite3.connect(self.path.absolute().as_uri() + "?mode=rw", uri=True, timeout=_WAIT_SECONDS)
        except (sqlite3.Error, OSError) as error:
            raise self._refused(error) from error
        con.text_factory = bytes  # a blob that damage made a text is still to be compared
        try:
            yield con
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if _damaged(error):
                con.close()
                raise self._put_aside(inode, error) from error
            raise self._refused(error) from error
        finally:
            con.close()

    def _create(self) -> None:
        """An empty file that nobody else may read, before SQLite opens it with the umask of the day."""
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def _put_aside(self, inode: int, error: Exception) -> StoreDamaged:
        """Under another name, unless somebody else has done so meanwhile."""
        aside = self.path.with_name(f"{NAME}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{inode}")
        with contextlib.suppress(OSError):
            if os.stat(self.path).st_ino == inode:
                self.path.with_name(NAME + "-journal").unlink(missing_ok=True)
                os.replace(self.path, aside)
        return StoreDamaged(
            "The kept answers in {path} were damaged ({why}) and are put aside as {aside}; nothing else is harmed.",
            path=str(self.path),
            why=str(error),
            aside=aside.name,
        )

    def _refused(self, error: Exception) -> IndexerError:
        return IndexerError(
            "{path} cannot be used ({why}). Check the disk and the permissions of the folder.",
            path=str(self.path),
            why=getattr(error, "strerror", None) or str(error),
        )


def _damaged(error: Exception) -> bool:
    name = getattr(error, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or isinstance(error, UnicodeDecodeError)


def _unpacked(digest: bytes, data: bytes, name: str) -> Answer:
    if hashlib.sha256(data).digest() != digest:
        raise StoreDamaged("The kept answer {id} is not what was written.", id=name or "?")
    return wire.unpack(json.loads(zlib.decompress(data)))
