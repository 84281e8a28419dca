"""The property list for launchd (macOS)."""

from __future__ import annotations

import os
import plistlib
from typing import Any

from .facts import Facts, File, Plan

PREFIX = "local.indexer"


def plan(facts: Facts) -> Plan:
    """An agent of one user, or a daemon of the machine."""
    label = PREFIX if facts.name == "indexer" else f"{PREFIX}.{facts.name}"
    if facts.scope == "system":
        path, domain = f"/Library/LaunchDaemons/{label}.plist", "system"
    else:
        path = os.path.join(facts.user_home, "Library", "LaunchAgents", f"{label}.plist")
        domain = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
    start = ("launchctl", "bootstrap", domain, path)
    stop = ("launchctl", "bootout", f"{domain}/{label}")
    return Plan((File(path, text(facts, label)),), created=(start,), renewed=(stop, start), disable=(stop,))


def text(facts: Facts, label: str) -> str:
    """XML, as plistlib writes it: whatever is in a name is escaped."""
    values: dict[str, Any] = {
        "Label": label,
        "ProgramArguments": list(facts.command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "StandardErrorPath": os.path.join(facts.metadata, "launchd.log"),
        "EnvironmentVariables": {"PYTHONUTF8": "1", **({"INDEXER_LANG": facts.language} if facts.language else {})},
    }
    if facts.scope == "system" and facts.user:
        values["UserName"] = facts.user
    return plistlib.dumps(values, sort_keys=False).decode()
