"""``export langchain``: what the stock class opens finds what the product finds."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from knowledge import FAISS, HASHING, DistanceStrategy, FailingAt, make

from indexer import KnowledgeBase
from indexer.cli import main
from indexer.core.errors import IndexerError, UsageError
from indexer.langchain import export
from indexer.langchain.exporting import MANIFEST
from indexer.store import disk

WORDS = ("leave", "note", "staff", "manual", "red", "button", "press", "days", "sick", "door", "key", "婚假", "安全")


def files(seed: int, count: int = 40) -> dict[str, str]:
    """Documents with headings, repeated paragraphs inside and across files, and exact copies."""
    rng = random.Random(seed)  # noqa: S311 - test data
    repeated = [" ".join(rng.choices(WORDS, k=8)) for _ in range(6)]
    texts = []
    for _ in range(count):
        parts = [rng.choice(repeated) if rng.random() < 0.3 else " ".join(rng.choices(WORDS, k=12)) for _ in range(6)]
        texts.append("# Title\n\n" + "\n\n".join(f"## Part {i}\n\n{p}." for i, p in enumerate(parts)) + "\n")
    made = {f"d{i % 4}/f{i}.md": t for i, t in enumerate(texts)}
    return {**made, **{f"copies/c{i}.md": t for i, t in enumerate(texts[:10])}, "names/文件 1.txt": "婚假 三 天"}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Fifty files and twenty added documents, after edits and deletions."""
    home = tmp_path_factory.mktemp("kb")
    made = make(home, files(1), HASHING)
    for path in sorted((home / "knowledge_base").rglob("*.md"))[:5]:
        path.unlink()
    (home / "knowledge_base" / "d1" / "f1.md").write_text("# New\n\nred button\n", "utf-8")
    made.update()
    rng = random.Random(2)  # noqa: S311 - test data
    texts = [" ".join(rng.choices(WORDS, k=8)) for _ in range(20)]
    made.vectorstore().add_texts(texts, [{"n": n} for n in range(20)], ids=[f"own {n}" for n in range(20)])
    made.vectorstore().delete(["own 3"])
    yield made
    made.close()


def queries(count: int = 60) -> list[str]:
    """Random words, and every now and then a whole passage."""
    rng = random.Random(3)  # noqa: S311 - test data
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(count)]


def test_the_stock_class_finds_the_same_in_the_same_order(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Opened as its manual says: same documents, ids, metadata and order, ties too; 1 - distance / 2 is the cosine."""
    assert export(kb, tmp_path / "out") == len(kb.search("leave", 10_000))
    stock = FAISS.load_local(str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True)
    ours, compared = kb.vectorstore(), 0
    for query in queries():
        for k in (1, 4, 17, 150):
            theirs, own = stock.similarity_search_with_score(query, k=k), ours.similarity_search_with_score(query, k=k)
            scores = [s for _, s in own]
            assert [1 - float(d) / 2 for _, d in theirs] == pytest.approx(scores, abs=2e-6)
            if not any(
                0 < a - b < 1e-6 for a, b in pairwise(scores)
            ):  # two cosines apart by less than float32 resolves may stand either way
                assert [d for d, _ in theirs] == [d for d, _ in own]
                assert [d.id for d, _ in theirs] == [d.id for d, _ in own]
                compared += 1
    assert compared > 200
    assert stock.get_by_ids(["own 4"]) == ours.get_by_ids(["own 4"])


def test_relevance_and_thresholds_work_as_they_come(tmp_path: Path) -> None:
    """The stock retriever with a threshold: best first, and a perfect match has relevance 1."""
    kb = make(tmp_path, files(4))
    kb.vectorstore().add_texts(["the red door key of the staff manual"], ids=["own 5"])
    kb.export_langchain(tmp_path / "out")
    stock = FAISS.load_local(str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True)
    query = kb.vectorstore().get_by_ids(["own 5"])[0].page_content
    pairs = stock.similarity_search_with_relevance_scores(query, k=5)
    assert pairs[0][1] == pytest.approx(1.0, abs=1e-5)
    assert [s for _, s in pairs] == sorted((s for _, s in pairs), reverse=True)
    options = {"k": 5, "score_threshold": 0.99}
    found = stock.as_retriever(search_type="similarity_score_threshold", search_kwargs=options).invoke(query)
    assert [d.page_content for d in found] == [query]
    kb.close()


def test_inner_product_gives_the_cosines(kb: KnowledgeBase, tmp_path: Path) -> None:
    """With ``MAX_INNER_PRODUCT`` the stock scores are the product's; equal ones may come in another order."""
    export(kb, tmp_path / "out", inner_product=True)
    stock = FAISS.load_local(
        str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True,
        distance_strategy=DistanceStrategy.MAX_INNER_PRODUCT,
    )  # fmt: skip
    for query in queries(20):
        theirs = stock.similarity_search_with_score(query, k=9)
        assert [float(s) for _, s in theirs] == pytest.approx(
            [h.score for h in kb.search(query, 9, mode="vector")], abs=2e-7
        )


def test_it_opens_where_this_package_is_not_installed(kb: KnowledgeBase, tmp_path: Path) -> None:
    """The pickle names LangChain's classes only."""
    export(kb, tmp_path / "out")
    code = (
        "import sys; sys.modules['indexer'] = None\n"
        "from langchain_community.vectorstores import FAISS\n"
        "from langchain_core.embeddings import DeterministicFakeEmbedding as E\n"
        "stock = FAISS.load_local(sys.argv[1], E(size=64), allow_dangerous_deserialization=True)\n"
        "print(len(stock.similarity_search('x', k=3)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "out")]
    got = subprocess.run(command, capture_output=True, text=True, check=True)
    assert got.stdout.strip() == "3"


def test_the_stock_class_can_go_on_with_it(kb: KnowledgeBase, tmp_path: Path) -> None:
    """An export is a plain index: it takes additions, deletions, and is saved again."""
    export(kb, tmp_path / "out")
    stock = FAISS.load_local(str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True)
    stock.add_texts(["a whole new subject"], ids=["new"])
    stock.delete(["own 4"])
    assert stock.similarity_search("a whole new subject", k=1)[0].id == "new"
    assert stock.max_marginal_relevance_search("red button", k=3)
    stock.save_local(str(tmp_path / "again"))


def test_an_earlier_export_is_replaced_a_foreign_folder_is_not(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Ours, empty or absent: written. Somebody else's, a file, a link: refused and untouched."""
    out = tmp_path / "out"
    export(kb, out)
    first = json.loads((out / MANIFEST).read_text("utf-8"))
    kb.vectorstore().add_texts(["one more"], ids=["more"])
    assert export(kb, out) == first["documents"] + 1
    assert json.loads((out / MANIFEST).read_text("utf-8"))["commit"] == first["commit"] + 1
    kb.vectorstore().delete(["more"])
    (tmp_path / "empty").mkdir()
    export(kb, tmp_path / "empty")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work", "utf-8")
    (tmp_path / "file").write_text("x", "utf-8")
    (tmp_path / "link").symlink_to(foreign)
    for target in ("foreign", "file", "link"):
        with pytest.raises(UsageError, match=target):
            export(kb, tmp_path / target)
    assert (foreign / "thesis.txt").read_text("utf-8") == "years of work"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "file", "foreign", "link", "out"]


def test_a_failure_at_any_step_leaves_a_whole_export(kb: KnowledgeBase, tmp_path: Path) -> None:
    """Whatever step fails, what stands there opens, old or new, and nothing is left beside it."""
    out = tmp_path / "out"
    export(kb, out)
    steps = 0
    while True:
        disk.fault = FailingAt(steps)
        try:
            export(kb, out)
        except (OSError, IndexerError):
            pass
        else:
            break
        finally:
            disk.fault = None
        FAISS.load_local(str(out), kb.embeddings(), allow_dangerous_deserialization=True)
        steps += 1
    assert steps > 8
    export(kb, out)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_nothing_indexed_is_said(tmp_path: Path) -> None:
    """An export before the first update is an error, not an empty folder."""
    with pytest.raises(UsageError, match="Nothing is indexed"):
        export(make(tmp_path, embedding=HASHING), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_index_without_documents_exports(tmp_path: Path) -> None:
    """Everything deleted: an export that opens and finds nothing."""
    kb = make(tmp_path, {"a.txt": "hello"})
    (tmp_path / "knowledge_base" / "a.txt").unlink()
    kb.update(allow_deletions=True)
    assert kb.export_langchain(tmp_path / "out") == 0
    stock = FAISS.load_local(str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True)
    assert stock.similarity_search("hello") == []
    kb.close()


def test_the_command_exports(kb: KnowledgeBase, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``indexer export langchain DIR`` says how many passages it wrote."""
    assert main(["export", "--home", kb.settings.home, "langchain", str(tmp_path / "out")]) == 0
    stock = FAISS.load_local(str(tmp_path / "out"), kb.embeddings(), allow_dangerous_deserialization=True)
    assert str(len(stock.index_to_docstore_id)) in capsys.readouterr().out
