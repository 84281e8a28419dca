"""The folders: sources that are read, metadata and vectorstore that are written."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..core.errors import INTERNAL, NO_SOURCE
from ..core.model import Message, display
from ..core.tables import Source
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning
from .mounts import existing, place_of, polled

# ---- sources -------------------------------------------------------------------------


def sources(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether each is there, can be read, and how its changes will be noticed."""
    for source in settings.sources:
        yield from _source(source, settings)


def _source(source: Source, settings: Settings) -> Iterator[Finding]:
    name = Message("sources")
    words = {"source": source.name, "path": display(source.path)}
    if not os.path.isdir(source.path):
        remedy = Message("Create it, mount it, or correct its path in indexer.toml; its documents stay searchable.")
        yield problem(name, Message("{source}: there is no folder {path}", words), remedy, NO_SOURCE)
        return
    try:
        with os.scandir(source.path) as entries:
            empty = next(entries, None) is None
    except OSError as e:
        remedy = Message("Allow this user to read it and to enter it (r and x for folders).")
        words["why"] = e.strerror or str(e)
        yield problem(name, Message("{source}: {path} cannot be read ({why})", words), remedy, NO_SOURCE)
        return
    if empty:
        yield warning(name, Message("{source}: {path} is empty", words), Message("If it should not be: mount it."))
    place, foreign = place_of(source.path), polled(source.path)
    words["kind"] = foreign or (place.kind if place else "?")
    if foreign and settings.watch.enabled and settings.watch.mode == "events":
        remedy = Message('Set mode = "auto" or "polling" below [watch].')
        yield warning(name, Message("{source}: {path} is on {kind}, where events do not tell of every change", words), remedy)  # fmt: skip
    elif foreign:
        yield ok(name, Message("{source}: {path} can be read; on {kind}, so watch mode polls it", words))
    elif not empty:
        yield ok(name, Message("{source}: {path} can be read ({kind})", words))


def file_names(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether names of files can be told apart and printed."""
    import locale
    import sys

    name, encoding = Message("file names"), sys.getfilesystemencoding().lower()
    if encoding not in ("utf-8", "utf8"):
        remedy = Message("Set LANG=C.UTF-8, or PYTHONUTF8=1, for the daemon and in your shell.")
        yield warning(name, Message("names of files are read as {encoding}, not as UTF-8", {"encoding": encoding}), remedy)  # fmt: skip
    odd = [s.path for s in settings.sources if not _printable(s.path)]
    if odd:
        yield warning(name, Message("{path} has a name that is no UTF-8", {"path": display(odd[0])}))
    if encoding in ("utf-8", "utf8") and not odd:
        yield ok(
            name, Message("names of files are UTF-8 (locale {locale})", {"locale": locale.setlocale(locale.LC_CTYPE)})
        )


def _printable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# ---- metadata and vectorstore --------------------------------------------------------


def state_folders(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether this user may write them, owns them, and whether SQLite works on their file system."""
    for path in (settings.metadata, settings.vectorstore):
        yield from _state_folder(path, database=path == settings.metadata)


def _state_folder(path: str, database: bool) -> Iterator[Finding]:
    name, words = Message("metadata and vectorstore"), {"path": display(path)}
    there = existing(path)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        yield problem(name, Message("{path} cannot be written by this user", words), _take_over(there), INTERNAL)
        return
    owners = list(_owners(name, path, words))
    yield from owners
    place = place_of(there)
    words["kind"] = place.kind if place else "?"
    if place and not place.shares_memory and database:
        remedy = Message("Put metadata on a disk of this machine (metadata = … in indexer.toml); sources may stay where they are.")  # fmt: skip
        yield problem(name, Message("{path} is on {kind}: the catalog's log (SQLite's WAL) does not work on network file systems and can be damaged", words), remedy)  # fmt: skip
    elif place and (place.remote or place.volatile):
        text = (
            Message("{path} is on {kind}: searches and snapshots are slow there", words)
            if place.remote
            else Message("{path} is on {kind}: it is gone with the container or the next start", words)
        )
        yield warning(name, text, Message("Put it on a disk of this machine, in a container on a volume."))
    elif not owners:
        yield ok(name, Message("{path} can be written ({kind})", words))


def _owners(name: Message, path: str, words: Mapping[str, object]) -> Iterator[Finding]:
    """Whether all is one user's, and this one's: what one wrote another may not be able to replace."""
    if not hasattr(os, "geteuid") or not os.path.isdir(path):
        return
    top = os.stat(path)
    if foreign := _foreign(path, top.st_uid):
        text = Message("{path}: {other} belongs to another user than the folder; runs of one are in the way of the other's", {**words, "other": display(foreign)})  # fmt: skip
        yield warning(name, text, _take_over(path, top.st_uid, top.st_gid))
    elif top.st_uid != os.geteuid():
        owner = _name_of(top.st_uid)
        text = Message("{path} belongs to {owner}, and you are another user", {**words, "owner": owner})
        yield warning(name, text, Message("Run indexer as that user: {command}", {"command": f"sudo -u {owner} indexer …"}))  # fmt: skip


def _name_of(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"'#{uid}'"


def _take_over(path: str, uid: int | None = None, gid: int | None = None) -> Message:
    if not hasattr(os, "geteuid"):
        return Message("Allow this user to write it.")
    uid, gid = os.geteuid() if uid is None else uid, os.getegid() if gid is None else gid
    return Message("Run {command}", {"command": f"sudo chown -R {uid}:{gid} {shlex.quote(path)}"})


def _foreign(path: str, uid: int) -> str:
    """The first of our files that belongs to somebody else; "" where all are this user's."""
    for folder, folders, files in os.walk(path):
        folders.sort()
        for name in (*folders, *files):
            with suppress(OSError):
                if os.lstat(full := os.path.join(folder, name)).st_uid != uid:
                    return full
    return ""
