"""A service in trouble: what goes on without the model, how soon the rest follows, what a run leaves behind."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from heard import Begin
from test_service import save, until

from indexer import service as services
from indexer.batches import Batches
from indexer.core.model import Ask
from indexer.update import Run


def write(home: Path, count: int) -> None:
    """Documents of different sizes: none is taken for another one that moved."""
    for i in range(count):
        (home / "kb" / f"{i:04d}.txt").write_text(f"This is document {i}, a {'very ' * i}long one.")


def test_what_is_gone_goes_without_the_model(begin: Begin, tmp_path: Path) -> None:
    """Deletions need no vectors: they are published though new documents cannot be; a file that moved is not one."""
    service, heard = begin()
    write(tmp_path, 6)
    service.ask(Ask("start")).wait(60)
    (tmp_path / "broken").touch()
    (tmp_path / "kb/0001.txt").unlink()
    (tmp_path / "kb/0002.txt").rename(tmp_path / "kb/moved.txt")
    (tmp_path / "kb/new.txt").write_text("Nobody knows a vector for this.")
    outcome = service.ask(Ask("look")).wait(60)
    assert outcome is not None
    assert outcome.exit_code == 5
    assert service.kb.searchable() >= {"0000.txt", "0003.txt", "0004.txt", "0005.txt"}
    assert "0001.txt" not in service.kb.searchable()
    assert service.kb.searchable() & {"0002.txt", "moved.txt"}
    (tmp_path / "kb/0001.txt").write_text("It is back.")
    (tmp_path / "broken").unlink()
    service.ask(Ask("look")).wait(60)
    assert service.kb.searchable() == {f"000{i}.txt" for i in (0, 1, 3, 4, 5)} | {"moved.txt", "new.txt"}
    assert heard.outcomes()[-1].exit_code == 0


def test_it_is_back_with_the_very_stat_it_had(begin: Begin, tmp_path: Path) -> None:
    """A folder that was taken out while the model was away and put back untouched is found again."""
    service, _ = begin()
    service.now_ns = lambda: time.time_ns() + 10**10  # no stamp is too young to be trusted
    write(tmp_path, 3)
    (tmp_path / "kb/folder").mkdir()
    (tmp_path / "kb/folder/inside.txt").write_text("This lies in a folder.")
    service.ask(Ask("start")).wait(60)
    (tmp_path / "broken").touch()
    (tmp_path / "kb/folder").rename(tmp_path / "aside")
    (tmp_path / "kb/new.txt").write_text("Nobody knows a vector for this.")
    assert service.ask(Ask("look")).wait(60).exit_code == 5  # type: ignore[union-attr]
    assert "folder/inside.txt" not in service.kb.searchable()
    (tmp_path / "aside").rename(tmp_path / "kb/folder")
    (tmp_path / "broken").unlink()
    service.ask(Ask("look")).wait(60)
    assert service.kb.searchable() == {"0000.txt", "0001.txt", "0002.txt", "new.txt", "folder/inside.txt"}


def test_a_model_that_answers_again_is_asked_for_the_rest(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a long time away the pause is long; a saved file that is embedded shows that it need not be."""
    service, heard = begin()
    write(tmp_path, 2)
    service.ask(Ask("start")).wait(60)
    monkeypatch.setattr(services, "_RETRY_SECONDS", 0.2)
    service._failures = 12
    (tmp_path / "broken").touch()
    (tmp_path / "kb/first.txt").write_text("The model was away when this came.")
    assert service.ask(Ask("look")).wait(60).exit_code == 5  # type: ignore[union-attr]
    assert service._retry_at is not None
    assert service._retry_at - service.clock() > 100
    (tmp_path / "broken").unlink()
    service.ask(save(service, tmp_path, "second.txt", "It is back when this comes.")).wait(60)
    until(lambda: "first.txt" in service.kb.searchable())
    until(lambda: heard.outcomes()[-1].ask == Ask("retry"))


def test_a_run_leaves_nothing_behind(begin: Begin, tmp_path: Path) -> None:
    """What a run looked at is given back when it ends, not when garbage is collected one day."""
    service, heard = begin()
    write(tmp_path, 2)
    gc.collect()
    gc.disable()
    try:
        service.ask(Ask("start")).wait(60)
        service.ask(save(service, tmp_path, "0000.txt", "Changed.")).wait(60)
        until(lambda: service.running() is None)
        assert [o.exit_code for o in heard.outcomes()] == [0, 0]
        assert not [o for o in gc.get_objects() if isinstance(o, Run | Batches)]
    finally:
        gc.enable()
