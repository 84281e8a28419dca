"""The LightRAG follower against real servers, 1.5.7 and 1.4.16: what it must do through changes, outages and deaths."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from following import differs, text
from lightrag_server import KEY, Model, Server, running, until, versions
from slow_embedder import configuration

from indexer import KnowledgeBase
from indexer.core.model import Key
from indexer.followers.remote_names import remote_name

pytestmark = pytest.mark.skipif(not versions(), reason="no LightRAG server is installed; `make followers` does it")


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    """The servers' language model."""
    one = Model()
    yield one
    one.stop()


@pytest.fixture(scope="module", params=versions())
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[Server]:
    """One server of each version for all tests."""
    with running(request.param, tmp_path_factory.mktemp("lightrag"), model) as server:
        yield server


@pytest.fixture
def graph(started: Server, model: Model) -> Server:
    """The server, empty, its model well."""
    model.steer()
    if started.process is None:
        started.start()
    started.clear()
    return started


class Home:
    """A knowledge base whose follower is that server; commands run in processes of their own."""

    def __init__(self, path: Path, graph: Server, key: str = KEY, more: str = "") -> None:
        self.path, self.graph, self.more = path, graph, more
        self.configure(key)
        self.kb = KnowledgeBase(path)

    def configure(self, key: str) -> None:
        """Write the configuration."""
        configuration(self.path)
        follower = f"[[followers]]\nname = 'graph'\nkind = 'lightrag'\nurl = '{self.graph.url}'\napi_key = '{key}'\n"
        with open(self.path / "indexer.toml", "a", encoding="utf-8") as file:
            file.write(follower + "probe_down_seconds = 1\nprobe_seconds = 2\n" + self.more)

    def write(self, name: str, content: str) -> None:
        """A document."""
        path = self.path / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")

    def commit(self) -> None:
        """Bring the index up to date."""
        self.kb.update(allow_deletions=True, verify_content=True)

    def texts(self) -> dict[str, str]:
        """What should be there."""
        root = self.path / "kb"
        files = {p.relative_to(root).as_posix(): p.read_text("utf-8") for p in root.rglob("*") if p.is_file()}
        return {remote_name(Key("kb", name)): body for name, body in files.items() if 50 <= len(body.strip()) < 100_000}

    def run(self, *words: str, code: int = 0) -> str:
        """A command to its end."""
        done = subprocess.run(self.command(*words), cwd=self.path, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def command(self, *words: str) -> list[str]:
        """As a list."""
        return [sys.executable, "-m", "indexer", *words]

    def right(self) -> list[str]:
        """What is wrong over there."""
        return differs(self.graph.content(), self.texts())


def test_every_change(graph: Server, tmp_path: Path) -> None:
    """Add, edit, move, delete; one name in two folders; copies; white space only; too long. The old text is gone."""
    home = Home(tmp_path, graph)
    for name, n in (
        ("hr/readme.md", 1),
        ("it/readme.md", 2),
        ("员工 手册 (2024).txt", 3),
        ("copy.txt", 3),
        ("d.txt", 4),
    ):
        home.write(name, text(n))
    home.write("blank.txt", " \n\t\n " * 50)
    home.write("long.txt", "A sentence that is repeated. " * 5000)
    home.commit()
    home.run("flush")
    assert home.right() == []
    assert len(graph.content()) == 4  # a copy is there once
    said = home.run("followers")
    assert "1 not sent" in said
    assert "in step" in said
    home.write("hr/readme.md", text(11))
    (tmp_path / "kb" / "it" / "readme.md").rename(tmp_path / "kb" / "it" / "moved.md")
    (tmp_path / "kb" / "d.txt").unlink()
    (tmp_path / "kb" / "员工 手册 (2024).txt").unlink()
    home.commit()
    home.run("flush")
    assert home.right() == []
    assert not [row for row in graph.rows() if row["file_path"].endswith(("d.txt", "it%2Freadme.md", "(2024).txt"))]
    before = graph.rows()
    home.run("flush")
    assert graph.rows() == before


def test_away_for_50_edits(graph: Server, tmp_path: Path) -> None:
    """Only the final state is sent, each document once."""
    home = Home(tmp_path, graph)
    for n in range(4):
        home.write(f"{n}.txt", text(n))
    home.commit()
    home.run("flush")
    graph.stop()
    for n in range(50):
        home.write(f"{n % 4}.txt", text(100 + n))
        home.commit()
    assert "behind by 4 documents" in home.run("flush", code=3)
    graph.start()
    home.run("flush")
    assert home.right() == []
    assert len(graph.rows()) == 4


def test_the_server_is_killed_at_work(graph: Server, tmp_path: Path, model: Model) -> None:
    """What was in progress is processed after its restart, once."""
    home = Home(tmp_path, graph)
    for n in range(3):
        home.write(f"{n}.txt", text(n))
    home.commit()
    model.steer(delay=3.0)
    with subprocess.Popen(
        home.command("flush"), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as ours:
        until(lambda: any(not r["status"].endswith("processed") for r in graph.rows()))
        graph.kill()
        model.steer()
        graph.start()
        ours.wait(240)
    home.run("flush")
    assert home.right() == []
    assert len(graph.rows()) == 3


def test_its_model_is_away(graph: Server, tmp_path: Path, model: Model) -> None:
    """Documents that failed over there are brought in when its model is back, without being sent again."""
    home = Home(tmp_path, graph)
    home.write("a.txt", text(1))
    home.commit()
    model.steer(away=True)
    home.run("flush", code=3)
    assert [row["status"].rpartition(".")[2].lower() for row in graph.rows()] == ["failed"]
    assert "1 failed" in home.run("followers", code=3)
    model.steer()
    home.run("flush", "--retry")
    assert home.right() == []


def test_we_are_killed(graph: Server, tmp_path: Path) -> None:
    """SIGKILL at random moments of a sending, again and again: the end is right, and nothing is there twice."""
    home = Home(tmp_path, graph)
    chance = random.Random(7)  # noqa: S311 - moments to repeat
    for n in range(4):
        home.write(f"{n}.txt", text(n))
    home.commit()
    for turn in range(6):
        with subprocess.Popen(home.command("flush"), cwd=tmp_path, stdout=subprocess.DEVNULL) as ours:
            time.sleep(0.6 + chance.random() * 2)
            ours.send_signal(signal.SIGKILL)
        home.write(f"{turn % 4}.txt", text(50 + turn))
        home.commit()
    home.run("flush")
    assert home.right() == []
    assert len(graph.rows()) == 4


def test_a_wrong_key_is_put_right(graph: Server, tmp_path: Path) -> None:
    """The daemon says so and goes on with the rest; told to read its configuration again it sends what waited."""
    home = Home(tmp_path, graph, key="wrong")
    home.write("a.txt", text(1))
    with subprocess.Popen(
        home.command("run", "--watch", "--debounce", "0.2"), cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as daemon:
        try:
            until(lambda: "misconfigured" in home.run("status", "--json", code=0))
            home.configure(KEY)
            daemon.send_signal(signal.SIGHUP)
            until(lambda: graph.content())
            home.write("b.txt", text(2))
            until(lambda: len(graph.content()) == 2)
        finally:
            daemon.terminate()
            assert daemon.wait(60) == 0
    assert home.right() == []


def test_both_sides_compared(graph: Server, tmp_path: Path) -> None:
    """Somebody deleted one there and left another: the one is sent again, the other named, and removed on request."""
    home = Home(tmp_path, graph)
    for n in range(3):
        home.write(f"{n}.txt", text(n))
    home.commit()
    home.run("flush")
    gone = graph.rows()[0]
    until(lambda: graph.ask("DELETE", "/documents/delete_document", json={"doc_ids": [gone["id"]]})["status"] != "busy")
    until(lambda: len(graph.rows()) == 2)
    graph.ask(
        "POST", "/documents/text", json={"text": text(77), "file_source": remote_name(Key("kb", "left over.txt"))}
    )
    graph.ask("POST", "/documents/text", json={"text": text(78), "file_source": "of somebody else.txt"})
    until(lambda: len(graph.content()) == 4)
    said = home.run("resync", "--dry-run")
    assert "1 document is missing there, 1 are named like ours" in said
    assert len(graph.rows()) == 4
    home.run("resync", "--remove-unknown")
    found = graph.content()
    assert "of somebody else.txt" in found
    del found["of somebody else.txt"]
    assert differs(found, home.texts()) == []


@pytest.mark.parametrize("version", versions())
def test_a_server_with_accounts(tmp_path: Path, model: Model, version: str) -> None:
    """A name and a password instead of a key; a wrong password needs a person."""
    accounts = {"AUTH_ACCOUNTS": "indexer:a long password", "TOKEN_SECRET": "for tests alone, and long enough for it"}
    with running(version, tmp_path / "server", model, LIGHTRAG_API_KEY="", **accounts) as server:
        for password, said, code in (("wrong", "does not let us in", 2), ("a long password", "1 document is there", 0)):
            home = Home(tmp_path / "home", server, key="", more=f"username = 'indexer'\npassword = '{password}'\n")
            home.write("a.txt", text(1))
            home.commit()
            assert said in home.run("flush", code=code)
