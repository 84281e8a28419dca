"""The shipped rules and the dashboard: whole, in both languages, and about metrics that exist."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog import encoder, plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from monitored import names_in, values

from indexer import monitoring
from indexer.cli import main, parser
from indexer.core.errors import USAGE, UsageError
from indexer.metrics import Metrics

DASHBOARD: dict[str, Any] = json.loads((monitoring.HERE / "grafana.json").read_text("utf-8"))
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((monitoring.HERE / "alerts.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
PROMETHEUS = {"up"}  # its own


def panels() -> list[dict[str, Any]]:
    """Every panel, rows too."""
    return list(DASHBOARD["panels"])


def queries() -> Iterator[str]:
    """Every expression of the dashboard."""
    for panel in panels():
        yield from (target["expr"] for target in panel.get("targets", []))


@pytest.fixture
def known(everything: Metrics) -> set[str]:
    """Sample names of a real scrape: those a query can name."""
    return {name for name, _ in values(everything)}


# ---- rules -------------------------------------------------------------------------------


def test_rules_name_metrics_that_exist(known: set[str]) -> None:
    """And every rule names one."""
    for rule in RULES:
        named = names_in(rule["expr"])
        assert named, rule["alert"]
        assert named <= known | PROMETHEUS, rule["alert"]


def test_rules_name_labels_and_values_that_exist(everything: Metrics) -> None:
    """A matcher on a label that no sample has would be silent for ever."""
    have = {(k, v) for _, labels in values(everything) for k, v in labels} | {("job", "indexer")}
    for rule in RULES:
        for label, _, wanted in re.findall(r'(\w+)(=~?)"([^"]*)"', rule["expr"]):
            assert {(label, v) for v in wanted.split("|")} <= have, rule["alert"]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: str(r["alert"]))
def test_each_rule_says_what_to_do_in_both_languages(rule: dict[str, Any]) -> None:
    """Severity, waiting time, summary and description; the Chinese ones are Chinese."""
    assert rule["labels"]["severity"] in ("critical", "warning")
    assert re.fullmatch(r"\d+[mh]", rule["for"])
    said = rule["annotations"]
    assert set(said) == {"summary", "description", "summary_zh", "description_zh"}
    assert len(said["description"]) > 80
    for key in ("summary", "description"):
        assert re.search(r"[\u4e00-\u9fff]", said[f"{key}_zh"])
        assert not re.search(r"[\u4e00-\u9fff]", said[key])
        values_of = [sorted(re.findall(r"{{.*?}}", said[k])) for k in (key, f"{key}_zh")]
        assert values_of[0] == values_of[1]


def test_every_command_a_rule_names_is_one() -> None:
    """A remedy must work."""
    named = {c for r in RULES for text in r["annotations"].values() for c in re.findall(r"`(indexer [^`]+)`", text)}
    assert len(named) >= 6
    for command in named:
        words = shlex.split(re.sub(r"{{.*?}}", "NAME", command))[1:]
        assert parser("en").parse_args(words).command == words[0]


# ---- dashboard ---------------------------------------------------------------------------


def lost(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """Where ``after`` has not what ``before`` has."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, inner in before.items():
            yield from lost(inner, after.get(key, lost), f"{at}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from lost(*pair, f"{at}/{number}")
    elif before != after:
        yield at


def test_grafana_s_own_models_read_the_dashboard() -> None:
    """Nothing is lost on the way through them: every key is one that Grafana knows."""
    plugins.register_default_plugins()
    again = json.loads(encoder.JSONEncoder().encode(Dashboard.from_json(DASHBOARD)))
    assert list(lost(DASHBOARD, again)) == ["/id"]  # Grafana gives it one


def test_the_dashboard_asks_for_metrics_that_exist(known: set[str]) -> None:
    """Every query, the variables' too."""
    asked = [*queries(), *(v["query"]["query"] for v in DASHBOARD["templating"]["list"] if v["type"] == "query")]
    assert len(asked) > 40
    for query in asked:
        named = set(re.findall(r"label_values\((\w+)", query)) or names_in(query)
        assert named, query
        assert named <= known, query


def test_every_metric_is_on_the_dashboard(known: set[str]) -> None:
    """What nobody sees nobody needs."""
    asked = set[str]().union(*map(names_in, queries()))
    kept = {n for n in known if n.startswith("indexer_")} - {"indexer_run_duration_seconds_count"}
    assert kept - asked <= {"indexer_run_duration_seconds_sum"}


def test_every_query_is_about_the_chosen_daemons() -> None:
    """Each selector has both variables, so that two daemons do not mix."""
    for query in queries():
        selectors = re.findall(r"(?:indexer|process)_\w+(\{[^}]*\})?", query)
        assert selectors
        assert all('job="$job"' in s and 'instance=~"$instance"' in s for s in selectors), query


def test_every_panel_has_a_place_and_the_chosen_data_source() -> None:
    """No two overlap, none hangs over the edge, ids are unique, each says what it shows."""
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
        if panel["type"] != "row":
            assert panel["description"], panel["title"]
            sources = [panel["datasource"], *(t["datasource"] for t in panel["targets"])]
            assert all(s == {"type": "prometheus", "uid": "${datasource}"} for s in sources)
    ids = [panel["id"] for panel in panels()]
    assert len(set(ids)) == len(ids)
    assert DASHBOARD["templating"]["list"][0]["type"] == "datasource"


# ---- export ------------------------------------------------------------------------------


def test_export_writes_what_is_shipped(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the address of this daemon; again, it changes nothing."""
    (home / "indexer.toml").write_text('[metrics]\nlisten = "127.0.0.1:7777"\n', "utf-8")
    out = tmp_path / "monitoring"
    for said in ("made", "Everything is there already"):
        assert main(["export", "monitoring", str(out), "--home", str(home)]) == 0
        assert said in capsys.readouterr().out
    assert {p.name for p in out.iterdir()} == set(monitoring.FILES)
    for name in ("alerts.yml", "grafana.json"):
        assert (out / name).read_bytes() == (monitoring.HERE / name).read_bytes()
    config = yaml.safe_load((out / "prometheus.yml").read_text("utf-8"))
    [job] = config["scrape_configs"]
    assert job["job_name"] == "indexer"
    assert job["static_configs"][0]["targets"] == ["127.0.0.1:7777"]
    assert config["rule_files"] == ["alerts.yml"]


def test_export_says_when_there_is_nothing_to_scrape(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """The files are written all the same."""
    assert main(["export", "monitoring", str(tmp_path / "out"), "--home", str(home)]) == 0
    assert 'listen = "127.0.0.1:9464"' in capsys.readouterr().out


def test_a_file_that_was_adapted_is_never_replaced(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Nothing is written then; other files in the folder do not matter."""
    out = tmp_path / "rules"
    out.mkdir()
    (out / "other.yml").write_text("groups: []")
    (out / "alerts.yml").write_text("groups: []")
    assert main(["export", "monitoring", str(out), "--home", str(home)]) == USAGE
    assert "alerts.yml" in capsys.readouterr().err
    assert sorted(p.name for p in out.iterdir()) == ["alerts.yml", "other.yml"]
    (out / "alerts.yml").unlink()
    assert main(["export", "monitoring", str(out), "--home", str(home)]) == 0
    assert (out / "other.yml").read_text() == "groups: []"


def test_a_file_in_the_folder_s_place(tmp_path: Path) -> None:
    """Is told, not replaced."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="no folder"):
        monitoring.write(tmp_path / "file", "")


@pytest.mark.parametrize("listen", ["0.0.0.0:9464", "[::]:9464", "", "127.0.0.1:9464"])
def test_an_address_that_means_all_is_scraped_on_this_machine(listen: str) -> None:
    """0.0.0.0 can be listened on, not asked."""
    assert b'["127.0.0.1:9464"]' in monitoring.contents(listen)["prometheus.yml"]
