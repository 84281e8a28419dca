"""`indexer notify test`: a real message to each address, and what became of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from receivers import http, smtp

from indexer.cli import main
from indexer.core.errors import DONE, PARTIAL, USAGE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base whose addresses the test writes."""
    monkeypatch.setenv("INDEXER_LANG", "en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "knowledge_base").mkdir()
    return tmp_path


def configure(home: Path, *urls: str, more: str = "") -> None:
    """Write indexer.toml."""
    (home / "indexer.toml").write_text(f"[notify]\nurls = {list(urls)!r}\n{more}", "utf-8")


def test_each_address_is_tried(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which worked, which did not and why; exit code 3; no address is shown."""
    with http() as (hooks, port), smtp() as (box, mail_port):
        good = (
            f"json://127.0.0.1:{port}/s3cr3t",
            f"mailto://127.0.0.1:{mail_port}/boss@example.com?from=a@example.com",
        )
        configure(home, good[0], "json://127.0.0.1:1/s3cr3t", "slack://s3cr3t", good[1])
        assert main(["notify", "test"]) == PARTIAL
        out, err = capsys.readouterr()
        assert out.splitlines() == ["notify.urls[0] (json): sent", "notify.urls[3] (mailto): sent"]
        assert [line.partition(": not sent: ")[0] for line in err.splitlines()] == [
            "notify.urls[1] (json)", "notify.urls[2] (slack)",
        ]  # fmt: skip
        assert "s3cr3t" not in out + err
        assert "This is a test" in hooks.got[0]["message"]
        assert str(box.mails[0]["Subject"]).endswith(": test message")
        configure(home, *good, more='language = "zh"\n')
        assert main(["notify", "test"]) == DONE
        assert "测试消息" in hooks.got[1]["message"]


def test_without_addresses(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What to write where."""
    configure(home)
    assert main(["notify", "test"]) == USAGE
    assert "[notify]\nurls = " in capsys.readouterr().err
