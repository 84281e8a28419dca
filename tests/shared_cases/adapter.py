"""The product as the shared scenarios drive it: real CLI for the child, Python API for the rest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from indexer import KnowledgeBase
from indexer.core.errors import IndexerError, SourceUnavailable


class HashEmbeddings:
    """A LangChain ``Embeddings`` over the scenarios' own deterministic hash embedder."""

    def __init__(self, model: str = "m1", dim: int = 64) -> None:
        self.model, self.dim = model, dim

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """(n, dim) rows."""
        from driver import HashEmbedder

        return HashEmbedder(self.model, self.dim)(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """One row."""
        return self.embed_documents([text])[0]


class Product:
    """The five methods of the shared driver contract."""

    def __init__(
        self, root: str | Path, state: str | Path, model: str = "m1", dim: int = 64, chunk: int = 200, cfg: Any = None
    ) -> None:
        self.root, self.state = Path(root), Path(state)
        self.state.mkdir(parents=True, exist_ok=True)
        options = {"model": model, "dim": dim}
        config = {
            "sources": [{"name": "kb", "path": str(self.root)}],
            "split": {"size": chunk, "overlap": 0},
            "embedding": {"model": "python:adapter:HashEmbeddings", "options": options},
            **(cfg or {}),
        }
        lines = "\n".join(_toml(config))
        file = self.state / "indexer.toml"
        if not file.exists() or file.read_text("utf-8") != lines:
            file.write_text(lines, "utf-8")
        self.kb = KnowledgeBase(self.state)

    def cmd(self) -> list[str]:
        """A child process that does one update."""
        return [sys.executable, "-m", "indexer", "update", "--now", "--json", "--home", str(self.state)]

    def update(self, force: bool = False, **_: Any) -> dict[str, Any]:
        """One full pass."""
        report = self.kb.update(allow_deletions=force)
        problems = {p.key.path: str(p.reason) for p in report.tally.problems.values()}
        refused = "; ".join(map(str, report.unavailable)) or None
        if refused is None and report.tally.held:
            refused = f"{len(report.tally.held)} deletions held"
        return {"embedded": report.tally.embedded, "problems": problems, "refused": refused}

    def search(self, q: str, k: int = 5) -> list[tuple[str, str]]:
        """(path, text), best first, from what is on disk now."""
        return [(h.key.path, h.text) for h in self.kb.search(q, k)]

    def docs(self) -> set[str]:
        """Paths that a search could return: those with a chunk."""
        return self.kb.searchable()


def _toml(config: dict[str, Any]) -> list[str]:
    out = [f"{k} = {json.dumps(v)}" for k, v in config.items() if not isinstance(v, (dict, list))]
    for key, value in config.items():
        if key == "sources":
            for source in value:
                out += ["[[sources]]", *(f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in source.items())]
        elif isinstance(value, dict):
            plain = {json.dumps(k) if "." in k else k: v for k, v in value.items() if not isinstance(v, dict)}
            out += [f"[{key}]", *(f"{k} = {json.dumps(v)}" for k, v in plain.items())]
            for k, v in value.items():
                if isinstance(v, dict):
                    out += [f"[{key}.{k}]", *(f"{a} = {json.dumps(b)}" for a, b in v.items())]
    return out


__all__ = ["HashEmbeddings", "IndexerError", "Product", "SourceUnavailable"]
