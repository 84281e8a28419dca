"""Set-up of the log, and the one object everybody writes to."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, TextIO

from ..core.model import EMPTY, Message
from ..core.tables import LogSettings
from .files import RotatingFile, Stderr
from .lines import Entry, Json, Text
from .mask import Mask, mask_for

NAME = "indexer"
FILE = os.path.join("logs", "indexer.log")
_run: ContextVar[tuple[int | str, str]] = ContextVar("indexer_run", default=(0, ""))


def record_of(
    event: str, level: str, message: Message, facts: Mapping[str, Any] = EMPTY, error: BaseException | None = None,
    created: float = 0.0,
) -> logging.LogRecord:  # fmt: skip
    """A record that carries an entry of ours."""
    number = logging.getLevelNamesMapping()[level.upper()]
    info = (type(error), error, error.__traceback__) if error is not None else None
    record = logging.LogRecord(NAME, number, "", 0, message.text, (), info)
    record.created = created or record.created
    record.entry = Entry(event, message, facts, *_run.get())
    return record


class Foreign(logging.Handler):
    """Warnings and errors of other packages, on the same handlers, in the run they were said in."""

    def __init__(self, log: Log, level: int) -> None:
        super().__init__(level)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Hand over."""
        record.of_run = _run.get()
        self.log.write(record)


class Log:
    """Events as lines on stderr and in the file; whatever happens there, the caller goes on.

    ``event("run_end", "info", Message("Commit {commit}", {"commit": 3}), commit=3)``: the sentence is
    for people, the facts are for programs.
    """

    def __init__(self, settings: LogSettings, file: RotatingFile, stderr: Stderr | None) -> None:
        self.level = logging.getLevelNamesMapping()[settings.level.upper()]
        self.file, self.stderr = file, stderr
        self.foreign = Foreign(self, max(self.level, logging.WARNING))
        self._hook = threading.excepthook
        logging.getLogger().addHandler(self.foreign)
        logging.captureWarnings(True)
        threading.excepthook = self._thread_died

    @property
    def path(self) -> str:
        """The file."""
        return self.file.path

    def event(self, name: str, level: str, message: Message, /, **facts: Any) -> None:
        """One line; ``level`` is debug, info, warning or error."""
        self._say(record_of(name, level, message, facts))

    def failed(self, name: str, message: Message, error: BaseException, /, **facts: Any) -> None:
        """An internal error: the sentence everywhere, the traceback in the file."""
        self._say(record_of(name, "error", message, facts, error))

    @staticmethod
    def enter(run: int | str, trigger: str) -> None:
        """From here on lines of this thread belong to this run; 0 is none."""
        _run.set((run, trigger))

    def _say(self, record: logging.LogRecord) -> None:
        if record.levelno >= self.level:
            self.write(record)

    def write(self, record: logging.LogRecord) -> None:
        """To the file first: what stderr says then knows whether the file has it."""
        for handler in (self.file, self.stderr):
            if handler is not None:
                with contextlib.suppress(Exception):  # a value whose text cannot be made
                    handler.handle(record)

    def complain(self, why: str) -> None:
        """The file cannot be written: said once on stderr."""
        if self.stderr is not None:
            self.stderr.handle(record_of("log_file", "warning", Message(_NO_FILE, {"path": self.path, "why": why})))

    def _thread_died(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            name = args.thread.name if args.thread is not None else "?"
            said = Message(_DIED, {"thread": name, "kind": args.exc_type.__name__, "error": str(args.exc_value)})
            self.failed("internal_error", said, args.exc_value, thread=name)

    def close(self) -> None:
        """Put logging back as it was."""
        logging.getLogger().removeHandler(self.foreign)
        logging.captureWarnings(False)
        threading.excepthook = self._hook
        self.file.close()


_NO_FILE = "The log file {path} cannot be written ({why}); lines go to stderr only. Free space or correct the permissions; it is tried again every minute."
_DIED = "internal error in thread {thread}: {kind}: {error}"


def setup(
    settings: LogSettings,
    metadata: str,
    *,
    lang: str = "en",
    mask: Mask | None = None,
    stream: TextIO | None = sys.stderr,
    environ: Mapping[str, str] = os.environ,
) -> Log:
    """The log of a daemon whose metadata folder this is; ``stream`` None: the file only.

    Close it at the end, or before another is set up (a changed configuration).
    """
    mask = mask or mask_for(())
    path = os.path.join(metadata, os.path.expanduser(settings.file) or FILE)
    log: Log
    file = RotatingFile(path, max(1, int(settings.max_mb * 2**20)), settings.backups, lambda why: log.complain(why))
    stderr = Stderr(stream) if stream is not None else None
    if settings.format == "json":
        file.setFormatter(Json(mask))
    else:
        file.setFormatter(Text(lang, mask))
    if stderr is not None and stream is not None:
        stderr.setFormatter(_for_stream(settings, stream, lang, mask, environ, file))
    log = Log(settings, file, stderr)
    return log


def _for_stream(
    settings: LogSettings, stream: TextIO, lang: str, mask: Mask, environ: Mapping[str, str], file: RotatingFile
) -> logging.Formatter:
    """JSON if asked for; else text: coloured on a terminal, without times where the journal adds them.

    Tracebacks are for the file; when it cannot be written they come here, but not on a terminal.
    """
    terminal = stream.isatty()

    def traces() -> bool:
        return file.broken and not terminal

    if settings.format == "json":
        return Json(mask, traces=traces)
    journal = of_journal(stream, environ)
    plain = "NO_COLOR" in environ or environ.get("TERM") == "dumb"
    return Text(lang, mask, times=not journal, colours=terminal and not plain, priorities=journal, traces=traces)


def of_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a stream goes to systemd's journal: JOURNAL_STREAM names its device and inode.

    The variable alone says little: programs started from a service inherit it.
    """
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        stat = os.fstat(stream.fileno())
        return (stat.st_dev, stat.st_ino) == (int(device), int(inode))
    except (OSError, ValueError):
        return False
