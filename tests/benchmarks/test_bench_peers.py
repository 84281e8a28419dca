"""A small run of the comparison: figures come out, and what each system finds is right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import peers, trees

ROOT = Path(__file__).resolve().parents[2]
FILES = 20


def compare(system: str, tmp_path: Path, *options: str) -> dict[str, dict[str, dict[str, float]]]:
    """workload → system → figures of one small run, each outcome checked by the run itself."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.peers",
        "--files",
        str(FILES),
        "--systems",
        system,
        "--json",
        "--check",
    ]
    options = ("--dir", str(tmp_path), "--quiet", "0", "--no-warm-up", *options)
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []  # the trees are gone
    report = json.loads(done.stdout)
    assert set(report) == {"files", "workloads"}
    assert report["files"] == FILES
    return report["workloads"]  # type: ignore[no-any-return]


WANTED = {"ours": trees.WORKLOADS, "script": ("build", "edit", "rename"), "langchain_index": ("build", "edit")}
"""The slow systems are tried with some of the workloads."""


@pytest.mark.parametrize("system", WANTED)
def test_every_workload_gives_figures_and_a_right_index(system: str, tmp_path: Path) -> None:
    """Text is embedded when there is new text and only then."""
    workloads = compare(system, tmp_path, "--only", ",".join(WANTED[system]))
    assert list(workloads) == list(WANTED[system])
    for figures in (systems[system] for systems in workloads.values()):
        assert set(figures) == {"cpu_s", "wall_s", "rss_mb", "written_mb", "embedded"}
        assert figures["cpu_s"] > 0
        assert figures["wall_s"] > 0
        assert figures["rss_mb"] > 5
    embedded = {workload: systems[system]["embedded"] for workload, systems in workloads.items()}
    assert 15 * FILES < embedded["build"] < 30 * FILES
    assert not any(embedded.get(workload) for workload in ("noop", "delete", "touch"))
    assert embedded["edit"] > 0
    if system == "ours":  # cost follows change
        assert embedded["edit"] <= 4
        assert embedded["rename"] == 0


def test_only_the_wanted_workloads_are_reported(tmp_path: Path) -> None:
    """The build they need is made, not reported."""
    workloads = compare("ours", tmp_path, "--only", "noop,edit", "--repeat", "2")
    assert {w: list(systems) for w, systems in workloads.items()} == {"noop": ["ours"], "edit": ["ours"]}


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the names there are."""
    with pytest.raises(SystemExit):
        peers.arguments(["--only", "nop"])
    assert "nop is none of build, noop, edit" in capsys.readouterr().err


def test_the_table_ends_with_one_line_of_figures() -> None:
    """For people: ratios against ours, and a last line that holds all CPU seconds."""
    figures: peers.Figures = {"cpu_s": 0.5, "wall_s": 1.0, "rss_mb": 20.0, "written_mb": 0.1, "embedded": 2}
    text = peers.readable({"noop": {"ours": figures, "script": {**figures, "cpu_s": 5.0}}})
    assert "10.0 x ours" in text
    assert text.splitlines()[-1] == "cpu s (ours/script): noop 0.50/5.00"
