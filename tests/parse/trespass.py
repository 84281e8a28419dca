"""Attempts to leave the worker, by name; each raises what it meets. Run inside a confined process."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

ARM = platform.machine() == "aarch64"
LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform != "win32" else None
ASKED: dict[str, Any] = {}


def call(x86: int, arm: int, *args: object) -> int:
    """A bare system call; OSError where it fails."""
    assert LIBC is not None
    result = int(LIBC.syscall(ctypes.c_long(arm if ARM else x86), *args))
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return result


def libc_call() -> None:
    """socket() of the C library, as native code calls it."""
    assert LIBC is not None
    if LIBC.socket(socket.AF_INET, socket.SOCK_STREAM, 0) < 0:
        raise OSError(ctypes.get_errno(), "socket")


def fork() -> None:
    """A child that ends at once."""
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def unix(name: str) -> None:
    """Whether a UNIX socket can be made at all."""
    with socket.socket(socket.AF_UNIX) as made:
        if name.startswith("\0"):
            made.connect(name)


def child_tcp() -> None:
    """A connection made by another program that was started from here."""
    script = f"import socket; socket.create_connection(('127.0.0.1', {ASKED['port']}), 3)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if done.returncode:
        raise ChildProcessError(done.stderr.strip().splitlines()[-1])


def thread() -> None:
    """A thread that ends at once."""
    one = threading.Thread(target=int)
    one.start()
    one.join()


def path() -> str:
    """The user's file."""
    return str(ASKED["path"])


def beside(name: str) -> str:
    """A name in the user's folder."""
    return os.path.join(os.path.dirname(path()), name)


def limit_parent() -> None:
    """Another process's limit on open files, read and set."""
    import resource

    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE))


def udp() -> None:
    """One datagram to this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"x", ("127.0.0.1", 9))


def udp_send() -> None:
    """One datagram to another machine (an address for documentation)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(b"x", ("192.0.2.1", 9))


def exec_() -> None:
    """This process replaced by another program."""
    os.execv("/bin/true", ["/bin/true"])  # noqa: S606


def keep(text: str) -> None:
    """A file in the working folder."""
    with open("kept.txt", "w") as stream:
        stream.write(text)


def write(name: str, mode: str) -> None:
    """A file opened for writing."""
    open(name, mode).close()


ATTEMPTS: dict[str, Callable[[], object]] = {
    "tcp": lambda: socket.create_connection(("127.0.0.1", ASKED["port"]), 3).close(),
    "udp": udp,
    "udp_send": udp_send,
    "dns": lambda: socket.getaddrinfo("example.com", 80),
    "ipv6": lambda: socket.socket(socket.AF_INET6).close(),
    "raw_call": lambda: call(41, 198, socket.AF_INET, socket.SOCK_STREAM, 0),
    "libc_call": libc_call,
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0),
    "io_uring": lambda: call(425, 425, 8, ctypes.create_string_buffer(120)),
    "namespace": lambda: call(272, 97, 0x10000000 | 0x40000000),
    "ptrace": lambda: call(101, 117, 16, os.getppid(), 0, 0),
    "bpf": lambda: call(321, 280, 0, 0, 0),
    "unix": lambda: unix("made"),
    "abstract_unix": lambda: unix("\0/tmp/.X11-unix/X0"),
    "loop": lambda: [end.close() for end in socket.socketpair(socket.AF_UNIX)] and socket.socket().close(),
    "fork": fork,
    "spawn": lambda: subprocess.run(["/bin/true"], check=True),
    "exec": exec_,
    "child_tcp": child_tcp,
    "read": lambda: open(path()).close(),
    "list": lambda: os.listdir(os.path.dirname(path())),
    "passwd": lambda: open("/etc/passwd").close(),
    "parent": lambda: open(f"/proc/{os.getppid()}/environ").close(),
    "python": lambda: (open(os.__file__).close(), __import__("lxml.etree"), __import__("pypdf")),
    "write": lambda: write(path(), "a"),
    "create": lambda: write(beside("new.txt"), "w"),
    "delete": lambda: os.remove(path()),
    "rename": lambda: os.rename(path(), beside("other.txt")),
    "truncate": lambda: os.truncate(path(), 0),
    "link": lambda: os.link(path(), beside("linked.txt")),
    "own_file": lambda: keep("text"),
    "chmod": lambda: os.chmod(path(), 0o600),
    "utime": lambda: os.utime(path()),
    "signal_parent": lambda: os.kill(os.getppid(), 0),
    "signal_self": lambda: (os.kill(os.getpid(), 0), os.killpg(os.getpgrp(), 0), signal.raise_signal(signal.SIGCHLD)),
    "limit_parent": limit_parent,
    "thread": thread,
}


def main(held: str, cost: float, asked: dict[str, Any]) -> None:
    """Makes the attempts and prints what each met as the last line."""
    ASKED.update(asked)
    met = {"held": held, "cpu_ms": f"{cost * 1000:.1f}"}
    for name in asked["names"]:
        try:
            ATTEMPTS[name]()
            met[name] = "ok"
        except ChildProcessError as error:
            met[name] = str(error)
        except Exception as error:
            met[name] = type(error).__name__
    print(json.dumps(met))
