"""Documents added by hand when everything else is made anew: other model, rebuild, damage, crash."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from knowledge import WORDS, FailingAt, make
from words import WordEmbeddings

from indexer import KnowledgeBase
from indexer.care import handmade, rollback, snapshots
from indexer.care.verify import verify
from indexer.core.errors import IndexerError
from indexer.store import disk
from indexer.store.local import Store
from indexer.store.lock import writer_lock
from indexer.store.passages import Passages
from indexer.update import Request, update

FILES = {f"{n}.txt": f"File {n} speaks of subject {n} at length.\n" for n in range(5)}
NOTES = {f"note {n}": f"Note {n} says something about topic {n}." for n in range(7)}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """Five files and seven notes."""
    made = make(tmp_path, FILES)
    made.vectorstore().add_texts(list(NOTES.values()), [{"id": i} for i in NOTES], ids=list(NOTES))
    yield made
    made.close()


def notes(kb: KnowledgeBase) -> dict[str, tuple[str, object]]:
    """What is there of the notes, by id, text and metadata; each must be found by its own text too."""
    found = {d.id or "": (d.page_content, d.metadata.get("id")) for d in kb.vectorstore().get_by_ids([*NOTES, "extra"])}
    for i, (text, _) in found.items():
        assert kb.search(text, 1)[0].key == ("langchain", i)
    return found


ALL = {i: (t, i) for i, t in NOTES.items()}


def whole(kb: KnowledgeBase) -> None:
    """The store proves itself, and every note is what was added."""
    store = Store.open(kb.layout, kb.layout.served() or "")
    try:
        assert verify(store) == []
        with Passages(store.catalog, store.vectors_folder, store.texts_folder) as passages:
            assert handmade.damaged(store.catalog, passages) == []
    finally:
        store.close()


def configured(home: Path, **changes: str) -> KnowledgeBase:
    """The knowledge base again, under another configuration."""
    return make(home, embedding=changes.get("embedding", WORDS), extra=changes.get("extra", ""))


def test_another_model_keeps_them(kb: KnowledgeBase, tmp_path: Path) -> None:
    """They are embedded with the new model before it is served; deleted ones stay deleted."""
    kb.vectorstore().delete(["note 3"])
    before = kb.layout.served()
    new = configured(tmp_path, embedding='model = "python:words:WordEmbeddings"\noptions = { dimension = 99 }')
    assert len(notes(new)) == 6  # found by the old model until the new one has everything
    new.update()
    assert new.layout.served() != before
    assert notes(new) == {i: v for i, v in ALL.items() if i != "note 3"}
    new.vectorstore().add_texts(["And one more."], ids=["extra"])
    assert len(notes(new)) == 7
    whole(new)
    new.close()


def test_other_settings_keep_them_without_embedding(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Another splitter means another generation, not other vectors: no note is embedded again."""
    before = kb.layout.served()
    WordEmbeddings.embedded.clear()
    new = configured(tmp_path, extra="[split]\nsize = 300\noverlap = 10")
    new.update()
    assert new.layout.served() != before
    assert not set(WordEmbeddings.embedded) & set(NOTES.values())
    assert notes(new) == ALL
    whole(new)
    new.close()


def test_a_rebuild_keeps_them(kb: KnowledgeBase) -> None:
    """``repair --rebuild`` makes everything anew; the notes come along."""
    before = kb.layout.served()
    update(kb.world(), Request(rebuild=True))
    assert kb.layout.served() != before
    assert notes(kb) == ALL
    whole(kb)


def test_an_interrupted_change_of_model_ends_with_what_is_there_then(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Stopped before it is served, changed meanwhile, resumed: the new generation shows the newest state."""

    def stop(operation: str, path: str) -> None:
        if operation == "rename" and path.endswith("HEAD"):
            raise OSError("power cut")

    new = configured(tmp_path, embedding='model = "python:words:WordEmbeddings"\noptions = { dimension = 99 }')
    disk.fault = stop
    try:
        with pytest.raises((OSError, IndexerError), match="power cut"):
            new.update()
    finally:
        disk.fault = None
    store = new.vectorstore()
    store.delete(["note 0"])
    store.add_texts(["changed"], ids=["note 1"])
    new.update()
    assert notes(new) == {**{i: v for i, v in ALL.items() if i != "note 0"}, "note 1": ("changed", None)}
    whole(new)
    new.close()


def test_a_destroyed_catalog_falls_back_to_the_snapshot(kb: KnowledgeBase) -> None:
    """Without a readable catalog what the last snapshot had comes back; nothing else can know of notes."""
    served = kb.layout.served() or ""
    store = Store.open(kb.layout, served)
    snapshots.take(store, 10**18)
    store.close()
    kb.close()
    catalog = kb.layout.metadata / served / "catalog.db"
    catalog.write_bytes(bytes(range(256)) * (catalog.stat().st_size // 256))
    for extra in ("-wal", "-shm"):
        catalog.with_name(catalog.name + extra).unlink(missing_ok=True)
    kb.update()
    assert notes(kb) == ALL
    whole(kb)


def test_changed_metadata_in_the_catalog_is_noticed(kb: KnowledgeBase) -> None:
    """A note's SHA-256 covers text and metadata: a flip in either is found."""
    path = kb.layout.metadata / (kb.layout.served() or "") / "catalog.db"
    con = sqlite3.connect(path)
    details = json.dumps({"metadata": {"id": "forged"}, "parser": "langchain"})
    con.execute("UPDATE content SET details=? WHERE details LIKE '%note 2%'", (details,))
    con.commit()
    con.close()
    store = Store.open(kb.layout, kb.layout.served() or "")
    with Passages(store.catalog, store.vectors_folder, store.texts_folder) as passages:
        assert handmade.damaged(store.catalog, passages) == [("langchain", "note 2")]
    assert verify(store)
    store.close()


def test_a_failure_at_any_step_leaves_the_old_or_the_new_state(kb: KnowledgeBase) -> None:
    """Each write, fsync, rename, statement of one addition fails once: old or new, never a mixture; then it heals."""
    changed = {**ALL, "note 1": ("other text", "note 1"), "extra": ("one more", "extra")}
    steps = 0
    while True:
        disk.fault = fault = FailingAt(steps)
        try:
            kb.vectorstore().add_texts(
                ["other text", "one more"], [{"id": "note 1"}, {"id": "extra"}], ids=["note 1", "extra"]
            )
        except (OSError, IndexerError) as e:
            after_the_commit = "at committed" in str(e)  # a step no real disk fails at: the commit stands by then
            expected = changed if after_the_commit and "extra" in notes(kb) else ALL
        else:
            expected = changed
        finally:
            disk.fault = None
        assert notes(kb) == expected
        whole(kb)
        if not fault.fired:
            break
        store = kb.vectorstore()
        store.delete(["extra"])
        store.add_texts([NOTES["note 1"]], [{"id": "note 1"}], ids=["note 1"])
        steps += 1
    assert steps > 10
    assert notes(kb) == changed


def test_a_rollback_covers_them_and_they_go_on(kb: KnowledgeBase) -> None:
    """Gone back to, kept by the next update, released, replaced: like every document."""
    store, then = kb.vectorstore(), kb.reader()
    kb.search("topic", 1)
    at = then.commit
    store.add_texts(["later text"], ids=["note 1"])
    store.delete(["note 2"])
    with writer_lock(kb.layout.lock):
        writer = Store.open(kb.layout, kb.layout.served() or "")
        rollback.rollback(writer, at, 99, 1)
        writer.close()
    kb.update()
    assert notes(kb) == ALL
    with writer_lock(kb.layout.lock):
        writer = Store.open(kb.layout, kb.layout.served() or "")
        rollback.release(writer, 100, 2)
        writer.close()
    kb.update()
    assert notes(kb) == ALL
    store.add_texts(["later text"], ids=["note 1"])
    store.delete(["note 2"])
    assert notes(kb) == {**{i: v for i, v in ALL.items() if i != "note 2"}, "note 1": ("later text", None)}
    whole(kb)
