"""A file whose rights were taken is asked about twice: the second look hides it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from indexer.triggers.watch.revoked import Revoked

_CHILD = """
import os, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from watch_lab import FAST, Lab, until, write
import indexer.triggers.watch.inotify, indexer.sources.globs  # before the right to read them is given up
root = Path({root!r})
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
with Lab(root, FAST._replace(max_wait=0.5)) as lab:
    (root / "a.txt").chmod(0)
    assert until(lambda: len(lab.asked) == 2), (lab.asked, lab.told)
    (root / "a.txt").chmod(0o600)
    assert until(lambda: len(lab.asked) == 3)
    import time; time.sleep(2)
    assert [p for p in lab.paths()] == [{{"a.txt"}}] * 3, (lab.paths(), lab.told)
    print("right")
"""


def test_a_second_request_comes(tmp_path: Path) -> None:
    """One after the longest wait, and no third one; giving the right back is one more event."""
    root = tmp_path / "kb"
    root.mkdir()
    (root / "a.txt").write_text("text")
    if os.geteuid() == 0:
        for path in (root, root / "a.txt"):
            os.chown(path, 65534, 65534)
        for path in (tmp_path, *(p for p in tmp_path.parents if "pytest-" in str(p))):
            path.chmod(0o755)
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    code = _CHILD.format(paths=paths, root=str(root))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "right\n", done.stderr


def test_what_is_remembered(tmp_path: Path) -> None:
    """Nothing of files that can be read, of folders, of what is gone."""
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "d").mkdir()
    revoked = Revoked({"s": bytes(tmp_path)}, 1.0)
    revoked.note([("s", b"a.txt"), ("s", b"d"), ("s", b"none.txt"), ("s", b"")], 0.0)
    assert revoked.due(100.0) == []
