"""Carrying a plan out: what would change is shown first, a second time changes nothing, and all of it can be undone."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ..core.errors import IndexerError
from .facts import Command, Facts, File, Plan

_ENDING = frozenset(("bootout", "disable", "/End"))
"""Commands that end what may not be running: to fail is no reason to stop there."""

Say = Callable[[str], None]


class Change(NamedTuple):
    """A file as it is (None: it is not there) and as it shall be (None: it shall go)."""

    file: File
    before: str | None
    after: str | None

    def diff(self) -> str:
        """Line by line, as `diff -u` shows it."""
        old, new = ((t or "").splitlines(keepends=True) for t in (self.before, self.after))
        names = ("/dev/null" if self.before is None else self.file.path, "/dev/null" if self.after is None else self.file.path)  # fmt: skip
        return "".join(line if line.endswith("\n") else line + "\n" for line in difflib.unified_diff(old, new, *names))


def changes(plan: Plan, *, remove: bool = False) -> list[Change]:
    """What has to be written, or removed; empty when all is as it shall be."""
    found = []
    for file in plan.files:
        before = _crontab() if plan.marked else _read(file)
        after = None if remove else file.text
        if plan.marked:
            after = with_block(before or "", file.text, remove=remove)
            before = before or ""
        if before != after:
            found.append(Change(file, before, after))
    return found


def install(plan: Plan, facts: Facts, found: list[Change], say: Say) -> None:
    """Write what has changed, then run the commands; raises IndexerError naming the one that failed."""
    for folder in (facts.metadata, facts.vectorstore):
        _make(folder, facts.user)
    for change in found:
        _write(plan, change)
        say(change.file.path)
    commands = plan.enable
    if found:
        commands += plan.created if all(c.before is None for c in found) else plan.renewed
    run(commands, say)


def uninstall(plan: Plan, found: list[Change], say: Say) -> None:
    """End it and remove its files; metadata and vectorstore stay."""
    run(plan.disable, say)
    for change in found:
        _write(plan, change)
        say(change.file.path)
    run(tuple(c for c in plan.enable if c[-1] == "daemon-reload"), say)


def run(commands: tuple[Command, ...], say: Say) -> None:
    """One after the other, each shown before."""
    for command in commands:
        say(shlex.join(command))
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            why = "" if done.returncode == 0 else (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        except OSError as e:
            why = e.strerror or str(e)
        if why and not _ENDING & set(command):
            raise IndexerError("`{command}` failed: {why}", command=shlex.join(command), why=why)


def with_block(crontab: str, block: str, *, remove: bool = False) -> str:
    """A crontab with its stretch between the marks replaced, added, or taken out; all else stays."""
    first, last = (line for line in (block.splitlines()[0], block.splitlines()[-1]))
    begin = re.escape(first.partition(":")[0])
    pattern = re.compile(rf"(?ms)^{begin}:.*?^{re.escape(last)}\n?")
    rest = pattern.sub("", crontab)
    if remove:
        return rest
    found = pattern.search(crontab)
    if found:
        return crontab[: found.start()] + block + pattern.sub("", crontab[found.end() :])
    return rest + ("\n" if rest and not rest.endswith("\n") else "") + block


def _crontab() -> str | None:
    try:
        done = subprocess.run(("crontab", "-l"), capture_output=True, text=True, check=False)  # noqa: S607 - as the user has it
    except OSError as e:
        raise IndexerError("`{command}` failed: {why}", command="crontab -l", why=e.strerror or str(e)) from e
    return done.stdout if done.returncode == 0 else None


def _read(file: File) -> str | None:
    try:
        with open(file.path, encoding=file.encoding, newline="") as f:
            return f.read().replace("\r\n", "\n")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeError) as e:
        raise IndexerError("{path} cannot be read ({why})", path=file.path, why=str(e)) from e


def _write(plan: Plan, change: Change) -> None:
    if plan.marked:
        text = change.after or ""
        done = subprocess.run(("crontab", "-"), input=text, capture_output=True, text=True, check=False)  # noqa: S607 - same
        if done.returncode:
            raise IndexerError("`{command}` failed: {why}", command="crontab -", why=done.stderr.strip())
        return
    path, temporary = change.file.path, change.file.path + ".new"
    try:
        if change.after is None:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "w", encoding=change.file.encoding, newline="\n") as f:
            f.write(change.after)
        os.replace(temporary, path)
    except OSError as e:
        with suppress(OSError):
            os.unlink(temporary)
        raise IndexerError("{path} cannot be written ({why})", path=path, why=e.strerror or str(e)) from e


def _make(folder: str, user: str) -> None:
    """A folder the unit names must be there when it starts, and its user's."""
    if os.path.isdir(folder):
        return
    with suppress(OSError):
        os.makedirs(folder)
        if user and hasattr(os, "geteuid") and os.geteuid() == 0:
            import shutil

            with suppress(LookupError):
                shutil.chown(folder, user)


def shown(plan: Plan) -> Iterator[str]:
    """The plan as text: each file under its place when there are several, then the commands as comments."""
    several = len(plan.files) > 1
    for file in plan.files:
        if several:
            yield f"# ---- {file.path}\n"
        yield file.text
