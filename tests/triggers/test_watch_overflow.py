"""More events than the kernel keeps for a process that does not read them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from watch_lab import until, write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify")

_CHILD = """
import sys, time, json
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import Lab
from indexer.triggers.watch import probe
probe.PATIENCE = 3600  # on a busy machine the proof after the standstill comes late: polling would find what events must
with Lab(Path({root!r})) as lab:
    assert lab.proved()
    while True:
        with lab._lock:
            found = sorted(lab.follower.names())
        part = Path({out!r} + ".part")
        part.write_text(json.dumps([found, [str(m) for _, m in lab.told], len(lab.asked)]))
        part.rename({out!r})
        time.sleep(0.3)
"""


def test_a_full_queue_loses_nothing(tmp_path: Path) -> None:
    """20,000 files in new and old folders made while the watching process stands still, more than the kernel keeps."""
    root, out = tmp_path / "kb", tmp_path / "out.json"
    write(root / "old/a.txt")
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    code = _CHILD.format(paths=paths, root=str(root), out=str(out))
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert until(out.exists, 60)
        child.send_signal(signal.SIGSTOP)
        for n in range(20_000):
            folder = root / ("old" if n % 2 else f"new{n % 37}/deep")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{n}.txt").write_text(str(n))
        write(root / "lost/deep/first.txt")  # nobody hears of this folder
        child.send_signal(signal.SIGCONT)
        want = sorted(str(p.relative_to(root)) for p in root.rglob("*.txt"))
        assert until(lambda: json.loads(out.read_text())[0] == want, 120)
        looks = -1
        while looks != (looks := json.loads(out.read_text())[2]):
            time.sleep(5)  # another look at everything, for what was still in the queue, would find the late one too
        write(root / "lost/deep/late.txt")
        assert until(lambda: "lost/deep/late.txt" in json.loads(out.read_text())[0], 60)
        _, told, asked = json.loads(out.read_text())
        assert any("more changes came than the system keeps" in m for m in told), told
        assert asked < 12
    finally:
        child.kill()
        child.wait()
