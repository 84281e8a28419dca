"""Loaders of LangChain's shape that do to the worker what hostile files do; run in the real sandbox by name."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Document(NamedTuple):
    """The two attributes of a LangChain Document; importing the real one takes seconds in each fresh worker."""

    page_content: str
    metadata: dict[str, object] = {}  # noqa: RUF012 - never changed


class _Loader:
    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.text = self.path.read_text("utf-8", "surrogateescape")

    def lazy_load(self) -> Iterator[Document]:
        self.misbehave()
        yield Document(self.text, metadata={"page": 0, "title": "T"})

    def misbehave(self) -> None:
        """Nothing by default."""


class Well(_Loader):
    """Reads the file."""


class Pages(_Loader):
    """One document per line."""

    def lazy_load(self) -> Iterator[Document]:
        for page, line in enumerate(self.text.split("\n")):
            yield Document(line, metadata={"page": page})


class Spin(_Loader):
    """Uses CPU for ever, or for the seconds the file names."""

    def misbehave(self) -> None:
        end = time.process_time() + float(self.text or "inf")
        while time.process_time() < end:
            pass


class Sleep(_Loader):
    """Waits for ever with a child process that ignores signals."""

    def misbehave(self) -> None:
        child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", child])
        time.sleep(600)


class Hog(_Loader):
    """Takes memory until there is none."""

    def misbehave(self) -> None:
        kept = []
        while True:
            kept.append(bytearray(16 << 20))


class Segfault(_Loader):
    """Reads address 0."""

    def misbehave(self) -> None:
        ctypes.string_at(0)


class Once(_Loader):
    """Crashes unless this worker is fresh: a library broken by an earlier file."""

    def misbehave(self) -> None:
        if hasattr(sys, "served_before"):
            os.kill(os.getpid(), signal.SIGSEGV)
        sys.served_before = True  # type: ignore[attr-defined]


class Exit(_Loader):
    """Leaves without a word."""

    def misbehave(self) -> None:
        os._exit(7)


class Leave(_Loader):
    """Raises SystemExit as a careless library does."""

    def misbehave(self) -> None:
        sys.exit("bye")


class Recurse(_Loader):
    """Recurses without end."""

    def misbehave(self) -> None:
        self.misbehave()


class Raise(_Loader):
    """Raises something with many lines."""

    def misbehave(self) -> None:
        raise KeyError("first line\nsecond line\x1b[31m")


class Chatter(_Loader):
    """Prints on every channel and reads the terminal."""

    def misbehave(self) -> None:
        print("x" * 100_000)
        os.write(1, b"raw" * 10_000)
        os.write(2, b"err" * 100_000)
        self.text = repr(sys.stdin.read())


class Thread(_Loader):
    """Works in a thread."""

    def misbehave(self) -> None:
        worker = threading.Thread(target=lambda: None)
        worker.start()
        worker.join()


class Look(_Loader):
    """Tells what the worker can see of the user."""

    def misbehave(self) -> None:
        import resource

        self.text = json.dumps(
            {
                "environment": sorted(os.environ),
                "files": sorted(os.listdir(".")),
                "path0": sys.path[0],
                "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),
                "status": Path("/proc/self/status").read_text(),
                "core": resource.getrlimit(resource.RLIMIT_CORE)[0],
                "session": os.getsid(0) == os.getpid(),
            }
        )


class Flood(_Loader):
    """Gives text without end."""

    def lazy_load(self) -> Iterator[Document]:
        while True:
            yield Document("x" * 1_000_000)


class Lone(_Loader):
    """Gives lone surrogates, NULs and a BOM."""

    def lazy_load(self) -> Iterator[Document]:
        yield Document("\ufeffa\ud800b\0c\ud83d\ude00\r\nd")


class Paged(_Loader):
    """Announces pages, then sleeps through as many as it was told: "announced begun seconds"."""

    def misbehave(self) -> None:
        from indexer.parse import progress

        announced, begun, seconds = self.text.split()
        granted = progress.announce(int(announced))
        for _ in range(int(begun)):
            progress.page()
            time.sleep(float(seconds))
        self.text = str(granted)


class SpinPaged(Paged):
    """The same with CPU time."""

    def misbehave(self) -> None:
        from indexer.parse import progress

        announced, begun, seconds = self.text.split()
        progress.announce(int(announced))
        for _ in range(int(begun)):
            progress.page()
            end = time.process_time() + float(seconds)
            while time.process_time() < end:
                pass


class Fill(_Loader):
    """Writes without end."""

    def misbehave(self) -> None:
        with self.path.open("ab") as stream:
            while True:
                stream.write(bytes(1 << 20))


class Forge(_Loader):
    """Writes its own answer into the pipe of the parent (a taken-over parser)."""

    def misbehave(self) -> None:
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, self.text.encode("utf-8", "surrogateescape"))
            except OSError:
                continue
        os._exit(0)
