"""Starts one command and prints what it cost, as JSON; a script of its own, so that it stays small.

Linux carries a parent's peak memory over vfork and exec into the child's ``ru_maxrss``, so what
starts the measured process must be smaller than any of them: only modules without cost here.
"""

import json
import os
import select
import signal
import sys
import time


def launch(argv: list[str], cwd: str, env: dict[str, str], timeout: float, discard: bool) -> dict[str, object]:
    """Run ``argv`` to its end (or kill it after ``timeout`` seconds); the fields of :class:`benchmarks.measure.Ran`."""
    os.chdir(cwd)
    out = os.open(os.devnull, os.O_WRONLY) if discard else os.memfd_create("out")
    err = os.memfd_create("err")
    streams: list[tuple[object, ...]] = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    streams += [(os.POSIX_SPAWN_DUP2, here, there) for here, there in ((out, 1), (err, 2))]
    began = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, env, file_actions=streams)
    ended = wait(pid, timeout)
    wall = time.perf_counter() - began
    written = written_mb(pid)
    _, status, usage = os.wait4(pid, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": "" if discard else text(out),
        "err": text(err) + ("" if ended else f"\nkilled after {timeout:g} s"),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 4),
        "wall_s": round(wall, 4),
        "rss_mb": round(usage.ru_maxrss * 1024 / 1e6, 1),
        "written_mb": written,
    }


def wait(pid: int, timeout: float) -> bool:
    """Leave the ended process a zombie, so that /proc still tells of it; False: it had to be killed."""
    handle = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        ended = bool(poll.poll(timeout * 1000))
        if not ended:
            os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return ended
    finally:
        os.close(handle)


def written_mb(pid: int) -> float | None:
    """10^6 bytes the process and its waited-for children caused to be sent to storage."""
    try:
        with open(f"/proc/{pid}/io") as lines:
            counts = dict(line.split(": ") for line in lines)
    except OSError:
        return None
    return round(int(counts["write_bytes"]) / 1e6, 4)


def text(fd: int) -> str:
    """All that was written to a descriptor."""
    with open(fd, "rb") as file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")


if __name__ == "__main__":
    print(json.dumps(launch(**json.loads(sys.stdin.read()))))
