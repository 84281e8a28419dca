"""The daemon as a user has it: real processes, real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from daemons import Daemon, environment, indexer

from indexer import KnowledgeBase, state

Begin = Callable[..., Daemon]


def knowledge(home: Path, count: int = 3, seconds: float = 0.0, more: str = "") -> Path:
    """A knowledge base with documents, not yet indexed."""
    from slow_embedder import configuration

    configuration(home, seconds, more)
    for i in range(count):
        paragraphs = [
            f"Document {i} speaks of subject {i * 3 + k} at some length, as documents do.\n\n" for k in range(3)
        ]
        (home / "kb" / f"{i:04d}.txt").write_text("".join(paragraphs))
    return home


def searchable(home: Path) -> set[str]:
    """What a search in another process could return."""
    kb = KnowledgeBase(home)
    try:
        return kb.searchable()
    finally:
        kb.close()


def test_it_makes_up_for_a_missed_night_and_ends_when_asked(daemon: Begin, tmp_path: Path) -> None:
    """A first start indexes at once; the state is told; SIGTERM ends it with exit code 0."""
    one = daemon() if knowledge(tmp_path) else None
    assert one is not None
    one.until(lambda: len(searchable(tmp_path)) == 3)
    one.until(lambda: one.state().get("running") is None and one.state())
    told = one.state()
    assert (told["mode"], told["watch"], told["waiting"]) == ("run", [], 0)
    assert told["schedule"]["next_ns"] > time.time_ns()
    assert state.read(str(tmp_path / "metadata")) == told
    assert one.stop() == 0
    assert state.read(str(tmp_path / "metadata")) is None
    assert "Stopping" in one.said()
    assert "Traceback" not in one.said()


def test_what_was_done_is_not_done_again(daemon: Begin, tmp_path: Path) -> None:
    """A start after a good run since the last scheduled time makes no run."""
    knowledge(tmp_path)
    assert indexer(tmp_path, "update", "--now").returncode == 0
    one = daemon().ready()
    time.sleep(1)
    assert one.stop() == 0
    runs = json.loads(indexer(tmp_path, "status", "--json").stdout)["last_run"]
    assert (runs["run"], runs["trigger"]) == (1, "cli")


def test_there_is_one_daemon(daemon: Begin, tmp_path: Path) -> None:
    """A second one says which process it is, and ends with exit code 7."""
    knowledge(tmp_path)
    one = daemon().ready()
    second = indexer(tmp_path, "run")
    assert second.returncode == 7
    assert f"running already (process {one.process.pid})" in second.stderr


def test_a_stop_in_the_middle_of_much_work(daemon: Begin, tmp_path: Path) -> None:
    """SIGTERM between two steps: what was committed stays, the next start goes on and finishes."""
    knowledge(tmp_path, 150, 0.01, "batch_passages = 16")
    one = daemon()
    one.until(lambda: searchable(tmp_path))
    assert one.stop() == 0
    kept = searchable(tmp_path)
    assert 0 < len(kept) < 150
    two = daemon()
    two.until(lambda: len(searchable(tmp_path)) == 150)
    assert two.stop(signal.SIGINT) == 0


def test_killed_at_work_it_goes_on_at_the_next_start(daemon: Begin, tmp_path: Path) -> None:
    """SIGKILL: the run that was owed is owed still."""
    knowledge(tmp_path, 150, 0.01, "batch_passages = 16")
    one = daemon()
    one.until(lambda: searchable(tmp_path))
    one.stop(signal.SIGKILL)
    two = daemon()
    two.until(lambda: len(searchable(tmp_path)) == 150)
    two.until(lambda: two.state().get("running") is None)
    assert two.stop() == 0
    assert indexer(tmp_path, "verify").returncode == 0


def test_a_batch_that_does_not_end_is_abandoned(daemon: Begin, tmp_path: Path) -> None:
    """A model that hangs does not keep the daemon from ending; nothing is lost."""
    knowledge(tmp_path, 2, 600)
    one = daemon()
    one.until(lambda: one.state().get("running"))
    time.sleep(2)
    began = time.monotonic()
    assert one.stop() == 0
    assert time.monotonic() - began < 30
    assert "abandoned" in one.said()
    knowledge(tmp_path, 2, 0)
    assert indexer(tmp_path, "update", "--now").returncode == 0
    assert len(searchable(tmp_path)) == 2


def test_a_command_beside_it_waits_its_turn(daemon: Begin, tmp_path: Path) -> None:
    """`update --now` says whom it waits for, then does its work; --no-wait ends with exit code 7."""
    knowledge(tmp_path, 100, 0.01, "batch_passages = 16")
    one = daemon()
    one.until(lambda: searchable(tmp_path))
    refused = indexer(tmp_path, "update", "--now", "--no-wait")
    assert refused.returncode == 7
    assert f"process {one.process.pid}, schedule" in refused.stderr
    (tmp_path / "kb" / "late.txt").write_text("Written while the daemon is at work.")
    waited = indexer(tmp_path, "update", "--now")
    assert waited.returncode == 0
    assert "waiting for its end" in waited.stderr
    assert len(searchable(tmp_path)) == 101
    assert one.stop() == 0


def test_ctrl_c_ends_the_wait(daemon: Begin, tmp_path: Path) -> None:
    """Whoever waits for another update may give up: exit code 130, nothing changed."""
    knowledge(tmp_path, 200, 0.02, "batch_passages = 16")
    one = daemon()
    one.until(lambda: searchable(tmp_path))
    waits = subprocess.Popen(
        [sys.executable, "-m", "indexer", "update", "--now", "--home", str(tmp_path)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waits.stderr is not None
    assert "waiting for its end" in waits.stderr.readline()
    waits.send_signal(signal.SIGINT)
    _, err = waits.communicate(timeout=60)
    assert waits.returncode == 130
    assert "nothing was changed" in err


def test_it_reads_the_configuration_again(daemon: Begin, tmp_path: Path) -> None:
    """SIGHUP: a wrong one is refused with its reason and the old one stays, a right one holds."""
    knowledge(tmp_path)
    one = daemon().ready()
    one.until(lambda: len(searchable(tmp_path)) == 3)
    toml = (tmp_path / "indexer.toml").read_text()
    (tmp_path / "indexer.toml").write_text("hold_shares = 0.5\n" + toml)
    one.send(signal.SIGHUP)
    one.until(lambda: "there is no setting hold_shares; did you mean hold_share?" in one.said())
    (tmp_path / "indexer.toml").write_text(toml + "\n[schedule]\nat = '03:33'\ntime_zone = 'Asia/Shanghai'\n")
    one.send(signal.SIGHUP)
    one.until(lambda: "03:33" in one.state()["schedule"]["text"])
    assert "read again" in one.said()
    assert one.stop() == 0


def test_the_configuration_read_again_in_the_middle_of_the_night_repeats_nothing(daemon: Begin, tmp_path: Path) -> None:
    """SIGHUP while the scheduled run is at work: it ends as the run of that night, and no other follows."""
    knowledge(tmp_path, 60, 0.01, "batch_passages = 16")
    one = daemon()
    one.until(lambda: searchable(tmp_path))
    assert one.state()["running"]
    one.send(signal.SIGHUP)
    one.until(lambda: "read again" in one.said())
    one.until(lambda: one.state().get("running") is None)
    assert len(searchable(tmp_path)) == 60
    time.sleep(1)
    assert one.stop() == 0
    last = json.loads(indexer(tmp_path, "status", "--json").stdout)["last_run"]
    assert (last["run"], last["trigger"]) == (1, "schedule")


@pytest.mark.parametrize(
    ("more", "wanted"),
    [("[schedule]\nenabled = false", "Neither a schedule nor watch mode"), ("[schedule]\nat = '25:00'", "02:00")],
)
def test_what_cannot_begin_says_why(tmp_path: Path, more: str, wanted: str) -> None:
    """Exit code 2 and the remedy."""
    knowledge(tmp_path)
    with open(tmp_path / "indexer.toml", "a") as file:
        file.write("\n" + more + "\n")
    ended = indexer(tmp_path, "run")
    assert ended.returncode == 2
    assert wanted in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_night_has_a_budget(daemon: Begin, tmp_path: Path) -> None:
    """The scheduled run stops after its budget, and says what is left for the next."""
    knowledge(tmp_path, 60, 0.005, "batch_passages = 16")
    with open(tmp_path / "indexer.toml", "a") as file:
        file.write("\n[schedule]\nmax_passages = 40\n")
    one = daemon()
    one.until(lambda: one.state() and one.state()["running"] is None and searchable(tmp_path))
    time.sleep(1)
    assert 0 < len(searchable(tmp_path)) < 60
    last = json.loads(indexer(tmp_path, "status", "--json").stdout)["last_run"]
    assert (last["trigger"], last["exit_code"]) == ("schedule", 3)
    assert last["report"]["left"] == 60 - len(searchable(tmp_path))
    assert one.stop() == 0
    assert indexer(tmp_path, "update", "--now").returncode == 0
    assert len(searchable(tmp_path)) == 60
