"""Where the system gives no more watches: said plainly, polled meanwhile, watched again when there is room."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from watch_lab import write

from indexer.triggers.watch import words

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")

_CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import FAST, Lab, until, write
def limit(name, value):
    Path("/proc/sys/user/max_inotify_" + name).write_text(str(value))
root = Path({root!r})
{body}
print("right")
"""

AT_THE_START = """
limit("watches", 20)
with Lab(root, FAST._replace(probe_minutes=0.03)) as lab:
    status = lab.status()
    assert status["how"] == "polling", status
    assert "user.max_inotify_watches is 20" in str(status["why"]), status
    assert lab.said("sysctl -w user.max_inotify_watches=524288")
    write(root / "7/new.txt")
    assert lab.settles()
    assert sum("is polled" in str(m) for _, m in lab.told) == 1
    limit("watches", 1000)
    assert until(lambda: lab.status()["how"] == "events"), lab.status()
    assert lab.status()["why"] == ""
    assert lab.said("events arrive again")
    write(root / "8/new.txt")
    assert lab.settles()
"""

LATER = """
limit("watches", 60)
with Lab(root) as lab:
    assert lab.status()["how"] == "events"
    for n in range(100):
        write(root / f"more/{n}/a.txt")
    assert until(lambda: lab.status()["how"] == "polling"), lab.status()
    assert lab.settles()
    write(root / "more/99/b.txt")
    assert lab.settles()
"""

INSTANCES = """
limit("instances", 0)
with Lab(root) as lab:
    assert "user.max_inotify_instances is 0" in str(lab.status()["why"]), lab.status()
    write(root / "7/new.txt")
    assert lab.settles()
"""


@pytest.mark.parametrize("body", [AT_THE_START, LATER, INSTANCES], ids=["at the start", "later", "instances"])
def test_a_limit(body: str, tmp_path: Path) -> None:
    """In a user namespace with a real limit of its own; a watcher that got no watch leaves no file open."""
    unshare = shutil.which("unshare")
    assert unshare, "unshare (util-linux) is needed"
    for n in range(40):
        write(tmp_path / f"kb/{n}/a.txt")
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    code = _CHILD.format(paths=paths, root=str(tmp_path / "kb"), body=body)
    done = subprocess.run([unshare, "-Ur", sys.executable, "-c", code], capture_output=True, text=True, timeout=200)
    assert done.stdout == "right\n", done.stderr


def test_other_refusals_are_told_as_they_are() -> None:
    """Whatever else the system says."""
    assert "(Function not implemented)" in str(words.refused(OSError(38, "Function not implemented")))
