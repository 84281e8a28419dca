"""One-line sabotages of the product, each with the test that must catch it.

    python tests/laws/mutants.py [NAME...]      run them here, print what catches what

A sabotage is applied to a copy of the package; its test must fail there. Where a line moved,
`test_mutants.py` says so: mend the entry, do not drop it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ORACLE = "tests/laws/test_directed.py::test_history"


class Mutant(NamedTuple):
    """Replace ``old`` (found once in ``file``) by ``new``; ``test`` must fail. An empty test name is a history."""

    file: str
    old: str
    new: str
    test: str


def _history(name: str) -> str:
    return f"{ORACLE}[{name}]"


MUTANTS: dict[str, Mutant] = {
    # ---- looking
    "racy window ignored": Mutant(
        "sources/folder.py", "return max(stat.mtime_ns, stat.ctime_ns) > at_ns - _RACY_NS", "return False",
        _history("edit nobody can see, young file"),
    ),
    "stamps in the future trusted": Mutant(
        "sources/folder.py", "return max(stat.mtime_ns, stat.ctime_ns) >", "return stat.ctime_ns >", _history("stamp in the future"),
    ),
    "ctime ignored by the walk": Mutant(
        "sources/walk.py", "STAT.pack(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino)",
        "STAT.pack(st.st_size, st.st_mtime_ns, 0, st.st_ino)", "tests/sources/test_folder.py::test_each_part_of_a_stat_counts",
    ),
    "ctime ignored": Mutant(
        "core/diff.py", "if old.get(n) != s]", "if n not in old or (old[n].size, old[n].mtime_ns) != (s.size, s.mtime_ns)]",
        _history("same size and mtime"),
    ),
    "modified files not looked at": Mutant("core/diff.py", "if old.get(n) != s]", "if n not in old]", _history("same size and mtime")),
    "unknown treated as gone": Mutant("core/diff.py", "if new is None and unknown(folder):", "if False:", _history("folder nobody can list")),
    "links followed": Mutant("sources/folder.py", 'getattr(os, "O_NOFOLLOW", 0)', "0", "tests/sources/test_folder.py::test_what_cannot_be_read"),
    "temporaries indexed": Mutant("sources/walk.py", "return junk(name) is not None", "return False", _history("names")),
    "scrub never due": Mutant("look.py", "if days else set()", "if not days else set()", _history("edit nobody can see, by scrub")),
    "--verify-content trusts stamps": Mutant("look.py", "if not self.request.verify_content:", "if True:", _history("edit nobody can see, by force")),
    "part asked for, all marked as seen": Mutant("look.py", "folder.known_but(known, look, asked) if self.request.paths else look.folders", "look.folders", _history("one file asked for")),
    "what is below a folder without search rights is gone": Mutant("sources/partial.py", " and _searchable(walk.root, path)", "", "tests/sources/test_partial.py::test_a_partial_look_says_what_a_whole_one_says"),
    "a part taken for the whole source": Mutant("sources/folder.py", " and (only is None or partial.shows_nothing(walk))", "", "tests/sources/test_partial.py::test_one_file_tells_that_a_source_is_not_empty"),
    "events of another root believed": Mutant("look.py", "(same and self.request.witnessed)", "self.request.witnessed", "tests/triggers/test_watch_deletions.py::test_another_root_is_no_proof"),
    "a move asked about in two halves": Mutant("triggers/watch/debounce.py", "self._dirty.update(dict.fromkeys(small.paths, large))", "", "tests/triggers/test_watch_debounce.py::test_what_is_asked_when"),
    "a full queue not followed by arming again": Mutant("triggers/watch/inotify.py", "self._stale = self._lost = True", "self._lost = True", "tests/triggers/test_watch_overflow.py"),
    "a root whose number is used again": Mutant("triggers/watch/inotify.py", "if node is self._watches.top and not self._closed:", "if False:", "tests/triggers/test_watch_roots.py::test_a_root_that_is_another[removed and made again at once-events]"),
    # ---- deciding
    "hold rule off": Mutant("core/plan.py", "    if suspicious:", "    if False:", _history("many gone")),
    "emptied source believed": Mutant("core/plan.py", "emptied = empty and bool(gone) and", "emptied = False and", _history("emptied")),
    "ten are too many": Mutant("core/plan.py", "len(fresh) > rule.documents", "len(fresh) >= rule.documents", _history("ten are no more than ten")),
    "a fifth is too much": Mutant("core/plan.py", "len(fresh) > rule.share", "len(fresh) >= rule.share", _history("a fifth is no more than a fifth")),
    "release takes more than was shown": Mutant("core/plan.py", "fresh if not old or not suspicious else []", "fresh", _history("released is the shown set")),
    "moves counted as deletions": Mutant("look.py", "if row.sha is not None and here[row.sha] > 0:", "if False:", _history("rename a folder")),
    "a move is missing in between": Mutant("core/plan.py", "if c.stat.size in sizes]", "if False]", _history("rename a file")),
    # ---- taking files in
    "hash never compared": Mutant("intake.py", "return row.sha == sha and not row.denied and not due", "return not due", _history("same size and mtime")),
    "failure drops the old version": Mutant("intake.py", "tries, retry_at, keep=True), again", "tries, retry_at, keep=False), again", _history("no longer parses")),
    "revoked right stays searchable": Mutant("intake.py", "hide = e.denied and row is not None and row.denied > 0", "hide = False", _history("right revoked")),
    "hidden at the first look": Mutant("intake.py", "hide = e.denied and row is not None and row.denied > 0", "hide = e.denied", _history("right revoked")),
    "restored right not noticed": Mutant("intake.py", "row.sha == sha and not row.denied and", "row.sha == sha and", _history("right revoked")),
    "content named by its hash alone": Mutant("intake.py", "return sha + raw(suffix(path.rpartition(b\"/\")[2]))", "return sha", _history("same bytes, another suffix")),
    "attempt not recorded": Mutant("intake.py", "record_attempts(self.catalog, [(self.id, path, got.sha256, tries + 1)])", "pass", "tests/laws/test_attempts.py"),
    "set aside for ever": Mutant("intake.py", "row.tries if row and row.sha == sha else 0", "row.tries if row else 0", "tests/laws/test_attempts.py"),
    "never set aside": Mutant("intake.py", "if tries >= self.rules.attempts:", "if False:", "tests/laws/test_attempts.py"),
    # ---- the commit
    "end of a version not written": Mutant("store/publish.py", "UPDATE version SET removed=? WHERE removed IS NULL", "UPDATE version SET removed=? WHERE 0", _history("revert")),
    "dead not noted": Mutant("store/publish.py", "UPDATE passage SET dead=? WHERE dead IS NULL AND NOT", "UPDATE passage SET dead=? WHERE 0 AND NOT", _history("undelete")),
    "dead not cleared on revival": Mutant("store/publish.py", "UPDATE passage SET dead=NULL WHERE id IN", "UPDATE passage SET dead=NULL WHERE 0 AND id IN", _history("undelete")),
    "revival not noted": Mutant("store/publish.py", "INSERT OR IGNORE INTO revival VALUES(?,?)\", ((n, p) for p in back)", "INSERT OR IGNORE INTO revival VALUES(?,?)\", ((0, p) for p in back)", _history("undelete")),
    "shared passage dies with one document": Mutant(
        "store/publish.py",
        "WHERE {holds} AND c.open>0)",
        "WHERE {holds} AND c.open>1)",
        _history("shared passage outlives one document"),
    ),
    "chain forgets what was removed": Mutant("store/publish.py", "visible.plus, visible.minus", "visible.plus, ()", _history("revert")),
    "segment named before fsync": Mutant("store/disk.py", "                os.fsync(f.fileno())\n", "", "tests/laws/test_order.py"),
    "folder not synced": Mutant("store/disk.py", "            raise\n        sync_folder(path.parent)\n", "            raise\n", "tests/laws/test_order.py"),
    "vectors written after the commit": Mutant("store/local.py", "        disk.write_new(vector_path, vector_bytes)\n", "        vector_path.write_bytes(vector_bytes)\n", "tests/laws/test_order.py"),
    # ---- the audit trail
    "entry forgets what was before": Mutant("store/audit.py", "before[:32].hex() if before else None, after", "None, after", _history("revert")),
    "entry names no commit before it": Mutant("store/audit.py", "made.previous or before", "NOTHING", "tests/audit/test_audit_entries.py::test_the_hash_of_a_commit_is_that_of_its_entry"),
    "author of a request forgotten": Mutant("batches.py", "scrub_ns=days * DAY_NS, author=by)", "scrub_ns=days * DAY_NS)", "tests/laws/test_aside.py"),
    "trail not carried over": Mutant("care/succession.py", "    audit_succession.succeed(layout, store, run, at)\n", "", _history("another profile holds deletions too")),
    "runs not carried over": Mutant("care/audit_succession.py", "VALUES(?,?,?,?,?,?,?)\", old.runs)", "VALUES(?,?,?,?,?,?,?)\", ())", "tests/audit/test_audit_succession.py::test_another_profile"),
    "missing entry taken for an old commit": Mutant("care/audit_proofs.py", "if plain and (early", "if True or (early", "tests/audit/test_audit_tampering.py"),
    "entry of another hash believed": Mutant("care/audit_proofs.py", "if link.hash != row.hash:", "if False:", "tests/audit/test_audit_tampering.py"),
    "hole believed that no entry states": Mutant("care/audit_proofs.py", "if hole not in holes and", "if False and", "tests/audit/test_audit_succession.py"),
    "actor of a run not compared": Mutant("care/audit_proofs.py", "elif self.runs[facts", "elif False and self.runs[facts", "tests/audit/test_audit_tampering.py"),
    "versions not compared": Mutant("care/audit_proofs.py", "return have == listed", "return True", "tests/audit/test_audit_tampering.py"),
    "retention leaves no trace": Mutant("care/audit_retention.py", "        store.catalog.set_meta(**{audit.REMOVED: json.dumps(facts)})\n", "", "tests/audit/test_audit_retention.py"),
    # ---- generations
    "HEAD replaced before complete": Mutant("update.py", "if not self.opened.served and self.world.layout.named() is None:", "if not self.opened.served:", _history("another model, stopped halfway")),
    "another model's vectors in the index": Mutant("care/generations.py", "return store.generation if same else None", "return store.generation", _history("another model")),
    "vectors of the wrong texts": Mutant("care/donor.py", "= (number, i)", "= (number, 0)", _history("other chunks")),
    "standings not carried over": Mutant("care/generations.py", "    succession.seed(served.catalog, made.catalog)\n", "", _history("another profile holds deletions too")),
    "last good versions not carried over": Mutant("update.py", "carried.brought + succession.carry(*how)", "carried.brought", _history("another profile keeps what cannot be read")),
    # ---- searching and time
    "data_version ignored": Mutant("store/view.py", "if version == self.version and self.live is not None:", "if self.live is not None:", _history("revert")),
    "dead passages count for the order": Mutant("store/bm25.py", "kept = part.allowed[rows]", "kept = rows == rows", "tests/search/test_lexicon.py::test_the_order_does_not_depend_on_history"),
    "words of the wrong passages": Mutant("store/words.py", "(rows[starts] + base)", "(rows[starts][::-1] + base)", _history("revert")),
    "words beyond the first slice": Mutant("store/words.py", "_slice(texts[i : i + _SLICE], i)", "_slice(texts[i : i + _SLICE], 0)", "tests/search/test_words.py"),
    "older segments stay without words": Mutant("care/lexicon.py", "if not _indexed(store, segment):", "if False:", "tests/search/test_lexicon.py::test_an_older_catalog"),
    "quotation marks restrict nothing": Mutant("search.py", "if text and (phrases := quoted(text)):", "if False and (phrases := quoted(text)):", "tests/search/test_lexical.py"),
    "asleep past the retention": Mutant(
        "store/view.py",
        "self.live, self.rows = None, {}",
        "pass",
        _history("a reader asleep past the retention"),
    ),
    "damaged, or only replaced": Mutant(
        "store/texts.py",
        "        except FileNotFoundError:\n            raise",
        "        except ZeroDivisionError:\n            raise",
        "tests/laws/test_readers.py::test_a_segment_that_was_merged_away_is_no_damage",
    ),
    "removed versions shown": Mutant("scope.py", '("v.removed IS NULL", ())', '("1", ())', _history("revert")),
    "as-of off by one": Mutant("scope.py", "v.added<=?", "v.added<?", _history("revert")),
    "tombstones kept alive": Mutant("scope.py", "(v.removed IS NULL OR v.removed>?)", "(v.removed IS NULL OR v.removed>=?)", _history("revert")),
    "last passage of a segment not live": Mutant("store/vectors.py", "np.arange(first, last + 1,", "np.arange(first, last,", _history("touch")),
    "merge keeps the wrong half": Mutant("care/upkeep.py", "if p not in unused]", "if p in unused]", _history("many small commits")),
    "merge drops history": Mutant("care/upkeep.py", "AND NOT EXISTS(SELECT 1 FROM occurrence o WHERE {HOLDS.format(passage='passage.id')})", "", _history("many small commits")),
    "retention takes one commit too many": Mutant("care/upkeep.py", "DELETE FROM version WHERE removed<=?", "DELETE FROM version WHERE removed-1<=?", _history("past the retention")),
    "rollback undone by the next look": Mutant("care/rollback.py", "Settled(row.source, row.path, row.sha, state", "Settled(row.source, row.path, None, state", _history("back to an earlier commit")),
    # ---- the rest
    "contents of another release taken over": Mutant("care/earlier.py", "if was.get(name) == version", "if name in was", "tests/care"),
    "contents of another splitter taken over": Mutant("care/earlier.py", 'if old.get("split") != new.get("split"):', "if False:", "tests/care"),
    "answer of a worker lost": Mutant("ahead.py", "return self._outcome\n", "return self._outcome._replace(sections=())\n", "tests/ahead"),
    "files finished out of order": Mutant("batches.py", "done = begun.popleft()", "done = begun.pop()", "tests/ahead"),
    "overlap lost": Mutant("split.py", "_cutter(settings.size, settings.overlap)", "_cutter(settings.size, 0)", "tests/split"),
    "model loaded without need": Mutant("care/generations.py", 'if store.catalog.meta("facts") == profile.facts_json():', "if False:", "tests/laws/test_cost.py::test_a_no_change_run_loads_nothing_heavy"),
    "moved document ends before it is there": Mutant("batches.py", "first_and_rest(x.changes, sizes)", "first_and_rest(x.changes, ())", "tests/laws/test_moves.py"),
    "deletions wait for the model": Mutant("batches.py", "            self._retire_alone()\n", "", "tests/service/test_trouble.py::test_it_is_back_with_the_very_stat_it_had"),
    "what is gone without a model is settled": Mutant("batches.py", "self.batch.unfinished = True", "pass", "tests/service/test_trouble.py::test_it_is_back_with_the_very_stat_it_had"),
    "commit between move and end is settled": Mutant("batches.py", "not self.retired or any(x.left", "any(x.left", "tests/laws/test_moves.py"),
    "walk from before another run": Mutant("quick.py", "path == self.path and self.newest == newest(con)", "path == self.path", "tests/cli/test_quick.py::test_a_walk_that_is_outdated_is_made_again[run]"),
    "walk by other rules": Mutant("sources/folder.py", "and walked[1].like(walk)", "", "tests/cli/test_quick.py::test_a_walk_that_is_outdated_is_made_again[rule]"),
    "walk of another root": Mutant("sources/folder.py", "walked[0] == look.root_id and", "", "tests/cli/test_quick.py::test_a_walk_that_is_outdated_is_made_again[root]"),
    "range too short by one": Mutant("store/schema.py", "AND o.last>={{passage}}", "AND o.last>{{passage}}", _history("many small commits")),
    "range looked for too near": Mutant("store/schema.py", "{{passage}}-{SPAN - 1} AND", "{{passage}}-{SPAN - 60} AND", _history("many small commits")),
    "short answer trusts the configuration of last time": Mutant("quick.py", "lines[0] != key(home)", "False", "tests/laws/test_cost.py::test_the_no_change_answer_is_given_only_then[chunk size]"),
    "lock not taken": Mutant("store/lock.py", "fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)", "pass", "tests/laws/test_readers.py::test_two_updates_never_run_at_once"),
}  # fmt: skip


def copied(where: Path) -> Path:
    """A copy of the package and its tests, to be sabotaged."""
    for name in ("indexer", "tests"):
        shutil.copytree(
            ROOT / name, where / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"), symlinks=True
        )
    shutil.copy(ROOT / "pyproject.toml", where)
    return where


def sabotage(mutant: Mutant, where: Path) -> str:
    """Apply it; returns the file's former text. Raises ValueError when the line is not there exactly once."""
    file = where / "indexer" / mutant.file
    text = file.read_text("utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.file}: found {text.count(mutant.old)} times: {mutant.old!r}")
    file.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    return text


def run_test(test: str, where: Path) -> subprocess.CompletedProcess[str]:
    """The named test in the copy, without what the outer run may have set."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "INDEXER"))}
    environ |= {"PYTHONPATH": str(where), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-W", "ignore", test]
    return subprocess.run(command, cwd=where, env=environ, capture_output=True, text=True, timeout=300)


def survives(name: str) -> str:
    """ "" when the test catches the sabotage, else what happened."""
    with tempfile.TemporaryDirectory() as folder:
        where = copied(Path(folder))
        sabotage(MUTANTS[name], where)
        done = run_test(MUTANTS[name].test, where)
    broken = any(word in done.stdout for word in ("SyntaxError", "NameError", "ImportError"))
    if done.returncode == 1 and "\nFAILED " in done.stdout and not broken:
        return ""
    return f"{name}: exit {done.returncode}: {done.stdout[-400:]}{done.stderr[-400:]}"


if __name__ == "__main__":
    for _name in sys.argv[1:] or MUTANTS:
        try:
            _said = survives(_name)
        except ValueError as e:
            _said = str(e)
        print(f"{'SURVIVES ' + _said if _said else 'caught'}  {_name}", flush=True)
