"""``indexer doctor``: whether everything is as an index needs it, and what to do where it is not.

A check is a function from a :class:`Case` to findings. It looks, it does not mend, and it leaves
nothing behind; each stands alone, so one that fails takes no other with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from ..core.model import Message
from .finding import Case, Check, Finding, Level, SettingsCheck, exit_code, guarded

__all__ = ["CHECKS", "Case", "Finding", "Level", "examine", "exit_code"]

CHECKS: tuple[tuple[Message, str, bool], ...] = (
    (Message("configuration"), "setup:configuration", False),
    (Message("packages"), "setup:packages", False),
    (Message("secrets and loaders"), "setup:named_things", True),
    (Message("sources"), "folders:sources", True),
    (Message("metadata and vectorstore"), "folders:state_folders", True),
    (Message("writing"), "disks:writing", True),
    (Message("disk"), "disks:disk", True),
    (Message("file names"), "folders:file_names", True),
    (Message("watch limits"), "limits:watch_limits", True),
    (Message("open files"), "limits:open_files", False),
    (Message("memory"), "limits:memory", True),
    (Message("clock"), "clock:clock", False),
    (Message("time zone"), "clock:time_zone", True),
    (Message("history"), "clock:history", True),
    (Message("model"), "model:model", True),
    (Message("language model"), "llm:llm", True),
    (Message("sandbox"), "parsers:sandbox", True),
    (Message("OCR"), "parsers:ocr", True),
    (Message("LibreOffice"), "parsers:libreoffice", True),
    (Message("index"), "index:index", True),
    (Message("runs"), "index:runs", True),
    (Message("documents"), "index:documents", True),
    (Message("daemon"), "service:daemon", True),
    (Message("schedule"), "service:schedule", True),
    (Message("log"), "service:log", True),
    (Message("notifications"), "service:notifications", True),
    (Message("metrics"), "service:metrics", True),
    (Message("web service"), "service:web", True),
    (Message("followers"), "followers:followers", True),
)
"""Name, where the check is (module:function), and whether it needs a valid configuration; in the order of the report."""


def examine(case: Case) -> Iterator[Finding]:
    """Every finding, check by check."""
    for name, place, needs_settings in CHECKS:
        if case.settings is not None or not needs_settings:
            yield from guarded(name, _check(place, needs_settings), case)


def _check(place: str, needs_settings: bool) -> Check:
    """Loaded when its turn comes: a check whose imports fail is a finding like any other."""

    def check(case: Case) -> Iterator[Finding]:
        module, _, function = place.partition(":")
        found: Check | SettingsCheck = getattr(import_module(f".{module}", __package__), function)
        if needs_settings:
            yield from found(case, case.settings)  # type: ignore[call-arg, arg-type]
        else:
            yield from found(case)  # type: ignore[call-arg]

    return check
