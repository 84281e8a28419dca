"""``indexer ask`` and ``indexer answer`` as a user has them; the check of the doctor."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from model_server import CONFIG, Handler, Scripted

from indexer.cli import main
from indexer.config import load_settings
from indexer.doctor import Case, Finding, Level
from indexer.doctor.llm import llm as check

QUESTION = "How long are backups kept?"


@pytest.fixture
def here(home: Path, llm: Scripted, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The knowledge base with the stand-in configured, and the user in it."""
    for name in [n for n in os.environ if n.startswith(("INDEXER_", "LC_", "LANG"))]:
        monkeypatch.delenv(name)
    (home / "indexer.toml").write_text(CONFIG.format(url=llm.url))
    monkeypatch.chdir(home)
    return home


def test_ask_and_answer(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text, the sources it names, an id; the id shows passages, commit, hash and standing."""
    assert main(["ask", QUESTION]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Backups of all servers are kept for 35 days.")
    assert any("knowledge_base/it/backup.txt" in line for line in lines[1:])
    name = lines[-1].split()[2].rstrip(":")
    assert main(["answer", name]) == 0
    shown = capsys.readouterr().out
    assert f"Question: {QUESTION}" in shown
    assert "by openai:stand-in" in shown
    assert "    unchanged since" in shown
    assert "    | Restores are tested every quarter." in shown or "Restores are tested every quarter." in shown
    assert "(not named in the answer)" in shown
    assert main(["answer"]) == 0
    assert capsys.readouterr().out.startswith(name)


def test_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One document each; a deleted file is gone since."""
    assert main(["ask", QUESTION, "--json", "--in", "it/*", "-k", "1"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["grounded"], answer["model"], answer["language"]) == ("llm", "openai:stand-in", "en")
    [citation] = answer["citations"]
    assert citation["path"] == "it/backup.txt"
    assert citation["cited"] is True
    (here / "knowledge_base" / "it" / "backup.txt").unlink()
    assert main(["update", "--now", "-q"]) == 0
    assert main(["answer", answer["id"], "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert kept["standing"] == [{"n": 1, "state": "gone", "commit": 0, "sha256": "", "label": ""}]
    assert main(["answer", "--json", "-n", "1"]) == 0
    assert [a["id"] for a in json.loads(capsys.readouterr().out)] == [answer["id"]]


def test_exit_codes(here: Path, llm: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    """3: answered without the model that is configured; 0: nothing found is an answer; 2: what is configured does not hold."""
    llm.always = lambda h: h.json(401, {"error": {"message": "who are you"}})
    assert main(["ask", QUESTION]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("Backups of all servers are kept for 35 days. [1]")
    assert "refuses the key" in err
    assert "sesame" not in out + err
    assert main(["ask", "Which planet has the most moons?"]) == 0
    assert main(["ask", QUESTION, "--set", "llm.provider=mistralai"]) == 2
    assert "pip install langchain-mistralai" in capsys.readouterr().err
    assert main(["ask", QUESTION, "--as-of", "77"]) == 2
    assert main(["ask", " "]) == 2
    assert main(["answer", "nope"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_chinese(here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The words around an answer are those of the user, its own those of the question."""
    monkeypatch.setenv("INDEXER_LANG", "zh")
    assert main(["ask", QUESTION, "--set", "llm.model="]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Backups of all servers")
    assert err == "没有配置语言模型（llm.model）：以下是最相关段落中的原句。\n"
    assert "已保存为" in out


def test_a_terminal_sees_words_as_they_come(here: Path, llm: Scripted) -> None:
    """The first words are on the screen before the last are written; no control character of a model is."""
    main_end, other_end = pty.openpty()
    seen = bytearray()

    def watched(handler: Handler) -> None:
        handler.begin()
        handler.piece("Backups are \x1b[2J kept")
        while b"Backups are" not in seen:
            seen.extend(os.read(main_end, 1000))
        handler.piece(" for 35 days [1].")
        handler.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        handler.done()

    llm.faults = [watched]
    command = [sys.executable, "-m", "indexer", "ask", QUESTION]
    with subprocess.Popen(command, cwd=here, stdout=other_end, stderr=subprocess.PIPE) as process:
        os.close(other_end)
        assert process.wait(120) == 0
    while b"indexer answer" not in seen:
        seen.extend(os.read(main_end, 1000))
    os.close(main_end)
    text = seen.decode()
    assert text.count("35 days") == 1
    assert "\x1b[2J" not in text
    assert "\n[1] " in text


def found(here: Path, deep: bool, **flags: str) -> Finding:
    """What the doctor says of the language model."""
    settings = load_settings(here, {f"llm.{name}": value for name, value in flags.items()})
    [finding] = check(Case(str(here), settings, None, 0, deep), settings)
    return finding


def test_the_doctor_looks(here: Path, llm: Scripted) -> None:
    """None, there, answering, refusing, not installed: each is told apart."""
    assert found(here, True, model="").level is Level.OK
    assert str(found(here, False).message) == f"stand-in at {llm.url}; --deep asks it"
    assert llm.seen == []
    llm.faults = [lambda h: h.say("yes")]
    assert "the first word came after" in str(found(here, True).message)
    llm.faults = [lambda h: h.json(404, {"error": {"message": "no model"}})]
    refused = found(here, True)
    assert (refused.level, "Check llm.model" in str(refused.message)) == (Level.WARNING, True)
    assert found(here, False, provider="mistralai").level is Level.PROBLEM
