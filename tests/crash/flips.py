"""One flipped bit in any file of the state: if an answer changes, ``verify`` says so, and ``repair`` mends it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from indexer import cli
from indexer.api import KnowledgeBase
from indexer.care import snapshots
from indexer.commands import care, inspect
from indexer.core.errors import DAMAGED, DONE, IndexerError
from indexer.search import Reader
from indexer.store.catalog import Catalog
from indexer.update import Request, update

from .checks import difference, findings
from .scene import DAYS, DIMENSION, DUE, QUERY, Scene, clock, files, found, model
from .workers import forked

_QUERIES = (QUERY, "a second direction", "and a third one")
_HARMLESS = ("config.cache", "writer.lock", "quick")


def places(state: Path, count: int, seed: int) -> list[tuple[str, int]]:
    """(file, bit) spread over every file: half of them by size, half so that each file has its share."""
    rng = random.Random(seed)  # noqa: S311 - which bit is all it decides
    sizes = {f: (state / f).stat().st_size for f in sorted(files(state)) if not f.endswith(_HARMLESS)}
    names = [f for f, size in sizes.items() if size]
    chosen = rng.choices(names, [sizes[f] for f in names], k=count // 2) + [
        names[i % len(names)] for i in range(count - count // 2)
    ]
    return [(f, rng.randrange(sizes[f] * 8)) for f in chosen]


def flip(path: Path, bit: int) -> None:
    """Turn one bit over as a failing disk does: no time of the file changes."""
    st = path.stat()
    with open(path, "rb+") as f:
        f.seek(bit // 8)
        byte = f.read(1)[0]
        f.seek(bit // 8)
        f.write(bytes([byte ^ 1 << bit % 8]))
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))


# ---- everything that can be found -------------------------------------------------------


def answers(scene: Scene) -> dict[str, Any]:
    """What every reading command and every search says, now and as of every commit, and from every snapshot."""
    kb = KnowledgeBase(scene.settings())
    said: dict[str, Any] = {}

    def ask(what: str, question: Callable[[], Any]) -> None:
        try:
            said[what] = question()
        except Exception as e:  # the command line makes a line of any error; that it is wrong is verify's to say
            said[what] = f"{type(e).__name__}: {e}"

    ask("history", lambda: _json(kb, "history", "-n", "1000"))
    commits = [row["commit"] for row in said["history"]] if isinstance(said["history"], list) else []
    for query in _QUERIES:
        ask(f"search {query}", lambda query=query: _hits(kb.search(query, k=1000)))
    for n in commits:
        ask(f"as of {n}", lambda n=n: _hits(kb.search(QUERY, k=1000, as_of=str(n))))
        ask(f"documents {n}", lambda n=n: sorted(kb.searchable(str(n))))
        ask(f"diff {n}", lambda n=n: _json(kb, "diff", str(n)))
    ask("files", lambda: _json(kb, "files"))
    for path in sorted(set().union(*DAYS.values())):
        ask(f"history {path}", lambda path=path: _json(kb, "history", str(scene.documents / path)))
    kb.close()
    for snapshot in snapshots.listed(kb.layout, kb.layout.served() or ""):
        ask(f"snapshot {snapshot.commit}", lambda folder=snapshot.folder: _in_snapshot(kb, folder))
    return said


def _hits(hits: list[Any]) -> list[Any]:
    return [
        [str(h.key), h.text, h.score, h.start, h.end, h.headings, h.page, h.title, h.commit, h.sha256, dict(h.metadata)]
        for h in hits
    ]


def _in_snapshot(kb: KnowledgeBase, folder: Path) -> list[Any]:
    reader = Reader(Catalog.open(folder, readonly=True), folder, folder / "texts")
    try:
        model = kb.embedder(kb.settings.embedding)
        return _hits(reader.search(model.embed_query(QUERY), 1000))
    finally:
        reader.close()


def _json(kb: KnowledgeBase, *words: str) -> Any:
    inspect.knowledge_base = lambda options, out: kb  # type: ignore[attr-defined]
    options = cli.parser("en", words[0]).parse_args([*words, "--json"])
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        inspect.run(options, cli.Out("en"))
    return json.loads(told.getvalue())


# ---- what is said of it -----------------------------------------------------------------


def reported(scene: Scene) -> bool:
    """Whether the command ``verify`` finds something; it must never end in anything but its own errors."""
    kb = KnowledgeBase(scene.settings())
    options = cli.parser("en", "verify").parse_args(["verify"])
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            code = care._COMMANDS["verify"](kb, options, cli.Out("en"))
        except IndexerError as e:
            code = e.exit_code
    assert code in (DONE, DAMAGED), f"exit code {code}: {told.getvalue()}"
    return code == DAMAGED


def mended(scene: Scene) -> None:
    """``repair`` brings the right content back, whole again by ``verify``'s own word."""
    kb = KnowledgeBase(scene.settings())
    report = update(kb.world(now_ns=clock(DUE)), Request(repair=True, trigger="repair"))
    assert report.exit_code == DONE, [str(p.reason) for p in report.tally.problems.values()]
    kb = scene.open()
    assert found(kb) == model(DAYS[DUE]), difference(found(kb), model(DAYS[DUE]))
    kb.close()
    assert findings(scene) == [], findings(scene)


def one(scene: Scene, damage: Callable[[], None], truth: dict[str, Any], compare: bool, repair: bool) -> str:
    """Do damage, ask ``verify``, compare all answers with the truth (if wanted or nothing was found), repair (if wanted).

    Answers "found", "found harmful" or "harmless"; raises for harm that is not found.
    """
    damage()
    told = forked(lambda say: say(reported(scene)))
    assert told.code == 0, f"verify ended with {told.code}"
    seen = told.said == [True]
    differs = False
    if compare or not seen:
        damage()
        asked = forked(lambda say: say(answers(scene)))
        have = asked.said[0] if asked.said else {"": f"ended with {asked.code}"}
        differs = have != truth
        wrong = [k for k in {*have, *truth} if have.get(k) != truth.get(k)]
        assert seen or not differs, (
            f"not found by verify, but wrong: {wrong[:8]}: {[(have.get(k), truth.get(k)) for k in wrong[:1]]}"
        )
    if repair and seen:
        damage()
        done = forked(lambda say: mended(scene))
        assert done.code == 0, "repair failed: see the traceback on stderr"
    return ("found harmful" if differs else "found") if seen else "harmless"


__all__ = ["DIMENSION", "answers", "flip", "one", "places"]
