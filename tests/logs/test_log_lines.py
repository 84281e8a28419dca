"""What a line looks like, in both formats, and that no value can make one of its own."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import re
import threading
from datetime import datetime
from typing import Any

import pytest
from log_scene import Scene

from indexer.core.model import Key, Message
from indexer.core.tables import EmbeddingSettings, NotifySettings
from indexer.logs import mask_of
from indexer.settings import Settings

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d{4}"
COMMIT = Message("Commit {commit}: {documents} documents", {"commit": 3, "documents": 12})


def parsed(text: str) -> list[dict[str, Any]]:
    """Every line as an object."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(("lang", "sentence"), [("en", "Commit 3: 12 documents"), ("zh", "提交 3：12 个文档")])
def test_text_is_a_sentence_in_the_users_language(scene: Scene, lang: str, sentence: str) -> None:
    """Local time with its offset, level, sentence; the same in the file and on stderr."""
    scene.log(lang).event("commit", "info", COMMIT, commit=3)
    assert re.fullmatch(rf"{TIME} info    {sentence}\n", scene.file)
    assert scene.stderr == scene.file


def test_json_has_the_facts(scene: Scene) -> None:
    """One object a line: time with its zone, level, event, English sentence, facts; whatever the language."""
    log = scene.log("zh", format="json")
    log.enter(7, "schedule")
    log.event("commit", "warning", COMMIT, commit=3, why=Message("no change"), names=("a", "b"))
    (line,) = parsed(scene.file)
    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line == {
        "level": "warning", "event": "commit", "run": 7, "trigger": "schedule", "message": "Commit 3: 12 documents",
        "facts": {"commit": 3, "why": "no change", "names": ["a", "b"]},
    }  # fmt: skip
    assert parsed(scene.stderr) == parsed(scene.file)


@pytest.mark.parametrize(("level", "seen"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_the_level_decides(scene: Scene, level: str, seen: int) -> None:
    """What is below the configured level is not written."""
    log = scene.log(level=level)
    for name in ("debug", "info", "warning", "error"):
        log.event("x", name, Message("no change"))
    assert len(scene.stderr.splitlines()) == seen


FORGED = "a\n2026-11-30 02:00:05+0000 error   [run 1] forged\r\x1b[2K\x85\u2028\u202e\x00.txt"


@pytest.mark.parametrize("format", ["text", "json"])
def test_a_file_name_cannot_forge_a_line(scene: Scene, format: str) -> None:
    """Line ends, escape sequences and direction marks of values are shown escaped, in sentences and facts."""
    log = scene.log(format=format)
    key = Key("kb", FORGED + os.fsdecode(b"\xff"))
    args = {"state": Message("failed"), "path": key.path, "reason": Message("{text}", {"text": FORGED})}
    log.event("file_failed", "warning", Message("{state}: {path}: {reason}", args), path=key.path)
    logging.getLogger("watchdog").warning("moved %s", FORGED)
    for text in (scene.file, scene.stderr):
        assert len(text.splitlines()) == text.count("\n") == 2
        assert text.replace("\n", "").isprintable()
        assert not any(line.startswith("2026-11-30 02:00:05+0000 error   [run 1] forged") for line in text.splitlines())
    if format == "json":
        assert parsed(scene.file)[0]["facts"]["path"] == key.path


def test_sentences_of_several_lines_are_indented(scene: Scene) -> None:
    """A list of problems stays readable, and its second line cannot be taken for an entry."""
    both = Message("{first}\n{rest}", {"first": Message("no change"), "rest": "x\ny"})
    scene.log().event("config", "error", both)
    assert re.fullmatch(rf"{TIME} error   no change\n    x\\ny\n", scene.file)


@pytest.mark.parametrize("format", ["text", "json"])
def test_tracebacks_go_to_the_file_only(scene: Scene, format: str) -> None:
    """The user's terminal gets the sentence; the file says where, on indented lines."""
    log = scene.log(format=format)
    try:
        raise ValueError("bad\nline")
    except ValueError as e:
        log.failed("internal_error", Message("internal error: {kind}: {error}", {"kind": "V", "error": str(e)}), e)
    assert "Traceback" in scene.file
    assert "Traceback" not in scene.stderr
    assert scene.stderr.count("\n") == 1
    assert all(re.match(r"\d|    \| |\{", line) for line in scene.file.splitlines())


def test_an_error_that_ends_a_thread_is_logged(scene: Scene) -> None:
    """Nothing dies in silence; the hook of before is back after the log is closed."""
    before = threading.excepthook
    log = scene.log()
    thread = threading.Thread(target=lambda: [][1], name="watcher")
    thread.start()
    thread.join()
    assert "internal error in thread watcher: IndexError" in scene.stderr
    assert "Traceback" in scene.file
    log.close()
    scene.logs.clear()
    assert threading.excepthook is before


def test_other_packages_are_heard_from_warning_on(scene: Scene) -> None:
    """Under the name of their logger; a template that does not fit its values is shown as it is."""
    log = scene.log(level="debug")
    names = ("apscheduler.scheduler", "watchdog", "apprise", "faiss.loader")
    for name in names:
        logging.getLogger(name).info("quiet")
        logging.getLogger(name).warning("%d of %s", 1, "x")
    assert re.findall(r"warning (.*)", scene.stderr) == [f"{n}: 1 of x" for n in names]
    log.foreign.handle(logging.LogRecord("faiss", logging.ERROR, "", 0, "%d of %d", ("x",), None))
    assert scene.stderr.endswith("faiss: %d of %d\n")


def test_nothing_is_left_behind(scene: Scene) -> None:
    """After the end, logging is as it was."""
    before = list(logging.getLogger().handlers)
    log = scene.log()
    assert logging.getLogger().handlers != before
    log.close()
    scene.logs.clear()
    assert logging.getLogger().handlers == before


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals(scene: Scene, environ: dict[str, str], coloured: bool) -> None:
    """And not for those who do not want them; never in the file."""
    stream = Terminal()
    scene.log(stream=stream, environ=environ).event("x", "warning", Message("no change"))
    assert ("\x1b[33mwarning\x1b[0m" in stream.getvalue()) is coloured
    assert "\x1b" not in scene.file


def test_a_real_terminal_is_recognised(scene: Scene) -> None:
    """What arrives on a pseudo-terminal is coloured."""
    theirs, ours = pty.openpty()
    with os.fdopen(ours, "w", encoding="utf-8") as stream:
        scene.log(stream=stream).event("x", "error", Message("no change"))
        assert b"\x1b[31merror" in os.read(theirs, 1000)
    os.close(theirs)


def test_the_journal_gets_priorities_instead_of_times(scene: Scene) -> None:
    """JOURNAL_STREAM names the device and inode of what stderr is; the variable alone decides nothing."""
    reading, writing = os.pipe()
    stat = os.fstat(writing)
    with os.fdopen(writing, "w", encoding="utf-8") as stream, os.fdopen(reading, encoding="utf-8") as end:
        for named in (f"{stat.st_dev}:{stat.st_ino}", f"{stat.st_dev}:{stat.st_ino + 1}", "nonsense"):
            log = scene.log(stream=stream, environ={"JOURNAL_STREAM": named})
            log.event("x", "warning", Message("{first}\n{rest}", {"first": "a", "rest": "b"}))
        stream.close()
        first, second, third, *rest = end.read().splitlines()
    assert (first, second) == ("<4>warning a", "<4>    b")
    assert re.fullmatch(rf"{TIME} warning a", third)
    assert len(rest) == 3


def test_a_stream_that_was_closed_stops_nobody(scene: Scene) -> None:
    """A broken pipe and a closed stream are passed over; the file has the line."""
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w", encoding="utf-8")
    log = scene.log(stream=stream)
    log.event("x", "info", Message("no change"))
    with pytest.raises(BrokenPipeError):
        stream.close()
    log.event("x", "info", Message("no change"))
    assert len(scene.file.splitlines()) == 2


def test_any_name_can_be_written_to_any_stream(scene: Scene) -> None:
    """Characters that the stream's encoding lacks are escaped."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii") as stream:
        scene.log(stream=stream).event("x", "info", Message("{text}", {"text": "报告"}))
        assert rb"info    \u62a5\u544a" in raw.getvalue()


SECRETS = (
    "mailtos://robot:h%40rd-to-guess@smtp.example.com:587?to=boss@example.com",
    "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
    "dingtalk://SECabc@0123456789abcdef",
)


@pytest.mark.parametrize("format", ["text", "json"])
def test_no_secret_is_written(scene: Scene, format: str) -> None:
    """Keys, passwords and tokens of the configuration, whoever says them and wherever they stand."""
    settings = Settings(
        "/kb",
        notify=NotifySettings(SECRETS),
        embedding=EmbeddingSettings(api_key="sk-12345", base_url="http://me:pa55@h", options={"access_token": "tok3n"}),
    )
    log = scene.log(format=format, mask=mask_of(settings))
    told = (
        "POST https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ failed; user robot "
        f"h@rd-to-guess, token 0123456789abcdef SECabc sk-12345 pa55 tok3n {SECRETS[0]}"
    )
    logging.getLogger("apprise").warning("%s", told)
    try:
        raise ValueError(told)
    except ValueError as e:
        log.failed("internal_error", Message("{text}", {"text": told}), e, url=told, deep={"x": [told]})
    for text in (scene.file, scene.stderr):
        assert "failed; user" in text
        for word in ("T1JJ3T3L2", "TIiajk", "rd-to-guess", "0123456789abcdef", "SECabc", "sk-12345", "pa55", "tok3n"):
            assert word not in text


def test_masking_leaves_other_words_alone(scene: Scene) -> None:
    """A short secret inside a longer word is another word; numbers of ports and this machine are no secrets."""
    mask = mask_of(
        Settings("/kb", notify=NotifySettings(("json://127.0.0.1:8080/hook?format=text", "mailto://u:pass@h.cc")))
    )
    text = "the password of 127.0.0.1:8080 in text, hook"
    assert mask(text) == text
    assert mask("pass") == "***"
