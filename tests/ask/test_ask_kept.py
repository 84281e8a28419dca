"""Kept answers: what they rested on, what became of it, and a database that never hurts anything else."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from model_server import CONFIG, Scripted

from indexer import KnowledgeBase
from indexer.ask import Question, Standing, ask, latest
from indexer.ask.answering import Means
from indexer.ask.answers import Answers
from indexer.ask.model import Answer, Citation
from indexer.core.errors import IndexerError, StoreDamaged, UsageError
from indexer.core.model import Message

WEDDING = "hr/婚假管理办法 v3.1.md"


def written(home: Path, name: str, text: str) -> None:
    """Change one document so that no stamp hides it."""
    path = home / "knowledge_base" / name
    path.write_text(text, "utf-8")
    os.utime(path, (time.time() - 100, time.time() - 100))


def test_a_changed_policy_reaches_the_answer_and_the_old_one_is_marked(home: Path, llm: Scripted) -> None:
    """Edit, roll back, delete: each answer says what held, and each kept one what became of it."""
    (home / "indexer.toml").write_text(CONFIG.format(url=llm.url))
    kb = KnowledgeBase(home)
    old = kb.ask("婚假有几天？")
    [cited] = [c for c in old.citations if c.cited]
    assert "婚假十天" in old.text
    assert (cited.path, cited.label, cited.commit) == (WEDDING, "v3.1", 1)

    text = (home / "knowledge_base" / WEDDING).read_text("utf-8")
    written(home, WEDDING, text.replace("婚假十天", "婚假十五天"))
    kb.update()
    new = kb.ask("婚假有几天？")
    assert "婚假十五天" in new.text
    assert new.commit == 2
    states = {s.n: s for s in kb.answer(old.id).standing}
    assert states[cited.n].state == "changed"
    assert (states[cited.n].commit, states[cited.n].label) == (2, "v3.1")
    assert states[cited.n].sha256 == next(c for c in new.citations if c.cited).sha256
    assert {s.state for n, s in states.items() if n != cited.n} == {"unchanged"}
    assert kb.answer(old.id).answer.citations[cited.n - 1].text == cited.text, "the text as it was"

    then = kb.ask("婚假有几天？", as_of="1")
    assert "婚假十天" in then.text
    assert (then.as_of, then.commit) == ("1", 1)

    written(home, WEDDING, text)
    kb.update()
    assert "婚假十天" in kb.ask("婚假有几天？").text
    assert kb.answer(old.id).standing[cited.n - 1].state == "unchanged"
    assert "changed" in {s.state for s in kb.answer(new.id).standing}

    (home / "knowledge_base" / WEDDING).unlink()
    kb.update()
    gone = kb.ask("婚假有几天？")
    assert WEDDING not in {c.path for c in gone.citations}
    assert kb.answer(old.id).standing[cited.n - 1] == Standing(cited.n, "gone")
    kb.close()


def test_a_rollback_brings_the_old_answer_back(home: Path, llm: Scripted) -> None:
    """What rolled back is what is answered from, and its citations are right."""
    (home / "indexer.toml").write_text(CONFIG.format(url=llm.url))
    kb = KnowledgeBase(home)
    written(home, "it/backup.txt", "Backups of all servers are kept for 99 days.\n")
    kb.update()
    assert "99 days" in kb.ask("How long are backups kept?").text
    run = [sys.executable, "-m", "indexer", "rollback", "1", "--home", str(home)]
    subprocess.run(run, check=True, capture_output=True)
    back = kb.ask("How long are backups kept?")
    assert "35 days" in back.text
    assert {s.state for s in kb.answer(back.id).standing} == {"unchanged"}
    kb.close()


def test_an_answer_is_named_by_its_beginning(home: Path) -> None:
    """Four characters are enough where no other begins like this; anything else is refused."""
    kb = KnowledgeBase(home)
    answer = kb.ask("How long are backups kept?")
    assert kb.answer(answer.id[:6]).answer == answer
    for name in ("", answer.id[:3], "zzzzzz", "%", "' OR 1=1 --", answer.id + "0"):
        with pytest.raises(UsageError, match="There is no answer"):
            kb.answer(name)
    assert [a.id for a in latest(kb)] == [answer.id]
    kb.close()


def an_answer(text: str = "text", created_ns: int = 10**18) -> Answer:
    """Any answer."""
    citation = Citation(
        1, "d", "s", "\udcff.md", "t", "", ("h",), 3, "", 0, 4, "text", 7, "ab", 9, "“t”", "/u", 0.5, True
    )
    notes = (Message("{a} of {b}", {"a": 1, "b": "two"}),)
    return Answer("", "q", text, "en", (citation,), "llm", "m", 7, "", created_ns, notes, True)


def test_what_is_kept_is_what_was_answered(tmp_path: Path) -> None:
    """Every field comes back, notes in a form that can be translated, names that are no UTF-8."""
    answers = Answers(tmp_path, 90)
    kept, notes = answers.put(an_answer())
    assert notes == ()
    assert answers.get(kept.id) == kept == an_answer()._replace(id=kept.id)


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    """Questions are nobody else's business, whatever the umask."""
    old = os.umask(0)
    try:
        Answers(tmp_path, 90).put(an_answer())
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "answers.db").stat().st_mode) == 0o600


def test_old_answers_are_pruned(tmp_path: Path) -> None:
    """At writing, after answers_days; 0 keeps for ever."""
    day = 86_400 * 10**9
    answers = Answers(tmp_path, 90)
    first, _ = answers.put(an_answer(created_ns=10**18))
    second, _ = answers.put(an_answer(created_ns=10**18 + 90 * day))
    assert [a.id for a in answers.latest()] == [second.id, first.id]
    third, _ = answers.put(an_answer(created_ns=10**18 + 91 * day))
    assert [a.id for a in answers.latest()] == [third.id, second.id]
    assert [a.id for a in answers.latest(before_ns=third.created_ns)] == [second.id]
    Answers(tmp_path, 0).put(an_answer(created_ns=9 * 10**18))
    assert len(answers.latest()) == 3


def _many(folder: str, n: int) -> None:
    for i in range(n):
        Answers(Path(folder), 90).put(an_answer(f"{os.getpid()} {i}"))


def test_several_writers(tmp_path: Path) -> None:
    """Processes that keep answers at the same time lose none, from the first on."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_many, args=(str(tmp_path), 15)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [w.exitcode for w in workers] == [0, 0, 0]
    assert len({a.text for a in Answers(tmp_path, 90).latest(100)}) == 45


@pytest.mark.parametrize("damage", [b"no database at all, but long enough to be looked at" * 50, None])
def test_a_damaged_file_is_put_aside_and_said(home: Path, damage: bytes | None) -> None:
    """The question is answered and kept in a new file; the old one is still there under another name."""
    kb = KnowledgeBase(home)
    kb.ask("How long are backups kept?")
    path = home / "metadata" / "answers.db"
    data = path.read_bytes()
    path.write_bytes(damage or data[:100] + os.urandom(len(data) - 100))
    answer = kb.ask("How long are backups kept?")
    assert answer.id
    assert "put aside as answers.db.damaged-" in str(answer.notes[-1])
    assert kb.answer(answer.id).answer.text == answer.text
    assert len(list((home / "metadata").glob("answers.db.damaged-*"))) == 1
    kb.update()
    assert kb.search("backups")
    kb.close()


def test_reading_a_damaged_file_says_so(tmp_path: Path) -> None:
    """Not an empty list; and an answer that was changed by hand is not shown for what it was."""
    (tmp_path / "answers.db").write_bytes(b"\x07" * 5000)
    with pytest.raises(StoreDamaged, match="put aside"):
        Answers(tmp_path, 90).latest()
    assert Answers(tmp_path, 90).latest() == []
    kept, _ = Answers(tmp_path, 90).put(an_answer())
    with sqlite3.connect(tmp_path / "answers.db") as con:
        con.execute("UPDATE answer SET data=substr(data,1,20)||x'00'||substr(data,22)")
    con.close()
    with pytest.raises(StoreDamaged, match="is not what was written"):
        Answers(tmp_path, 90).get(kept.id)
    assert Answers(tmp_path, 90).latest() == []


def test_an_answer_that_cannot_be_kept_is_still_an_answer(shared: KnowledgeBase, llm: Scripted, tmp_path: Path) -> None:
    """A folder that is no folder: the note says why, the id is empty."""
    (tmp_path / "file").write_text("")
    answer = ask(shared, Question("How long are backups kept?"), Means(answers=Answers(tmp_path / "file", 90)))
    assert answer.id == ""
    assert "35 days" in answer.text
    assert "The answer was not kept" in str(answer.notes[-1])
    with pytest.raises(IndexerError):
        Answers(tmp_path / "file", 90).put(answer)


def test_nothing_was_asked_yet(tmp_path: Path) -> None:
    """No file, no answers; an empty file neither."""
    assert Answers(tmp_path, 90).latest() == []
    (tmp_path / "answers.db").write_bytes(b"")
    assert Answers(tmp_path, 90).latest() == []
