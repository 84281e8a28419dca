"""``indexer serve`` and ``indexer key`` as a user has them."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "daemon"))

from daemons import Daemon, indexer
from slow_embedder import configuration

Begin = Callable[..., Daemon]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A knowledge base with one document and a free port."""
    configuration(tmp_path)
    (tmp_path / "kb" / "a.md").write_text("# Title\n\nabout zebras\n")
    return tmp_path


@pytest.fixture
def begin(home: Path) -> Iterator[Begin]:
    """``begin("serve", …)``; killed at the end."""
    begun: list[Daemon] = []

    def start(*words: str) -> Daemon:
        begun.append(Daemon(home, *words))
        return begun[-1].ready()

    yield start
    for one in begun:
        one.process.kill()
        one.process.wait()


def test_serve(home: Path, begin: Begin) -> None:
    """It answers, updates when asked, is shown by status, and a second one is told what to do."""
    daemon = begin("serve", "--listen", "127.0.0.1:0")
    address = daemon.state()["web"]
    assert f"serving {address}" in daemon.said()
    with httpx.Client(base_url=address, timeout=60) as client:
        request = client.post("/api/v1/runs", json={}).json()["request"]
        daemon.until(lambda: client.get(f"/api/v1/requests/{request}").json()["state"] == "done")
        assert client.get("/api/v1/search?q=zebras").json()["hits"]
        assert "indexer_web_requests_total" in client.get("/metrics").text
        assert client.get("/api/v1/status").json()["daemon"]["mode"] == "serve"
    assert f"Served on {address}" in indexer(home, "status").stdout
    second = indexer(home, "serve")
    assert second.returncode == 7
    assert f"kill -HUP {daemon.process.pid}" in second.stderr
    assert daemon.stop() == 0


def test_the_daemon_serves_when_that_is_configured(home: Path, begin: Begin) -> None:
    """[serve] enabled in `indexer run`; a reload with it off ends it, the daemon goes on."""
    config = home / "indexer.toml"
    config.write_text("[serve]\nenabled = true\nlisten = '127.0.0.1:0'\n" + config.read_text())
    daemon = begin("run")
    address = daemon.state()["web"]
    assert httpx.get(f"{address}/api/v1/health/ready").status_code == 200
    config.write_text(config.read_text().replace("enabled = true", "enabled = false"))
    daemon.send(signal.SIGHUP)
    daemon.until(lambda: daemon.state()["web"] == "")
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/api/v1/health/live")
    assert daemon.stop() == 0


def test_another_address_after_a_reload(home: Path, begin: Begin) -> None:
    """The old one is given back; the new one has everything, live events too."""
    config = home / "indexer.toml"
    before = config.read_text()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config.write_text("[serve]\nenabled = true\nlisten = '127.0.0.1:0'\n" + before)
    daemon = begin("run")
    old = daemon.state()["web"]
    config.write_text(f"[serve]\nenabled = true\nlisten = '127.0.0.1:{port}'\n" + before)
    daemon.send(signal.SIGHUP)
    daemon.until(lambda: daemon.state()["web"].endswith(f":{port}"))
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{old}/api/v1/health/live")
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client, client.stream("GET", "/api/v1/events") as events:  # fmt: skip
        httpx.post(f"http://127.0.0.1:{port}/api/v1/runs", json={}, timeout=60)
        assert any(line.startswith("event: ") for line in events.iter_lines())
    assert daemon.stop() == 0


def test_an_address_others_reach_needs_a_key(home: Path, begin: Begin) -> None:
    """Exit code 2 and the remedy; with a key it begins and wants it; a removed one is refused at once."""
    refused = indexer(home, "serve", "--listen", "0.0.0.0:0")
    assert refused.returncode == 2
    assert "indexer key add" in refused.stderr
    made = indexer(home, "key", "add", "me", "--scope", "admin")
    key = made.stdout.strip()
    daemon = begin("serve", "--listen", "0.0.0.0:0")
    port = daemon.state()["web"].rpartition(":")[2]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/api/v1/status").status_code == 401
        client.headers["Authorization"] = f"Bearer {key}"
        assert client.get("/api/v1/status").status_code == 200
        assert indexer(home, "key", "remove", "me").returncode == 0
        assert client.get("/api/v1/status").status_code == 401
    assert key not in daemon.said()
    assert daemon.stop() == 0


def test_a_port_that_is_taken(home: Path) -> None:
    """Exit code 2, the address and the remedy."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = indexer(home, "serve", "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert refused.returncode == 2
    assert "--listen" in refused.stderr


def test_keys_on_the_command_line(home: Path) -> None:
    """Made, listed, ended; mistakes say what to do."""
    assert indexer(home, "key", "add", "reader").stdout.startswith("idx_")
    assert "reader  read" in indexer(home, "key", "list").stdout
    assert '"scope": "read"' in indexer(home, "key", "list", "--json").stdout
    for words in (("add",), ("list", "x"), ("remove", "nobody"), ("add", "reader"), ("add", "x", "--scope", "root")):
        assert indexer(home, "key", *words).returncode == 2
    assert indexer(home, "key", "remove", "reader").returncode == 0
    assert "no key" in indexer(home, "key", "list").stdout
