"""What goes wrong over there, each as its class demands."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from following import Lab, bare, differs, text
from lightrag_stand_in import StandIn, served

from indexer.core.errors import Busy
from indexer.core.following import FollowerSettings
from indexer.followers.http import Http
from indexer.followers.ledger import Ledger
from indexer.followers.model import Misconfigured, Refused, Unreachable
from indexer.followers.runner import alone, flush
from indexer.followers.told import facts, troubles


def lab_of(home: Path, server: StandIn, **more: Any) -> Lab:
    settings = {"url": server.url, "api_key": "secret", "timeout_seconds": 10, **more}
    return Lab(home, FollowerSettings("graph", **settings))


@pytest.fixture
def filled(tmp_path: Path, server: StandIn) -> Lab:
    """Three documents, over there as here."""
    lab = lab_of(tmp_path, server)
    for n in range(3):
        lab.write(f"{n}.txt", text(n))
    lab.commit()
    assert lab.flush() is None
    return lab


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Misconfigured), (403, Misconfigured), (404, Misconfigured), (301, Misconfigured), (405, Misconfigured),
     (400, Refused), (409, Refused), (413, Refused), (422, Refused),
     (408, Unreachable), (429, Unreachable), (500, Unreachable), (502, Unreachable), (503, Unreachable), (504, Unreachable)],
)  # fmt: skip
def test_statuses(server: StandIn, status: int, kind: type[Exception]) -> None:
    """Later, never, or not without a person."""
    server.fault = lambda method, path: (status, {"detail": "why"}, {"location": "http://127.0.0.1:1/"})
    http = Http(server.url, 5)
    with pytest.raises(kind, match="why"):
        http.ask("GET", "/health")
    http.close()


def test_patience_that_is_asked_for(server: StandIn) -> None:
    """Retry-After in seconds and as a date."""
    http = Http(server.url, 5)
    for value, least, most in (("7", 7, 7), ("Wed, 21 Oct 2099 07:28:00 GMT", 3600, 3600), ("soon", 0, 0)):
        server.fault = lambda method, path, value=value: (429, {"detail": "queue"}, {"retry-after": value})
        with pytest.raises(Unreachable) as e:
            http.ask("GET", "/health")
        assert least <= e.value.after <= most
    http.close()


def test_nobody_there(filled: Lab, server: StandIn) -> None:
    """After three failures it is asked twice a minute only; then all goes on by itself."""
    filled.write("1.txt", text(21))
    filled.commit()
    server.fault = lambda method, path: "refuse"
    with filled.opened() as runner:
        waits = [runner.turn()]
        for _ in range(4):
            filled.clock.sleep(waits[-1])
            waits.append(runner.turn())
        assert waits == [1.0, 2.0, 30.0, 30.0, 30.0]
        standing = runner.ledger.standing("graph")
        assert (standing.state, standing.since_ns > 0) == ("down", True)
        server.seen.clear()
        filled.clock.sleep(3)
        runner.turn()
        assert not server.seen  # the breaker is open
        server.fault = lambda method, path: None
        filled.clock.sleep(30)
        assert flush(runner, lambda: None, filled.clock.sleep) is None
        assert runner.ledger.standing("graph").state == ""
    assert len([m for m in filled.said if "does not answer" in str(m)]) <= 2
    assert "is back" in str(filled.said[-1])
    assert differs(server.content(), filled.texts()) == []


def test_a_wrong_key_needs_a_person(filled: Lab, server: StandIn) -> None:
    """It is said at once and asked once a minute; a key that is put right over there is noticed."""
    filled.write("1.txt", text(21))
    filled.commit()
    server.key = "another"
    with filled.opened() as runner:
        assert runner.turn() == 60.0
        assert runner.state == "misconfigured"
        assert "Check the key" in str(filled.said[-1])
        server.key = "secret"
        filled.clock.sleep(61)
        assert flush(runner, lambda: None, filled.clock.sleep) is None
    assert differs(server.content(), filled.texts()) == []


def test_a_document_it_will_not_have(filled: Lab, server: StandIn) -> None:
    """It is set aside with the reason, the others go on; another version of it is tried again."""

    def fault(method: str, path: str) -> Any:
        return (413, {"detail": "too large"}) if path == "/documents/text" else None

    filled.write("1.txt", text(21))
    filled.commit()
    server.fault = fault
    assert "1 documents were refused" in str(filled.flush())
    with filled.opened() as runner:
        [(key, item)] = runner.ledger.troubled("graph")
        assert (key.path, item.step, str(item.note)) == ("1.txt", "refused", "413: too large")
        assert runner.ledger.standing("graph").head.commit == runner.follower.feed.head().commit  # type: ignore[union-attr]
    server.fault = lambda method, path: None
    assert "1 documents were refused" in str(filled.flush())
    assert len(server.content()) == 2  # not asked again without need
    filled.write("1.txt", text(22))
    filled.commit()
    assert filled.flush() is None
    assert differs(server.content(), filled.texts()) == []


def test_what_failed_there_waits_longer_each_time(filled: Lab, server: StandIn) -> None:
    """Its model is away for hours: it is asked to process again, seldom, for ever, and nothing is sent again."""
    filled.write("1.txt", text(21))
    filled.commit()
    server.broken = True
    with filled.opened() as runner:
        server.taken.clear()
        server.seen.clear()
        end = filled.clock.now + 6 * 3600
        while filled.clock.now < end:
            filled.clock.sleep(max(runner.turn(), 20.0))
        [(key, item)] = runner.ledger.troubled("graph")
        assert (key.path, item.step) == ("1.txt", "failed")
        assert "RetryError" in str(item.note)
        assert 8 < server.seen["POST /documents/reprocess_failed"] < 30
        server.broken = False
        filled.clock.sleep(2000)
        assert flush(runner, lambda: None, filled.clock.sleep) is None
    assert sum(server.taken.values()) == 1
    assert differs(server.content(), filled.texts()) == []


def test_what_is_not_worth_sending(tmp_path: Path, server: StandIn) -> None:
    """White space, too little, too much; also when a document that is there becomes so."""
    lab = lab_of(tmp_path, server, max_kb=1.0)
    lab.write("blank.txt", " \n\t\n" * 100)
    lab.write("short.txt", "Too short.")
    lab.write("long.txt", text(1) * 20)
    lab.write("good.txt", text(2))
    lab.commit()
    assert lab.flush() is None
    assert [name.rpartition("%2F")[2] for name in server.content()] == ["good.txt"]
    with lab.opened() as runner:
        assert runner.ledger.counts("graph") == {"done": 1, "skipped": 2}  # the blank one is no document at all
    lab.write("good.txt", "Now short.")
    lab.write("long.txt", text(3))
    lab.commit()
    assert lab.flush() is None
    assert [name.rpartition("%2F")[2] for name in server.content()] == ["long.txt"]


def test_include_and_exclude(tmp_path: Path, server: StandIn) -> None:
    """gitignore syntax within each source; other rules take away what they no longer include."""
    lab = lab_of(tmp_path, server, include=("hr/", "*.md"), exclude=("secret*",))
    for name in ("hr/a.txt", "it/b.md", "it/c.txt", "hr/secret.txt"):
        lab.write(name, text(hash(name) % 1000))
    lab.commit()
    assert lab.flush() is None
    assert sorted(server.content()) == ["kb%2Fhr%2Fa.txt", "kb%2Fit%2Fb.md"]
    assert lab.flush(lab.settings._replace(include=("it/",), exclude=())) is None
    assert sorted(server.content()) == ["kb%2Fit%2Fb.md", "kb%2Fit%2Fc.txt"]


def test_whole_files(tmp_path: Path, server: StandIn) -> None:
    """``send = "file"``: the bytes as they lie in the folder."""
    lab = lab_of(tmp_path, server, send="file")
    lab.write("a.md", text(1) + "\n\n\n\nAfter many empty lines.\n")
    lab.commit()
    assert lab.flush() is None
    assert server.content() == {"kb%2Fa.md": text(1) + "\n\n\n\nAfter many empty lines.\n"}


def test_another_server(filled: Lab) -> None:
    """What the old one was sent says nothing of the new one: everything is sent there."""
    with served("1.5.7") as other:
        assert filled.flush(filled.settings._replace(url=other.url)) is None
        assert differs(other.content(), filled.texts()) == []


def test_a_look_at_another_server_forgets_nothing(filled: Lab, server: StandIn) -> None:
    """A wrong address, seen in `indexer followers` and put right: nothing is sent again."""
    ledger, sent = Path(filled.kb.settings.metadata) / "followers" / "ledger.db", dict(server.seen)
    before = _rows(ledger)
    with filled.opened(filled.settings._replace(url="http://127.0.0.1:9")) as runner:
        seen = facts(runner.follower)
        assert (seen["state"], seen["behind"], seen["cursor"], seen["documents"]["there"]) == ("new", 3, 0, 0)
        assert troubles(runner.follower) == []
    with filled.opened(filled.settings._replace(exclude=("2.txt",))) as runner:
        seen = facts(runner.follower)
        assert (seen["state"], seen["behind"], seen["documents"]["there"]) == ("well", 1, 3)
    assert _rows(ledger) == before
    with filled.opened() as runner:
        assert facts(runner.follower)["behind"] == 0
    assert dict(server.seen) == sent


def _rows(ledger: Path) -> list[object]:
    with closing(sqlite3.connect(ledger)) as con:
        return [con.execute(f"SELECT * FROM {table}").fetchall() for table in ("follower", "item")]


def test_a_pause(filled: Lab, server: StandIn) -> None:
    """Nothing is sent; afterwards all that waited."""
    with filled.opened() as runner:
        runner.ledger.pause("graph", True)
    filled.write("1.txt", text(21))
    filled.commit()
    assert "indexer resume graph" in str(filled.flush())
    with filled.opened() as runner:
        runner.ledger.pause("graph", False)
    assert filled.flush() is None
    assert differs(server.content(), filled.texts()) == []


def test_a_damaged_ledger_is_put_aside(filled: Lab, server: StandIn) -> None:
    """It is said; everything is sent as a replacement: nothing is lost, nothing is there twice."""
    path = Path(filled.kb.settings.metadata) / "followers" / "ledger.db"
    path.write_bytes(b"no database " * 1000)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    assert filled.flush() is None
    assert "put aside" in str(filled.said[0])
    assert list(path.parent.glob("ledger.db.damaged-*"))
    assert differs(server.content(), filled.texts()) == []
    assert len(server.docs) == 3


def test_another_profile_sends_nothing_again(filled: Lab, server: StandIn) -> None:
    """A new model makes new vectors of the same texts."""
    from indexer import KnowledgeBase

    config = Path(filled.kb.settings.home) / "indexer.toml"
    config.write_text(config.read_text("utf-8").replace("seconds = 0.0", "seconds = 0.001"), "utf-8")
    generation = filled.kb.layout.served()
    filled.kb.close()
    filled.kb = KnowledgeBase(config.parent)
    filled.commit()
    assert filled.kb.layout.served() != generation
    server.seen.clear()
    assert filled.flush() is None
    assert not [call for call in server.seen if call.startswith(("POST /documents/text", "DELETE"))]


def test_no_lightrag_server(tmp_path: Path, server: StandIn) -> None:
    """An address of something else is told as such."""
    server.fault = lambda method, path: (200, {"hello": "world"})
    lab = lab_of(tmp_path, server)
    lab.write("a.txt", text(1))
    lab.commit()
    assert "is no LightRAG server" in str(lab.flush())


def test_an_index_without_documents(tmp_path: Path, server: StandIn) -> None:
    """Before the first update, and with nothing to send."""
    lab = lab_of(tmp_path, server)
    assert lab.flush() is None
    lab.commit()
    assert lab.flush() is None
    assert bare(server.content()) == {}


def test_one_at_a_time(filled: Lab) -> None:
    """Two processes never work on one follower; the second waits its turn."""
    folder = Path(filled.kb.settings.metadata) / "followers"
    with alone(folder, "graph"), filled.opened() as runner:
        assert runner.turn() == 1.0
        assert runner.state == ""


def test_waiting_for_another_process(tmp_path: Path) -> None:
    """With patience its turn comes; without, or when that ends, it is said who is at work."""
    held, free = threading.Event(), threading.Event()

    def other() -> None:
        with alone(tmp_path, "graph"):
            held.set()
            free.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    assert held.wait(60)
    with pytest.raises(Busy), alone(tmp_path, "graph", 0.2):
        pass
    threading.Timer(0.3, free.set).start()
    with alone(tmp_path, "graph", 60):
        assert free.is_set()
    thread.join()


def test_the_ledger_on_a_full_disk(filled: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error with the path and the remedy, nothing else."""
    import sqlite3

    from indexer.core.errors import IndexerError

    ledger = Ledger(Path(filled.kb.settings.metadata))

    class Full:
        def execute(self, sql: str, args: Any = ()) -> Any:
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(ledger, "_con", Full())
    with pytest.raises(IndexerError, match=r"ledger\.db cannot be used \(database or disk is full\)"):
        ledger.pause("graph", True)
