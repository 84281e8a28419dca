"""A filter on system calls (seccomp-BPF, Linux): the kernel itself says no to sockets, whoever asks.

It needs no privilege, no namespace and no library, works in containers, and is inherited by every
child process. Calls are refused with EACCES, so a library sees an error and not a death. The
numbers are the kernel's own and never change; an architecture without a table has no filter.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
SET_MODE_FILTER, SPEC_ALLOW = 1, 1 << 2  # the flag: no slow-down of the whole process on older kernels
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, ABSENT = 0x00050000 | 13, 0x00050000 | 38  # EACCES; ENOSYS, after which libraries try the older call
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data; the low half on little-endian machines
CAPABILITY_VERSION, CAP_DAC = 0x20080522, 1 << 1 | 1 << 2  # override, read and search
X32 = 0x40000000
AF_UNIX = 1
CLONE_THREAD, CLONE_NEW = 0x00010000, 0x7E020000

# name: (x86_64, aarch64); None where the architecture has no such call.
Table = dict[str, tuple[int | None, int | None]]
_WITH_A_CONDITION: Table = {
    "seccomp": (317, 277),
    "socket": (41, 198),
    "clone": (56, 220),
    "clone3": (435, 435),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "prlimit64": (302, 261),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
}
_NEVER: Table = {
    # doors to the network, to other processes' memory and to their descriptors
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "kcmp": (312, 272),
    # large and young parts of the kernel that no parser needs
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "personality": (135, 92),
    # what only root could do: the worker may run as root in a container
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "syslog": (103, 116), "acct": (163, 89), "quotactl": (179, 60),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "sethostname": (170, 161), "iopl": (172, None),
    "ioperm": (173, None), "vhangup": (153, 58),
}  # fmt: skip
_NOT_FOR_A_PARSER: Table = {
    "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
    # RLIMIT_NPROC does not hold for root
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    # what Landlock leaves free: owners, modes, times and attributes of the user's files
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "file_setattr": (469, 469), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def install(children: bool, network: bool, office: bool = False) -> bool:
    """Takes the calls away from this thread and all it starts; False where the kernel has no filters.

    ``children``: processes and UNIX sockets between them stay allowed. ``network``: all sockets do.
    ``office``: a program that asks whether it may write somewhere is told no (see `_asked_to_write`).
    """
    known = ARCHITECTURES.get(os.uname().machine)
    if known is None or sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return False
    code = b"".join(_program(*known, children, network, office))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    buffer = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer)))
    number = ctypes.c_long(_WITH_A_CONDITION["seccomp"][known[0]] or 0)
    if libc.syscall(number, SET_MODE_FILTER, SPEC_ALLOW, program) == 0:
        return True
    return bool(libc.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) == 0)


def give_up_privileges() -> bool:
    """Whether this process had more than a user has (root in a container), and has no longer.

    Kept is what file permissions may need: the packages may belong to another user.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    head = struct.pack("@Ii", CAPABILITY_VERSION, 0)
    sets = ctypes.create_string_buffer(24)  # two times effective, permitted, inheritable
    if libc.capget(head, sets) != 0:
        return False
    low = struct.unpack("@6I", sets.raw)
    if not (low[1] & ~CAP_DAC or low[4]):
        return False
    return bool(libc.capset(head, struct.pack("@6I", low[0] & CAP_DAC, low[1] & CAP_DAC, 0, 0, 0, 0)) == 0)


def _program(column: int, arch: int, children: bool, network: bool, office: bool) -> Iterator[bytes]:
    """Each block compares the number in the accumulator and returns, or leaves it for the next."""

    def number(name: str) -> int:
        return _WITH_A_CONDITION[name][column] or 0

    yield from (_do(LOAD, ARCH), _do(EQUAL, arch, 1, 0), _do(RETURN, KILL), _do(LOAD, NUMBER))
    if column == 0:
        yield from (_do(AT_LEAST, X32, 0, 1), _do(RETURN, REFUSE))
    if not network:
        yield from _only(number("socket"), (AF_UNIX,) if children else ())
    yield from (_do(EQUAL, number("clone3"), 0, 1), _do(RETURN, ABSENT))  # its flags are out of a filter's sight
    yield from _clone(number("clone"), children)
    tables = [_NEVER]
    if office:
        for name, mode in (("access", 1), ("faccessat", 2), ("faccessat2", 2)):
            if (nr := _WITH_A_CONDITION[name][column]) is not None:
                yield from _asked_to_write(nr, mode)
    if not children:
        tables.append(_NOT_FOR_A_PARSER)
        me = os.getpid()
        yield from _only(number("kill"), (me, -me & 0xFFFFFFFF))  # the watcher ends the whole group, which is its own
        yield from _only(number("tgkill"), (me,))
        yield from _only(number("tkill"), (me,))
        yield from _only(number("prlimit64"), (0, me))
    for table in tables:
        for numbers in table.values():
            if (nr := numbers[column]) is not None:
                yield from (_do(EQUAL, nr, 0, 1), _do(RETURN, REFUSE))
    yield _do(RETURN, ALLOW)


def _do(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _only(number: int, values: Iterable[int]) -> Iterator[bytes]:
    """The call is allowed with these first arguments only."""
    checks = [step for value in values for step in (_do(EQUAL, value, 0, 1), _do(RETURN, ALLOW))]
    block = [_do(LOAD, FIRST_ARGUMENT), *checks, _do(RETURN, REFUSE)]
    yield from (_do(EQUAL, number, 0, len(block)), *block)


def _asked_to_write(number: int, argument: int) -> Iterator[bytes]:
    """The rights that Landlock takes are not seen by access(): LibreOffice believes that it may write into /tmp,
    fails to make its socket there and ends. Told no, it makes it where OSL_SOCKET_PATH says."""
    block = [
        _do(LOAD, FIRST_ARGUMENT + 8 * argument),
        _do(EQUAL, os.W_OK, 0, 1),
        _do(RETURN, REFUSE),
        _do(RETURN, ALLOW),
    ]
    yield from (_do(EQUAL, number, 0, len(block)), *block)


def _clone(number: int, children: bool) -> Iterator[bytes]:
    """Threads always (RLIMIT_NPROC decides), processes for those who need them, namespaces never."""
    block = [_do(LOAD, FIRST_ARGUMENT), _do(ANY_BIT, CLONE_NEW, 0, 1), _do(RETURN, REFUSE)]
    if not children:
        block += [_do(ANY_BIT, CLONE_THREAD, 1, 0), _do(RETURN, REFUSE)]
    block.append(_do(RETURN, ALLOW))
    yield from (_do(EQUAL, number, 0, len(block)), *block)
