"""The unit for systemd.

Who changes the hardening: the parsers confine themselves with Landlock and seccomp on top of it
(`parse/netblock`), which needs those system calls, /proc/self and a temporary folder. So there is
no SystemCallFilter (the set of calls differs between versions of systemd) and no ProtectProc.
"""

from __future__ import annotations

import os
import re

from ..core.errors import UsageError
from .facts import Command, Facts, File, Plan

WATCHDOG_SECONDS = 120


def plan(facts: Facts) -> Plan:
    """For the system, or for one user's manager (`systemctl --user`)."""
    if re.search(r"[\"'\\]", facts.python):
        raise UsageError(
            "systemd starts no program with a quote or a backslash in its path ({path}); make the virtual environment in another folder.",
            path=facts.python,
        )
    unit, user = f"{facts.name}.service", facts.scope != "system"
    folder = os.path.join(facts.user_home, ".config", "systemd", "user") if user else "/etc/systemd/system"
    control: Command = ("systemctl", "--user") if user else ("systemctl",)
    reload = (*control, "daemon-reload")
    return Plan(
        (File(os.path.join(folder, unit), text(facts)),),
        enable=(reload, (*control, "enable", "--now", unit)),
        renewed=((*control, "restart", unit),),
        disable=((*control, "disable", "--now", unit),),
        notes=(f"loginctl enable-linger {facts.user}",) if user else (),
    )


def text(facts: Facts) -> str:
    """The whole unit."""
    return "\n".join([*_head(facts), "", *_service(facts), "", *_hardening(facts), "", *_install(facts), ""])


def _head(facts: Facts) -> list[str]:
    return [
        "# Made by `indexer install-service`; run it again after a change of indexer.toml's folders.",
        "[Unit]",
        f"Description=indexer keeps {_percent(facts.home)} up to date",
        f"RequiresMountsFor={words(facts.metadata, facts.vectorstore)}",
        "StartLimitIntervalSec=600",
        "StartLimitBurst=5",
    ]


def _service(facts: Facts) -> list[str]:
    system = [f"User={_percent(facts.user)}"] if facts.scope == "system" and facts.user else []
    language = [f"Environment=INDEXER_LANG={facts.language}"] if facts.language else []
    return [
        "[Service]",
        "Type=notify",
        f"ExecStart=:{words(*facts.command)}",
        "ExecReload=/bin/kill -HUP $MAINPID",
        *system,
        *language,
        "Restart=on-failure",
        "RestartSec=10",
        "# a configuration that does not hold is not mended by starting again",
        "RestartPreventExitStatus=2",
        "SuccessExitStatus=130",
        f"WatchdogSec={WATCHDOG_SECONDS}",
        "TimeoutStartSec=300",
        "TimeoutStopSec=30",
        "# the daemon ends its parsers itself, and one that takes too much memory is no reason to end the daemon",
        "KillMode=mixed",
        "OOMPolicy=continue",
        "Nice=5",
    ]


def _hardening(facts: Facts) -> list[str]:
    """What any manager can do; with a system manager also what needs a mount namespace."""
    common = [
        "NoNewPrivileges=yes",
        "RestrictSUIDSGID=yes",
        "RestrictRealtime=yes",
        "LockPersonality=yes",
        "SystemCallArchitectures=native",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    ]
    if facts.scope != "system":
        return common
    temporary = ("/tmp",) if facts.in_temporary_folder else ()  # noqa: S108 - not private then
    optional = tuple(f"-{p}" for p in facts.written)
    return [
        *common,
        "ProtectSystem=strict",
        f"ReadWritePaths={words(facts.metadata, facts.vectorstore, *temporary, *optional)}",
        *([] if temporary else ["PrivateTmp=yes"]),
        *([] if facts.devices else ["PrivateDevices=yes"]),
        "ProtectControlGroups=yes",
        "ProtectKernelLogs=yes",
        "ProtectKernelModules=yes",
        "ProtectKernelTunables=yes",
        "ProtectHostname=yes",
        "RestrictNamespaces=yes",
        *([] if facts.user == "root" else ["CapabilityBoundingSet="]),
    ]


def _install(facts: Facts) -> list[str]:
    return ["[Install]", f"WantedBy={'multi-user' if facts.scope == 'system' else 'default'}.target"]


def words(*values: str) -> str:
    """Values as systemd splits a line: quoted where needed, \\ and " escaped, % doubled (it begins a specifier)."""
    return " ".join(map(_word, values))


def _word(value: str) -> str:
    value = _percent(value)
    if re.fullmatch(r"[\w/.:,+@%=-]+", value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _percent(value: str) -> str:
    return value.replace("%", "%%")
