"""The task for Windows' Task Scheduler: a process that is started again, without a service wrapper."""

from __future__ import annotations

import ntpath
import subprocess
from xml.etree import ElementTree as Xml

from .facts import Facts, File, Plan

_SCHEMA = "http://schemas.microsoft.com/windows/2004/02/mit/task"


def plan(facts: Facts) -> Plan:
    """Registered by schtasks from a file that stays beside the metadata."""
    path, task = ntpath.join(facts.metadata, f"{facts.name}-task.xml"), f"\\{facts.name}"
    register, begin = ("schtasks", "/Create", "/F", "/TN", task, "/XML", path), ("schtasks", "/Run", "/TN", task)
    end, delete = ("schtasks", "/End", "/TN", task), ("schtasks", "/Delete", "/F", "/TN", task)
    file = File(path, text(facts), "utf-16")
    return Plan((file,), created=(register, begin), renewed=(end, register, begin), disable=(end, delete))


def text(facts: Facts) -> str:
    """XML; the arguments are one line, quoted as every Windows program reads its command line."""
    system = facts.scope == "system"
    task = Xml.Element("Task", {"version": "1.4", "xmlns": _SCHEMA})
    _put(task, "RegistrationInfo", {"Description": f"indexer keeps {facts.home} up to date"})
    _put(task, "Triggers", {"BootTrigger" if system else "LogonTrigger": {"Enabled": "true"}})
    principal = _put(task, "Principals", {"Principal": _principal(facts)})
    principal[0].set("id", "Author")
    settings = {
        "MultipleInstancesPolicy": "IgnoreNew",
        "DisallowStartIfOnBatteries": "false",
        "StopIfGoingOnBatteries": "false",
        "StartWhenAvailable": "true",
        "ExecutionTimeLimit": "PT0S",
        "Priority": "7",
        "RestartOnFailure": {"Interval": "PT1M", "Count": "999"},
    }
    _put(task, "Settings", settings)
    arguments = subprocess.list2cmdline(facts.command[1:])
    actions = _put(task, "Actions", {"Exec": {"Command": facts.python, "Arguments": arguments}})
    actions.set("Context", "Author")
    Xml.indent(task)
    return '<?xml version="1.0" encoding="UTF-16"?>\n' + Xml.tostring(task, encoding="unicode") + "\n"


def _principal(facts: Facts) -> dict[str, str]:
    """The machine's task runs without anybody logged on, with no password stored (S4U)."""
    how = "S4U" if facts.scope == "system" else "InteractiveToken"
    return {"UserId": facts.user, "LogonType": how, "RunLevel": "LeastPrivilege"}


def _put(parent: Xml.Element, tag: str, content: object) -> Xml.Element:
    element = Xml.SubElement(parent, tag)
    if isinstance(content, dict):
        for name, inner in content.items():
            _put(element, name, inner)
    else:
        element.text = str(content)
    return element
