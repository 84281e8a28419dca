"""What starts the daemon with the machine: units for systemd, launchd, Windows, containers, and lines for cron.

Each kind is a pure function from :class:`Facts` to a :class:`Plan`: the texts, where they belong,
and the commands that make the system take notice. :mod:`.installing` carries a plan out.
"""

from __future__ import annotations

from importlib import import_module

from .facts import Facts, File, Plan

__all__ = ["KINDS", "Facts", "File", "Plan", "plan"]

KINDS = ("systemd", "launchd", "windows", "docker", "cron")


def plan(kind: str, facts: Facts) -> Plan:
    """What there is to install for one kind; raises UsageError for what cannot be said in its format."""
    found: Plan = import_module(f".{kind}", __package__).plan(facts)
    return found
