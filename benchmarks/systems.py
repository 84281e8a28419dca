"""The systems under measurement: how each is set up, run, and asked what it can find."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure

ROOT = Path(__file__).resolve().parents[1]
EMBEDDINGS = "indexer.embed.hashing:HashEmbedder"
"""One embedder for all: a few microseconds a text, so that the figures are the systems' own."""

_CONFIG = """\
[[sources]]
name = "tree"
path = {tree}

[embedding]
model = {model}
"""


@dataclass(frozen=True, slots=True)
class System:
    """One system on its own copy of a tree: ``home/tree`` is the copy, the rest of ``home`` its own."""

    home: Path
    embeddings: str = EMBEDDINGS

    @property
    def tree(self) -> Path:
        """The folder of texts this system keeps up with."""
        return self.home / "tree"

    def prepare(self) -> None:
        """Make what the system wants before its first run."""

    def argv(self) -> list[str]:
        """The command of one update; prints a JSON object with ``embedded``."""
        raise NotImplementedError

    def live(self) -> list[str]:
        """The command that prints every chunk that can be found, ``[path, text]`` a line."""
        raise NotImplementedError

    def run(self, argv: list[str], *, discard: bool = False) -> measure.Ran:
        """Run a command of this system in a new process."""
        return measure.run(argv, cwd=str(self.home), env={"PYTHONPATH": str(ROOT)}, discard=discard)

    def found(self) -> Iterator[tuple[str, str]]:
        """(path, text) of every chunk that can be found."""
        for line in self.run(self.live()).out.splitlines():
            path, text = json.loads(line)
            yield path, text


class Ours(System):
    """The product's own command line in a folder of its own."""

    def prepare(self) -> None:
        """``indexer.toml`` with the tree as its one source; every other value is the default."""
        model = json.dumps(f"python:{self.embeddings}")
        config = _CONFIG.format(tree=json.dumps(str(self.tree)), model=model)
        (self.home / "indexer.toml").write_text(config, encoding="utf-8")

    def argv(self) -> list[str]:
        """``indexer update --now --json``."""
        return [sys.executable, "-m", "indexer", "update", "--now", "--json"]

    def live(self) -> list[str]:
        """Through the product's own reader; see :mod:`benchmarks.live`."""
        return [sys.executable, "-m", "benchmarks.live", str(self.home)]


class Recipe(System):
    """A program of :mod:`benchmarks.baselines`."""

    program = ""

    def argv(self) -> list[str]:
        """One run of the recipe."""
        return self._command(self.program, self.tree, self.home / "store")

    def live(self) -> list[str]:
        """See :mod:`benchmarks.baselines.live`."""
        return self._command("live", self.home / "store")

    def _command(self, program: str, *folders: Path) -> list[str]:
        module = f"benchmarks.baselines.{program}"
        return [sys.executable, "-m", module, *map(str, folders), "--embeddings", self.embeddings]


class Script(Recipe):
    """Hash everything, ``load_local``, ``add_documents``, ``delete``, ``save_local``."""

    program = "script"


class LangChainIndex(Recipe):
    """``index()`` with a SQL record manager."""

    program = "langchain_index"


SYSTEMS: dict[str, type[System]] = {"ours": Ours, "script": Script, "langchain_index": LangChainIndex}
