"""A small knowledge base with a history, and an independent model of what must be found in it.

Every paragraph is longer than half a chunk and shorter than a chunk, so a paragraph is a
chunk under both splitter settings used here, and the model needs no splitter. Documents are
a mapping of path to paragraphs; a day's state is such a mapping.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from indexer import KnowledgeBase
from indexer.core.tables import EmbeddingSettings, Source, SplitSettings
from indexer.embed.hashing import HashEmbedder
from indexer.settings import Settings

Documents = Mapping[str, tuple[str, ...]]
DAY_NS = 86_400 * 10**9
DIMENSION = 8
QUERY = "where does it say so?"
BASE, DUE, LATER = 4, 5, 6  # the last day before the update under test, its own, and the one after
_WORDS = [
    "amber",
    "basil",
    "cedar",
    "delta",
    "ember",
    "fable",
    "grain",
    "hazel",
    "ivory",
    "jolly",
    "karma",
    "lemon",
    "maple",
    "nylon",
    "ocean",
    "pearl",
    "quilt",
    "river",
    "sugar",
    "tulip",
]
_SIGNS = "春江潮水连海平海上明月共潮生滟滟随波千万里何处无月明江流宛转绕芳甸月照花林皆似霰空里流霜不觉飞汀上白沙看不见"


def paragraph(number: int, revision: int = 0) -> str:
    """44 to 60 characters that no other (number, revision) has; every fifth is Chinese."""
    length = 44 + (number * 7 + revision * 3) % 16
    if number % 5 == 0:
        at = number * 5 % len(_SIGNS)
        return (f"第{number}段第{revision}版" + (_SIGNS[at:] + _SIGNS) * 2)[:length]
    words = (_WORDS[(number * 3 + revision + i * (1 + number % 7)) % len(_WORDS)] for i in range(12))
    return (f"Paragraph {number} in its revision {revision}: " + "-".join(words) * 2)[:length]


def _document(first: int, count: int, revision: int = 0) -> tuple[str, ...]:
    return tuple(paragraph(first + i, revision) for i in range(count))


def _days() -> dict[int, Documents]:
    """What lies in the folder on each day."""
    first = {f"{'abc'[i % 3]}/doc{i:02d}.txt": _document(10 * i, 1 + i % 4) for i in range(12)}
    first["a/same.txt"] = first["a/doc00.txt"]  # two documents, one content
    second = {**first, "b/doc01.txt": (*first["b/doc01.txt"], paragraph(200)), "新/说明.txt": _document(210, 3)}
    third = {p.replace("c/", "moved/"): t for p, t in second.items() if p != "a/doc03.txt"}
    third["b/doc04.txt"] = _document(40, 1, 1)
    fourth = {**third, "b/doc10.txt": (*third["b/doc10.txt"][:-1], paragraph(109, 4)), "note.txt": _document(220, 2)}
    due = {p: t for p, t in fourth.items() if p not in ("b/doc07.txt", "a/same.txt")}
    due["a/doc03.txt"] = first["a/doc03.txt"]  # back again
    due["renamed.txt"] = due.pop("moved/doc11.txt")
    due["copy.txt"] = due["b/doc10.txt"]
    due["a/doc06.txt"] = (*due["a/doc06.txt"][:1], paragraph(61, 7), *due["a/doc06.txt"][1:])
    due["b/doc04.txt"] = _document(40, 1, 2)
    due |= {f"new/doc{i:02d}.txt": _document(300 + 10 * i, 1 + i % 3) for i in range(5)}
    later = {
        p: t
        for p, t in due.items()
        if p not in ("copy.txt", "a/doc03.txt", "new/doc00.txt", "new/doc02.txt", "新/说明.txt")
    }
    later |= {"a/doc00.txt": (paragraph(0, 9),), "late.txt": _document(400, 2)}
    return {1: first, 2: second, 3: third, BASE: fourth, DUE: due, LATER: later}


DAYS = _days()


def lay(folder: Path, documents: Documents) -> None:
    """Make the folder hold exactly these documents; files that stay the same are not touched."""
    wanted = {folder / p: "\n\n".join(t).encode() for p, t in documents.items()}
    for path in [p for p in folder.rglob("*") if p.is_file() and p not in wanted]:
        path.unlink()
    for path, data in wanted.items():
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(path.name + ".part")  # replaced as a whole: whoever lays them may be killed
            new.write_bytes(data)
            new.replace(path)


# ---- the model ------------------------------------------------------------------------

Places = frozenset[tuple[str, int, int, str]]
"""Path, start, end, text of every chunk that is found."""


def model(documents: Documents) -> Places:
    """What an index over these documents must return, whatever else happened."""
    places = set()
    for path, paragraphs in documents.items():
        at = 0
        for text in paragraphs:
            places.add((path, at, at + len(text), text))
            at += len(text) + 2
    return frozenset(places)


_judge = HashEmbedder(DIMENSION)


@lru_cache(4096)
def _score(text: str) -> float:
    return float(_judge.embed_query(text) @ _judge.embed_query(QUERY))


def found(kb: KnowledgeBase, as_of: str = "") -> Places:
    """Everything a search returns, each with the right score (cosine to 1e-4)."""
    hits = kb.search(QUERY, k=1_000_000, as_of=as_of)
    wrong = [h for h in hits if abs(h.score - _score(h.text)) > 1e-4]
    assert not wrong, f"score of {wrong[0].text!r} is {wrong[0].score}, not {_score(wrong[0].text)}"
    places = [(h.key.path, h.start, h.end, h.text) for h in hits]
    assert len(set(places)) == len(places), "a chunk is returned twice"
    return frozenset(places)


# ---- the knowledge base -----------------------------------------------------------------


class Scene(NamedTuple):
    """Where the documents and the state lie. Several states may share one folder of documents."""

    documents: Path
    state: Path

    def settings(self, size: int = 64) -> Settings:
        """Small batches and short spans of time, so that everything happens within one run."""
        return Settings(
            home=str(self.state), sources=(Source("kb", str(self.documents)),), split=SplitSettings(size, 0),
            embedding=EmbeddingSettings(model="python:indexer.embed.hashing:HashEmbedder", options={"dimension": DIMENSION}),
            batch_passages=3, retention_days=2, min_free_mb=0, language="en",
        )  # fmt: skip

    def open(self, size: int = 64) -> KnowledgeBase:
        """A knowledge base as a new process sees it."""
        return KnowledgeBase(self.settings(size), warn=_no_warning)

    def restore(self, saved: Path) -> None:
        """Make the state what was saved (file times too: they are part of it)."""
        self.clear()
        for name in ("metadata", "vectorstore", "export"):
            if (saved / name).exists():
                shutil.copytree(saved / name, self.state / name)

    def save(self, to: Path) -> None:
        """Copy the state away."""
        Scene(self.documents, to).restore(self.state)

    def clear(self) -> None:
        """No state at all."""
        self.state.mkdir(parents=True, exist_ok=True)
        for name in ("metadata", "vectorstore", "export", ".tmp-export-new", ".tmp-export-old"):
            shutil.rmtree(self.state / name, ignore_errors=True)


def _no_warning(text: str) -> None:
    raise AssertionError(f"the reader had to warn: {text}")


_now = time.time_ns


def clock(day: int) -> Callable[[], int]:
    """The time on a day: ahead of the files, so that none looks freshly written."""
    return lambda: _now() + day * DAY_NS


def build(scene: Scene, until: int = BASE) -> None:
    """Live through the days up to ``until``."""
    for day in (d for d in DAYS if d <= until):
        lay(scene.documents, DAYS[day])
        report = scene.open().update(now_ns=clock(day))
        assert report.exit_code == 0, report.tally.problems


def files(root: Path) -> set[str]:
    """Every file under a folder."""
    return {os.path.relpath(os.path.join(d, f), root) for d, _, names in os.walk(root) for f in names}
