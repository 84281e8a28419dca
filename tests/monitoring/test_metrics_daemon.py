"""The daemon itself serves its metrics, and goes on where it cannot."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alerting import daemon_argv, free_port, program, until
from monitored import CONFIG, DAEMON, ROOT, put, value
from test_metrics_docs import documented


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes started here find the product."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def configure(home: Path, port: int, web: int | None = None) -> None:
    """Watch mode, metrics there, the web service somewhere."""
    facts = {"port": port, "web": web or free_port(), "follower": "away", "url": "http://127.0.0.1:9"}
    (home / "indexer.toml").write_text(DAEMON.format(config=CONFIG, **facts), "utf-8")


@contextmanager
def running(home: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon at work."""
    with program(daemon_argv(), home, log) as daemon:
        yield daemon


def scrape(port: int, path: str = "/metrics") -> bytes:
    """The body, empty while nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    except OSError:
        return b""
    finally:
        connection.close()


def test_a_real_daemon_tells_all_that_is_documented(home: Path, tmp_path: Path) -> None:
    """Every metric of the page but those of a run at work and of a follower that answers; a change is counted and its lag measured."""
    configure(home, port := free_port(), web := free_port())
    with running(home, tmp_path / "log"):
        until("the first run", lambda: value(scrape(port), "indexer_documents", state="indexed") == 12)
        put(home, "new.txt", "A new text.", age=0)
        until("the change is found", lambda: value(scrape(port), "indexer_searchable_lag_seconds_count"))
        until("the probe came back", lambda: b"indexer_watch_probe_timestamp_seconds{" in scrape(port))
        until("a page was asked for", lambda: scrape(web, "/api/v1/health/live"))
        until("the daemon rests", lambda: value(scrape(port), "indexer_running") == 0)
        until("nobody waits", lambda: value(scrape(port), "indexer_queue_length") == 0)
        until("the follower was tried", lambda: value(scrape(port), "indexer_follower_up", follower="away") == 0)
        body = scrape(port)
        missing = {name for name in documented() if f"# TYPE {name} ".encode() not in body}
        assert missing <= {"indexer_run_started_timestamp_seconds", "indexer_follower_answered_timestamp_seconds"}
        assert value(body, "indexer_watch_events", source="knowledge_base") in (0, 1)
        assert value(body, "indexer_documents", state="indexed") == 13


def test_a_taken_port_does_not_stop_the_daemon(home: Path, tmp_path: Path) -> None:
    """It says which key it is about and works on; told to look again, it takes a free one."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        configure(home, taken := other.getsockname()[1])
        log = tmp_path / "log"
        with running(home, log) as daemon:
            until("the log says so", lambda: f"metrics.listen: nothing can be served on 127.0.0.1:{taken}" in log.read_text("utf-8"))  # fmt: skip
            until("it works on", lambda: health(home) == 0 and any((home / "metadata").glob("*/catalog.db")))
            if not hasattr(signal, "SIGHUP"):
                return
            configure(home, port := free_port())
            daemon.send_signal(signal.SIGHUP)
            until("metrics are there now", lambda: value(scrape(port), "indexer_commit") == 1)


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no signal to read the configuration again")
def test_no_scrape_fails_while_the_configuration_is_read_again(home: Path, tmp_path: Path) -> None:
    """Prometheus would take a refused scrape for a daemon that is down."""
    configure(home, port := free_port())
    log = tmp_path / "log"
    with running(home, log) as daemon:
        until("the first run", lambda: value(scrape(port), "indexer_commit") == 1)
        for times in range(1, 4):
            daemon.send_signal(signal.SIGHUP)
            while log.read_text("utf-8").count("The configuration was read again") < times:
                assert scrape(port), log.read_text("utf-8")
                assert daemon.poll() is None


def health(home: Path) -> int:
    """What `status --health` ends with."""
    argv = [sys.executable, "-m", "indexer", "status", "--health"]
    return subprocess.run(argv, cwd=home, env=os.environ, capture_output=True, check=False).returncode
