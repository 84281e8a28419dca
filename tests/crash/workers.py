"""Clean processes that fork the ones which are to die.

The test process may hold threads of models and pools, so it is never forked. A worker is a
fresh interpreter that has imported everything, runs FAISS and NumPy on one thread only, and
forks a child for each thing that is to be killed; so a death costs milliseconds.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
COUNT = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


class Worker:
    """One such process; ``call`` runs ``module:function`` in it with JSON arguments."""

    def __init__(self) -> None:
        where = Path(__file__).parents[1]
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "crash.workers"], cwd=where, env={**os.environ, **_ONE_THREAD},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def call(self, function: Callable[..., Any], *args: object) -> Any:
        """The function's answer; its failure becomes an AssertionError with its traceback."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([function.__module__, function.__name__, args]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the worker died"
        answer = json.loads(line)
        if "failed" in answer:
            raise AssertionError(f"{function.__name__}{args}:\n{answer['failed']}")
        return answer["answer"]

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Workers:
    """As many workers as there are cores."""

    def __init__(self) -> None:
        self.all = [Worker() for _ in range(COUNT)]
        self.free: SimpleQueue[int] = SimpleQueue()
        for i in range(COUNT):
            self.free.put(i)

    def map(self, function: Callable[..., Any], cases: Iterable[tuple[object, ...]]) -> list[Any]:
        """``function(worker number, *case)`` for every case; answers in order, all failures together."""

        def one(case: tuple[object, ...]) -> Any:
            number = self.free.get()
            try:
                return self.all[number].call(function, number, *case)
            except AssertionError as e:
                return e
            finally:
                self.free.put(number)

        with ThreadPoolExecutor(COUNT) as pool:
            answers = list(pool.map(one, cases))
        failed = [a for a in answers if isinstance(a, AssertionError)]
        assert not failed, f"{len(failed)} of {len(answers)} failed, the first: {failed[0]}"
        return answers

    def close(self) -> None:
        """End them all."""
        for worker in self.all:
            worker.close()


class Ended(NamedTuple):
    """How a forked child ended: its exit code, or the signal as a negative number, and what it said."""

    code: int
    said: list[Any]

    @property
    def killed(self) -> bool:
        """Whether it died as intended."""
        return self.code == -signal.SIGKILL


def forked(work: Callable[[Callable[[object], None]], None]) -> Ended:
    """Run ``work(say)`` in a child; what it says (JSON) arrives even when it is killed right after."""
    pid, reading = child(work)
    said = answered(reading)
    _, status = os.waitpid(pid, 0)
    return Ended(os.waitstatus_to_exitcode(status), said)


def child(work: Callable[[Callable[[object], None]], None]) -> tuple[int, int]:
    """Start ``work(say)`` in a forked child; answers its pid and the pipe to hear it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(reading)
    code = 70
    try:
        work(lambda word: _write_all(writing, json.dumps(word).encode() + b"\n"))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def answered(reading: int) -> list[Any]:
    """All that a child says until it is gone."""
    with os.fdopen(reading, "rb") as pipe:
        return [json.loads(line) for line in pipe]


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def die() -> None:
    """End this process as a power cut would: no handler, no finally, no flush."""
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Answer calls, one JSON line each, until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a stray print must not end up among the answers
    for line in sys.stdin:
        module, name, args = json.loads(line)
        try:
            answer = {"answer": getattr(importlib.import_module(module), name)(*args)}
        except BaseException:
            answer = {"failed": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    answers.close()


if __name__ == "__main__":
    main()
