"""What one glance tells about an index: its catalog, the daemon's state, the disk; nothing is loaded for it.

For `indexer status`, which must answer at once on any number of documents: only counts that an
index of the catalog answers, SQLite opened directly (`store.db` and what it imports cost more
than the questions), and no look at the folders.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import Any

from . import state
from .core.errors import DONE, PARTIAL, StoreDamaged
from .core.model import Message
from .settings import Settings

FRESH_SECONDS = 26 * 3600
"""A last look older than this is no longer called fresh: a day and what a night's run may take (as the alert)."""

_NAME = re.compile(r"[0-9a-f]{16}-\d+")
_URI = frozenset(b"/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ODD = "state NOT IN ('indexed', 'gone')"  # word for word that of the partial index
_BYTES = "sum(CAST(substr({0},1,instr({0},' ')-1) AS INTEGER))"  # a stamp is "size mtime"


def glance(settings: Settings, now_ns: int, con: sqlite3.Connection | None = None) -> dict[str, Any]:
    """Every fact as JSON has it, times in ns; StoreDamaged when the catalog cannot be read this way.

    That may have an innocent reason (a folder without the right to write): whoever loads the
    product learns the true one, or has a connection to give. It is closed in the end.
    """
    daemon = state.read(settings.metadata)
    facts = {**_EMPTY, **_daemon_facts(daemon)}
    facts |= {
        "sources": [s.path for s in settings.sources],
        "model": settings.embedding.model,
        "configured_model": settings.embedding.model,
    }
    served = _served(settings.metadata)
    if served is not None:
        path = os.path.join(settings.metadata, served, "catalog.db")
        try:
            with closing(con or _open(path)) as opened:
                facts |= _catalog_facts(opened)
        except (sqlite3.Error, OSError, ValueError, TypeError) as e:
            raise StoreDamaged("The catalog {path} cannot be read ({why}).", path=path, why=str(e)) from e
        facts |= {"generation": served, "catalog_bytes": sum(map(_size, (path, path + "-wal")))}
    facts |= _elsewhere(settings.metadata, served, facts)
    facts["fresh"] = _freshness(facts["last_success"], facts["watch"], now_ns)
    facts["disk"] = _disk(settings, facts)
    return facts


_EMPTY: Mapping[str, Any] = {
    "generation": "", "commit": 0, "committed": None, "documents": {}, "passages": 0, "segments": 0, "held": 0,
    "pinned": 0, "last_run": None, "last_success": None, "catalog_bytes": 0, "segment_bytes": 0,
}  # fmt: skip


def message_of(words: Any) -> Message:
    """A sentence as JSON keeps it: template and values (sentences among them), or plain text."""
    if not isinstance(words, (list, tuple)) or not words:
        return Message("{text}", {"text": words})
    values = words[1] if len(words) > 1 and isinstance(words[1], dict) else {}
    return Message(words[0], {k: message_of(v) if _is_sentence(v) else v for k, v in values.items()})


def _is_sentence(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], dict)


def _served(metadata: str) -> str | None:
    """The generation HEAD names; None before the first."""
    path = os.path.join(metadata, "HEAD")
    try:
        with open(path, encoding="ascii") as f:
            name = f.read().strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as e:
        raise StoreDamaged("{path} cannot be read; run `indexer repair`.", path=path) from e
    if not _NAME.fullmatch(name):
        raise StoreDamaged("{path} does not name a generation; run `indexer repair`.", path=path)
    return name


def _open(path: str) -> sqlite3.Connection:
    if not _size(path):
        raise ValueError("missing or empty")
    raw = os.fsencode(os.path.abspath(path)).replace(b"\\", b"/") if os.sep == "\\" else os.fsencode(path)
    uri = "file:" + ("" if raw[:1] == b"/" else "/") + "".join(chr(b) if b in _URI else f"%{b:02X}" for b in raw)
    return sqlite3.connect(uri + "?mode=ro", uri=True, isolation_level=None)


def _catalog_facts(con: sqlite3.Connection) -> dict[str, Any]:
    con.execute("BEGIN")  # one view for all the questions
    meta = dict(con.execute("SELECT key,value FROM meta WHERE key IN ('first_commit','embedding')"))
    last = con.execute("SELECT n,at FROM log ORDER BY n DESC LIMIT 1").fetchone()
    segments, passages, size = con.execute(
        f"SELECT count(*),coalesce(sum(count),0),coalesce({_BYTES.format('vectors_stamp')}+{_BYTES.format('texts_stamp')},0) FROM segment"
    ).fetchone()
    return {
        **_newest(con),
        "commit": last[0] if last else int(meta.get("first_commit") or 0), "committed": last[1] if last else None,
        "documents": _documents(con), "passages": passages, "segments": segments, "segment_bytes": size,
        "held": _count(con, "document WHERE held IS NOT NULL"), "pinned": _count(con, "document WHERE pinned IS NOT NULL"),
        "model": json.loads(meta["embedding"])["model"],
    }  # fmt: skip


def _elsewhere(metadata: str, served: str | None, facts: Mapping[str, Any]) -> dict[str, Any]:
    """While another generation is filled its runs are on record there: the newer of both count."""
    runs = {name: facts[name] for name in ("last_run", "last_success")}
    with suppress(OSError):
        for name in os.listdir(metadata):
            if name != served and _NAME.fullmatch(name):
                with (
                    suppress(sqlite3.Error, OSError, ValueError),
                    closing(_open(os.path.join(metadata, name, "catalog.db"))) as con,
                ):
                    for key, found in _newest(con).items():
                        runs[key] = max(
                            filter(None, (runs[key], found)), key=lambda r: r["finished"] or 0, default=None
                        )
    return runs


def _newest(con: sqlite3.Connection) -> dict[str, Any]:
    last = next(_runs(con), None)
    return {"last_run": last, "last_success": next((r for r in _runs(con) if _complete(r)), None)}


def _count(con: sqlite3.Connection, where: str) -> int:
    n: int = con.execute(f"SELECT count(*) FROM {where}").fetchone()[0]
    return n


def _documents(con: sqlite3.Connection) -> dict[str, int]:
    """Documents by state, without a look at each: what is shown has one open version, the odd ones are indexed."""
    counts: dict[str, int] = dict(con.execute(f"SELECT state,count(*) FROM document WHERE {_ODD} GROUP BY state"))
    shown = _count(con, "version") - _count(con, "version WHERE removed IS NOT NULL")
    shown -= _count(con, f"document WHERE {_ODD} AND content IS NOT NULL")
    return {**({"indexed": shown} if shown else {}), **counts}


def _runs(con: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """The runs that ended, newest first; read as far as asked. One at work or killed is on record since its first commit."""
    columns = ("run", "started", "finished", "actor", "trigger", "exit_code")
    for *row, report in con.execute(
        "SELECT id,started,finished,actor,trigger,exit_code,report FROM run WHERE finished IS NOT NULL ORDER BY id DESC"
    ):
        yield {**dict(zip(columns, row, strict=True)), "report": json.loads(report) if report else {}}


def _complete(run: Mapping[str, Any]) -> bool:
    """Whether it looked at everything and left nothing but what fails by itself: single files, held deletions.

    A run that found nothing changed has an empty report.
    """
    report = run["report"]
    full = not report or report.get("full")
    return run["exit_code"] in (DONE, PARTIAL) and bool(full) and not report.get("left")


def _daemon_facts(daemon: Mapping[str, Any] | None) -> dict[str, Any]:
    if daemon is None:
        return {
            "daemon": None,
            "next_run": None,
            "watch": [],
            "running": None,
            "waiting": 0,
            "web": "",
            "followers": [],
        }
    schedule = daemon.get("schedule") or {}
    next_run = {"at": schedule["next_ns"], "schedule": schedule.get("text", "")} if schedule.get("next_ns") else None
    kept = {k: daemon.get(k) for k in ("pid", "started_ns", "host", "version", "mode")}
    return {
        "daemon": kept, "next_run": next_run, "watch": daemon.get("watch") or [], "running": daemon.get("running"),
        "waiting": daemon.get("waiting") or 0, "web": daemon.get("web") or "",
        "followers": daemon.get("followers") or [],
    }  # fmt: skip


def _freshness(success: Mapping[str, Any] | None, watch: list[Any], now_ns: int) -> dict[str, Any]:
    age = (now_ns - success["finished"]) / 1e9 if success and success["finished"] else None
    return {
        "fresh": age is not None and age <= FRESH_SECONDS, "age_seconds": age and round(age, 1), "watched": bool(watch),
    }  # fmt: skip


def _disk(settings: Settings, facts: Mapping[str, Any]) -> dict[str, Any]:
    free = [n for folder in (settings.metadata, settings.vectorstore) if (n := _free(folder)) is not None]
    index = facts["catalog_bytes"] + facts["segment_bytes"]
    return {"free_bytes": min(free, default=None), "index_bytes": index, "reserve_bytes": settings.min_free_mb * 2**20}


def _free(folder: str) -> int | None:
    """Bytes this user may still write where the folder is, or will be."""
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    with suppress(OSError):
        if hasattr(os, "statvfs"):
            st = os.statvfs(folder)
            return st.f_bavail * st.f_frsize
        import shutil

        return shutil.disk_usage(folder).free
    return None


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
