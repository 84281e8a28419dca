"""What a unit is made from, and what installing one means."""

from __future__ import annotations

import os
import re
import sys
from typing import NamedTuple

from ..core.errors import UsageError
from ..core.tables import ScheduleSettings
from ..settings import Settings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - the folders that PrivateTmp hides


class Facts(NamedTuple):
    """One knowledge base on one machine. Every path is absolute.

    ``scope`` is "system" (starts with the machine) or "user" (starts with the user's session).
    ``user`` is whose process it shall be, ``user_home`` where that user's own units lie.
    """

    name: str
    python: str
    home: str
    metadata: str
    vectorstore: str
    sources: tuple[str, ...]
    scope: str
    user: str
    user_home: str
    written: tuple[str, ...] = ()  # other folders the daemon writes
    schedule: ScheduleSettings = ScheduleSettings()
    devices: bool = False  # whether the model runs on a device other than the CPU
    language: str = ""  # "zh" when messages shall be in Chinese whatever the system's locale

    @property
    def command(self) -> tuple[str, ...]:
        """What the service runs."""
        return (self.python, "-m", "indexer", "run", "--home", self.home)

    @property
    def in_temporary_folder(self) -> bool:
        """Whether anything lies where the system's temporary files are."""
        paths = (self.python, self.home, self.metadata, self.vectorstore, *self.sources)
        return any(p == t or p.startswith(t + "/") for p in paths for t in _TEMPORARY)


class File(NamedTuple):
    """A text and where it belongs; ``encoding`` as the system reads it."""

    path: str
    text: str
    encoding: str = "utf-8"


Command = tuple[str, ...]


class Plan(NamedTuple):
    """``files`` to write, and the commands that make the system take notice.

    ``enable`` may run again and again; ``created`` comes after a first installation, ``renewed``
    after a change, ``disable`` before the files go. ``notes``: what a person may want to run as
    well. ``marked``: the one file is a stretch of the user's crontab.
    """

    files: tuple[File, ...]
    enable: tuple[Command, ...] = ()
    created: tuple[Command, ...] = ()
    renewed: tuple[Command, ...] = ()
    disable: tuple[Command, ...] = ()
    notes: tuple[str, ...] = ()
    marked: bool = False


def facts_of(settings: Settings, scope: str, name: str, lang: str) -> Facts:
    """The facts of a knowledge base for the user who asks; for root, of whom its folder belongs to."""
    if not _NAME.fullmatch(name):
        raise UsageError("--name has letters, digits, - and _ only, not {name}.", name=name)
    user, user_home = _user(settings.home)
    log = os.path.dirname(os.path.join(settings.metadata, os.path.expanduser(settings.log.file)))
    written: tuple[str, ...] = () if _below(log, settings.metadata) or not settings.log.file else (log,)
    model, paths = settings.embedding.model, [settings.home, *(s.path for s in settings.sources)]
    if not model.startswith(("builtin:", "openai:", "python:")) and not os.path.isabs(model):
        written += (os.path.join(user_home, ".cache", "huggingface"),)
    if odd := [p for p in (*paths, settings.metadata, settings.vectorstore, sys.executable) if re.search(r"[\x00-\x1f\x7f]", p)]:  # fmt: skip
        raise UsageError("{path} has a control character in its name; no service can be told of it.", path=repr(odd[0]))
    return Facts(
        name, sys.executable, settings.home, settings.metadata, settings.vectorstore,
        tuple(s.path for s in settings.sources), scope, user, user_home, written, settings.schedule,
        settings.embedding.device != "cpu", "zh" if lang == "zh" else "",
    )  # fmt: skip


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _user(home: str) -> tuple[str, str]:
    """(name, home) of the user the service is for."""
    try:
        import pwd
    except ImportError:  # Windows
        return os.environ.get("USERNAME", ""), os.path.expanduser("~")
    me = os.geteuid()
    uid = os.stat(home).st_uid if me == 0 else me
    try:
        found = pwd.getpwuid(uid)
    except KeyError:
        return str(uid), os.path.expanduser("~")
    return found.pw_name, found.pw_dir
