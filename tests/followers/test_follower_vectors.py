"""Any LangChain vector store as a follower: the same chunks, at the cost of what changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from following import Lab, killed_before, text
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from indexer.core.following import FollowerSettings

kept: list[InMemoryVectorStore] = []
added: list[str] = []
broken = False


def make(embedding: Embeddings, **options: Any) -> InMemoryVectorStore:
    """One store for all that ask, as a server would be."""
    if not kept:
        kept.append(Counting(embedding))
    return kept[0]


class Counting(InMemoryVectorStore):
    """Tells what it was given; fails on command."""

    def add_documents(self, documents: list[Document], **more: Any) -> list[str]:
        """Count, or fail."""
        if broken:
            raise ConnectionError("the store is away")
        added.extend(d.page_content for d in documents)
        return super().add_documents(documents, **more)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """A new store for each test."""
    kept.clear()
    added.clear()
    yield
    globals()["broken"] = False


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A knowledge base whose follower it is."""
    store = f"{__name__}:make"
    return Lab(tmp_path, FollowerSettings("second", "vectorstore", store=store, min_chars=0, max_kb=0.0))


def there() -> list[tuple[str, str]]:
    """(path, text) of each chunk in the store."""
    return sorted((d["metadata"]["path"], d["text"]) for d in kept[0].store.values())


def here(lab: Lab) -> list[tuple[str, str]]:
    """What searches of the index find."""
    return sorted((h.key.path, h.text) for h in lab.kb.search("anything", 1000, mode="vector"))


def test_the_same_chunks(lab: Lab) -> None:
    """After each kind of change, and only what changed is embedded there."""
    for n in range(4):
        lab.write(f"{n}.md", f"# Rules {n}\n\n" + "\n\n".join(text(10 * n + i) for i in range(4)))
    lab.commit()
    assert lab.flush() is None
    assert there() == here(lab)
    assert len(there()) > 8
    added.clear()
    lab.write("1.md", "# Rules 1\n\n" + "\n\n".join(text(i) for i in (10, 99, 12, 13)))
    (lab.root / "2.md").unlink()
    lab.commit()
    assert lab.flush() is None
    assert there() == here(lab)
    assert 1 <= len(added) <= 3  # of the changed document the chunks that changed
    hits = kept[0].similarity_search("Rules", k=1)
    assert hits[0].metadata["source"] == "kb"


def test_vectors_are_copied(lab: Lab, tmp_path: Path) -> None:
    """The model is away, and still all is sent: what the index holds is not embedded a second time."""
    for n in range(3):
        lab.write(f"{n}.md", "\n\n".join(text(10 * n + i) for i in range(4)))
    lab.commit()
    (tmp_path / "broken").touch()
    assert lab.flush() is None
    assert there() == here(lab)
    model = lab.kb.embeddings()
    (tmp_path / "broken").unlink()
    for held in kept[0].store.values():
        assert held["vector"] == pytest.approx(model.embed_documents([held["text"]])[0], abs=1e-6)


def test_a_store_that_is_away(lab: Lab) -> None:
    """As any other side: nothing is lost."""
    lab.write("a.md", text(1))
    lab.commit()
    globals()["broken"] = True
    assert "the store is away" in str(lab.flush())
    globals()["broken"] = False
    lab.clock.sleep(60)
    assert lab.flush() is None
    assert there() == here(lab)


def test_death_before_any_step(lab: Lab) -> None:
    """The end is right, and no chunk of an older version is left."""
    step, died = 0, True
    while died:
        step += 1
        lab.write("a.md", "\n\n".join(text(step + i) for i in range(3)))
        lab.commit()
        died = killed_before(step, lab.flush)
        assert lab.flush() is None
        assert there() == here(lab), f"after a death before step {step}"
    assert step > 3


@pytest.mark.parametrize(
    ("store", "options", "said"),
    [("no_such_package:Store", {}, "install its package"), (f"{__name__}:absent", {}, "cannot be imported"),
     ("langchain_core.vectorstores:InMemoryVectorStore", {"colour": "blue"}, "does not take these options")],
)  # fmt: skip
def test_what_is_configured_wrongly(lab: Lab, store: str, options: dict[str, Any], said: str) -> None:
    """A package that is not there, a name it does not have, options it does not take."""
    lab.write("a.md", text(1))
    lab.commit()
    assert said in str(lab.flush(lab.settings._replace(store=store, options=options)))


def test_chroma(lab: Lab, tmp_path: Path) -> None:
    """A real store with a disk of its own; `make followers` installs it."""
    pytest.importorskip("langchain_chroma", reason="Chroma is not installed; `make followers` does it")
    options = {"collection_name": "documents", "persist_directory": str(tmp_path / "chroma")}
    settings = lab.settings._replace(store="langchain_chroma:Chroma", options=options)
    for n in range(3):
        lab.write(f"{n}.md", f"# Rules {n}\n\n" + "\n\n".join(text(10 * n + i) for i in range(3)))
    lab.commit()
    assert lab.flush(settings) is None
    lab.write("1.md", "# Rules 1\n\n" + text(55))
    (lab.root / "2.md").unlink()
    lab.commit()
    assert lab.flush(settings) is None
    from langchain_chroma import Chroma

    stored = Chroma(**options).get()
    found = sorted((m["path"], t) for m, t in zip(stored["metadatas"], stored["documents"], strict=True))
    assert found == here(lab)
