"""docs/schedule.md says what the product does: every time in it is computed, every refusal is made."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from indexer.config import load_settings
from indexer.core.errors import ConfigError
from indexer.core.tables import ScheduleSettings
from indexer.triggers.due import RETRY_MINUTES
from indexer.triggers.schedule import PAUSE
from indexer.triggers.wall import build, fires

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "schedule.md").read_text("utf-8")
BERLIN = ZoneInfo("Europe/Berlin")


def table(heading: str) -> list[list[str]]:
    """The rows of the table with this first column, code marks taken off."""
    lines = TEXT.split(f"\n| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(("cron", "runs"), table("`cron`"))
def test_the_expressions(cron: str, runs: str) -> None:
    """The first three runs of each."""
    start = datetime(2031, 6, 1, 12, 0, 1, tzinfo=BERLIN).astimezone(UTC)
    found = islice(fires(build(ScheduleSettings(cron=cron), BERLIN), start, start + timedelta(days=4000)), 3)
    assert ", ".join(f.astimezone(BERLIN).strftime("%a %Y-%m-%d %H:%M") for f in found) == runs


@pytest.mark.parametrize(("zone", "at", "day", "starts"), table("zone"))
def test_the_clock_changes(zone: str, at: str, day: str, starts: str) -> None:
    """The run of that date."""
    z = ZoneInfo(zone)
    noon = datetime.combine(date.fromisoformat(day), datetime.min.time(), z).astimezone(UTC)
    before = noon - timedelta(hours=12) if at < "12:00" else noon + timedelta(hours=12)
    found = next(fires(build(ScheduleSettings(at=at), z), before, before + timedelta(days=2)))
    assert found.astimezone(z).strftime("%Y-%m-%d %H:%M %z") == starts


@pytest.mark.parametrize(("key", "given", "why"), table("key"))
def test_the_refusals(tmp_path: Path, key: str, given: str, why: str) -> None:
    """Word for word, when the configuration is read, with the line."""
    (tmp_path / "indexer.toml").write_text(f"[schedule]\n{key} = '{given}'\n", "utf-8")
    with pytest.raises(ConfigError) as e:
        load_settings(tmp_path, {}, {})
    assert str(e.value) == f"indexer.toml, line 2: schedule.{key} = {json.dumps(given)}: {why}"


@pytest.mark.parametrize(
    "two", ['at = "01:00"\ncron = "0 2 * * *"', 'cron = "0 2 * * *"\nevery = "1d"', 'at = "01:00"\nevery = "6h"']
)
def test_one_key_says_when(tmp_path: Path, two: str) -> None:
    """Two of them are refused, but for whole days at a time of day."""
    (tmp_path / "indexer.toml").write_text(f"[schedule]\n{two}\n", "utf-8")
    with pytest.raises(ConfigError, match="give one of at, cron and every"):
        load_settings(tmp_path, {}, {})


@pytest.mark.parametrize("block", re.findall(r"(?s)```toml\n(.*?)```", TEXT))
def test_the_configuration_loads(tmp_path: Path, block: str) -> None:
    """And is a schedule."""
    (tmp_path / "indexer.toml").write_text(block, "utf-8")
    settings = load_settings(tmp_path, {}, {}).schedule
    assert build(settings, ZoneInfo(settings.time_zone)).get_next_fire_time(None, datetime.now(UTC))


def test_the_intervals() -> None:
    """`6h` in winter and in summer, `24h` and `1d`."""

    def day(settings: ScheduleSettings, month: int) -> list[str]:
        start = datetime(2031, month, 10, tzinfo=BERLIN).astimezone(UTC)
        found = fires(build(settings, BERLIN), start, start + timedelta(hours=23, minutes=59))
        return [f.astimezone(BERLIN).strftime("%H:%M") for f in found]

    assert day(ScheduleSettings(every="6h"), 1) == ["00:00", "06:00", "12:00", "18:00"]
    assert day(ScheduleSettings(every="6h"), 7) == ["01:00", "07:00", "13:00", "19:00"]
    assert day(ScheduleSettings(cron="0 */6 * * *"), 7) == ["00:00", "06:00", "12:00", "18:00"]
    assert day(ScheduleSettings(every="24h"), 7) == day(ScheduleSettings(every="1d"), 7) == ["02:00"]


def test_the_figures() -> None:
    """Pauses and the beat of the ticker."""
    assert RETRY_MINUTES == (10, 30, 60)
    assert "after 10, 30, 60 and every further 60 minutes" in TEXT
    assert PAUSE == 5.0
    assert "every five seconds" in TEXT
