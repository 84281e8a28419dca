"""What the measuring launcher counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import measure

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"


def python(code: str, cwd: Path, **options: object) -> measure.Ran:
    """Measure ``python -c code``."""
    return measure.run([sys.executable, "-c", code], cwd=str(cwd), **options)  # type: ignore[arg-type]


def test_cpu_of_children_counts(tmp_path: Path) -> None:
    """A process that lets a child do the work is charged for it; sleeping costs wall, not CPU."""
    own = python(BURN, tmp_path)
    assert 0.3 <= own.cpu_s < 3
    child = python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}])", tmp_path)
    assert child.cpu_s >= 0.3
    idle = python("import time; time.sleep(0.5)", tmp_path)
    assert idle.cpu_s < 0.3 <= idle.wall_s


def test_bytes_written_count_children_and_nothing_else(tmp_path: Path) -> None:
    """What a child writes to a disk is the parent's; output into a pipe or /dev/null is nobody's."""
    write = "import os; f = open('big', 'wb'); f.write(os.urandom(3_000_000)); f.flush(); os.fsync(f.fileno())"
    ran = python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {write!r}], check=True)", tmp_path)
    assert (tmp_path / "big").stat().st_size == 3_000_000
    if ran.written_mb:  # tmpfs counts nothing
        assert 2.99 <= ran.written_mb <= 3.3
    assert python("print('x' * 3_000_000)", tmp_path, discard=True).written_mb in (0.0, None)


def test_peak_memory_is_the_childs_own(tmp_path: Path) -> None:
    """A large benchmark process does not show in the figures of a small child."""
    ballast = b"x" * 200_000_000
    small = python("pass", tmp_path)
    large = python("x = b'x' * 150_000_000", tmp_path)
    assert small.rss_mb < 60 < 150 < large.rss_mb < 250
    assert len(ballast) == 200_000_000


def test_tuning_variables_do_not_reach_the_measured_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENBLAS_* would change what numpy's import costs; others pass."""
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("KEPT", "yes")
    ran = python("import os; print(os.environ.get('OPENBLAS_CORETYPE'), os.environ.get('KEPT'))", tmp_path)
    assert ran.out == "None yes\n"


def test_a_failing_command_is_an_error_with_its_words(tmp_path: Path) -> None:
    """Figures of a run that failed would mean nothing; an allowed exit code passes."""
    with pytest.raises(measure.Failed, match=r"ended with 3:\nno such thing"):
        python("import sys; sys.exit(print('no such thing', file=sys.stderr) or 3)", tmp_path)
    assert python("raise SystemExit(3)", tmp_path, allowed=(0, 3)).code == 3


def test_a_hanging_command_is_killed(tmp_path: Path) -> None:
    """After the timeout, with the reason."""
    with pytest.raises(measure.Failed, match=r"ended with -9:\n\nkilled after 0.5 s"):
        python("import time; time.sleep(60)", tmp_path, timeout=0.5)


def test_the_report_is_the_whole_output_or_its_last_line() -> None:
    """A system may print progress before its JSON."""
    assert measure.last_json('{\n "embedded": 1\n}\n') == {"embedded": 1}
    assert measure.last_json('42 files\n{"embedded": 2}\n') == {"embedded": 2}
