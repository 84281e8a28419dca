"""What a check finds, and what it is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..core.errors import DONE, INTERNAL, PARTIAL, USAGE, IndexerError
from ..core.model import Message
from ..settings import Settings


class Level(StrEnum):
    """How bad it is: a warning will trouble somebody one day, a problem does so now."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(NamedTuple):
    """One sentence about one thing; ``remedy`` says what to do, a command where one does it.

    ``code``: the exit code of the class of errors that a problem belongs to.
    """

    name: Message
    level: Level
    message: Message
    remedy: Message | None = None
    code: int = USAGE


class Case(NamedTuple):
    """What is examined. ``settings`` is None, and ``error`` says why, where the configuration does not hold."""

    home: str
    settings: Settings | None
    error: IndexerError | None
    now_ns: int
    deep: bool = False
    environ: Mapping[str, str] = os.environ


Check = Callable[[Case], Iterable[Finding]]
SettingsCheck = Callable[[Case, Settings], Iterable[Finding]]


def ok(name: Message, message: Message) -> Finding:
    """Nothing to do."""
    return Finding(name, Level.OK, message)


def warning(name: Message, message: Message, remedy: Message | None = None) -> Finding:
    """Something to do before it hurts."""
    return Finding(name, Level.WARNING, message, remedy)


def problem(name: Message, message: Message, remedy: Message | None = None, code: int = USAGE) -> Finding:
    """Something to do now."""
    return Finding(name, Level.PROBLEM, message, remedy, code)


def guarded(name: Message, check: Check, case: Case) -> Iterator[Finding]:
    """What the check finds; that it could not be made is a finding too, never a traceback."""
    try:
        yield from check(case)
    except IndexerError as e:
        yield problem(name, e.message, code=e.exit_code)
    except Exception as e:
        why = {"kind": type(e).__name__, "why": str(e)}
        yield warning(name, Message("This could not be checked ({kind}: {why}).", why))


def exit_code(findings: Iterable[Finding]) -> int:
    """0 all is well, 3 warnings, else the code of the first problem."""
    found = list(findings)
    problems = [f.code for f in found if f.level is Level.PROBLEM]
    if problems:
        return problems[0] or INTERNAL
    return PARTIAL if any(f.level is Level.WARNING for f in found) else DONE
