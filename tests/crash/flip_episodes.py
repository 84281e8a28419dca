"""Flipped bits and altered cells: one episode each, run by workers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from . import flips, operations
from .checks import Prepared
from .operations import OPERATIONS
from .workers import die, forked


def prepare_flips(worker: int, root: str, steps: list[list[str]]) -> list[int]:
    """States with history, their answers kept.

    As a run leaves it, with a log (``kept``); with the log moved into the database (``closed``);
    left by a death (``hot``).
    """
    here = Prepared(Path(root))
    scene = here.scene(worker)
    merge = [n for n, (kind, _) in enumerate(steps) if kind == "committed"][-2]
    known = []
    for name, stop in (("kept", len(steps)), ("closed", len(steps)), ("hot", merge)):
        scene.restore(here.base)
        forked(
            lambda say, stop=stop: operations.until(OPERATIONS["update"], scene, stop, lambda kind, path: die(), say)
        )
        if name == "closed":
            con = _catalog(scene.state)
            con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            con.close()
        scene.save(here.root / name)
        scene.restore(here.root / name)
        told = forked(lambda say: say(flips.answers(scene)))
        (here.root / f"answers-{name}").write_text(json.dumps(told.said[0]))
        known.append(len(told.said[0]))
    return known


def flipped(worker: int, root: str, name: str, file: str, bit: int, compare: bool, repair: bool) -> str:
    """One bit of one file is turned over."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    truth = json.loads((here.root / f"answers-{name}").read_text())

    def damage() -> None:
        scene.restore(here.root / name)
        flips.flip(scene.state / file, bit)

    try:
        return flips.one(scene, damage, truth, compare, repair)
    except Exception as e:
        e.add_note(f"bit {bit % 8} of byte {bit // 8} of {file} ({name})")
        raise


def cells(worker: int, root: str, name: str) -> list[list[object]]:
    """Table, column and rowid (or key) of two cells of every column of the catalog, one of them NULL where there is one."""
    con = _catalog(Prepared(Path(root)).root / name)
    found: list[list[object]] = []
    for (table,) in con.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_stat%'"):
        for column in [c[1] for c in con.execute(f"PRAGMA table_info({table})")]:
            key = con.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk=1").fetchone()
            key = key[0] if key else "rowid"
            sql = f"SELECT {key} FROM {table} ORDER BY {column} IS NULL, {key}"
            rows = [k for (k,) in con.execute(sql)]
            if key not in ("source", "at", "passage"):
                found += [
                    [table, column, key, k if isinstance(k, (int, str)) else None] for k in {*rows[:1], *rows[-1:]}
                ]
    con.close()
    return found


def altered(worker: int, root: str, name: str, table: str, column: str, key: str, row: object) -> str:
    """One cell of the catalog holds something else by one bit, and SQLite itself has nothing to complain about."""
    here = Prepared(Path(root))
    scene = here.scene(worker)
    truth = json.loads((here.root / f"answers-{name}").read_text())

    def damage() -> None:
        scene.restore(here.root / name)
        con = _catalog(scene.state)
        (value,) = con.execute(f"SELECT {column} FROM {table} WHERE {key}=?", (row,)).fetchone()
        con.execute(f"UPDATE OR IGNORE {table} SET {column}=? WHERE {key}=?", (_other(value), row))
        con.close()

    try:
        return flips.one(scene, damage, truth, False, False)
    except Exception as e:
        e.add_note(f"{table}.{column} where {key}={row}")
        raise


def _catalog(state: Path) -> sqlite3.Connection:
    [path] = (state / "metadata").glob("*/catalog.db")
    return sqlite3.connect(path, isolation_level=None)


def _other(value: object) -> object:
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, str) and value:
        return chr(ord(value[0]) ^ 1) + value[1:]
    if isinstance(value, bytes) and value:
        return bytes([value[0] ^ 1]) + value[1:]
    return 1
