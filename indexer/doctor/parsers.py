"""What reads the documents: the sandbox, OCR, LibreOffice."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..core.errors import INTERNAL, IndexerError
from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

# What the parsers note on documents that lack a program; templates, so the same in every language.
_OCR, _OFFICE = "%indexer[ocr]%", "%LibreOffice, which is not installed%"


def sandbox(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether a parser process starts, and what the kernel keeps from it."""
    from ..parse.process import Blamed, Worker

    name = Message("sandbox")
    try:
        worker = Worker(settings.limits, "parser")
    except Blamed as e:
        remedy = Message("Install indexer again; look for limits on processes (ulimit -u) and on memory (ulimit -v).")
        yield problem(name, e.problem.message, remedy, INTERNAL)
        return
    held = worker.held
    worker.stop()
    words = {"held": held}
    if "seccomp" in held and "landlock" in held:
        yield ok(name, Message("parsers are held by the kernel: {held}", words))
    elif "seccomp" in held or "seatbelt" in held:
        text = Message("parsers are held by the kernel in part: {held}", words)
        remedy = Message("Linux 5.13 or later with Landlock keeps files beyond the working folder from them too.")
        yield warning(name, text, remedy) if sys.platform == "linux" else ok(name, text)
    else:
        text = Message("no kernel holds the parsers ({held})", words)
        yield warning(name, text, Message("Index only documents you trust, or run it in a container or on Linux."))


def ocr(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether pictures are read, and how many documents wait for that."""
    from ..parse.ocr import available

    name = Message("OCR")
    waiting = _noted(settings, _OCR)
    if available():
        yield ok(name, Message("the text of pictures is read"))
    elif waiting:
        remedy = Message("Run {command}", {"command": f"{sys.executable} -m pip install 'indexer[ocr]'"})
        yield warning(name, Message("{count} documents have text in pictures that is not read", {"count": waiting}), remedy)  # fmt: skip
    else:
        yield ok(name, Message("not installed; no document needs it"))


def libreoffice(case: Case, settings: Settings) -> Iterator[Finding]:
    """Whether old Office files are read, and how many wait for that."""
    from ..parse import soffice

    name = Message("LibreOffice")
    if soffice.find():
        yield ok(
            name,
            Message(
                "{path} ({release}) reads old Office files", {"path": soffice.find(), "release": soffice.release()}
            ),
        )
    elif waiting := _noted(settings, _OFFICE):
        text = Message("{count} old Office files (.doc, .xls, .ppt) are not read", {"count": waiting})
        yield warning(name, text, Message("Install LibreOffice, such as: sudo apt install libreoffice-core-nogui libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"))  # fmt: skip
    else:
        yield ok(name, Message("not installed; no document needs it"))


def _noted(settings: Settings, pattern: str) -> int:
    """How many documents have such a note; 0 where there is no index to ask."""
    from ..api import KnowledgeBase

    try:
        catalog = KnowledgeBase(settings).catalog()
    except IndexerError:
        return 0
    if catalog is None:
        return 0
    try:
        return int(
            catalog.db.value(
                "SELECT count(*) FROM document WHERE state NOT IN ('indexed', 'gone') AND notes LIKE ?", (pattern,)
            )
        )
    finally:
        catalog.close()
