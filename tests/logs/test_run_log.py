"""Runs as lines: every line of a run has its id, and nothing is said twice."""

from __future__ import annotations

import json
import logging
import threading
from typing import Any

from log_scene import Scene

from indexer.core.model import Ask, Key, Message
from indexer.logs import RunLog
from indexer.report import Outcome, Problem, Report

SECOND = 10**9


def outcome(report: Report | None = None, **values: Any) -> Outcome:
    """The end of a run."""
    whole = {
        "ask": Ask("schedule"), "started_ns": 5 * SECOND, "ended_ns": 7 * SECOND, "run": 12, "exit_code": 0,
        "report": report, "error": None, "commit_before": 3, "commit": 4,
    }  # fmt: skip
    return Outcome(**{**whole, **values})


def failing(count: int, text: str = "password") -> Report:
    """A report with so many files that failed."""
    report = Report()
    for n in range(count):
        key = Key("kb", f"{n:03d}.pdf")
        report.tally.problems[key] = Problem(key, "failed", Message("{text}", {"text": text}))
    return report


def lines(scene: Scene) -> list[dict[str, Any]]:
    """What was logged so far."""
    return [json.loads(line) for line in scene.file.splitlines()]


def test_each_line_of_a_run_has_its_id(scene: Scene) -> None:
    """From begin to end, other packages too; not what another thread says, nor what comes later."""
    log = scene.log(format="json", level="debug")
    listen = RunLog(log)
    log.event("start", "info", Message("no change"))
    listen("begin", {"ask": Ask("schedule"), "at_ns": 5 * SECOND, "run": 12})
    listen("commit", {"commit": 4, "documents": 2})
    logging.getLogger("faiss").warning("odd")
    thread = threading.Thread(target=lambda: log.event("watch", "info", Message("no change")))
    thread.start()
    thread.join()
    listen("end", {"outcome": outcome(Report())})
    listen("queue", {"waiting": 1})
    found = [(x["event"], x.get("run"), x.get("trigger")) for x in lines(scene)]
    assert found == [
        ("start", None, None), ("run_begin", 12, "schedule"), ("commit", 12, "schedule"), ("faiss", 12, "schedule"),
        ("watch", None, None), ("run_end", 12, "schedule"), ("queue", None, None),
    ]  # fmt: skip


def test_the_text_has_it_too(scene: Scene) -> None:
    """[run 12] in front of the sentence."""
    listen = RunLog(scene.log())
    listen("begin", {"ask": Ask("schedule"), "at_ns": 5 * SECOND, "run": 12})
    listen("end", {"outcome": outcome(Report())})
    assert scene.stderr.count("[run 12] ") == 2


def test_a_run_without_a_number_has_an_id(scene: Scene) -> None:
    """When it began; its number as soon as it has one."""
    listen = RunLog(scene.log(format="json"))
    listen("begin", {"ask": Ask("cli"), "at_ns": 5 * SECOND + 7 * 10**6})
    listen("commit", {"commit": 4, "documents": 2})
    listen("end", {"outcome": outcome(ask=Ask("cli"), run=0, exit_code=5, error=Message("no change"))})
    assert len({x["run"] for x in lines(scene)}) == 1
    assert str(lines(scene)[0]["run"]).endswith(".007")
    listen("begin", {"ask": Ask("cli"), "at_ns": 5 * SECOND})
    listen("run", {"run": 13, "trigger": "cli"})
    listen("commit", {"commit": 5, "documents": 2})
    assert [x["run"] for x in lines(scene)[-2:]] == [13, 13]


def test_a_run_in_the_middle_of_another(scene: Scene) -> None:
    """An urgent request goes first: its lines are its own, then the other run's go on; a second one that never ended is over with it."""
    listen = RunLog(scene.log(format="json"))
    bulk, urgent = Ask("schedule"), Ask("watch", (Key("kb", "a"),), urgent=True)
    listen("begin", {"ask": bulk, "at_ns": 0})
    listen("run", {"run": 12})
    listen("begin", {"ask": urgent, "at_ns": 0})
    listen("commit", {"commit": 4, "documents": 1, "run": 13})
    listen("end", {"outcome": outcome(Report(), ask=urgent, run=13)})
    listen("commit", {"commit": 5, "documents": 9})
    listen("begin", {"ask": urgent, "at_ns": 0})
    listen("end", {"outcome": outcome(Report(), ask=bulk)})
    assert [(x["event"], x["run"]) for x in lines(scene)] == [
        ("run_begin", 12), ("commit", 13), ("run_end", 13), ("commit", 12), ("run_end", 12),
    ]  # fmt: skip
    scene.logs[0].event("x", "info", Message("no change"))
    assert "run" not in lines(scene)[-1]


def test_an_internal_error_leaves_its_traceback_in_the_file(scene: Scene) -> None:
    """The end of a run carries the exception; people get the sentence."""
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as e:
        trouble = e
    RunLog(scene.log())("end", {"outcome": outcome(exit_code=1, error=Message("no change")), "exception": trouble})
    assert "ZeroDivisionError: by zero" in scene.stderr
    assert "Traceback" in scene.file
    assert "Traceback" not in scene.stderr


def test_the_end_says_the_counts(scene: Scene) -> None:
    """In a sentence for people, as numbers for programs."""
    report = failing(1)
    report.tally.added[Key("kb", "a")] = b""
    report.tally.embedded = 9
    log = scene.log()
    RunLog(log)("end", {"outcome": outcome(report, exit_code=3)})
    assert "Commit 4: added 1, failed 1; 9 passages embedded, 0 reused, 2.0 s." in scene.stderr
    scene.log(format="json")
    listen = RunLog(scene.logs[-1])
    listen("end", {"outcome": outcome(report, exit_code=3)})
    facts = lines_of_json(scene)[-1]["facts"]
    assert (facts["added"], facts["problems"], facts["exit_code"], facts["seconds"]) == (1, 1, 3, 2.0)


def lines_of_json(scene: Scene) -> list[dict[str, Any]]:
    """Only the lines that are objects: the log changed its format."""
    return [json.loads(line) for line in scene.file.splitlines() if line.startswith("{")]


def test_failed_files_are_named_up_to_twenty(scene: Scene) -> None:
    """The rest is a number."""
    RunLog(scene.log(format="json"))("end", {"outcome": outcome(failing(50), exit_code=3)})
    found = lines(scene)
    named = [x["facts"]["path"] for x in found if x["event"] == "file_failed"]
    assert named == [f"{n:03d}.pdf" for n in range(20)]
    assert [x["facts"]["count"] for x in found if x["event"] == "files_failed"] == [30]


def test_what_stays_wrong_is_said_once(scene: Scene) -> None:
    """A file that still fails, a deletion still held, a source still away: with the first run only."""
    listen = RunLog(scene.log(format="json", level="debug"))
    report = failing(2)
    report.tally.held.append(Key("kb", "gone.txt"))
    report.unavailable.append(Message("no change"))
    for trigger in ("look", "look", "schedule"):
        listen("end", {"outcome": outcome(report, exit_code=4, ask=Ask(trigger))})
    events = [x["event"] for x in lines(scene)]
    assert [events.count(x) for x in ("file_failed", "held", "source_unavailable", "run_end")] == [2, 1, 1, 3]
    listen("end", {"outcome": outcome(failing(1), ask=Ask("watch", (Key("kb", "000.pdf"),)), exit_code=3)})
    listen("end", {"outcome": outcome(report, exit_code=4)})
    assert [x["event"] for x in lines(scene)].count("file_failed") == 2
    listen("end", {"outcome": outcome(Report())})
    listen("end", {"outcome": outcome(report, exit_code=4)})
    assert [x["event"] for x in lines(scene)].count("file_failed") == 4


def test_a_look_that_found_nothing_is_a_detail(scene: Scene) -> None:
    """Every 15 minutes a line nobody wants; the nightly run says that it was there."""
    listen = RunLog(scene.log())
    for trigger in ("look", "watch", "schedule"):
        listen("begin", {"ask": Ask(trigger), "at_ns": 0})
        listen("end", {"outcome": outcome(Report(), ask=Ask(trigger), commit=3)})
    assert len(scene.stderr.splitlines()) == 2


def test_a_run_that_could_not_go_on_is_an_error(scene: Scene) -> None:
    """With its reason; one that was stopped, or found the knowledge base busy, is none."""
    listen = RunLog(scene.log(format="json"))
    for code in (5, 7, 130):
        listen("end", {"outcome": outcome(exit_code=code, error=Message("no change"))})
    assert [(x["level"], x["facts"]["error"]) for x in lines(scene)] == [
        ("error", "no change"), ("info", "no change"), ("info", "no change"),
    ]  # fmt: skip


def test_it_never_raises(scene: Scene) -> None:
    """Facts it does not understand are an internal error in the log, kinds it does not know are nothing."""
    listen = RunLog(scene.log())
    listen("begin", {})
    listen("no such kind", {})
    assert scene.stderr.count("internal error: KeyError") == 1
