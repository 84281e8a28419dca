"""``indexer install-service``: it shows, asks, writes once, changes nothing the second time, and can be undone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.cli import main
from indexer.commands import service
from indexer.service_units import facts as facts_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand for the system's programs")
Out = pytest.CaptureFixture[str]

PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$(basename "$0") $1" in
  "crontab -l") [ -f "{table}" ] && cat "{table}" || {{ echo "no crontab for me" >&2; exit 1; }} ;;
  "crontab -") cat > "{table}" ;;
  *) [ ! -f "{fail}" ] || {{ echo "access denied" >&2; exit 1; }} ;;
esac
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base, the user's home beside it, and programs that write down how they are called."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    home, programs = tmp_path / "kb", tmp_path / "bin"
    (home / "knowledge_base").mkdir(parents=True)
    programs.mkdir()
    (tmp_path / "me").mkdir()
    (home / "indexer.toml").write_text('[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n', "utf-8")
    text = PROGRAM.format(log=tmp_path / "called", table=tmp_path / "table", fail=tmp_path / "fail")
    for name in ("systemctl", "crontab", "launchctl"):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(facts_module, "_user", lambda home: ("me", str(tmp_path / "me")))
    monkeypatch.chdir(home)
    return home


def called(home: Path) -> list[str]:
    """Calls since the last look."""
    log = home.parent / "called"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def run(*words: str) -> int:
    """The command for a user's systemd."""
    return main(["install-service", "--kind", "systemd", "--user", *words])


def test_printing_is_what_happens_by_itself(home: Path, capsys: Out) -> None:
    """The unit to stdout, where it belongs and what comes then to stderr; nothing is written or called."""
    assert run() == 0
    said = capsys.readouterr()
    assert said.out.startswith("# Made by")
    assert f"--home {home}" in said.out
    assert ".config/systemd/user/indexer.service" in said.err
    assert "systemctl --user enable --now indexer.service" in said.err
    assert run("--print", "-q") == 0
    assert capsys.readouterr() == (said.out, "")
    assert called(home) == []
    assert list((home.parent / "me").iterdir()) == []


def test_install_twice_and_remove(home: Path, capsys: Out) -> None:
    """Written and started; the second time nothing is written; then it is gone, and gone again is no error."""
    unit = home.parent / "me" / ".config" / "systemd" / "user" / "indexer.service"
    assert run("--install", "--yes") == 0
    assert unit.read_text("utf-8").startswith("# Made by")
    assert "+Type=notify" in capsys.readouterr().out
    assert called(home) == ["systemctl --user daemon-reload", "systemctl --user enable --now indexer.service"]
    assert (home / "metadata").is_dir()
    before = unit.stat().st_mtime_ns
    assert run("--install") == 0  # nobody is asked: nothing is written
    assert "nothing was written" in capsys.readouterr().out
    assert unit.stat().st_mtime_ns == before
    called(home)
    assert run("--uninstall", "--yes") == 0
    assert not unit.exists()
    assert called(home) == ["systemctl --user disable --now indexer.service", "systemctl --user daemon-reload"]
    assert run("--uninstall", "--yes") == 0
    assert "Nothing is installed" in capsys.readouterr().out


def test_nothing_is_overwritten_in_silence(home: Path, capsys: Out) -> None:
    """What somebody changed is shown as a difference, and stays unless there is a yes."""
    unit = home.parent / "me" / ".config" / "systemd" / "user" / "indexer.service"
    run("--install", "--yes")
    mine = unit.read_text("utf-8").replace("Nice=5", "Nice=19")
    unit.write_text(mine, "utf-8")
    called(home)
    capsys.readouterr()
    assert run("--install") == 2
    said = capsys.readouterr()
    assert "-Nice=19\n+Nice=5\n" in said.out
    assert "--yes" in said.err
    assert unit.read_text("utf-8") == mine
    assert called(home) == []
    assert run("--install", "--yes") == 0
    assert called(home)[-1] == "systemctl --user restart indexer.service"


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_asked(home: Path, answer: str, written: bool) -> None:
    """On a terminal: only a yes goes on."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    code = (
        "import sys; from indexer.cli import main; from indexer.service_units import facts;"
        f"facts._user = lambda home: ('me', {str(home.parent / 'me')!r});"
        "sys.exit(main(['install-service', '--kind', 'systemd', '--user', '--install']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        os.close(slave)
        os.write(master, answer.encode() + b"\n")
        said, _ = process.communicate(timeout=300)
        os.close(master)
    assert process.returncode == 0
    assert "[y/N]" in said
    assert ("Nothing was changed" in said) != written
    assert bool(called(home)) == written


def test_a_command_that_fails_is_named(home: Path, capsys: Out) -> None:
    """With what it said; ending what does not run is no failure."""
    (home.parent / "fail").touch()
    assert run("--install", "--yes") == 1
    assert "`systemctl --user daemon-reload` failed: access denied" in capsys.readouterr().err
    (home.parent / "fail").unlink()
    assert main(["install-service", "--kind", "launchd", "--user", "--install", "--yes"]) == 0
    [plist] = (home.parent / "me" / "Library" / "LaunchAgents").iterdir()
    plist.write_text(plist.read_text("utf-8").replace("Background", "Standard"), "utf-8")
    called(home)
    assert main(["install-service", "--kind", "launchd", "--user", "--install", "--yes"]) == 0
    assert [c.split()[1] for c in called(home)] == ["bootout", "bootstrap"]


def test_a_crontab(home: Path, capsys: Out) -> None:
    """Other people's lines stay; one stretch however often; removed without a trace."""
    table = home.parent / "table"
    cron = ("install-service", "--kind", "cron")
    assert main([*cron, "--install", "--yes"]) == 0
    assert table.read_text("utf-8").count("BEGIN indexer:") == 1
    table.write_text("0 1 * * * backup\n" + table.read_text("utf-8"), "utf-8")
    assert main([*cron, "--install"]) == 0
    assert main([*cron, "--install", "--yes", "--name", "second"]) == 0
    assert table.read_text("utf-8").count("BEGIN") == 2
    assert main([*cron, "--uninstall", "--yes"]) == 0
    assert main([*cron, "--uninstall", "--yes", "--name", "second"]) == 0
    assert table.read_text("utf-8") == "0 1 * * * backup\n"


def test_containers(home: Path, capsys: Out) -> None:
    """Two files beside indexer.toml; nothing is started."""
    assert main(["install-service", "--kind", "docker", "--install", "--yes"]) == 0
    assert {"Dockerfile", "compose.yaml"} <= {p.name for p in home.iterdir()}
    assert called(home) == []
    assert "docker compose" in capsys.readouterr().out
    assert main(["install-service", "--kind", "docker", "--uninstall", "--yes"]) == 0
    assert not {"Dockerfile", "compose.yaml"} & {p.name for p in home.iterdir()}


def test_what_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """A name that no unit can have, a folder no unit can name, the system's units without root."""
    assert run("--name", "a b") == 2
    assert "--name" in capsys.readouterr().err
    monkeypatch.setattr(service, "_is_root", lambda: False)
    assert main(["install-service", "--kind", "systemd", "--system", "--install", "--yes"]) == 2
    assert "sudo" in capsys.readouterr().err
    assert main(["install-service", "--kind", "systemd", "--system"]) == 0  # printing is for everybody
    odd = home.parent / "line\nbreak"
    home.rename(odd)
    monkeypatch.chdir(odd)
    capsys.readouterr()
    assert run() == 2
    assert "control character" in capsys.readouterr().err


def test_the_service_belongs_to_whom_the_folder_does(tmp_path: Path) -> None:
    """For root; anybody else's is their own."""
    import pwd

    me = pwd.getpwuid(os.geteuid())
    if os.geteuid() == 0:
        nobody = next(p for p in pwd.getpwall() if p.pw_uid not in (0, os.geteuid()))
        os.chown(tmp_path, nobody.pw_uid, -1)
        assert facts_module._user(str(tmp_path)) == (nobody.pw_name, nobody.pw_dir)
        os.chown(tmp_path, 0, -1)
    assert facts_module._user(str(tmp_path)) == (me.pw_name, me.pw_dir)


def test_the_units_speak_the_user_s_language(home: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Chinese terminal makes a Chinese daemon, unless the configuration decides."""
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    run("-q")
    assert "Environment=INDEXER_LANG=zh" in capsys.readouterr().out
    run("-q", "--set", "language=zh")
    assert "INDEXER_LANG" not in capsys.readouterr().out
