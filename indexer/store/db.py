"""One SQLite connection: errors mapped once, every statement announced to the fault hook."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import DiskFull, IndexerError, StoreDamaged
from . import disk

Row = tuple[Any, ...]
_VARIABLES = 500
_HARDLY_ANY = 2**20
_LOG_KEPT = 4 * 2**20


class Db:
    """A connection in WAL mode. ``with db.write():`` is the only way to change anything."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        self.readonly = readonly
        with self.failures_named():
            self.con = self._open()

    def _open(self) -> sqlite3.Connection:
        uri = self.path.absolute().as_uri()
        con = sqlite3.connect(
            uri + ("?mode=ro" if self.readonly else "?mode=rwc"),
            uri=True,
            isolation_level=None,
            timeout=60.0,
            check_same_thread=False,
        )
        try:
            if self.readonly:
                con.execute("PRAGMA query_only = 1")
                con.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
            else:
                con.execute("PRAGMA page_size = 2048")
                con.execute("PRAGMA journal_mode = WAL")
                con.execute("PRAGMA synchronous = FULL")
                con.execute("PRAGMA foreign_keys = OFF")
            con.execute("PRAGMA temp_store = MEMORY")
            con.execute("PRAGMA mmap_size = 268435456" if self.readonly else "PRAGMA cache_size = -65536")
        except sqlite3.OperationalError as e:
            con.close()
            if self.readonly and e.sqlite_errorname in (
                "SQLITE_CANTOPEN",
                "SQLITE_READONLY_CANTINIT",
                "SQLITE_READONLY_DIRECTORY",
            ):
                # a folder we may not write to: nobody else writes there through us either
                return sqlite3.connect(
                    uri + "?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
                )
            raise
        except BaseException:
            con.close()
            raise
        return con

    @contextlib.contextmanager
    def failures_named(self) -> Iterator[None]:
        """Turn what SQLite raises into an IndexerError with path and remedy."""
        try:
            yield
        except sqlite3.DatabaseError as e:
            raise self._failure(e) from e
        except UnicodeDecodeError as e:  # Python could not even read SQLite's complaint about a damaged schema
            raise self._damaged("a text is no UTF-8") from e

    def _failure(self, e: sqlite3.DatabaseError) -> IndexerError:
        name = getattr(e, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and self._full()):
            return DiskFull(
                "No room left to write in {folder}. Free some space and run the update again; the last commit stands.",
                folder=str(self.path.parent),
            )
        if name.startswith("SQLITE_IOERR"):
            return IndexerError(
                "The disk failed while {path} was used ({why}). Check the disk and run the update again; the last commit stands.",
                path=str(self.path),
                why=f"{e}, {name}",
            )
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM")) or (
            name.startswith("SQLITE_READONLY") and self._header_holds()
        ):
            return IndexerError(
                "{path} cannot be opened or written ({why}). Check the disk and the permissions of the folder, then try again.",
                path=str(self.path),
                why=str(e),
            )
        if isinstance(e, sqlite3.ProgrammingError) or (name == "SQLITE_ERROR" and "no such table" not in str(e)):
            raise e  # a mistake of ours, not a state of the disk
        if name.startswith("SQLITE_BUSY"):
            return IndexerError("{path} stayed locked for a minute; is another program using it?", path=str(self.path))
        return self._damaged(str(e))

    def _damaged(self, why: str) -> StoreDamaged:
        return StoreDamaged(
            "The catalog {path} is damaged ({why}); run `indexer repair`.", path=str(self.path), why=why
        )

    def _full(self) -> bool:
        """SQLite calls a full disk an I/O error where it grows its log's index or truncates."""
        try:
            return shutil.disk_usage(self.path.parent).free < _HARDLY_ANY
        except OSError:
            return False

    def _header_holds(self) -> bool:
        """Whether "read-only" is the system's word, not that of a damaged header (bytes 18 and 19: 1 or 2)."""
        try:
            with open(self.path, "rb") as f:
                return set(f.read(20)[18:]) <= {1, 2}
        except OSError:
            return True

    def all(self, sql: str, args: Sequence[Any] = ()) -> list[Row]:
        """Every row of a query."""
        with self.failures_named():
            return self.con.execute(sql, args).fetchall()

    def one(self, sql: str, args: Sequence[Any] = ()) -> Row | None:
        """The first row of a query, or None."""
        with self.failures_named():
            row: Row | None = self.con.execute(sql, args).fetchone()
            return row

    def value(self, sql: str, args: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.one(sql, args)
        return row[0] if row else None

    def among(self, sql: str, values: Sequence[Any], before: Sequence[Any] = ()) -> list[Row]:
        """Run ``sql`` (with ``{}`` for the list) over values in portions; all rows together."""
        rows: list[Row] = []
        for i in range(0, len(values), _VARIABLES):
            part = values[i : i + _VARIABLES]
            rows += self.all(sql.format(",".join("?" * len(part))), (*before, *part))
        return rows

    def run(self, sql: str, args: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One changing statement, inside :meth:`write`."""
        with self.failures_named():
            disk.step("sql", sql)
            return self.con.execute(sql, args)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One changing statement for many rows."""
        with self.failures_named():
            disk.step("sql", sql)
            self.con.executemany(sql, rows)

    def run_among(self, sql: str, values: Sequence[Any], before: Sequence[Any] = ()) -> None:
        """A changing statement with an IN list, in portions."""
        for i in range(0, len(values), _VARIABLES):
            part = values[i : i + _VARIABLES]
            self.run(sql.format(",".join("?" * len(part))), (*before, *part))

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """One transaction: all of it is durable when this returns, or nothing of it is."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                if self.con.in_transaction:
                    self.con.execute("ROLLBACK")
            raise
        disk.step("committed", self.path)

    @contextlib.contextmanager
    def read(self) -> Iterator[None]:
        """One consistent view for several queries."""
        if self.con.in_transaction:
            yield
            return
        with self.failures_named():
            self.con.execute("BEGIN")
        try:
            yield
        finally:
            if self.con.in_transaction:
                with self.failures_named():
                    self.con.execute("COMMIT")

    def vacuum(self) -> None:
        """Rewrite the file without its free pages."""
        self.run("VACUUM")

    def close(self) -> None:
        """Close; a short log stays, for the next runs to add to.

        The last connection to close would move the log into the database, and each small run
        would write every page twice (measured: 0.28 MB for one edited file instead of 0.12).
        SQLite does it by itself when the log reaches 1,000 pages. A connection that cannot
        write, closed last, leaves the log alone.
        """
        last = None if self.readonly or self._log_is_long() else self._onlooker()
        with contextlib.suppress(sqlite3.Error):
            self.con.close()
        if last is not None:
            last.close()

    def _log_is_long(self) -> bool:
        try:
            return self.path.with_name(self.path.name + "-wal").stat().st_size > _LOG_KEPT
        except OSError:
            return True

    def _onlooker(self) -> sqlite3.Connection | None:
        with contextlib.suppress(sqlite3.Error):
            con = sqlite3.connect(self.path.absolute().as_uri() + "?mode=ro", uri=True)
            with contextlib.suppress(sqlite3.Error):
                con.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
            return con
        return None
