"""The process that hostile bytes are parsed in: ``python -m indexer.parse.worker SETTINGS``.

Reads requests on stdin and answers on stdout (see `wire`) until stdin ends. It never decides
what a failure means for the index; it names it.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import time
import warnings
from typing import IO, Any

from indexer.core.errors import FileProblem, ParserDied, ParseRefused
from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from . import progress, wire
from .call import call
from .clock import Budget, Pages
from .confine import confine, end_with, grant_cpu, grant_memory, mapped_mb
from .netblock import block

LOG_LINES = 10


def main(settings: str) -> None:
    """Confines itself, says hello, then serves one file after the other."""
    options = json.loads(settings)
    limits = ParseLimits(**options["limits"])
    requests, answers = _own_pipes()
    held = block(options["role"])  # before the first thread, which it would not hold
    end_with(requests.fileno())
    children = options["role"] != "parser"
    file_mb = limits.file_mb + limits.inflated_mb if children else 0
    most_mb = limits.memory_mb + limits.extra_memory_mb
    confine(limits.memory_mb, most_mb, file_mb, children, options["die_with_parent"])
    wire.send(answers, {"answer": "hello", "held": held})
    _silence()  # what failed until now is on stderr for the parent to quote
    grants = _Grants(limits, answers)
    progress.listen(progress.Listener(grants.announced, grants.began))
    while (frame := wire.receive(requests, limits.file_mb << 20)) is not None:
        grants.file()
        header, body = answer(*frame, limits)
        del frame
        wire.send(answers, header, body)
        del header, body  # not held while the next file is waited for


class _Grants:
    """CPU time and memory of the file that is parsed, and what it gets for pages whose picture is read.

    The parent is told of each such page, and moves the wall clock on its own count.
    """

    def __init__(self, limits: ParseLimits, answers: IO[bytes]) -> None:
        self._limits = limits
        self._answers = answers
        self._extra = False  # the models of an earlier file are still there

    def file(self) -> None:
        """The next file begins."""
        self._cpu = Budget(time.process_time(), self._limits.cpu_seconds)
        self._pages = Pages(self._limits.pages)
        grant_cpu(self._cpu.deadline)
        if self._extra:
            grant_memory(mapped_mb() + self._limits.memory_mb)

    def announced(self, pages: int) -> int:
        """So many pages follow; returns how many may be read."""
        if granted := self._pages.announce(pages):
            self._extra = True
            grant_memory(self._limits.memory_mb + self._limits.extra_memory_mb)
            wire.send(self._answers, {"answer": "working", "pages": granted})
        return granted

    def began(self) -> None:
        """One of them begins."""
        if self._pages.begin():
            self._cpu.grant(time.process_time(), self._limits.page_seconds)
            grant_cpu(self._cpu.deadline)
            wire.send(self._answers, {"answer": "working"})


def _own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Moves the pipes away from 0 and 1, so that a library's print or input meets /dev/null."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return requests, answers


def _silence() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    os.close(null)
    warnings.simplefilter("ignore")
    logging.lastResort = None


class _Collector(logging.Handler):
    """Keeps the first distinct warnings of the libraries for the file's details."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = one_line(record.getMessage())
        except Exception:
            return  # a log call with wrong arguments is not the file's fault
        if len(self.lines) < LOG_LINES and line not in self.lines:
            self.lines.append(line)


def answer(request: dict[str, Any], data: bytes, limits: ParseLimits) -> tuple[dict[str, object], bytes | bytearray]:
    """The answer's header and body for one file; nothing a parser raises gets past here."""
    problem: FileProblem
    try:
        return wire.pack(_collected(request, data, limits))
    except FileProblem as error:
        problem = error
    except MemoryError:
        problem = ParserDied(
            "Parsing needs more than the limit of {limit} MB of memory; split the file, or raise memory_mb",
            limit=limits.memory_mb,
        )
    except RecursionError:
        problem = ParserDied("The file is nested too deeply to be parsed (limit of the parser); save it again")
    except PermissionError as error:
        problem = ParseRefused(
            "The parser was refused what it may not do, to read or write other files or use a network ({detail}). "
            "Save the file in another format, or exclude it",
            detail=one_line(str(error)),
        )
    except BaseException as error:  # SystemExit and panics of native libraries included
        problem = ParseRefused(
            "The file is damaged: {detail}. Restore it from a good copy, or save it again with its application",
            detail=one_line(f"{type(error).__name__}: {error}"),
        )
    kind = "refused" if isinstance(problem, ParseRefused) else "died"
    return {"answer": kind, "message": wire.pack_message(problem.message)}, b""


def _collected(request: dict[str, Any], data: bytes, limits: ParseLimits) -> Parsed:
    collector = _Collector()
    root = logging.getLogger()
    root.addHandler(collector)
    try:
        parsed = _parse(request, data, limits)
    finally:
        root.removeHandler(collector)
        gc.collect()  # trees with cycles of one file must not count against the next
    return parsed._replace(details={**parsed.details, "log": collector.lines}) if collector.lines else parsed


def _parse(request: dict[str, Any], data: bytes, limits: ParseLimits) -> Parsed:
    if request["parser"] == "loader":
        from .loader import load

        return load(request["loader"], request["suffix"], data, limits)
    return call(request["parser"], data, limits)


def one_line(text: str, most: int = 200) -> str:
    """A detail for a reason: printable, on one line, no traceback."""
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else "\ufffd" for c in line[: most + 1]).rstrip(".")
    return line if len(line) <= most else line[:most] + "..."


if __name__ == "__main__":
    main(sys.argv[1])
