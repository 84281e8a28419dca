"""``indexer doctor``: each check on a knowledge base that has exactly that trouble, and on one that has none."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.cli import main
from indexer.config import load_settings
from indexer.core.errors import ConfigError, StoreDamaged, UsageError
from indexer.core.model import Message
from indexer.doctor import CHECKS, Case, Finding, Level, clock, disks, examine, exit_code, folders, limits, mounts
from indexer.doctor.finding import guarded, ok, problem, warning
from indexer.store.local import Layout
from indexer.triggers.watch.mounts import parse_mountinfo

CONFIG = '[embedding]\nmodel = "python:indexer.embed.hashing:HashEmbedder"\n'
Out = pytest.CaptureFixture[str]
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An indexed knowledge base of one document."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    (tmp_path / "knowledge_base").mkdir()
    (tmp_path / "knowledge_base" / "a.txt").write_text("Annual leave is fifteen days a year.", "utf-8")
    (tmp_path / "indexer.toml").write_text(CONFIG, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["update", "--now", "-q"]) == 0
    return tmp_path


def case_of(home: Path, *, deep: bool = False, now_ns: int | None = None, **flags: object) -> Case:
    """What the command would examine."""
    settings = load_settings(home, {k.replace("__", "."): v for k, v in flags.items()})
    return Case(str(home), settings, None, time.time_ns() if now_ns is None else now_ns, deep)


def found(case: Case, name: str) -> list[Finding]:
    """The findings of one check."""
    return [f for f in examine(case) if str(f.name) == name]


def only(case: Case, name: str, level: Level) -> Finding:
    """The one finding of a check that is not all right, which is of this level."""
    [finding] = [f for f in found(case, name) if f.level is not Level.OK]
    assert finding.level is level
    return finding


def test_every_check_has_something_to_say(home: Path) -> None:
    """Of a healthy knowledge base nothing is a problem, and no check could not be made."""
    findings = list(examine(case_of(home)))
    assert {str(f.name) for f in findings} == {str(name) for name, _, _ in CHECKS}
    assert [f for f in findings if f.level is Level.PROBLEM] == []
    assert [f for f in findings if "could not be checked" in str(f.message)] == []


def test_nothing_is_left_behind(home: Path) -> None:
    """Looking changes no file of the state."""

    def listing() -> list[str]:
        return sorted(str(p) for p in home.rglob("*") if not p.name.endswith(("-shm", "-wal")))

    before = listing()
    list(examine(case_of(home)))
    assert listing() == before


def test_what_raises_is_a_finding(home: Path) -> None:
    """An error of ours with its sentence and code, any other as what could not be checked."""
    case, name = case_of(home), Message("disk")

    def damaged(case: Case) -> Iterator[Finding]:
        yield ok(name, Message("{path}", {"path": "x"}))
        raise StoreDamaged("{path}", path="y")

    def broken(case: Case) -> Iterator[Finding]:
        raise ZeroDivisionError("by zero")

    first, second = guarded(name, damaged, case)
    assert first.level is Level.OK
    assert (second.level, second.code, str(second.message)) == (Level.PROBLEM, 6, "y")
    [third] = guarded(name, broken, case)
    assert third.level is Level.WARNING
    assert "ZeroDivisionError: by zero" in str(third.message)


def test_exit_codes() -> None:
    """0, 3 for warnings, the first problem's own."""
    fine, warned = ok(Message("x"), Message("x")), warning(Message("x"), Message("x"))
    assert exit_code([fine]) == 0
    assert exit_code([fine, warned]) == 3
    assert exit_code([warned, problem(Message("x"), Message("x"), code=6), problem(Message("x"), Message("x"))]) == 6


# ---- the command ---------------------------------------------------------------------


def test_the_command(home: Path, capsys: Out) -> None:
    """A line a finding, the remedy below it, a count at the end; the same as JSON; less with -q; in Chinese too."""
    capsys.readouterr()
    code = main(["doctor"])
    said = capsys.readouterr().out
    assert f"[ok] configuration: {home / 'indexer.toml'} holds" in said
    assert code in (0, 3)
    main(["doctor", "--json"])
    got = json.loads(capsys.readouterr().out)
    assert got["exit_code"] == code
    assert {"name": "configuration", "level": "ok", "message": f"{home / 'indexer.toml'} holds", "remedy": None} in got["findings"]  # fmt: skip
    main(["doctor", "-q"])
    assert "[ok]" not in capsys.readouterr().out
    main(["doctor", "--set", "language=zh"])
    said = capsys.readouterr().out
    assert "[正常] 配置：" in said
    assert not re.search(r"\[(ok|warning|problem)\]", said)


def test_a_wrong_configuration(home: Path, capsys: Out) -> None:
    """Every wrong key is named, what needs no configuration is checked all the same; exit code 2."""
    (home / "indexer.toml").write_text(CONFIG + "[split]\nsise = 3\noverlap = -1\n", "utf-8")
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 2
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert findings[0]["level"] == "problem"
    assert "sise" in findings[0]["message"]
    assert "overlap" in findings[0]["message"]
    assert {"packages", "clock", "open files"} <= {f["name"] for f in findings}
    assert "sources" not in {f["name"] for f in findings}


def test_no_knowledge_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """Without indexer.toml there is nothing to examine; `indexer init` is named."""
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 2
    assert "indexer init" in capsys.readouterr().err


# ---- setup ---------------------------------------------------------------------------


def test_packages(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing one and a wrong version are named with what is needed."""
    wanted = ["numpy>=99", "no-such-package-here>=1", 'other; extra == "ocr"', "pydantic-settings"]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: wanted)
    findings = found(case_of(home), "packages")
    assert [f.level for f in findings] == [Level.PROBLEM, Level.PROBLEM]
    assert "needed is >=99" in str(findings[0].message)
    assert "no-such-package-here is missing (>=1)" in str(findings[1].message)
    assert sys.executable in str(findings[0].remedy)


def test_a_loader_that_is_not_there(home: Path) -> None:
    """Named with its key."""
    finding = only(case_of(home, loaders={".xyz": "no_such_module_here:Loader"}), "secrets and loaders", Level.WARNING)
    assert 'loaders ".xyz"' in str(finding.message)


# ---- folders -------------------------------------------------------------------------


def test_a_source_that_is_gone(home: Path) -> None:
    """A problem with the code of an unavailable source."""
    (home / "knowledge_base").rename(home / "elsewhere")
    finding = only(case_of(home), "sources", Level.PROBLEM)
    assert finding.code == 4
    assert "there is no folder" in str(finding.message)


def test_a_source_that_is_empty(home: Path) -> None:
    """Perhaps it was not mounted."""
    (home / "knowledge_base" / "a.txt").unlink()
    assert "is empty" in str(only(case_of(home), "sources", Level.WARNING).message)


@pytest.mark.skipif(AS_ROOT or sys.platform == "win32", reason="no permission holds for root")
def test_what_may_not_be_read_or_written(home: Path) -> None:
    """Each with what to allow."""
    os.chmod(home / "knowledge_base", 0)
    os.chmod(home / "vectorstore", 0o500)
    try:
        assert only(case_of(home), "sources", Level.PROBLEM).code == 4
        assert "cannot be written" in str(only(case_of(home), "metadata and vectorstore", Level.PROBLEM).message)
    finally:
        os.chmod(home / "knowledge_base", 0o700)
        os.chmod(home / "vectorstore", 0o700)


@pytest.mark.skipif(not AS_ROOT, reason="only root gives files away")
def test_files_of_another_user(home: Path) -> None:
    """The folder whose run was once made by another user is named, with the chown that mends it."""
    os.chown(home / "metadata" / "writer.lock", 12345, 12345)
    finding = only(case_of(home), "metadata and vectorstore", Level.WARNING)
    assert "writer.lock" in str(finding.message)
    assert f"sudo chown -R 0:0 {home / 'metadata'}" in str(finding.remedy)
    for folder in (home / "metadata", home / "vectorstore"):
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 12345, 12345)
    findings = found(case_of(home), "metadata and vectorstore")
    assert [f.level for f in findings] == [Level.WARNING] * 2
    assert "sudo -u '#12345' indexer" in str(findings[0].remedy)


MOUNTINFO = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /srv/share\040name rw,nosuid - nfs4 10.0.0.1:/export rw,vers=4.2
31 22 0:27 / /srv/share\040name/inner rw - fuse.sshfs box: rw
32 22 0:28 / /over rw - ext4 /dev/vdb rw
33 22 0:29 / /over rw - cifs //box/over rw
34 22 0:30 / /ntfs rw - fuseblk /dev/sdc1 rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind", "remote", "shares"),
    [
        ("/home/me", "ext4", False, True),
        ("/srv/share name/docs", "nfs4", True, False),
        ("/srv/share name", "nfs4", True, False),
        ("/srv/share names", "ext4", False, True),
        ("/srv/share name/inner/x", "fuse.sshfs", True, False),
        ("/over/x", "cifs", True, False),  # what is mounted last hides what is below
        ("/ntfs/x", "fuseblk", True, True),
    ],
)
def test_file_systems(path: str, kind: str, remote: bool, shares: bool) -> None:
    """The longest mount point wins, the last of equal ones; blanks are written \\040."""
    found = mounts.longest(parse_mountinfo(MOUNTINFO.encode()), path.encode())
    assert found is not None
    place = mounts.Place(found.type)
    assert (place.kind, place.remote, place.shares_memory) == (kind, remote, shares)


def test_this_machine_s_file_systems(tmp_path: Path) -> None:
    """Of any path, also one that is not there yet, the file system can be told."""
    place = mounts.place_of(str(tmp_path / "not" / "there"))
    assert place is not None
    assert place.kind
    if sys.platform == "linux":
        assert mounts.place_of("/proc/self") == mounts.Place("proc")
        assert mounts.polled("/proc/self") == ""


def test_a_network_file_system(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's log does not work there: a problem for metadata, slow for vectors, polling for sources."""
    monkeypatch.setattr(folders, "place_of", lambda path: mounts.Place("nfs4"))
    monkeypatch.setattr(folders, "polled", lambda path: "nfs4")
    first, second = found(case_of(home), "metadata and vectorstore")
    assert first.level is Level.PROBLEM
    assert "SQLite's WAL" in str(first.message)
    assert second.level is Level.WARNING
    [source] = found(case_of(home), "sources")
    assert source.level is Level.OK
    assert "watch mode polls it" in str(source.message)
    stubborn = case_of(home, watch__enabled=True, watch__mode="events")
    assert "events do not tell" in str(only(stubborn, "sources", Level.WARNING).message)
    monkeypatch.setattr(folders, "place_of", lambda path: mounts.Place("overlay"))
    assert {f.level for f in found(case_of(home), "metadata and vectorstore")} == {Level.WARNING}


def test_writing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow disk, a file system without hard links, a disk that fails."""
    monkeypatch.setattr(disks, "SLOW_SECONDS", 0.0)
    assert "ms to make a file durable" in str(found(case_of(home), "writing")[0].message)
    monkeypatch.setattr(disks, "SLOW_SECONDS", 1e9)

    def refused(*args: object) -> None:
        raise PermissionError(1, "no")

    monkeypatch.setattr(os, "link", refused)
    assert "no hard links" in str(found(case_of(home), "writing")[0].message)

    def failing(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    first = found(case_of(home), "writing")[0]
    assert (first.level, first.code) == (Level.PROBLEM, 1)
    assert "Input/output error" in str(first.message)
    assert list((home / "metadata").glob(".tmp-doctor*")) == []


def test_disk(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fuller than the reserve is a problem; no room for a second index, or few inodes, a warning."""
    assert only_first(found(case_of(home, min_free_mb=10**12), "disk")).level is Level.PROBLEM
    if hasattr(os, "statvfs"):
        monkeypatch.setattr(disks, "FEW_INODES", 1 << 62)
        assert "inodes" in str(only_first(found(case_of(home), "disk")).message)
    import shutil

    usage = shutil.disk_usage(home)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=200 * 2**20 + 10))
    assert "no room to fill another" in str(only_first(found(case_of(home), "disk")).message)


def only_first(findings: list[Finding]) -> Finding:
    """The first of them."""
    return findings[0]


# ---- limits --------------------------------------------------------------------------


def kernel(folder: Path, watches: int, instances: int) -> str:
    """A folder as /proc/sys/fs/inotify."""
    folder.mkdir()
    (folder / "max_user_watches").write_text(f"{watches}\n")
    (folder / "max_user_instances").write_text(f"{instances}\n")
    return str(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
def test_watch_limits(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer watches than folders: the exact sysctl; a problem once watch mode is on."""
    for i in range(20):
        (home / "knowledge_base" / f"d{i}").mkdir()
    monkeypatch.setattr(limits, "_used", lambda: (100, 2))
    monkeypatch.setattr(limits, "INOTIFY", kernel(tmp_path / "a", 110, 128))
    finding = only(case_of(home), "watch limits", Level.WARNING)
    assert "21 folders" in str(finding.message)
    assert "fs.inotify.max_user_watches=524288 | sudo tee" in str(finding.remedy)
    only(case_of(home, watch__enabled=True), "watch limits", Level.PROBLEM)
    only(case_of(home, watch__enabled=True, watch__mode="polling"), "watch limits", Level.WARNING)
    monkeypatch.setattr(limits, "INOTIFY", kernel(tmp_path / "b", 10_000, 4))
    assert "max_user_instances=1024" in str(only(case_of(home), "watch limits", Level.WARNING).remedy)
    monkeypatch.setattr(limits, "INOTIFY", kernel(tmp_path / "c", 10_000, 128))
    assert [f.level for f in found(case_of(home), "watch limits")] == [Level.OK]
    monkeypatch.setattr(limits, "INOTIFY", str(tmp_path / "none"))
    assert [f.level for f in found(case_of(home), "watch limits")] == [Level.OK]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
def test_watches_in_use_are_counted(tmp_path: Path) -> None:
    """Those of this very process among them."""
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers.inotify import InotifyObserver

    (tmp_path / "inner").mkdir()
    before = limits._used()
    observer = InotifyObserver()
    observer.schedule(FileSystemEventHandler(), str(tmp_path), recursive=True)
    observer.start()
    try:
        after = limits._used()
    finally:
        observer.stop()
        observer.join()
    assert after[0] >= before[0] + 2
    assert after[1] >= before[1] + 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_open_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer than a store may need: the ulimit, or where to raise the hard limit."""
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 4096))
    assert "ulimit -n 1024" in str(only(case_of(home), "open files", Level.WARNING).remedy)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 256))
    assert "LimitNOFILE" in str(only(case_of(home), "open files", Level.WARNING).remedy)


def test_memory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than one parser takes, less than all take, enough, unknown."""
    said = []
    for available in (100, 2000, 10**6, None):
        monkeypatch.setattr(limits, "_available_mb", lambda available=available: available)
        [finding] = found(case_of(home, workers=4), "memory")
        said.append(finding.level)
    assert said == [Level.WARNING, Level.WARNING, Level.OK, Level.OK]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_measured(home: Path) -> None:
    """Whatever the machine, a positive number."""
    available = limits._available_mb()
    assert available is not None
    assert available > 0


# ---- clock ---------------------------------------------------------------------------


def test_a_year_that_cannot_be(home: Path) -> None:
    """A machine without a battery starts in 1970: a problem."""
    assert "1970-01" in str(only(case_of(home, now_ns=86_400 * 10**9), "clock", Level.PROBLEM).message)


def test_nothing_keeps_the_clock(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said where the kernel knows it; where it does not, nothing is said."""
    for known, level in ((False, Level.WARNING), (True, Level.OK), (None, Level.OK)):
        monkeypatch.setattr(clock, "synchronised", lambda known=known: known)
        assert [f.level for f in found(case_of(home), "clock")] == [level]


def test_the_kernel_answers() -> None:
    """Without any right."""
    assert clock.synchronised() in (True, False, None)


def change(home: Path, sql: str, *args: object) -> None:
    """Write into the served catalog."""
    layout = Layout(home / "metadata", home / "vectorstore")
    con = sqlite3.connect(layout.metadata / str(layout.served()) / "catalog.db")
    with con:
        con.execute(sql, args)
    con.close()


def test_a_history_in_the_future(home: Path) -> None:
    """And a clock that went back between two runs."""
    assert [f.level for f in found(case_of(home), "history")] == [Level.OK]
    early = case_of(home, now_ns=time.time_ns() - 10 * 86_400 * 10**9)
    assert "in the future" in str(only(early, "history", Level.WARNING).message)
    sql = "INSERT INTO run(id,started,finished,actor,trigger,exit_code,report) VALUES(9,?,?,'me','cli',0,'{}')"
    change(home, sql, 10**18, 10**18)
    assert "set back before run 9" in str(only(case_of(home), "history", Level.WARNING).message)


# ---- model, parsers, index -----------------------------------------------------------


def test_a_model_that_is_not_installed(home: Path) -> None:
    """A problem with the code of the model, and the package to install."""
    (home / "indexer.toml").write_text('[embedding]\nmodel = "python:no_such_module_here:Class"\n', "utf-8")
    assert only(case_of(home), "model", Level.PROBLEM).code == 5
    missing = case_of(home, embedding__model="./no/such/folder")
    assert "sentence-transformers" in str(only(missing, "model", Level.PROBLEM).remedy)


def test_deep_loads_the_model_and_compares(home: Path) -> None:
    """The probe text's vector is that of the index; another configured model is said to be one."""
    said = [str(f.message) for f in found(case_of(home, deep=True), "model")]
    assert any("the probe text embedded in" in text for text in said)
    assert said[-1].endswith("its vectors are those of the index")
    change(home, "UPDATE meta SET value=? WHERE key='embedding'", json.dumps({"model": "builtin:e5-small"}))
    other = found(case_of(home, deep=True), "model")
    assert [f.level for f in other if f.level is not Level.OK] in ([Level.WARNING], [Level.PROBLEM])


def test_a_model_that_was_exchanged(home: Path) -> None:
    """The same name, other vectors: a problem, code 5."""
    import numpy as np

    dimension = 8
    layout = Layout(home / "metadata", home / "vectorstore")
    con = sqlite3.connect(layout.metadata / str(layout.served()) / "catalog.db")
    [(probe,)] = con.execute("SELECT value FROM meta WHERE key='probe'").fetchall()
    con.close()
    dimension = len(probe) // 4
    change(home, "UPDATE meta SET value=? WHERE key='probe'", np.ones(dimension, np.float32).tobytes())
    finding = only(case_of(home, deep=True), "model", Level.PROBLEM)
    assert finding.code == 5
    assert "exchanged" in str(finding.message)


def test_the_sandbox(home: Path) -> None:
    """A real parser process is started and says what holds it."""
    [finding] = found(case_of(home), "sandbox")
    if sys.platform == "linux":
        assert "held by the kernel" in str(finding.message)
    broken = found(case_of(home, limits__memory_mb=64), "sandbox")
    assert [f.level for f in broken] in ([Level.PROBLEM], [Level.OK], [Level.WARNING])


def test_what_waits_for_a_program(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents whose notes say so are counted, others are not."""
    from indexer.parse import legacy, ocr, soffice
    from indexer.parse.image import NO_OCR
    from indexer.store.catalog import notes_json

    def add(number: int, state: str, note: Message) -> None:
        sql = "INSERT INTO document(id,source,path,state,notes,proof) VALUES(?,1,?,?,?,x'')"
        change(home, sql, number, f"{number}".encode(), state, notes_json([note]))

    monkeypatch.setattr(ocr, "available", lambda: False)
    monkeypatch.setattr(soffice, "find", lambda: "")
    for name in ("OCR", "LibreOffice"):
        assert "no document needs it" in str(found(case_of(home), name)[0].message)
    refused = next(m for m in legacy.parse.__code__.co_consts if isinstance(m, str) and "not installed" in m)
    add(90, "no_text", NO_OCR)
    add(91, "failed", Message(refused, {"suffix": "docx"}))
    add(92, "failed", Message(refused, {"suffix": "xlsx"}))
    assert "1 documents have text in pictures" in str(only(case_of(home), "OCR", Level.WARNING).message)
    assert "2 old Office files" in str(only(case_of(home), "LibreOffice", Level.WARNING).message)


def test_an_index_whose_files_are_gone(home: Path) -> None:
    """A missing segment, a shortened one, a damaged catalog: code 6."""
    segment = next(p for p in (home / "vectorstore").rglob("*.faiss") if "snapshots" not in p.parts)
    whole = segment.read_bytes()
    segment.write_bytes(whole[:-1])
    assert only(case_of(home), "index", Level.PROBLEM).code == 6
    segment.unlink()
    finding = only(case_of(home), "index", Level.PROBLEM)
    assert "indexer repair" in str(finding.remedy)
    (home / "metadata" / "HEAD").write_text("nonsense\n")
    assert only(case_of(home), "index", Level.PROBLEM).code == 6
    assert exit_code(examine(case_of(home))) == 6


def test_an_index_that_is_not_there_yet(home: Path) -> None:
    """Before the first update: what to do, and no other check stumbles."""
    import shutil

    shutil.rmtree(home / "metadata")
    shutil.rmtree(home / "vectorstore")
    assert "nothing is indexed yet" in str(only(case_of(home), "index", Level.WARNING).message)
    findings = list(examine(case_of(home)))
    assert not [f for f in findings if "could not be checked" in str(f.message) or f.level is Level.PROBLEM]


def test_a_last_run_that_failed(home: Path) -> None:
    """With its reason and its own code; an old one with what keeps it young."""
    error = json.dumps({"full": True, "error": ["{path} cannot be read ({why}); run `indexer repair`.", {"path": "p", "why": "y"}]})  # fmt: skip
    change(home, "UPDATE run SET exit_code=5, report=?", error)
    finding = only(case_of(home), "runs", Level.PROBLEM)
    assert finding.code == 5
    assert "p cannot be read (y)" in str(finding.message)
    change(home, "UPDATE run SET exit_code=4, report='{}'")
    assert "exit code 4" in str(only(case_of(home), "runs", Level.PROBLEM).message)
    change(home, "UPDATE run SET exit_code=0, finished=1")
    assert "hours ago" in str(only(case_of(home), "runs", Level.WARNING).message)


def test_documents(home: Path) -> None:
    """Failed, stale and held ones with their commands."""
    for number, state, held in ((90, "failed", None), (91, "stale", None), (92, "indexed", 1)):
        sql = "INSERT INTO document(id,source,path,state,held,proof) VALUES(?,1,?,?,?,x'')"
        change(home, sql, number, f"{number}".encode(), state, held)
    remedies = [str(f.remedy) for f in found(case_of(home), "documents")]
    assert remedies[0] == "Run indexer files --state failed"
    assert remedies[1] == "Run indexer files --state stale"
    assert "--allow-deletions" in remedies[2]


# ---- daemon --------------------------------------------------------------------------


def test_no_daemon(home: Path) -> None:
    """Fine as long as something else keeps the index fresh, such as cron."""
    assert [f.level for f in found(case_of(home), "daemon")] == [Level.OK]
    change(home, "UPDATE run SET finished=1")
    assert "install-service" in str(only(case_of(home), "daemon", Level.WARNING).remedy)


def test_a_daemon(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process and mode; one of another version is to be started again; polling with its reason."""
    from indexer import __version__, state

    facts = {
        "pid": 7,
        "mode": "run",
        "version": __version__,
        "watch": [{"source": "s", "how": "polling", "why": "nfs4"}],
    }
    monkeypatch.setattr(state, "read", lambda metadata: facts)
    said = [str(f.message) for f in found(case_of(home), "daemon")]
    assert said == ["process 7 runs (run)", "s is polled: nfs4"]
    facts["version"] = "0.0.1"
    assert "installed is" in str(only(case_of(home), "daemon", Level.WARNING).message)


@pytest.mark.parametrize(
    ("flags", "level", "text"),
    [
        ({}, Level.OK, "next: "),
        ({"schedule__cron": "0 0 29 2 *"}, None, ""),
        ({"schedule__enabled": False, "watch__enabled": True}, Level.OK, "watch mode is on"),
        ({"schedule__enabled": False}, Level.WARNING, "nothing is updated by itself"),
    ],
)
def test_schedule(home: Path, flags: dict[str, object], level: Level | None, text: str) -> None:
    """When it runs next; switched off is said, alone it is a warning."""
    [finding] = found(case_of(home, **flags), "schedule")
    assert level is None or finding.level is level
    assert text in str(finding.message)


def test_log_notifications_metrics(home: Path) -> None:
    """A log that is a folder, an address that leads nowhere, a port that is taken."""
    (home / "metadata" / "logs" / "indexer.log").mkdir(parents=True)
    assert "stderr only" in str(only(case_of(home), "log", Level.WARNING).message)
    assert "nobody is told" in str(found(case_of(home), "notifications")[0].message)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        finding = only(case_of(home, metrics__listen=f"127.0.0.1:{port}"), "metrics", Level.WARNING)
        assert f"127.0.0.1:{port}" in str(finding.message)
    assert found(case_of(home, metrics__listen=f"127.0.0.1:{port}"), "metrics")[0].level is Level.OK


def test_addresses_of_notifications(home: Path) -> None:
    """Counted by kind, never shown: they hold secrets."""
    good = case_of(home, notify__urls=["json://user:hunter2@localhost"])
    [finding] = found(good, "notifications")
    assert finding.level is Level.OK
    assert "json" in str(finding.message)
    assert "hunter2" not in str(finding.message)
    case = case_of(home)
    assert case.settings is not None
    wrong = case._replace(settings=case.settings._replace(notify=case.settings.notify._replace(urls=("nonsense://x",))))
    assert "urls[0]" in str(only(wrong, "notifications", Level.WARNING).message)


def test_errors_of_the_configuration_carry_their_code(home: Path) -> None:
    """Those of files and those of flags."""
    for error in (ConfigError("{path}", path="x"), UsageError("{path}", path="x")):
        case = Case(str(home), None, error, time.time_ns())
        assert exit_code(examine(case)) == 2


def test_the_web_service(home: Path) -> None:
    """Off, free, taken, open to others without a key."""
    assert "off" in str(found(case_of(home), "web service")[0].message)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        assert only(case_of(home, serve__enabled=True, serve__listen=listen), "web service", Level.WARNING)
    assert found(case_of(home, serve__enabled=True, serve__listen=listen), "web service")[0].level is Level.OK
    finding = only(case_of(home, serve__enabled=True, serve__listen="0.0.0.0:1"), "web service", Level.PROBLEM)
    assert "indexer key add" in str(finding.message)
