"""The commands and the daemon, as a person meets them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from following import differs, text
from lightrag_stand_in import StandIn, served
from slow_embedder import configuration

from indexer.core.model import Key
from indexer.followers.remote_names import remote_name

TABLE = "[[followers]]\nname = 'graph'\nkind = 'lightrag'\nurl = '{url}'\napi_key = '{key}'\nprobe_down_seconds = 1\nprobe_seconds = 1\n"


class Home:
    """A folder with a follower; commands run in processes of their own."""

    def __init__(self, path: Path, server: StandIn) -> None:
        self.path, self.server = path, server
        self.configure("secret")

    def configure(self, key: str) -> None:
        """Write the configuration."""
        configuration(self.path)
        with open(self.path / "indexer.toml", "a", encoding="utf-8") as file:
            file.write(TABLE.format(url=self.server.url, key=key))

    def write(self, name: str, body: str) -> None:
        """A document."""
        (self.path / "kb" / name).write_text(body, "utf-8")

    def run(self, *words: str, code: int = 0, **environ: str) -> str:
        """What a command says."""
        command = [sys.executable, "-m", "indexer", *words]
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, env={**os.environ, **environ})
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def texts(self) -> dict[str, str]:
        """What should be over there."""
        return {remote_name(Key("kb", p.name)): p.read_text("utf-8") for p in (self.path / "kb").iterdir()}


@pytest.fixture
def home(tmp_path: Path) -> Any:
    """One with two documents."""
    with served("1.5.7") as server:
        one = Home(tmp_path, server)
        for n in range(2):
            one.write(f"{n}.txt", text(n))
        yield one


def until(what: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
    return found


def test_a_day_of_a_follower(home: Home) -> None:
    """Update with --flush, list, pause, resume, flush, compare; each says how it stands and what to do."""
    assert "graph: in step; 2 documents are there" in home.run("update", "--now", "--flush")
    assert differs(home.server.content(), home.texts()) == []
    assert "in step with commit 1" in home.run("followers")
    home.write("2.txt", text(2))
    home.run("update", "--now", "-q")
    assert "behind by 1 document since" in home.run("followers")
    assert "is paused" in home.run("pause", "graph")
    assert "indexer resume graph" in home.run("flush", code=3)
    [told] = json.loads(home.run("followers", "--json"))
    assert (told["state"], told["behind"], told["cursor"], told["commit"]) == ("paused", 1, 1, 2)
    assert "goes on" in home.run("resume", "graph")
    assert "3 documents are there" in home.run("flush", "graph")
    del home.server.docs[next(iter(home.server.docs))]
    assert "1 document is missing there, 0 are named like ours" in home.run("resync", "--dry-run")
    assert len(home.server.docs) == 2
    home.run("resync")
    assert differs(home.server.content(), home.texts()) == []


def test_what_goes_wrong_is_said(home: Home) -> None:
    """The server is away, the key is wrong, the name is wrong: sentences, exit codes, nothing lost; in Chinese too."""
    home.server.fault = lambda method, path: "refuse"
    said = home.run("update", "--now", "--flush", code=3)
    assert "behind by 2 documents" in said
    assert "does not answer" in said
    assert "graph (lightrag): down since" in home.run("followers", code=3)
    assert "没有应答" in home.run("flush", code=3, INDEXER_LANG="zh")
    home.server.fault = lambda method, path: None
    home.configure("wrong")
    assert "Check the key of this follower" in home.run("flush", code=2)
    assert "There is no follower grpah; there is graph" in home.run("flush", "grpah", code=2)
    home.configure("secret")
    home.run("flush")
    assert differs(home.server.content(), home.texts()) == []
    configuration(home.path)
    assert "docs/followers.md" in home.run("flush", code=2)
    assert "docs/followers.md" in home.run("followers")


def test_the_daemon_keeps_it_in_step(home: Home) -> None:
    """A saved file reaches it by itself; an outage and a wrong key are shown, and over when they are over."""
    command = [sys.executable, "-m", "indexer", "run", "--watch", "--debounce", "0.2"]
    with subprocess.Popen(command, cwd=home.path, stderr=subprocess.DEVNULL) as daemon:
        try:
            until(lambda: differs(home.server.content(), home.texts()) == [])
            home.write("3.txt", text(3))
            until(lambda: differs(home.server.content(), home.texts()) == [])
            home.server.fault = lambda method, path: "refuse"
            home.write("3.txt", text(33))
            until(lambda: status(home)["state"] == "down")
            until(lambda: status(home)["behind"] == 1)
            home.server.fault = lambda method, path: None
            until(lambda: differs(home.server.content(), home.texts()) == [])
            until(lambda: (status(home)["state"], status(home)["behind"]) == ("well", 0))
            home.server.key = "another"
            home.write("4.txt", text(4))
            until(lambda: status(home)["state"] == "misconfigured")
            home.configure("another")
            daemon.send_signal(signal.SIGHUP)
            until(lambda: differs(home.server.content(), home.texts()) == [])
        finally:
            daemon.terminate()
            assert daemon.wait(60) == 0


def test_the_web_service_shows_it(home: Home) -> None:
    """In the status for programs and on the first page, with what it last said."""
    import httpx
    from lightrag_server import free_port

    port = free_port()
    with open(home.path / "indexer.toml", "a", encoding="utf-8") as file:
        file.write(f"[serve]\nenabled = true\nlisten = '127.0.0.1:{port}'\n")
    home.run("update", "--now", "-q")
    home.server.key = "another"
    command = [sys.executable, "-m", "indexer", "run"]
    with subprocess.Popen(command, cwd=home.path, stderr=subprocess.DEVNULL) as daemon:
        try:

            def told() -> list[dict[str, Any]]:
                with contextlib.suppress(httpx.HTTPError):
                    found: list[dict[str, Any]] = httpx.get(f"http://127.0.0.1:{port}/api/v1/status").json()[
                        "followers"
                    ]
                    return [f for f in found if f["state"] == "misconfigured"]
                return []

            [one] = until(told)
            assert (one["name"], one["kind"], one["behind"]) == ("graph", "lightrag", 2)
            assert "Check the key" in one["error"]
            page = httpx.get(f"http://127.0.0.1:{port}/").text
            assert "graph</bdi>: misconfigured" in page
            assert "Check the key" in page
        finally:
            daemon.terminate()
            assert daemon.wait(60) == 0


def status(home: Home) -> dict[str, Any]:
    """The follower as `indexer status` tells it."""
    done = subprocess.run(
        [sys.executable, "-m", "indexer", "status", "--json"], cwd=home.path, capture_output=True, text=True
    )
    facts: list[dict[str, Any]] = json.loads(done.stdout)["followers"]
    return facts[0] if facts else {"state": "", "behind": -1}


def test_secrets_stay_secret(home: Home) -> None:
    """Neither the configuration that is shown nor the cache of it, nor what is listed, holds a key."""
    home.run("update", "--now", "-q")
    shown = home.run("config", "show")
    assert 'api_key = "***"' in shown
    assert '"secret"' not in shown
    for file in home.path.rglob("*"):
        if file.is_file() and "metadata" in file.parts:
            assert b"'secret'" not in file.read_bytes()
            assert b'"secret"' not in file.read_bytes()
    home.run("update", "--now", "-q")  # from the cache of the configuration
    home.run("flush")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("kind = 'lightrag'\nname = 'g'", "a follower of the kind lightrag needs it"),
        ("kind = 'vectorstore'\nname = 'g'", "a follower of the kind vectorstore needs it"),
        ("kind = 'kafka'\nname = 'g'", "lightrag"),
        ("kind = 'webhook'\nname = 'g'\nurl = 'ftp://x'", "http:// or https://"),
        ("kind = 'webhook'\nname = 'a b'\nurl = 'http://x'", "letters, digits"),
        ("kind = 'webhook'\nname = 'g'\nurl = 'http://x'\n[[followers]]\nkind = 'webhook'\nname = 'G'\nurl = 'http://x'", "two followers"),
        ("kind = 'webhook'\nname = 'g'\nurl = 'http://x'\napi_key = 'x'\napi_key_env = 'Y'", "not both"),
        ("kind = 'webhook'\nname = 'g'\nurl = 'http://x'\napikey = 'x'", "did you mean"),
    ],
)  # fmt: skip
def test_wrong_configurations(home: Home, table: str, said: str) -> None:
    """Key, value, and what is right."""
    configuration(home.path)
    with open(home.path / "indexer.toml", "a", encoding="utf-8") as file:
        file.write("[[followers]]\n" + table + "\n")
    answer = home.run("update", "--now", code=2)
    assert said in answer
    assert "followers" in answer


def test_the_doctor_looks(home: Home) -> None:
    """There, answering, refusing, away: each is told apart."""
    assert "--deep asks it" in home.run("doctor", code=doctor_code(home))
    deep = ("doctor", "--deep", "--json")
    assert followers_of(home.run(*deep, code=doctor_code(home, *deep))) == [("ok", "answers")]
    home.configure("wrong")
    assert followers_of(home.run(*deep, code=doctor_code(home, *deep))) == [("problem", "follower.")]
    home.configure("secret")
    home.server.fault = lambda method, path: "refuse"
    assert followers_of(home.run(*deep, code=doctor_code(home, *deep))) == [("warning", "response.).")]


def doctor_code(home: Home, *words: str) -> int:
    """Whatever else it finds on this machine decides the code."""
    command = [sys.executable, "-m", "indexer", *(words or ("doctor",))]
    return subprocess.run(command, cwd=home.path, capture_output=True).returncode


def followers_of(said: str) -> list[tuple[str, str]]:
    """(level, last word) of what it says of followers."""
    found = json.loads(said)
    rows = found["findings"] if isinstance(found, dict) else found
    return [(r["level"], r["message"].rpartition(" ")[2]) for r in rows if r["name"] == "followers"]
