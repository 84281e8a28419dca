"""LibreOffice, where it is installed: finding it, its release, one conversion by it.

It runs inside the worker's folder with a profile of its own that is thrown away: no macros, no
links that are followed, no recovery, no first-start pages. The network and the user's files are
kept from it by the sandbox (`netblock`); a time-out ends it with the worker's whole process group.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("soffice", "libreoffice")
PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS",
    "/opt/libreoffice/program",
    "C:\\Program Files\\LibreOffice\\program",
    "C:\\Program Files (x86)\\LibreOffice\\program",
    "/snap/bin",
)
RESTART = (81, 79)  # what its own scripts take as the wish to be started again
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
{items}
</oor:items>
"""
ITEM = (
    '<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
)
PROFILE = (
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Common/Security/Scripting", "DisableOLEAutomation", "true"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Save/Document", "AutoSave", "false"),
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Common/Misc", "UseSystemFileDialog", "false"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Calc/Content/Update", "Link", "1"),
    ("Office.Java/VirtualMachine", "Enable", "false"),
    ("Office.Recovery/AutoSave", "Enabled", "false"),
)


@lru_cache(maxsize=1)
def find() -> str:
    """The program's path, "" where LibreOffice is not installed. Looks at a few names only."""
    for folder in (*os.environ.get("PATH", os.defpath).split(os.pathsep), *PLACES):
        for name in NAMES:
            path = os.path.join(folder, name + (".exe" if sys.platform == "win32" else ""))
            if os.access(path, os.X_OK) and os.path.isfile(path):
                return path
    return ""


@lru_cache(maxsize=1)
def release() -> str:
    """Such as "7.4", "present" where it does not tell, "absent"."""
    path = find()
    if not path:
        return "absent"
    folder = os.path.dirname(os.path.realpath(path))
    for name in ("bootstraprc", "bootstrap.ini", "../Resources/bootstraprc"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
                values = dict(line.strip().partition("=")[::2] for line in stream)
        except OSError:
            continue
        if number := re.search(r"\d+\.\d+", values.get("ProductKey", "")):
            return number[0]
    return "present"


def folders() -> list[str]:
    """What it must be able to read, wherever it is installed."""
    program = os.path.dirname(os.path.realpath(find()))
    if not find():
        return []
    return [os.path.dirname(program) if os.path.exists(os.path.join(program, "soffice.bin")) else program]


def convert(data: bytes, suffix: str, target: str) -> bytes:
    """The document in another format. Raises ParseRefused when LibreOffice cannot read it."""
    from pathlib import Path

    work = Path.cwd() / "office"
    profile, out, source = work / "profile", work / "out", work / f"document.{suffix}"
    (profile / "user").mkdir(parents=True)
    out.mkdir()
    source.write_bytes(data)
    items = "\n".join(ITEM.format(path=path, name=name, value=value) for path, name, value in PROFILE)
    (profile / "user" / "registrymodifications.xcu").write_text(SETTINGS.format(items=items), "utf-8")
    options = [
        "--headless",
        "--invisible",
        "--norestore",
        "--nologo",
        "--nodefault",
        "--nofirststartwizard",
        "--nolockcheck",
    ]
    own = [f"-env:UserInstallation={profile.as_uri()}", f"-env:OSL_SOCKET_PATH={work}"]
    command = [_binary(find()), *own, *options]
    code = RESTART[0]
    for _ in range(3):  # a new profile is filled, then it wants to be started again
        if code in RESTART:
            code = _run([*command, "--convert-to", target, "--outdir", str(out), str(source)], work)
    made = sorted(out.iterdir())
    if not made or not made[0].stat().st_size:
        raise ParseRefused(
            "LibreOffice could not read the file ({detail}); open it and save it in the newer format",
            detail=f"exit code {code}" if code else "no output",
        )
    return made[0].read_bytes()


def _binary(path: str) -> str:
    """The program behind its scripts, which wait for a splash screen and a socket in a folder of everybody's."""
    inner = os.path.join(os.path.dirname(os.path.realpath(path)), "soffice.bin")
    return inner if sys.platform == "linux" and os.access(inner, os.X_OK) else path


def _run(command: list[str], work: Path) -> int:
    """Waits without a clock: the worker's own ends it, with everything it started."""
    import subprocess  # not above: `indexer status` asks for the release

    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(work),
        "TMPDIR": str(work),
        "TEMP": str(work),
        "TMP": str(work),
        "LC_ALL": "C.UTF-8",
        "SAL_USE_VCLPLUGIN": "svp",
    }
    environment |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    null = subprocess.DEVNULL
    return subprocess.run(
        command, stdin=null, stdout=null, stderr=null, cwd=work, env=environment, check=False
    ).returncode
