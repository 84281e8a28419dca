"""One worker process: its start, its clock, its pipes, and what its end means."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import IO, Any, cast

from indexer.core.errors import ParserDied
from indexer.core.tables import ParseLimits

from . import wire
from .clock import Budget, Pages
from .netblock import Role

START_SECONDS = 60.0
KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT", "TZ")


class Ended(Exception):
    """The worker is gone without an answer."""


class Blamed(Exception):
    """How a worker ended; ``final``: a second try in a fresh worker would end the same."""

    def __init__(self, problem: ParserDied, final: bool) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.final = final


def _not_started(detail: str) -> Blamed:
    problem = ParserDied("The parser process did not start ({detail}); repair the installation", detail=detail)
    return Blamed(problem, final=True)


class Worker:
    """One process with its pipes and its empty working folder."""

    def __init__(self, limits: ParseLimits, role: Role) -> None:
        self.served = 0
        self._limits = limits
        self._late = False
        self._paged = False  # the clock that ran out was that of a page
        self._folder = tempfile.mkdtemp(prefix="indexer-parse-")
        settings = {
            "limits": limits._asdict(),
            "role": role,
            # The kernel's signal comes when the starting *thread* ends, so only the main one will do.
            "die_with_parent": threading.current_thread() is threading.main_thread(),
        }
        try:
            self._process = self._start(json.dumps(settings))
        except OSError as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise _not_started(str(error)) from error
        self._requests = cast(IO[bytes], self._process.stdin)
        self._answers = cast(IO[bytes], self._process.stdout)
        try:
            with self._clock(START_SECONDS):
                self.held = str(self._receive()[0].get("held"))  # what the kernel keeps from it
        except (Ended, wire.Garbled, ValueError, OSError) as error:
            detail = self._last_words()
            self.stop()
            raise _not_started(detail) from error

    def _start(self, settings: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-B", "-m", "indexer.parse.worker", settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env=self._environment(),
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        """Nothing of the user's (keys, proxies, locale) but what Python needs to find its modules."""
        kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
        return kept | {
            "PYTHONPATH": path,
            "PYTHONUTF8": "1",
            "PYTHONHASHSEED": "0",  # a library that iterates over a set must give the same text every time
            "HOME": self._folder,
            "TMPDIR": self._folder,
            "TEMP": self._folder,
            "MALLOC_ARENA_MAX": "1",  # a second arena reserves 128 MB of address space
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def ask(self, request: Mapping[str, object], data: bytes) -> tuple[dict[str, Any], bytes]:
        """One file there, one answer back, within the wall clock and what its pages add to it."""
        self.served += 1
        self._paged = False
        budget, pages = Budget(time.monotonic(), self._limits.wall_seconds), Pages(self._limits.pages)
        with self._clock(self._limits.wall_seconds):
            wire.send(self._requests, request, data)
            frame = self._receive()
        while frame[0].get("answer") == "working":
            self._grant(frame[0], budget, pages)
            with self._clock(budget.deadline - time.monotonic()):
                frame = self._receive()
        return frame

    def _grant(self, header: Mapping[str, Any], budget: Budget, pages: Pages) -> None:
        """Counts for itself: the worker that asks for time has read hostile bytes."""
        announced = header.get("pages")
        if isinstance(announced, int):
            pages.announce(announced)
        elif announced is not None:
            raise wire.Garbled
        elif pages.begin():
            self._paged = True
            budget.grant(time.monotonic(), self._limits.page_seconds)

    def _receive(self) -> tuple[dict[str, Any], bytes]:
        frame = wire.receive(self._answers, max_body=4 * self._limits.output_chars)
        if frame is None:
            raise Ended
        return frame

    @contextlib.contextmanager
    def _clock(self, seconds: float) -> Any:
        """Kills the worker when the time is up; the pending read or write then ends by itself."""

        def late() -> None:
            self._late = True
            self.kill()

        timer = threading.Timer(seconds, late)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def alive(self) -> bool:
        return self._process.poll() is None

    def verdict(self, error: Exception) -> Blamed:
        """Why there was no answer: the clock, the CPU limit, a signal, or a reply out of step."""
        if self._late:
            return Blamed(self._too_slow(), final=True)
        if isinstance(error, wire.Garbled | ValueError):
            return Blamed(ParserDied("The parser gave no valid answer; save the file again, or exclude it"), False)
        return self._ended()

    def _too_slow(self, cpu: bool = False) -> ParserDied:
        if self._paged:
            return ParserDied(
                "Reading the picture of a page took longer than the limit of {limit:g} s; raise page_seconds",
                limit=self._limits.page_seconds,
            )
        if cpu:
            return ParserDied(
                "Parsing took more than the limit of {limit:g} s of CPU time; split the file, or raise cpu_seconds",
                limit=self._limits.cpu_seconds,
            )
        return ParserDied(
            "Parsing took longer than the limit of {limit:g} s; split the file, or raise wall_seconds",
            limit=self._limits.wall_seconds,
        )

    def _ended(self) -> Blamed:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return Blamed(ParserDied("The parser closed its pipe; save the file again, or exclude it"), False)
        if code == -getattr(signal, "SIGXCPU", 0) and code:
            return Blamed(self._too_slow(cpu=True), final=True)
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Blamed(
            ParserDied("The parser crashed ({how}); save the file again with its application, or exclude it", how=how),
            final=False,
        )

    def kill(self) -> None:
        """The whole process group; harmless when it is gone already."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()

    def _last_words(self) -> str:
        self.kill()
        said = cast(IO[bytes], self._process.stderr).read(1 << 16).decode("utf-8", "replace").strip()
        return said.rpartition("\n")[2][:200] or "no message"

    def stop(self) -> None:
        """Kills the process with its children, reaps it, removes its folder."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):  # a request cut short is still in the buffer
                cast(IO[bytes], pipe).close()
        shutil.rmtree(self._folder, ignore_errors=True)
