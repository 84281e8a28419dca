"""``doctor``: what is wrong with the installation, and what to do."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import ConfigError
from ..core.model import Message
from . import settings_of

if TYPE_CHECKING:
    from ..cli import Out
    from ..doctor import Case, Finding

_COLOURS = {"ok": "32", "warning": "33", "problem": "31"}


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))
    sub.add_argument("--deep", action="store_true", help=t("load the model too, and compare it with the index"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Exit code 0 when all is well, 3 with warnings, else that of the first problem's class."""
    from ..doctor import examine, exit_code

    findings = []
    for finding in examine(_case(options, out)):
        findings.append(finding)
        if not options.json:
            _say(finding, out)
    code = exit_code(findings)
    if options.json:
        out.json({"exit_code": code, "findings": [_plain(f) for f in findings]})
    else:
        _count(findings, out)
    return code


def _case(options: argparse.Namespace, out: Out) -> Case:
    from ..config import resolve_home
    from ..doctor import Case

    home = resolve_home(options.home)
    try:
        return Case(home, settings_of(options, out), None, time.time_ns(), options.deep)
    except ConfigError as e:
        return Case(home, None, e, time.time_ns(), options.deep)


def _say(finding: Finding, out: Out) -> None:
    """One line, and the remedy below it; with --quiet only what there is to do."""
    if out.quiet and finding.level == "ok":
        return
    level = {"ok": Message("ok"), "warning": Message("warning"), "problem": Message("problem")}[finding.level]
    words = {"level": level, "name": finding.name, "message": finding.message}
    line = out.text("[{level}] {name}: {message}", **words)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb":
        head, _, rest = line.partition("]")
        line = f"\033[{_COLOURS[finding.level]}m{head}]\033[0m{rest}"
    out.line(line)
    if finding.remedy is not None:
        out.line("    → " + out.text(finding.remedy))


def _plain(finding: Finding) -> dict[str, object]:
    remedy = None if finding.remedy is None else str(finding.remedy)
    return {"name": str(finding.name), "level": str(finding.level), "message": str(finding.message), "remedy": remedy}


def _count(findings: list[Finding], out: Out) -> None:
    warnings, problems = (sum(f.level == level for f in findings) for level in ("warning", "problem"))
    if warnings or problems:
        out.say("{problems} problems, {warnings} warnings.", problems=problems, warnings=warnings)
    else:
        out.say("All is well.")
