"""Cost laws (DESIGN 3.10): an update costs what changed, in texts embedded, bytes written, modules loaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import law_embedder
import pytest
from lab import DAY, Lab, document

from indexer.core.tables import SplitSettings

HERE = Path(__file__).resolve().parent
HEAVY = (
    "faiss",
    "langchain",
    "langchain_core",
    "langchain_text_splitters",
    "numpy",
    "pydantic",
    "onnxruntime",
    "pathspec",
    "rich",
)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """Six documents in two folders, indexed; stamps count as settled."""
    lab = Lab(tmp_path)
    for i in range(6):
        lab.run(("write", "one", f"{'deep/' if i % 2 else ''}{i}.md", i))
    lab.run(("update",))
    yield lab
    lab.close()


FREE: dict[str, list[tuple[object, ...]]] = {
    "touch": [("touch", "one", "0.md")],
    "touch all": [("touch", "one", f"{'deep/' if i % 2 else ''}{i}.md") for i in range(6)],
    "chmod": [("chmod", "one", "0.md", 0o600)],
    "save without a change": [("replace_file", "one", "0.md", 0)],
    "rename": [("rename", "one", "0.md", "one", "renamed.md")],
    "move": [("rename", "one", "0.md", "one", "new/folder/0.md")],
    "rename a folder": [("rename", "one", "deep", "one", "deeper")],
    "move to another source": [("rename", "one", "deep", "two", "deep")],
    "swap": [("swap", "one", "0.md", "2.md")],
    "copy": [("copy", "one", "0.md", "one", "copy.md")],
    "delete": [("delete", "one", "deep")],
    "undelete": [("delete", "one", "0.md"), ("update",), ("revert", "one", "0.md", 0)],
    "undelete after days": [("delete", "one", "0.md"), ("update",), ("days", 20), ("revert", "one", "0.md", 0)],
    "revert": [("append", "one", "0.md", 1), ("update",), ("revert", "one", "0.md", 0)],
    "rename and change case of the suffix": [("rename", "one", "0.md", "one", "0.MD")],
    "rename to another suffix": [("rename", "one", "0.md", "one", "0.txt")],
    "rule away and back": [("rules", "one", 0), ("update",), ("rules", "one", 6)],
    "scrub": [("days", 9)],
    "nothing": [],
}


@pytest.mark.parametrize("name", FREE)
def test_costs_nothing(lab: Lab, name: str) -> None:
    """What has the bytes of something known embeds nothing, and no more than the suffix can make new."""
    for op in FREE[name]:
        lab.run(op)
    before = {t for _, _, t in lab.hits(lab.references)}
    lab.run(("update",))
    new = {t for _, _, t in lab.hits(lab.references)} - before
    assert len(law_embedder.seen) <= (len(new) if name == "rename to another suffix" else 0)


@pytest.mark.parametrize(("size", "overlap"), [(80, 20), (256, 50), (256, 0)])
def test_one_paragraph_embeds_its_neighbourhood(tmp_path: Path, size: int, overlap: int) -> None:
    """One changed paragraph of fifty embeds what that paragraph fills, and at most two neighbours."""
    lab = Lab(tmp_path, size=size, overlap=overlap)
    paragraphs = [
        f"Paragraph {i} says that rule {i} of this handbook is kept by everybody in office {i}." for i in range(50)
    ]
    file = lab.roots["one"] / "handbook.txt"
    file.write_text("\n\n".join(paragraphs))
    lab.run(("update",))
    for at in (0, 25, 49):
        paragraphs[at] = f"Paragraph {at} was changed on a {'very ' * (at % 3)}fine day."
        file.write_text("\n\n".join(paragraphs))
        lab.run(("update",))
        assert 1 <= len(law_embedder.seen) <= 2 + -(-len(paragraphs[at]) // (size - overlap))
    lab.close()


def test_no_change_writes_no_commit(lab: Lab) -> None:
    """A run without changes makes no commit and rewrites no file but the catalog's run record."""

    def files() -> dict[str, int]:
        found = [*Path(lab.settings.vectorstore).rglob("*"), *Path(lab.settings.metadata).rglob("*.texts")]
        return {str(p): p.stat().st_mtime_ns for p in found if p.is_file()}

    commit, before = lab.commit, files()
    lab.run(("update",))
    assert (lab.commit, files()) == (commit, before)


def test_settings_that_do_not_decide_a_vector_cost_nothing(lab: Lab) -> None:
    """Another batch size is the same profile: nothing is parsed or embedded again."""
    embedding = lab.settings.embedding._replace(batch_size=7)
    lab.settings = lab.served = lab.settings._replace(embedding=embedding, batch_passages=3)
    lab.run(("update",))
    assert not law_embedder.seen


def test_other_chunks_of_the_same_model_reuse_vectors(lab: Lab) -> None:
    """Another chunk size embeds only the passages that are new with it."""
    old = {t for _, _, t in lab.hits(lab.references)}
    lab.run(("chunk", 60, 0))
    lab.run(("update",))
    assert not old & set(law_embedder.seen)


# ---- in a process of its own -------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A knowledge base for the command line, twice updated: settled and indexed."""
    source = tmp_path / "knowledge_base"
    source.mkdir()
    for i in range(5):
        (source / f"{i}.txt").write_bytes(document(i))
        os.utime(source / f"{i}.txt", (1_700_000_000, 1_700_000_000))
    (tmp_path / "indexer.toml").write_text(
        '[embedding]\nmodel = "python:law_embedder:LawEmbedder"\noptions = {dimension = 16}\n', "utf-8"
    )
    return tmp_path


_CLI = """
import json, sys, time
from indexer.{module} import main
sys.argv = ["indexer", *{words!r}]
code = main()
print(json.dumps([code, sorted(m for m in sys.modules if m in {heavy!r})]), file=sys.stderr)
"""


def _cli(home: Path, *words: str, module: str = "entry") -> tuple[int, list[str], str]:
    """(exit code, heavy modules loaded, stdout) of one command."""
    code = _CLI.format(module=module, words=words, heavy=HEAVY)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=home, env=environ, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    exit_code, loaded = json.loads(done.stderr.splitlines()[-1])
    return exit_code, loaded, done.stdout


@pytest.mark.parametrize("module", ["entry", "cli"])
def test_a_no_change_run_loads_nothing_heavy(home: Path, module: str) -> None:
    """Without changes neither the model nor FAISS, NumPy, LangChain, pydantic are imported, on either path."""
    _cli(home, "update", "--now", "--quiet")
    _settle(home)
    _cli(home, "update", "--now", "--quiet")
    before = json.loads(_cli(home, "update", "--now", "--json", module=module)[2])
    code, loaded, out = _cli(home, "update", "--now", "--json", module=module)
    report = json.loads(out)
    assert (code, loaded) == (0, [])
    assert (report["commit"], report["embedded"], report["parsed"]) == (before["commit"], 0, 0)


def _settle(home: Path) -> None:
    """Wait until the stamps are old enough to be trusted (2 s)."""
    import time

    newest = max(p.stat().st_ctime for p in home.rglob("*.txt"))
    time.sleep(max(0.0, newest + 2.2 - time.time()))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda kb: (kb / "0.txt").write_bytes(document(50)),
    "same size and mtime": lambda kb: (
        (kb / "0.txt").write_bytes(document(0).swapcase()),
        os.utime(kb / "0.txt", (1_700_000_000,) * 2),
    ),
    "add": lambda kb: (kb / "new.txt").write_bytes(document(51)),
    "delete": lambda kb: (kb / "0.txt").unlink(),
    "rename": lambda kb: (kb / "0.txt").rename(kb / "renamed.txt"),
    "rule": lambda kb: (kb / ".indexerignore").write_text("0.txt\n"),
    "folder": lambda kb: ((kb / "sub").mkdir(), (kb / "sub/a.txt").write_bytes(document(52))),
    "chunk size": lambda kb: _configure(kb, "", "[split]\nsize = 90\noverlap = 10\n"),
    "source": lambda kb: (
        (kb.parent / "b").mkdir(),
        (kb.parent / "b/x.txt").write_bytes(document(53)),
        _configure(kb, _TWO),
    ),
    "replaced root": lambda kb: (
        shutil.copytree(kb, kb.parent / "copy"),
        shutil.rmtree(kb),
        (kb.parent / "copy").rename(kb),
        (kb / "0.txt").unlink(),
    ),
}


_TWO = '[[sources]]\npath = "knowledge_base"\n[[sources]]\npath = "b"\n'


def _configure(kb: Path, before: str, after: str = "") -> None:
    file = kb.parent / "indexer.toml"
    file.write_text(before + file.read_text() + after)


@pytest.mark.parametrize("name", CHANGES)
def test_the_no_change_answer_is_given_only_then(home: Path, name: str) -> None:
    """After any change the short way steps aside: what is found is what a fresh index finds."""
    for _ in range(3):
        _cli(home, "update", "--now", "--quiet")
        _settle(home)
    CHANGES[name](home / "knowledge_base")
    _cli(home, "update", "--now", "--quiet")
    found = json.loads(_cli(home, "search", "rule", "-k", "1000", "--json", module="cli")[2])
    for folder in ("metadata", "vectorstore"):
        shutil.rmtree(home / folder)
    _cli(home, "update", "--now", "--quiet")
    again = json.loads(_cli(home, "search", "rule", "-k", "1000", "--json", module="cli")[2])
    assert [(h["key"], h["text"], h["score"]) for h in found] == [(h["key"], h["text"], h["score"]) for h in again]
    assert found


def _written() -> int:
    """Bytes this process has written so far, as the kernel counts write calls."""
    return int(dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())["wchar"])


def test_bytes_written_by_an_edit_do_not_grow(tmp_path: Path, figures: list[str]) -> None:
    """Editing one file writes as much with 2,000 documents as with 100."""
    costs = {}
    for count in (100, 2000):
        lab = Lab(tmp_path / str(count))
        lab.settings = lab.settings._replace(split=SplitSettings(256, 50), snapshot_every_hours=10**6)
        for i in range(count):
            lab._put(lab.roots["one"] / f"{i % 40:02d}/{i}.txt", document(i))
        report = lab._run(_request())
        assert report.commit
        written = []
        for i in range(5):
            lab.offset += DAY // 100
            lab._next_tick()
            lab._put(lab.roots["one"] / f"0{i}/{i}.txt", document(5000 + i))
            before = _written()
            lab._run(_request())
            written.append(_written() - before)
        costs[count] = sorted(written)[2]
        lab.close()
    figures.append(f"one edit writes {costs[100] // 1024} KB among 100 documents, {costs[2000] // 1024} KB among 2,000")
    assert costs[2000] <= costs[100] * 1.5 + 20_000
    assert costs[2000] < 200_000


def _request():  # type: ignore[no-untyped-def]
    from indexer.update import Request

    return Request()
