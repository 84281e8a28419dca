"""The shipped alert rules before Prometheus itself: checked, played through, and fired for real."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from alerting import Prometheus, Receiver, Sink, daemon_argv, free_port, program, promtool, until, watching
from monitored import CONFIG, DAEMON, ROOT, SECOND, put
from test_monitoring_files import DASHBOARD, RULES, queries

from indexer import monitoring
from indexer.api import KnowledgeBase

pytestmark = pytest.mark.skipif(
    not os.environ.get("INDEXER_TEST_ALERTS"),
    reason="needs prometheus and prometheus-alertmanager of Debian: `make alerts` (INDEXER_TEST_ALERTS=1)",
)
CASES = Path(__file__).with_name("alert_cases.yml")
HOUR = 3600 * SECOND
DASHBOARD_VALUES = {"$job": "indexer", "$instance": ".*", "$__rate_interval": "5m"}


# ---- checked and played through ----------------------------------------------------------


def test_promtool_accepts_what_is_exported(tmp_path: Path) -> None:
    """Rules and scrape configuration, as they lie in the folder."""
    monitoring.write(tmp_path, "127.0.0.1:9464")
    done = promtool("check", "config", "prometheus.yml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(RULES)} rules found" in done.stdout
    assert "lint" not in done.stdout + done.stderr


def test_promtool_accepts_every_query_of_the_dashboard(tmp_path: Path) -> None:
    """With the variables filled in."""
    rules = [{"record": f"panel:query{n}", "expr": filled(query)} for n, query in enumerate(queries())]
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = promtool("check", "rules", "queries.yml", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def filled(query: str) -> str:
    """A dashboard's query as Grafana would send it."""
    for variable, value in DASHBOARD_VALUES.items():
        query = query.replace(variable, value)
    assert "$" not in query
    return query


def played(folder: Path, rules: list[dict[str, Any]], alert: str = "") -> subprocess.CompletedProcess[str]:
    """Play the series of ``alert_cases.yml`` (those for one alert) against rules with no annotation but the summary."""
    kept = [{**rule, "annotations": {"summary": rule["annotations"]["summary"]}} for rule in rules]
    (folder / "alerts.yml").write_text(yaml.safe_dump({"groups": [{"name": "indexer", "rules": kept}]}))
    cases = yaml.safe_load(CASES.read_text("utf-8"))
    cases["tests"] = [c for c in cases["tests"] if not alert or alert in {t["alertname"] for t in c["alert_rule_test"]}]
    assert cases["tests"]
    (folder / CASES.name).write_text(yaml.safe_dump(cases))
    return promtool("test", "rules", CASES.name, cwd=folder)


def test_every_rule_fires_when_it_must_and_only_then(tmp_path: Path) -> None:
    """The cases pass with the rules as shipped."""
    done = played(tmp_path, RULES)
    assert done.returncode == 0, done.stdout + done.stderr


SABOTAGES = {
    "never": lambda rule: {**rule, "expr": f"({rule['expr']}) and (vector(1) == 0)"},
    "at once": lambda rule: {**rule, "for": "0s"},
    "late": lambda rule: {**rule, "for": "30d"},
    "mild": lambda rule: {**rule, "labels": {"severity": "info"}},
    "speechless": lambda rule: {**rule, "annotations": {**rule["annotations"], "summary": "."}},
}


@pytest.mark.parametrize("how", SABOTAGES)
@pytest.mark.parametrize("alert", [rule["alert"] for rule in RULES])
def test_the_cases_catch_a_broken_rule(tmp_path: Path, alert: str, how: str) -> None:
    """Each rule, broken in each way, fails them: so every one is tried to fire, and to wait."""
    [rule] = [rule for rule in RULES if rule["alert"] == alert]
    assert played(tmp_path, [rule], alert).returncode == 0
    assert played(tmp_path, [SABOTAGES[how](rule)], alert).returncode != 0


# ---- fired for real ----------------------------------------------------------------------


@pytest.fixture
def troubled(home: Path) -> Path:
    """Last updated 27 hours ago; then most files went and one came that cannot be read; now the folder is gone."""
    for number in range(20):
        put(home, f"more/{number}.txt", f"More text, number {number}.")
    kb, past = KnowledgeBase(home), time.time_ns() - 27 * HOUR
    kb.update(now_ns=lambda: past)
    shutil.rmtree(home / "knowledge_base" / "more")
    put(home, "broken.pdf", b"not a pdf at all")
    kb.update(now_ns=lambda: past + HOUR // 2)
    kb.close()
    (home / "knowledge_base").rename(home / "away")
    return home


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A follower that is out of order at first."""
    sink = Sink(503)
    yield sink
    sink.close()


@contextmanager
def watched(home: Path, folder: Path, sink: Sink, web: int) -> Iterator[tuple[Prometheus, Receiver]]:
    """The daemon's metrics on a free port, its follower, the exported files in a folder, and all who watch."""
    port = free_port()
    config = DAEMON.format(config=CONFIG, port=port, web=web, follower="hook", url=sink.url)
    (home / "indexer.toml").write_text(config, "utf-8")
    folder.mkdir()
    assert cli(home, "export", "monitoring", str(folder)) == 0
    with watching(folder) as found:
        yield found


def cli(home: Path, *words: str) -> int:
    """Run a command in another process."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", "indexer", *words], cwd=home, env=environ, check=False).returncode


def test_a_real_daemon_in_trouble_is_told_of_and_its_recovery_too(
    troubled: Path, sink: Sink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held deletions, a failing file, no success, a failed run, a follower, a dead daemon: each fires, each is resolved."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    trouble = {"IndexerDeletionsHeld", "IndexerFilesFailing", "IndexerNoSuccess", "IndexerRunFailed"}
    with watched(troubled, tmp_path / "out", sink, web := free_port()) as (prometheus, receiver):
        until("the absent daemon is told of", lambda: "IndexerDown" in receiver.firing())
        with program(daemon_argv(), troubled, tmp_path / "daemon.log") as daemon:
            until("all that is wrong is told", lambda: trouble | {"IndexerFollowerDown"} <= receiver.firing())
            sink.status = 401
            until("the follower's refusal is told", lambda: "IndexerFollowerMisconfigured" in receiver.firing())
            sink.status = 422
            until("what it does not take is told", lambda: "IndexerFollowerFailing" in receiver.firing())
            sink.status = 204
            assert receiver.summary("IndexerDeletionsHeld").startswith(
                "20 deletions wait for a confirmation on 127.0.0.1:"
            )
            assert "1 documents" in receiver.summary("IndexerFilesFailing")
            assert re.search(r"succeeded for 1d 2h \d+m", receiver.summary("IndexerNoSuccess"))
            assert "exit code 4" in receiver.summary("IndexerRunFailed")
            until("the daemon is no longer called down", lambda: "IndexerDown" not in receiver.firing())
            (troubled / "away").rename(troubled / "knowledge_base")
            (troubled / "knowledge_base" / "broken.pdf").unlink()
            assert cli(troubled, "update", "--now", "--allow-deletions", "-q") == 0
            assert cli(troubled, "flush", "--retry") == 0
            trouble |= {f"IndexerFollower{what}" for what in ("Down", "Misconfigured", "Failing")}
            until("everything is resolved", lambda: not receiver.firing() & trouble)
            sink.seconds = 2
            until("every rule was evaluated", lambda: healthy(prometheus))
            until("every panel shows something", dashboard(prometheus, troubled, web))
            daemon.send_signal(signal.SIGKILL)
            until("its end is told", lambda: "IndexerDown" in receiver.firing())
        with program(daemon_argv(), troubled, tmp_path / "again.log"):
            until("and its return", lambda: "IndexerDown" not in receiver.firing())


def healthy(prometheus: Prometheus) -> bool:
    """Whether all rules are there and none has an error."""
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert not [rule for rule in rules if rule["health"] == "err"], rules
    return {rule["name"] for rule in rules if rule["health"] == "ok"} == {rule["alert"] for rule in RULES}


def dashboard(prometheus: Prometheus, home: Path, web: int) -> Callable[[], bool]:
    """Tells whether each panel, apart from the run at work, has shown something so far; a file is touched and a page asked for."""
    wanting = {p["title"]: p["targets"] for p in DASHBOARD["panels"] if "targets" in p}
    del wanting["The run at work"]

    def shown() -> bool:
        put(
            home, "changing.txt", f"Changed at {time.time() // 5}.", age=0
        )  # at rest between: a change is taken in when it is
        with urllib.request.urlopen(f"http://127.0.0.1:{web}/api/v1/health/live", timeout=60):
            pass
        for title in [t for t, targets in wanting.items() if all(prometheus.query(hasty(x["expr"])) for x in targets)]:
            del wanting[title]
        print("panels that show nothing yet:", list(wanting))
        return not wanting

    return shown


def hasty(query: str) -> str:
    """The last half minute instead of five: nothing is older here."""
    return filled(query).replace("[5m]", "[30s]")
