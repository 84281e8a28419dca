"""A process that edits and updates without end, to be killed at a moment nobody chose.

It says (one JSON line each, into a file that survives it) which documents an update starts
from, and that it ended; whoever kills it knows what may be found afterwards.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

from indexer.core.errors import IndexerError

from .checks import difference, findings, head
from .scene import DAY_NS, Documents, Places, Scene, _now, found, lay, model, paragraph

_FILES = 14


def edit(documents: dict[str, tuple[str, ...]], rng: random.Random) -> None:
    """One random change: add, edit, delete, move, copy."""
    kind = rng.choice(["add", "add", "edit", "edit", "edit", "delete", "move", "copy"]) if documents else "add"
    path = f"{rng.choice('abc')}/{rng.randrange(_FILES)}.txt"
    some = rng.choice(sorted(documents)) if documents else ""
    text = tuple(paragraph(rng.randrange(100_000), rng.randrange(100)) for _ in range(rng.randrange(1, 5)))
    if kind == "add":
        documents[path] = text
    elif kind == "edit":
        documents[some] = (*documents[some][:1], *text)
    elif kind == "delete":
        del documents[some]
    else:
        documents[path] = documents[some] if kind == "copy" else documents.pop(some)


def clock(hour: int) -> Callable[[], int]:
    """Hours pass between rounds, so that snapshots, gc and retention have their turn."""
    return lambda: _now() + DAY_NS + hour * DAY_NS // 24


def in_folder(folder: Path) -> dict[str, tuple[str, ...]]:
    """The documents that lie there."""
    return {str(p.relative_to(folder)): tuple(p.read_text("utf-8").split("\n\n")) for p in folder.rglob("*.txt")}


def live(scene: Scene, seed: int, say: Callable[[object], None]) -> None:
    """Edit, update, edit, update; ends only with an IndexerError, which it says."""
    rng = random.Random(seed)  # noqa: S311 - which edits is all it decides
    documents, kb = in_folder(scene.documents), scene.open()
    hour = seed * 50
    while True:
        for _ in range(rng.randrange(1, 6)):
            edit(documents, rng)
        lay(scene.documents, documents)
        say(documents)
        hour += rng.randrange(1, 12)
        try:
            report = kb.update(now_ns=clock(hour), allow_deletions=True)
            say([report.exit_code, report.commit])
        except IndexerError as e:
            say([e.exit_code, str(e)])
            return


class Log:
    """What a process said, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(b"")

    def say(self, word: object) -> None:
        """One line, by one write."""
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        os.write(fd, json.dumps(word).encode() + b"\n")
        os.close(fd)

    def said(self) -> list[object]:
        """Every whole line."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


class Witness:
    """Knows what may be found: per document what was found before, and what was there since."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.known: Places = frozenset()
        self.commit = 0

    def look(self, said: list[object], *, durable: bool = True) -> None:
        """After a death: the last ended update exactly, or document by document it or the one under way."""
        ended, exact, options = self.commit, True, [self.known]
        for word in said:
            if isinstance(word, dict):
                exact = False
                options.append(model(_documents(word)))
            elif isinstance(word, list):
                assert word[0] == 0, f"an update ended with {word}"
                ended, exact, options = word[1], True, options[-1:]
        kb = self.scene.open()
        places, now = found(kb), head(kb)
        kb.close()
        assert not durable or now >= ended, f"commit {ended} was announced, now the newest is {now}"
        if exact:
            assert places == options[-1], f"after a whole update: {difference(places, options[-1])}"
        else:
            paths = {x[0] for o in (places, *options) for x in o}
            mixed = [p for p in paths if _of(places, p) not in [_of(o, p) for o in options]]
            assert not mixed, f"neither the old nor the new version of {mixed}"
        assert findings(self.scene) == [], findings(self.scene)
        self.known, self.commit = places, now

    def heal(self, hour: int) -> None:
        """The next run brings what lies in the folder, the one after has nothing to do."""
        wanted = model(in_folder(self.scene.documents))
        report = self.scene.open().update(now_ns=clock(hour), allow_deletions=True)
        again = self.scene.open().update(now_ns=clock(hour), allow_deletions=True)
        kb = self.scene.open()
        assert found(kb) == wanted, difference(found(kb), wanted)
        kb.close()
        assert (report.exit_code, again.exit_code, again.tally.embedded) == (0, 0, 0)
        assert again.commit == report.commit
        assert findings(self.scene) == [], findings(self.scene)
        self.known, self.commit = wanted, again.commit


def _of(places: Places, path: str) -> Places:
    return frozenset(x for x in places if x[0] == path)


def _documents(word: dict[str, list[str]]) -> Documents:
    return {p: tuple(t) for p, t in word.items()}
