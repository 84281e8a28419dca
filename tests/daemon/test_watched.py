"""Watch mode as a user has it: a real daemon, files put into the folder, searches in another process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

from daemons import Daemon, indexer
from docx import Document

from indexer import KnowledgeBase

Begin = Callable[..., Daemon]


def word(text: str) -> bytes:
    """A Word file of one paragraph."""
    document, out = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(out)
    return out.getvalue()


def found(home: Path) -> set[str]:
    """Every text a search finds."""
    kb = KnowledgeBase(home)
    try:
        return {h.text for h in kb.search("leave", 100)}
    finally:
        kb.close()


def listed(home: Path) -> list[tuple[str, str]]:
    """State and reason of every document."""
    rows = json.loads(indexer(home, "files", "--json").stdout)
    return [(row["state"], " ".join(map(str, row.get("reasons") or row.get("notes") or []))) for row in rows]


def test_a_version_that_does_not_parse_leaves_the_old_one(daemon: Begin, tmp_path: Path) -> None:
    """A half-written Word file: the last good version is found, listed as stale; the repaired one takes its place."""
    from slow_embedder import configuration

    configuration(tmp_path)
    path, good = tmp_path / "kb" / "leave.docx", word("Ten days of leave.")
    path.write_bytes(good)
    one = daemon("watch", "--debounce", "0.3").ready()
    one.until(lambda: found(tmp_path) == {"Ten days of leave."})
    path.write_bytes(word("Eleven days of leave.")[:400])
    one.until(lambda: [state for state, _ in listed(tmp_path)] == ["stale"])
    assert found(tmp_path) == {"Ten days of leave."}
    path.write_bytes(word("Twelve days of leave."))
    one.until(lambda: found(tmp_path) == {"Twelve days of leave."})
    assert [state for state, _ in listed(tmp_path)] == ["indexed"]
    path.write_bytes(b"{\\rtf1\\ansi Thirteen days of leave.}")  # RTF under a wrong name: read as what it is, and said
    one.until(lambda: found(tmp_path) == {"Thirteen days of leave."})
    assert [state for state, _ in listed(tmp_path)] == ["warned"]
    assert one.stop() == 0


def test_both_triggers_in_one_daemon(daemon: Begin, tmp_path: Path) -> None:
    """With a schedule and watch mode a save in the middle of the night's bulk run is found before that ends."""
    from slow_embedder import configuration

    configuration(tmp_path, 0.05, "batch_passages = 16")
    for i in range(400):
        (tmp_path / "kb" / f"{i}.txt").write_text(f"Document {i} about subject {i * 7}.")
    one = daemon("run", "--watch", "--debounce", "0.3").ready()
    one.until(lambda: found(tmp_path))
    (tmp_path / "kb" / "new.md").write_text("Five days of special leave.")
    one.until(lambda: "Five days of special leave." in found(tmp_path))
    assert len(KnowledgeBase(tmp_path).searchable()) < 401  # the bulk run has not ended
    (tmp_path / "kb" / "new.md").rename(tmp_path / "kb" / "moved.md")
    one.until(lambda: "moved.md" in KnowledgeBase(tmp_path).searchable())
    one.until(lambda: one.state()["running"] is None and one.state()["waiting"] == 0)
    kb = KnowledgeBase(tmp_path)
    assert kb.searchable() == {f"{i}.txt" for i in range(400)} | {"moved.md"}
    kb.close()
    assert one.state()["watch"][0]["how"] == "events"
    assert one.stop() == 0
