"""Metrics that are read from the catalog: right, monotone, and never a failure of the scrape."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from monitored import ROOT, SECOND, Labels, outcome, put, value, values

from indexer.api import KnowledgeBase
from indexer.core.errors import IndexerError
from indexer.metrics import Metrics
from indexer.store.catalog import NAME

DAY = 86_400 * SECOND


def catalog_file(kb: KnowledgeBase) -> Path:
    """The served catalog's file."""
    served = kb.layout.served()
    assert served is not None
    return kb.layout.metadata / served / NAME


def cli(home: Path, *words: str) -> int:
    """Run a command in another process."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-m", "indexer", *words], cwd=home, env=environ, check=False).returncode


def counters(metrics: Metrics) -> dict[tuple[str, Labels], float]:
    """Everything that only grows, from the catalog."""
    found = {k: v for k, v in values(metrics).items() if k[0].endswith("_total") and k[0].startswith("indexer_")}
    assert found
    return found


def never_less(before: dict[tuple[str, Labels], float], after: dict[tuple[str, Labels], float]) -> None:
    """Every counter is still there and has not fallen."""
    fallen = {k: (v, after.get(k)) for k, v in before.items() if after.get(k, -1) < v}
    assert not fallen


def test_nothing_indexed_yet(metrics: Metrics) -> None:
    """The catalog is not readable, its metrics are absent, those of the disk and the daemon are there."""
    found = values(metrics)
    assert value(metrics, "indexer_catalog_readable") == 0
    assert value(metrics, "indexer_commit") is None
    assert value(metrics, "indexer_disk_reserve_bytes") == 200 * 2**20
    assert ("indexer_queue_length", ()) in found


def test_a_first_run_is_seen(kb: KnowledgeBase, metrics: Metrics) -> None:
    """Without a restart: documents, passages, commit, run, sizes."""
    assert value(metrics, "indexer_catalog_readable") == 0
    kb.update()
    found = values(metrics)
    assert found[("indexer_catalog_readable", ())] == 1
    assert found[("indexer_documents", (("state", "indexed"),))] == 12
    assert found[("indexer_passages", (("state", "live"),))] == 12
    assert found[("indexer_commit", ())] == 1
    assert found[("indexer_runs_total", (("exit_code", "0"), ("trigger", "api")))] == 1
    assert found[("indexer_passages_embedded_total", ())] == 12
    assert found[("indexer_changes_total", (("change", "added"),))] == 12
    assert found[("indexer_snapshots", ())] == 1
    assert found[("indexer_disk_size_bytes", (("folder", "metadata"),))] > 0
    size = found[("indexer_index_size_bytes", (("part", "vectors"),))]
    assert size == sum(p.stat().st_size for p in kb.layout.vectorstore.glob("*/*.faiss"))
    for name in ("last_success", "last_run", "commit", "snapshot"):
        assert abs(found[(f"indexer_{name}_timestamp_seconds", ())] - time.time()) < 600


def test_documents_are_counted_as_the_catalog_counts_them(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """Whatever their state: failed, stale, without text, held, gone; and passages nothing shows any more."""
    put(home, "broken.pdf", b"not a pdf at all")
    put(home, "empty.txt", b"")
    put(home, "gone.txt", "This one will be gone.")
    put(home, "stale.json", '{"a": "A fact in JSON"}')
    kb.update()
    (home / "knowledge_base" / "gone.txt").unlink()
    put(home, "stale.json", b"\x00\x01\x02 no json", age=50)
    kb.update()
    for number in range(12):
        (home / "knowledge_base" / f"text {number}.txt").unlink()
    kb.update()
    catalog = kb.catalog()
    assert catalog is not None
    counts, held = catalog.counts(), catalog.db.value("SELECT count(*) FROM document WHERE held IS NOT NULL")
    catalog.close()
    found = {dict(labels)["state"]: n for (name, labels), n in values(metrics).items() if name == "indexer_documents"}
    assert {s: n for s, n in found.items() if n} == {s: n for s, n in counts.items() if s != "gone"}
    assert counts["failed"] >= 1
    assert counts["gone"] == 1
    assert value(metrics, "indexer_deletions_held") == held == 12
    assert value(metrics, "indexer_passages", state="dead") >= 1


def test_pinned_documents_are_counted(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """Those a rollback keeps in an older version; released, they are none."""
    kb.update()
    put(home, "text 3.txt", "Something else.", age=50)
    kb.update()
    assert cli(home, "rollback", "1", "-q") == 0
    assert value(metrics, "indexer_documents_pinned") == 1
    assert cli(home, "rollback", "--release", "-q") == 0
    assert value(metrics, "indexer_documents_pinned") == 0


def test_runs_of_other_processes_count_and_survive_a_restart(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """The catalog is the memory: another daemon's first scrape shows the same counters."""
    kb.update()
    assert cli(home, "update", "--now", "-q") == 0
    assert cli(home, "update", "--now", "-q") == 0
    assert value(metrics, "indexer_runs_total", trigger="cli", exit_code="0") == 2
    assert value(metrics, "indexer_runs_total", trigger="api", exit_code="0") == 1
    assert counters(Metrics(kb.settings, "1.2.3", patience=60)) == counters(metrics)


def test_a_run_that_did_not_do_all_is_the_last_run_but_no_failure(
    home: Path, kb: KnowledgeBase, metrics: Metrics
) -> None:
    """Exit code 3 is a success in the sense of the alert, 4 is none."""
    kb.update()
    put(home, "broken.pdf", b"not a pdf at all")
    kb.update()
    assert value(metrics, "indexer_last_run_exit_code") == 3
    success = value(metrics, "indexer_last_success_timestamp_seconds")
    assert success == value(metrics, "indexer_last_run_timestamp_seconds")
    (home / "knowledge_base").rename(home / "elsewhere")
    kb.update()
    assert value(metrics, "indexer_last_run_exit_code") == 4
    assert value(metrics, "indexer_last_success_timestamp_seconds") == success
    assert value(metrics, "indexer_last_run_timestamp_seconds") > success


def test_counters_never_fall_when_the_index_is_replaced(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """By another profile: runs that fill the other generation are counted before it is served, and not twice."""
    kb.update()
    kb.update()
    before = counters(metrics)
    (home / "indexer.toml").write_text("[split]\nsize = 100\noverlap = 10\n", "utf-8")
    put(home, "broken.pdf", b"not a pdf at all")
    other = KnowledgeBase(home, flags={"embedding.model": "python:monitored_missing:Nothing"})
    with pytest.raises(IndexerError):
        other.update()
    never_less(before, failed := counters(metrics))
    (home / "indexer.toml").write_text(
        "[split]\nsize = 100\noverlap = 10\n[embedding]\nmodel = 'python:indexer.embed.hashing:HashEmbedder'\n", "utf-8"
    )
    old = kb.layout.served()
    KnowledgeBase(home).update()
    assert kb.layout.served() != old
    never_less(failed, after := counters(metrics))
    runs = ("indexer_runs_total", (("exit_code", "3"), ("trigger", "api")))
    assert after[runs] == before.get(runs, 0) + 1


def test_counters_never_fall_nor_jump_when_a_snapshot_takes_over(
    home: Path, kb: KnowledgeBase, metrics: Metrics
) -> None:
    """Its catalog begins with copies of runs that are counted already."""
    now = time.time_ns()
    for days in (6, 4, 2):
        put(home, f"{days}.txt", f"{days} days ago.", age=days * DAY / SECOND + 100)
        kb.update(now_ns=lambda days=days: now - days * DAY)
    assert value(metrics, "indexer_snapshots") == 2
    before = counters(metrics)
    damage(catalog_file(kb))
    kb.update()
    never_less(before, after := counters(metrics))
    runs = ("indexer_runs_total", (("exit_code", "0"), ("trigger", "api")))
    assert after[runs] == before[runs] + 1 == 4


def damage(file: Path, kept: int = 2048) -> None:
    """All in one file, then zeros over everything but its first page (or less)."""
    con = sqlite3.connect(file)
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    con.close()
    data = file.read_bytes()
    file.write_bytes(data[:kept] + bytes(len(data) - kept))


def removed(kb: KnowledgeBase) -> None:
    """All of the state."""
    shutil.rmtree(kb.layout.metadata)


def emptied(kb: KnowledgeBase) -> None:
    """A catalog of no bytes."""
    catalog_file(kb).write_bytes(b"")


def without_catalog(kb: KnowledgeBase) -> None:
    """The file gone, everything else there."""
    catalog_file(kb).unlink()


def nonsense(kb: KnowledgeBase) -> None:
    """A file that is no database."""
    damage(catalog_file(kb), kept=0)


def zeros(kb: KnowledgeBase) -> None:
    """A database whose tables are zeros."""
    damage(catalog_file(kb))


def foreign(kb: KnowledgeBase) -> None:
    """A database without our tables."""
    catalog_file(kb).unlink()
    con = sqlite3.connect(catalog_file(kb))
    con.execute("CREATE TABLE meta(key TEXT, value)")
    con.close()


def no_head(kb: KnowledgeBase) -> None:
    """HEAD names nothing."""
    kb.layout.head.write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("harm", [removed, emptied, without_catalog, nonsense, zeros, foreign, no_head])
def test_a_damaged_or_missing_store_is_a_metric(kb: KnowledgeBase, metrics: Metrics, harm: object) -> None:
    """Not a failure: what cannot be had is absent, the rest is there, and it is well again by itself."""
    kb.update()
    assert value(metrics, "indexer_catalog_readable") == 1
    copies = [(root, root.with_name(root.name + "-copy")) for root in kb.layout]
    for root, copy in copies:
        shutil.copytree(root, copy)
    harm(kb)  # type: ignore[operator]
    found = values(metrics)
    assert found[("indexer_catalog_readable", ())] == 0
    assert ("indexer_commit", ()) not in found
    assert ("indexer_running", ()) in found
    for root, copy in copies:
        shutil.rmtree(root, ignore_errors=True)
        copy.rename(root)
    assert value(metrics, "indexer_catalog_readable") == 1
    assert value(metrics, "indexer_documents", state="indexed") == 12


def test_a_damaged_generation_that_is_not_served_hides_nothing(kb: KnowledgeBase, metrics: Metrics) -> None:
    """Left by a run that never came to serve it."""
    kb.update()
    served = kb.layout.served()
    other = kb.layout.metadata / f"{served[:-2]}-9"  # type: ignore[index]
    other.mkdir()
    shutil.copyfile(catalog_file(kb), other / NAME)
    damage(other / NAME)
    assert value(metrics, "indexer_catalog_readable") == 1
    assert value(metrics, "indexer_runs_total", trigger="api", exit_code="0") == 1


def test_lost_vectors_do_not_hide_the_catalog(kb: KnowledgeBase, metrics: Metrics) -> None:
    """Their size is absent, everything else is there."""
    kb.update()
    shutil.rmtree(kb.layout.vectorstore)
    found = values(metrics)
    assert found[("indexer_catalog_readable", ())] == 1
    assert ("indexer_index_size_bytes", (("part", "vectors"),)) not in found
    assert ("indexer_index_size_bytes", (("part", "texts"),)) in found


def test_a_snapshot_without_a_readable_manifest_has_no_age(kb: KnowledgeBase, metrics: Metrics) -> None:
    """It is still counted: `verify` says what is wrong with it."""
    kb.update()
    [manifest] = kb.layout.vectorstore.glob("*/snapshots/*/manifest")
    manifest.write_bytes(b"{}")
    found = values(metrics)
    assert found[("indexer_snapshots", ())] == 1
    assert ("indexer_snapshot_timestamp_seconds", ()) not in found


def test_a_locked_catalog_makes_no_scrape_wait_for_long(kb: KnowledgeBase) -> None:
    """The metrics that cannot be had are absent after the patience, and back with the lock's end."""
    kb.update()
    con = sqlite3.connect(catalog_file(kb), isolation_level=None)
    con.execute("PRAGMA locking_mode = EXCLUSIVE")
    con.execute("BEGIN EXCLUSIVE")
    metrics = Metrics(kb.settings, "1.2.3", patience=0.2)
    assert value(metrics, "indexer_catalog_readable") == 0
    assert value(metrics, "indexer_queue_length") == 0
    con.execute("ROLLBACK")
    con.close()
    deadline = time.monotonic() + 120
    while value(metrics, "indexer_catalog_readable") == 0:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_nothing_is_asked_twice_of_an_unchanged_catalog(kb: KnowledgeBase, metrics: Metrics) -> None:
    """A scrape with no commit or run since the last asks whether there was one, and nothing else."""
    kb.update()
    values(metrics)
    readings = metrics._readings
    assert readings is not None
    assert readings._opened is not None
    asked: list[str] = []
    readings._opened.catalog.db.con.set_trace_callback(asked.append)
    values(metrics)
    assert asked == ["PRAGMA data_version"]


def test_a_replaced_catalog_is_let_go_though_nobody_scrapes(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """The end of a run is reason enough to look: a removed file that is held open keeps its place on the disk."""
    kb.update()
    values(metrics)
    old = kb.layout.served()
    assert cli(home, "repair", "--rebuild", "-q") == 0
    metrics("end", {"outcome": outcome()})
    deadline = time.monotonic() + 120
    while metrics._readings is None or metrics._readings._opened is None or metrics._readings._opened.generation == old:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_other_settings_take_effect(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """Re-read by the daemon: other folders, another reserve."""
    kb.update()
    other = KnowledgeBase(home, flags={"metadata": "other", "min_free_mb": 7})
    metrics.configure(other.settings)
    assert value(metrics, "indexer_catalog_readable") == 0
    assert value(metrics, "indexer_disk_reserve_bytes") == 7 * 2**20
    metrics.configure(kb.settings)
    assert value(metrics, "indexer_catalog_readable") == 1


def test_scrapes_go_on_while_the_index_changes(home: Path, kb: KnowledgeBase, metrics: Metrics) -> None:
    """Commits, a rebuild and its sweep: every scrape is whole, and no counter falls from one to the next."""
    kb.update()
    done = threading.Event()
    wrong: list[object] = []

    def work() -> None:
        for turn in range(6):
            put(home, "text 1.txt", f"Version {turn} of the text.", age=30)
            if cli(home, *(("repair", "--rebuild", "-q") if turn % 3 == 2 else ("update", "--now", "-q"))):
                wrong.append(turn)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    before, scrapes = counters(metrics), 0
    try:
        while not done.is_set():
            found = values(metrics)
            assert found[("indexer_catalog_readable", ())] == 1
            never_less(before, before := {k: v for k, v in found.items() if k in before})
            scrapes += 1
    finally:
        worker.join()
    assert not wrong
    assert scrapes > 10
    assert sum(v for (name, _), v in counters(metrics).items() if name == "indexer_runs_total") == 7
