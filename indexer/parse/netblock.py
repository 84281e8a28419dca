"""What the worker cannot do although its user could: use a network, read or change other files.

Every layer is asked for and none is relied upon; the start never fails for the lack of one.

    seccomp    Linux, x86_64 and aarch64: no sockets, no other doors (`netblock_seccomp`)
    landlock   Linux 5.13+: files beyond a list, TCP, signals to others (`netblock_landlock`)
    caps       Linux as root, as in many containers: root's privileges are given up
    seatbelt   macOS: the kernel's own sandbox, for the network
    audit      where no kernel holds the network (Windows): Python's own calls are refused;
               native code of a library is not held by this one
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .netblock_landlock import Paths

Role = Literal["parser", "program", "loader", "networked"]
"""Who asks: our parsers; those that run an installed program (LibreOffice); the user's own loaders, or such with a network."""

_OWN_DIRECTORIES = ("lib", "lib64", "libexec", "bin", "share", "etc", "pyvenv.cfg")
_LIBRARIES = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local/lib", "/usr/share", "/usr/local/share",
    "/nix/store", "/gnu/store", "/home/linuxbrew/.linuxbrew", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts",
    "/etc/mime.types", "/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/dev/urandom", "/dev/random", "/dev/zero",
)  # fmt: skip
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/etc",
    "/snap",
    "/proc",
    "/sys",
    "/dev",
    "/var/lib",
    "/var/cache",
    "/var/spool/libreoffice",
)
_TERMINALS = ("/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm")  # noqa: S108 - not a file of ours
_PACKED = (".zip", ".egg", ".py", ".so", ".pyd", ".pth", ".dist-info", ".egg-info")


def block(role: Role = "parser") -> str:
    """Takes it all away for good and returns what holds, such as "seccomp, landlock 7".

    Call it before a thread is started: a thread that exists is not held. A parser has no child
    processes and reads Python's own files only, a program those of the system too, a loader all;
    they write into the working folder. A networked loader is one whose user allowed it.
    """
    network = role == "networked"
    held: list[str] = []
    if sys.platform == "linux":
        held += _linux(role, network)
    elif sys.platform == "darwin" and not network and _seatbelt():
        held.append("seatbelt")
    if not network and not {"seccomp", "seatbelt"} & set(held):
        sys.addaudithook(_Refusing(role != "parser"))
        held.append("audit")
    return ", ".join(held) or "nothing"


def _linux(role: Role, network: bool) -> Iterator[str]:
    from . import netblock_landlock, netblock_seccomp

    paths = _paths(role)
    if version := netblock_landlock.restrict(paths, network):
        yield f"landlock {version}" + (" (writing only)" if paths.reads is None else "")
    if netblock_seccomp.give_up_privileges():
        yield "caps"
    if netblock_seccomp.install(role != "parser", network, role == "program"):
        yield "seccomp"


def _paths(role: Role) -> Paths:
    from .netblock_landlock import Paths

    writes = (os.getcwd(), os.devnull, *(_TERMINALS if role != "parser" else ()))
    reads, names = readable(role)
    # An interpreter that lives where nobody would guess must start all the same.
    guessed = role not in ("loader", "networked") and all(_below(path, reads) for path in _needed())
    return Paths(tuple(reads) if guessed else None, tuple(names), writes, run=role != "parser")


def readable(role: Role = "parser") -> tuple[list[str], list[str]]:
    """Real paths of what an interpreter and its packages read, and of folders of which they need the names."""
    found = list(_LIBRARIES if role == "parser" else (*_LIBRARIES, *_SYSTEM))
    if role == "program":
        from .soffice import folders

        found += folders()
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    found += [os.path.join(prefix, name) for prefix in prefixes for name in _OWN_DIRECTORIES]
    found += filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    found.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    reads = list(dict.fromkeys(map(os.path.realpath, found)))
    names = []
    for entry in map(os.path.realpath, sys.path):
        if not _below(entry, reads):
            whole, packages = _packages(entry)
            reads += packages
            names += [] if whole or not packages else [entry]
    return reads + _editable(), names


def _packages(entry: str) -> tuple[bool, list[str]]:
    """A folder on the import path may be a project or a home: then only its packages can be read."""
    if not os.path.isdir(entry) or os.path.basename(entry) in ("site-packages", "dist-packages"):
        return True, [entry]
    try:
        paths = [os.path.join(entry, name) for name in os.listdir(entry)]
    except OSError:
        return False, []
    return False, [p for p in paths if p.endswith(_PACKED) or os.path.isfile(os.path.join(p, "__init__.py"))]


def _editable() -> list[str]:
    """Sources of packages that are installed where they are worked on."""
    finders = [module for name, module in sys.modules.items() if name.startswith("__editable__")]
    return [os.path.realpath(str(path)) for finder in finders for path in getattr(finder, "MAPPING", {}).values()]


def _needed() -> Iterator[str]:
    """Real files of the standard library, of this package, and of some packages."""
    yield from (os.path.realpath(os.__file__), os.path.realpath(__file__))
    for entry in sys.path:
        for name in ("lxml", "pypdf", "numpy"):  # some installers link each file into a cache
            if os.path.exists(init := os.path.join(entry, name, "__init__.py")):
                yield os.path.realpath(init)


def _below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _seatbelt() -> bool:
    """macOS: deprecated by name, in daily use by browsers and build systems."""
    import ctypes

    try:
        return bool(ctypes.CDLL(None).sandbox_init(b"(version 1)(allow default)(deny network*)", 0, None) == 0)
    except (OSError, AttributeError):
        return False


class _Refusing:
    """An audit hook: PermissionError from Python's own doors to the network and to processes."""

    HERE = ("127.0.0.1", "::1", "localhost", "", None)
    ADDRESSED = ("socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg")
    NAMED = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
    PARSER = (
        "socket.__new__", *ADDRESSED, *NAMED, "subprocess.Popen", "os.system", "os.exec",
        "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.kill", "os.remove", "os.rename", "os.rmdir",
        "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.setxattr",
    )  # fmt: skip
    WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def __init__(self, children: bool) -> None:
        self._children = children

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """Called by the interpreter on each audited event; to raise is to refuse."""
        if self._leaves(event, args) if self._children else event.startswith(self.PARSER) or self._writes(event, args):
            raise PermissionError(errno.EACCES, f"{event} is refused in the process that parses")

    def _leaves(self, event: str, args: tuple[Any, ...]) -> bool:
        """Loops of events make a pair of sockets on this machine; nothing else is reached."""
        if event in self.ADDRESSED:
            return isinstance(args[1], tuple) and args[1][0] not in self.HERE
        return event in self.NAMED and args[0] not in self.HERE

    def _writes(self, event: str, args: tuple[Any, ...]) -> bool:
        return event == "open" and args[0] != os.devnull and isinstance(args[2], int) and bool(args[2] & self.WRITING)
