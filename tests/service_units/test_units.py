"""The printed units: valid in each format, whatever the folders are called, and the ones the document shows."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
import yaml
from example_units import AWKWARD, EXAMPLE, MAC, ODD, WINDOWS

from indexer.core.errors import UsageError
from indexer.core.tables import ScheduleSettings
from indexer.service_units import KINDS, Facts, cron, docker, launchd, plan, systemd, windows
from indexer.service_units.installing import with_block

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "service.md"


def options(unit: str) -> dict[str, list[str]]:
    """Each setting of a unit with its values."""
    found: dict[str, list[str]] = {}
    for line in unit.splitlines():
        if line and line[0] not in "#[":
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def split(line: str) -> list[str]:
    """Words of a line as systemd splits it: quotes, backslash escapes, then %% for a percent sign."""
    words, at = [], 0
    pattern = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))')
    while at < len(line):
        match = pattern.match(line, at)
        assert match, line
        quoted = match[1] is not None
        word = re.sub(r"\\(.)", r"\1", match[1]) if quoted else match[2]
        assert quoted or not re.search(r"[\"'\\]", word)
        assert not re.search(r"(?<!%)(%%)*%(?!%)", word), f"{word} has a specifier"
        words.append(word.replace("%%", "%"))
        at = match.end()
    return words


# ---- systemd -------------------------------------------------------------------------


@pytest.mark.parametrize("facts", [EXAMPLE, AWKWARD, AWKWARD._replace(scope="user")], ids=["plain", "odd", "user"])
def test_systemd_starts_exactly_this(facts: Facts) -> None:
    """The command and the folders that may be written survive systemd's quoting; no variable is filled in."""
    found = options(systemd.text(facts))
    [start] = found["ExecStart"]
    assert start[0] == ":"
    assert split(start[1:]) == list(facts.command)
    if facts.scope == "system":
        assert split(found["ReadWritePaths"][0]) == [facts.metadata, facts.vectorstore]
        assert found["User"] == [facts.user]
        assert found["WantedBy"] == ["multi-user.target"]
    else:
        assert "User" not in found
        assert "ProtectSystem" not in found  # a user's manager can make no mount namespace everywhere
        assert found["WantedBy"] == ["default.target"]
    assert found["Type"] == ["notify"]
    assert found["ExecReload"] == ["/bin/kill -HUP $MAINPID"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("scope", ["system", "user"])
def test_systemd_verifies_it(tmp_path: Path, scope: str) -> None:
    """systemd itself finds nothing to say about the unit, and finds the Python in an odd folder."""
    home = Path(str(tmp_path) + ODD)
    folder = tmp_path / "库 100%h $HOME"
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    facts = AWKWARD._replace(
        python=str(folder / "python"), home=str(home), metadata=str(home / "metadata"),
        vectorstore=str(home / "vectorstore"), scope=scope, user="root",
    )  # fmt: skip
    unit = tmp_path / "indexer-test.service"
    unit.write_text(systemd.text(facts), "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", f"--{scope}", str(unit)]
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environ)
    about_us = [x for x in (done.stderr + done.stdout).splitlines() if "indexer-test" in x]
    assert about_us == []
    assert done.returncode == 0
    (folder / "python").unlink()  # and it does look
    assert subprocess.run(command, capture_output=True, timeout=120, env=environ).returncode != 0


def test_a_python_that_systemd_does_not_start() -> None:
    """Quotes and backslashes in the path of a program are refused by systemd; we say so before."""
    with pytest.raises(UsageError, match="virtual environment"):
        systemd.plan(EXAMPLE._replace(python=ODD + "/bin/python"))


def test_what_the_parsers_need_is_not_forbidden() -> None:
    """They confine themselves with Landlock and seccomp, in a temporary folder, and LibreOffice maps code."""
    found = options(systemd.text(EXAMPLE))
    assert not {"SystemCallFilter", "MemoryDenyWriteExecute", "ProtectProc", "PrivateUsers", "TasksMax"} & set(found)
    assert found["PrivateTmp"] == ["yes"]
    assert found["KillMode"] == ["mixed"]  # a parser ended by the stop of the service would be held against its file


def test_a_stop_and_a_wrong_configuration() -> None:
    """Ctrl-C's code is a success, and what no restart mends is not restarted."""
    found = options(systemd.text(EXAMPLE))
    assert found["SuccessExitStatus"] == ["130"]
    assert found["RestartPreventExitStatus"] == ["2"]
    assert int(found["WatchdogSec"][0]) == systemd.WATCHDOG_SECONDS


def test_exceptions_of_the_hardening() -> None:
    """Documents below /tmp, a GPU, root, another log folder: each takes back just what would break it."""
    inside = options(systemd.text(EXAMPLE._replace(sources=("/tmp/documents",))))
    assert "PrivateTmp" not in inside
    assert split(inside["ReadWritePaths"][0])[-1] == "/tmp"
    assert "PrivateDevices" not in options(systemd.text(EXAMPLE._replace(devices=True)))
    assert "CapabilityBoundingSet" not in options(systemd.text(EXAMPLE._replace(user="root")))
    logs = options(systemd.text(EXAMPLE._replace(written=("/var/log/my indexer",))))
    assert split(logs["ReadWritePaths"][0])[-1] == "-/var/log/my indexer"


# ---- launchd, Windows ----------------------------------------------------------------


@pytest.mark.parametrize("facts", [MAC, AWKWARD])
def test_launchd_starts_exactly_this(facts: Facts) -> None:
    """The property list reads back as the command."""
    [file] = launchd.plan(facts).files
    values = plistlib.loads(file.text.encode())
    assert values["ProgramArguments"] == list(facts.command)
    assert values["KeepAlive"] == {"SuccessfulExit": False}
    assert values.get("UserName") == (facts.user if facts.scope == "system" else None)
    assert Path(file.path).name == f"{values['Label']}.plist"


def argv(line: str) -> list[str]:
    """A command line as Windows' C runtime splits it: 2n backslashes before a quote are n, 2n+1 a quote."""
    words, word, quoted, started, at = [], "", False, False, 0
    while at < len(line):
        slashes = len(line[at:]) - len(line[at:].lstrip("\\"))
        if slashes:
            at += slashes
            if line[at : at + 1] == '"':
                word += "\\" * (slashes // 2)
                if slashes % 2:
                    word, at = word + '"', at + 1
            else:
                word += "\\" * slashes
            started = True
            continue
        char = line[at]
        at += 1
        if char == '"':
            quoted, started = not quoted, True
        elif char in " \t" and not quoted:
            words, word, started = words + ([word] if started else []), "", False
        else:
            word, started = word + char, True
    return words + ([word] if started else [])


@pytest.mark.parametrize("facts", [WINDOWS, AWKWARD])
def test_windows_starts_exactly_this(facts: Facts) -> None:
    """The arguments split as Windows splits them are the command's; the file is UTF-16 as it says."""
    [file] = windows.plan(facts).files
    assert file.encoding == "utf-16"
    task = Xml.fromstring(file.text.encode("utf-16"))  # noqa: S314 - our own text
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert task.findtext(".//t:Command", namespaces=space) == facts.python
    assert argv(task.findtext(".//t:Arguments", "", space)) == list(facts.command[1:])
    assert task.findtext(".//t:ExecutionTimeLimit", namespaces=space) == "PT0S"  # else it is ended after three days
    assert task.find(".//t:BootTrigger" if facts.scope == "system" else ".//t:LogonTrigger", space) is not None


# ---- containers ----------------------------------------------------------------------


@pytest.mark.parametrize("facts", [EXAMPLE, AWKWARD, WINDOWS])
def test_compose(facts: Facts) -> None:
    """Documents and configuration read-only from this machine, the state in volumes of its own."""
    made = yaml.safe_load(docker.compose(facts))
    service = made["services"]["indexer"]
    binds = [v for v in service["volumes"] if isinstance(v, dict)]
    sources = [b["source"].replace("$$", "$") for b in binds]
    assert sources[1:] == list(facts.sources)
    assert sources[0].startswith(facts.home)
    assert all(b["read_only"] for b in binds)
    assert all("$" not in re.sub(r"\$\$", "", b["source"]) for b in binds)
    assert {"metadata", "vectorstore"} == set(made["volumes"])
    assert binds[0]["target"] == "/data/indexer.toml"
    assert service["environment"].get("INDEXER_LANG") == (facts.language or None)


def test_sources_are_where_the_configuration_says() -> None:
    """A folder of the home is in the container's home, any other at its own path."""
    made = yaml.safe_load(docker.compose(EXAMPLE._replace(sources=("/srv/documents/a/b", "/mnt/share"))))
    targets = [v["target"] for v in made["services"]["indexer"]["volumes"] if isinstance(v, dict)]
    assert targets[1:] == ["/data/a/b", "/mnt/share"]


def test_the_dockerfile_s_health_is_that_of_the_daemon() -> None:
    """`indexer status --health` with options that exist, as a list: no shell is needed."""
    from indexer.cli import parser

    [check] = re.findall(r"CMD (\[.*--health.*\])", docker.DOCKERFILE)
    words = json.loads(check)
    assert parser("en").parse_args(words[1:]).health
    [entry] = re.findall(r"ENTRYPOINT (.*)", docker.DOCKERFILE)
    assert json.loads(entry) == ["indexer"]


# ---- cron ----------------------------------------------------------------------------


def test_cron_runs_exactly_this(tmp_path: Path) -> None:
    """The line, as cron reads it and the shell splits it, is the command."""
    script = tmp_path / (ODD.replace("/", "_")) / "python"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nimport json, sys; print(json.dumps(sys.argv[1:]))\n", "utf-8")
    script.chmod(0o755)
    facts = AWKWARD._replace(python=str(script))
    [line] = [x for x in cron.text(facts).splitlines() if "update" in x]
    command = line.split(" ", 5)[5]
    assert not re.search(r"(?<!\\)%", command)
    shell = subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], capture_output=True, text=True, check=True)
    assert json.loads(shell.stdout) == ["-m", "indexer", "update", "--now", "--quiet", "--home", facts.home]


@pytest.mark.parametrize(
    ("settings", "exact", "fields"),
    [
        ({}, True, "0 2 * * *"),
        ({"at": "23:45"}, True, "45 23 * * *"),
        ({"cron": "30 1 * * 1-5"}, True, "30 1 * * 1-5"),
        ({"every": "6h"}, True, "0 */6 * * *"),
        ({"every": "1h"}, True, "0 * * * *"),
        ({"every": "10m"}, True, "*/10 * * * *"),
        ({"every": "1d"}, True, "0 2 * * *"),
        ({"every": "1d", "at": "03:30"}, True, "30 3 * * *"),
        ({"every": "90m"}, False, "0 * * * *"),
        ({"every": "7m"}, False, "*/7 * * * *"),
        ({"every": "30s"}, False, "* * * * *"),
        ({"every": "2d"}, False, "0 2 */2 * *"),
    ],
)
def test_times_of_a_crontab(settings: dict[str, str], exact: bool, fields: str) -> None:
    """The schedule in five fields, and whether they say the same."""
    assert cron.times(ScheduleSettings(**settings)) == (exact, fields)  # type: ignore[arg-type]


def test_what_cron_cannot_say_is_said() -> None:
    """A comment where the schedule is only near, and the time zone."""
    assert "cannot be said" in cron.text(EXAMPLE._replace(schedule=ScheduleSettings(every="90m")))
    assert "CRON_TZ=Asia/Shanghai" in cron.text(AWKWARD)
    assert "INDEXER_LANG=zh" in cron.text(AWKWARD)


def test_a_stretch_of_a_crontab() -> None:
    """Added once, replaced in place, taken out; what others wrote stays as it is."""
    block = cron.text(EXAMPLE)
    mine = "MAILTO=me\n0 1 * * * backup\n"
    once = with_block(mine, block)
    assert once == mine + block
    assert with_block(once, block) == once
    other = cron.text(EXAMPLE._replace(home="/srv/other"))
    between = block + "5 5 * * * after\n"
    assert with_block(mine + between, other) == mine + other + "5 5 * * * after\n"
    assert with_block(mine + between, block, remove=True) == mine + "5 5 * * * after\n"
    assert with_block("", block) == block
    assert with_block("no line end", block) == "no line end\n" + block
    second = cron.text(EXAMPLE._replace(name="indexer-2"))
    assert with_block(once, second) == once + second  # each knowledge base has its own


# ---- the document --------------------------------------------------------------------


def test_the_document_shows_what_is_printed() -> None:
    """Every unit in docs/service.md is the one the product makes for the example."""
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```", DOCUMENT.read_text("utf-8"))
    shown = [systemd.text(EXAMPLE), launchd.plan(MAC).files[0].text, windows.text(WINDOWS), cron.text(EXAMPLE)]
    for made in (*shown, docker.DOCKERFILE, docker.compose(EXAMPLE)):
        assert made in blocks


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_plan(kind: str) -> None:
    """Files with a place, and all commands in words."""
    made = plan(kind, EXAMPLE)
    assert made.files
    assert all(f.text.endswith("\n") and f.path for f in made.files)
    assert all(isinstance(w, str) for c in (*made.enable, *made.created, *made.renewed, *made.disable) for w in c)
