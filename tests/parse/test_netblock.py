"""What a worker cannot do: every attempt is a real one, made inside a real worker."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.core.tables import ParseLimits
from indexer.parse.netblock import Role
from indexer.parse.process import Worker

HERE = Path(__file__).parent
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux has these layers")
filtered = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"), reason="no table of system calls"
)


def attempts(role: Role, *names: str, **given: object) -> dict[str, str]:
    """What each attempt of `trespass` met in a process that was confined as a worker is: "ok" or the error's name."""
    script = (
        "import json, os, sys, time; os.chdir(sys.argv[1]); from indexer.parse.netblock import block;"
        f"import trespass; system = sys.platform; sys.platform = {given.pop('system', sys.platform)!r};"
        f"start = time.process_time(); held = block({role!r}); cost = time.process_time() - start;"
        "sys.platform = system; trespass.main(held, cost, json.loads(sys.argv[2]))"
    )
    folder = given.pop("folder")
    asked = json.dumps({"names": names, **given})
    path = os.pathsep.join([str(HERE), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), asked],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(name="listening")
def fixture_listening() -> Iterator[int]:
    """A TCP port of this machine that accepts whoever comes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


NETWORK = (
    "tcp", "udp", "dns", "ipv6", "raw_call", "libc_call", "netlink", "packet", "io_uring", "namespace", "ptrace", "bpf",
)  # fmt: skip


@filtered
@pytest.mark.parametrize("role", ["parser", "program", "loader"])
def test_no_door_to_a_network_opens(role: Role, listening: int, tmp_path: Path) -> None:
    """By Python, by the C library, by the bare system call: refused for every kind of worker."""
    found = attempts(role, *NETWORK, port=listening, folder=tmp_path)
    assert "seccomp" in found.pop("held")
    assert [name for name in NETWORK if found[name] == "ok"] == []


@filtered
def test_a_parser_has_no_unix_sockets_and_no_children(listening: int, tmp_path: Path) -> None:
    """A socket of another program on this machine is a network too; nothing is started, not even by root."""
    found = attempts("parser", "unix", "abstract_unix", "fork", "spawn", "exec", folder=tmp_path, port=listening)
    assert {name for name, met in found.items() if met == "ok"} == set()


@filtered
def test_a_child_of_a_program_has_no_network_either(listening: int, tmp_path: Path) -> None:
    """What is taken away is taken away from all descendants."""
    found = attempts("program", "spawn", "child_tcp", "unix", "fork", folder=tmp_path, port=listening)
    assert (found["spawn"], found["fork"], found["unix"]) == ("ok", "ok", "ok")
    assert "PermissionError" in found["child_tcp"]


@linux
def test_a_parser_cannot_read_the_users_files(tmp_path: Path) -> None:
    """Documents, keys, other processes: nothing but what Python needs."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the user's")
    (tmp_path / "own").mkdir()
    found = attempts("parser", "read", "list", "passwd", "parent", "python", path=str(secret), folder=tmp_path / "own")
    if "landlock" not in found["held"]:
        pytest.skip("no Landlock in this kernel")
    assert [found[name] for name in ("read", "list", "passwd", "parent")] == ["PermissionError"] * 4
    assert found["python"] == "ok"
    loader = attempts("loader", "read", "parent", path=str(secret), folder=tmp_path / "own")
    assert (loader["read"], loader["parent"]) == ("ok", "PermissionError")
    program = attempts("program", "read", "parent", path=str(secret), folder=tmp_path / "own")
    assert (program["read"], program["parent"]) == ("PermissionError", "PermissionError")


@linux
@pytest.mark.parametrize("role", ["parser", "program", "loader"])
def test_nobody_changes_files_outside_the_working_folder(role: Role, tmp_path: Path) -> None:
    """No write, no new file, no deletion, no rename, no cut, no link; inside of it, freely."""
    mine = tmp_path / "mine.txt"
    mine.write_text("the user's")
    (tmp_path / "own").mkdir()
    names = ("write", "create", "delete", "rename", "truncate", "link", "own_file")
    found = attempts(role, *names, path=str(mine), folder=tmp_path / "own")
    if "landlock" not in found.pop("held"):
        pytest.skip("no Landlock in this kernel")
    assert found.pop("own_file") == "ok"
    assert {name for name, met in found.items() if met == "ok"} == set()
    assert mine.read_text() == "the user's"
    assert [entry.name for entry in tmp_path.iterdir() if entry != mine] == ["own"]


@filtered
def test_a_parser_cannot_change_modes_times_or_other_processes(tmp_path: Path) -> None:
    """What a list of files does not cover: attributes, signals to others, their limits."""
    mine = tmp_path / "mine.txt"
    mine.write_text("the user's")
    (tmp_path / "own").mkdir()
    names = ("chmod", "utime", "signal_parent", "limit_parent", "signal_self", "thread")
    found = attempts("parser", *names, path=str(mine), folder=tmp_path / "own")
    assert [found[name] for name in ("signal_self", "thread")] == ["ok", "ok"]
    assert [found[name] for name in names[:4]] == ["PermissionError"] * 4


@pytest.mark.parametrize("role", ["parser", "loader"])
def test_where_no_kernel_helps_python_itself_refuses(role: Role, listening: int, tmp_path: Path) -> None:
    """The audit hook, which is all there is on Windows."""
    names = ("tcp", "dns", "udp_send", "spawn", "loop", "write", "own_file")
    mine = tmp_path / "mine.txt"
    mine.write_text("the user's")
    (tmp_path / "own").mkdir()
    found = attempts(role, *names, port=listening, path=str(mine), folder=tmp_path / "own", system="win32")
    assert found["held"] == "audit"
    assert found["dns"] == found["udp_send"] == "PermissionError"
    own = {found[name] for name in ("tcp", "spawn", "loop", "write", "own_file")}
    assert own == ({"PermissionError"} if role == "parser" else {"ok"})  # a loader is the user's choice


@linux
@pytest.mark.parametrize("role", ["parser", "loader"])
def test_the_worker_says_what_holds(role: Role) -> None:
    """Its first frame names the layers, and its start is not held up by them."""
    started = time.perf_counter()
    worker = Worker(ParseLimits(), role)
    print(f"worker ready in {(time.perf_counter() - started) * 1000:.0f} ms, held by {worker.held}")
    worker.stop()
    if platform.machine() in ("x86_64", "aarch64"):
        assert "seccomp" in worker.held


@linux
def test_the_layers_cost_milliseconds(tmp_path: Path) -> None:
    """The CPU time of all layers together, measured in a process that has just started."""
    found = attempts("parser", "thread", folder=tmp_path)
    print(f"{found['held']} in {found['cpu_ms']} ms of CPU")
    assert float(found["cpu_ms"]) < 100


@linux
def test_it_is_called_before_any_thread() -> None:
    """Every thread of a worker is held: the kernel counts a filter and no privileges in each."""
    worker = Worker(ParseLimits(), "parser")
    try:
        tasks = list(Path(f"/proc/{worker._process.pid}/task").iterdir())
        status = [(task / "status").read_text() for task in tasks]
    finally:
        worker.stop()
    assert len(tasks) >= 2
    if "seccomp" in worker.held:
        assert all("Seccomp:\t2" in text for text in status)
    assert all("NoNewPrivs:\t1" in text for text in status)
    assert threading.active_count() >= 1


@linux
def test_a_loader_has_a_network_where_the_user_allows_it(listening: int, tmp_path: Path) -> None:
    """A loader that asks a server can be given its network; files stay what they are."""
    mine = tmp_path / "mine.txt"
    mine.write_text("the user's")
    (tmp_path / "own").mkdir()
    found = attempts(
        "networked", "tcp", "udp", "delete", "ptrace", path=str(mine), port=listening, folder=tmp_path / "own"
    )
    assert (found["tcp"], found["udp"]) == ("ok", "ok")
    assert found["ptrace"] == "PermissionError"
    if "landlock" in found["held"]:
        assert found["delete"] == "PermissionError"
