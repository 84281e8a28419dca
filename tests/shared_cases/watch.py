"""watch.py ROOT OUT.json: the daemon in watch mode over ROOT, as the shared watch cases drive it.

After each commit OUT holds ``{"docs": {path: text}, "index_calls": {path: n}}``: the text of every
document that can be found, read from the index, and how often each was taken in since the first
look was over. It exists from then on.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from adapter import _toml

from indexer.config import load_settings
from indexer.core.errors import UsageError
from indexer.core.model import unraw
from indexer.daemon import Daemon, Wants
from indexer.search import Reader, open_reader
from indexer.store.catalog import Spans, unpack_ids
from indexer.store.local import Layout

HERE = Path(__file__).resolve()
PATHS = [str(HERE.parent), str(HERE.parents[2])]
DEBOUNCE = float(os.environ.get("WATCH_DEBOUNCE", "0.5"))
MODE, POLL = os.environ.get("WATCH_MODE", "auto"), float(os.environ.get("WATCH_POLL", "10"))
_VISIBLE = (
    "SELECT d.path,v.content FROM version v JOIN document d ON d.id=v.document JOIN content c ON c.id=v.content "
    "WHERE v.removed IS NULL AND length(c.passages)>0"
)


class Shown:
    """What can be found, as text by path; a content is read once."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.texts = layout, dict[int, str]()
        self.reader: Reader | None = None

    def docs(self) -> dict[str, str]:
        """Every document with its text, from one commit."""
        try:
            self.reader = self.reader or open_reader(self.layout)[0]
        except UsageError:
            return {}
        with self.reader.catalog.db.read():
            self.reader.view.follow()
            rows = self.reader.catalog.db.all(_VISIBLE)
            known, self.texts = self.texts, {}
            for _, content in rows:
                self.texts[content] = known[content] if content in known else self._text(content)
        return {unraw(path): self.texts[content] for path, content in rows}

    def _text(self, content: int) -> str:
        assert self.reader is not None
        row = self.reader.catalog.db.one("SELECT spans,passages FROM content WHERE id=?", (content,))
        assert row is not None
        spans, ids = row
        found: list[str] = []
        for passage, (start, end, *_) in zip(unpack_ids(ids), Spans.unpack(spans).spans, strict=True):
            text = self.reader.view.text(passage)[start - end :]
            found += " " * (start - len(found))
            found[start:end] = text
        return "".join(found)


class Watching(Daemon):
    """The daemon, and a file that says what it came to."""

    calls: Counter[str] | None = None
    out: Path
    shown: Shown

    def _hear(self, kind: str, facts: Mapping[str, Any]) -> None:
        super()._hear(kind, facts)
        if kind == "end":
            tally = getattr(facts["outcome"].report, "tally", None)
            if self.calls is None:
                self.calls = Counter()
            elif tally is not None:
                self.calls.update(k.path for k in (*tally.added, *tally.modified))
        if kind in ("commit", "end") and self.calls is not None:
            part = self.out.with_suffix(".part")
            part.write_text(json.dumps({"docs": self.shown.docs(), "index_calls": self.calls}), "utf-8")
            os.replace(part, self.out)


def main(root: str, out: str) -> int:
    """Watch until killed."""
    sys.path[:0] = PATHS
    os.environ["PYTHONPATH"] = os.pathsep.join(PATHS)  # for the processes that parse
    state = Path(out).resolve().parent / "state"
    state.mkdir()
    config = {
        "sources": [{"name": "kb", "path": os.path.realpath(root)}],
        "split": {"size": 200, "overlap": 0},
        "embedding": {"model": "python:indexer.embed.hashing:HashEmbedder", "options": {"dimension": 64}},
        "loaders": {".docx": "plain_docx:PlainText"},
        "watch": {"enabled": True, "debounce": DEBOUNCE, "mode": MODE, "poll_seconds": POLL},
    }
    (state / "indexer.toml").write_text("\n".join(_toml(config)), "utf-8")
    daemon = Watching(lambda: load_settings(state, {}), "watch", Wants(schedule=False, watch=True), "en")
    daemon.out, daemon.shown = Path(out), Shown(Layout(state / "metadata", state / "vectorstore"))
    return daemon.run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
