"""The vector store beside what LangChain's standard tests ask: persistence, filters, threads, writers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from knowledge import make
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from words import WordEmbeddings

from indexer import KnowledgeBase
from indexer.care.verify import verify
from indexer.core.errors import Busy, ConfigError, EmbeddingFailed, ModelChanged, UsageError
from indexer.core.tables import Source
from indexer.langchain import IndexerVectorStore
from indexer.langchain.vectorstore import relevance
from indexer.store.local import Store
from indexer.store.lock import writer_lock

FILES = {
    "policies/leave.md": "# Leave\n\n## Marriage\n\nStaff have three days of marriage leave.\n\n"
    "## Sick\n\nSick leave needs a note.\n",
    "policies/security.md": "# Security\n\nPasswords have twelve characters.\n",
    "manual.txt": "Press the red button to stop the press.\n",
}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """Three files, indexed."""
    made = make(tmp_path, FILES)
    yield made
    made.close()


def verified(kb: KnowledgeBase) -> None:
    """Nothing stored is other than what was written."""
    served = kb.layout.served()
    assert served is not None
    store = Store.open(kb.layout, served)
    try:
        assert verify(store) == []
    finally:
        store.close()


def commits(kb: KnowledgeBase) -> int:
    """The newest commit's number."""
    catalog = kb.catalog()
    assert catalog is not None
    try:
        return catalog.head()
    finally:
        catalog.close()


# ---- documents of files ------------------------------------------------------------------


def test_a_chunk_of_a_file_says_where_it_stands(kb: KnowledgeBase) -> None:
    """Metadata of a hit from a file: full name, path, headings, place, hash, commit; its id finds it again."""
    found = kb.vectorstore().similarity_search("marriage leave days", k=1)[0]
    assert found.page_content.endswith("Staff have three days of marriage leave.")
    hit = kb.search("marriage leave days", 1)[0]
    assert found.metadata == {
        "source": "knowledge_base/policies/leave.md", "path": "policies/leave.md", "page": None,
        "headings": ["Leave", "Marriage"], "place": "", "label": "", "title": hit.title, "start": hit.start, "end": hit.end,
        "sha256": hit.sha256, "commit": 1,
    }  # fmt: skip
    assert kb.vectorstore().get_by_ids([found.id or ""]) == [found]
    nowhere = ["knowledge_base/policies/leave.md#char=1,2", "knowledge_base/none.md#char=0,1"]
    assert kb.vectorstore().get_by_ids(nowhere) == []


def test_a_chunk_of_a_file_is_not_deleted_by_id(kb: KnowledgeBase) -> None:
    """The file is the truth: deleting its chunk is refused, and says what to do."""
    store = kb.vectorstore()
    found = store.similarity_search("marriage leave", k=1)[0]
    with pytest.raises(UsageError, match="delete the file"):
        store.delete([found.id or ""])
    store.delete()
    assert store.similarity_search("marriage leave", k=1) == [found]


# ---- documents added by hand -------------------------------------------------------------


def test_what_was_added_is_found_by_every_search_and_survives_updates(kb: KnowledgeBase, tmp_path: Path) -> None:
    """An added document is in ``KnowledgeBase.search``, after updates, and in a new process' view."""
    kb.vectorstore().add_texts(["The canteen opens at noon."], [{"by": "cook"}], ids=["canteen"])
    for change in ("edit", "delete everything"):
        if change == "edit":
            (tmp_path / "knowledge_base" / "manual.txt").write_text("Press the green button.\n", "utf-8")
        else:
            for path in (tmp_path / "knowledge_base").rglob("*.*"):
                path.unlink()
        kb.update(allow_deletions=True)
        hit = kb.search("canteen noon", 1)[0]
        assert (hit.key, hit.text) == (("langchain", "canteen"), "The canteen opens at noon.")
        assert hit.metadata == {"by": "cook"}
    other = KnowledgeBase(tmp_path)
    assert [d.id for d in other.vectorstore().similarity_search("canteen", k=5)] == ["canteen"]
    other.close()
    verified(kb)


def test_one_call_is_one_commit_and_the_same_again_is_none(kb: KnowledgeBase) -> None:
    """Atomic by call; adding what is there already neither commits nor embeds."""
    store, before = kb.vectorstore(), commits(kb)
    documents = [Document(id=str(i), page_content=f"note {i}", metadata={"n": i}) for i in range(50)]
    assert store.add_documents(documents) == [str(i) for i in range(50)]
    assert commits(kb) == before + 1
    WordEmbeddings.embedded.clear()
    store.add_documents(documents)
    assert (commits(kb), WordEmbeddings.embedded) == (before + 1, [])
    store.delete([str(i) for i in range(50)] + ["nobody"])
    assert commits(kb) == before + 2
    assert store.get_by_ids(["1", "2"]) == []
    store.delete(["1"])
    assert commits(kb) == before + 2
    verified(kb)


def test_time_travel_shows_text_and_metadata_as_they_were(kb: KnowledgeBase) -> None:
    """A version has its own metadata: another one is another commit, and costs no embedding."""
    store = kb.vectorstore()
    store.add_texts(["budget of the year"], [{"status": "draft"}], ids=["budget"])
    draft = commits(kb)
    WordEmbeddings.embedded.clear()
    store.add_texts(["budget of the year"], [{"status": "final"}], ids=["budget"])
    assert [t for t in WordEmbeddings.embedded if "budget" in t] == []
    store.delete(["budget"])
    old, new = (store.similarity_search("budget year", k=1, as_of=str(n))[0] for n in (draft, draft + 1))
    assert (old.metadata, new.metadata) == ({"status": "draft"}, {"status": "final"})
    assert kb.search("budget year", 1, as_of=str(draft))[0].metadata == {"status": "draft"}
    assert all(d.id != "budget" for d in store.similarity_search("budget year", k=9))
    verified(kb)


def test_equal_texts_under_two_ids_live_apart(kb: KnowledgeBase) -> None:
    """Both are found, deleting one keeps the other; the same for a text that a file has too."""
    store = kb.vectorstore()
    text = "Passwords have twelve characters."
    WordEmbeddings.embedded.clear()
    store.add_texts([text, text, text], [{"n": 1}, {"n": 1}, {"n": 2}], ids=["a", "b", "c"])
    assert WordEmbeddings.embedded.count(text) == 1
    assert [d.id for d in store.similarity_search(text, k=3)] == ["a", "b", "c"]
    store.delete(["a", "c"])
    assert store.similarity_search(text, k=2)[0].id == "b"
    store.delete(["b"])
    assert store.similarity_search(text, k=1)[0].metadata["path"] == "policies/security.md"
    verified(kb)


def test_an_id_named_twice_in_one_call_keeps_the_last(kb: KnowledgeBase) -> None:
    """Upsert in the order given."""
    store = kb.vectorstore()
    assert store.add_texts(["first", "second"], ids=["x", "x"]) == ["x", "x"]
    assert store.get_by_ids(["x"]) == [Document(id="x", page_content="second", metadata={})]


@pytest.mark.parametrize("odd", ["", " ", "a\0b", "x\ud800y", "长" * 3000, "line\r\nend\n"])
def test_odd_texts_are_kept(kb: KnowledgeBase, odd: str) -> None:
    """Empty, blank, NUL, lone surrogate, long: added, got back (cleaned of what is no text), proved, deleted."""
    store = kb.vectorstore()
    store.add_texts([odd], ids=["odd"])
    clean = odd.replace("\0", "").replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert store.get_by_ids(["odd"])[0].page_content == clean
    verified(kb)
    store.delete(["odd"])
    assert store.get_by_ids(["odd"]) == []


ODD_IDS = ["a/b/../c", "名字", "with space #char=1,2", "knowledge_base/manual.txt", "-", "a\nb", "\udcff"]


@pytest.mark.parametrize("odd", ODD_IDS)
def test_odd_ids_are_kept(kb: KnowledgeBase, odd: str) -> None:
    """An id is any text; it is no path in any folder."""
    store = kb.vectorstore()
    store.add_texts(["zebra crossing"], ids=[odd])
    assert store.similarity_search("zebra", k=1)[0].id == odd
    kb.update()
    assert [d.id for d in store.get_by_ids([odd])] == [odd]
    store.delete([odd])
    assert store.get_by_ids([odd]) == []


def test_metadata_comes_back_as_plain_values(kb: KnowledgeBase) -> None:
    """JSON types as they are, dates, paths, UUIDs as text, NumPy numbers as numbers; the rest is refused by name."""
    store = kb.vectorstore()
    same = {"n": None, "list": [1, "a", {"b": 2.5}], "中": "文"}
    given = {**same, "when": date(2026, 11, 30), "who": UUID(int=1), "np": np.float32(0.5)}
    store.add_texts(["t"], [given], ids=["m"])
    kept = {**same, "when": "2026-11-30", "who": str(UUID(int=1)), "np": 0.5}
    assert store.get_by_ids(["m"])[0].metadata == kept
    with pytest.raises(UsageError, match="thing"):
        store.add_texts(["t"], [{"thing": object()}])


def test_wrong_counts_are_refused(kb: KnowledgeBase) -> None:
    """One id and one metadata a text."""
    store = kb.vectorstore()
    with pytest.raises(UsageError, match="2 documents but 1 ids"):
        store.add_texts(["a", "b"], ids=["1"])
    with pytest.raises(UsageError, match="2 texts but 1 metadatas"):
        store.add_texts(["a", "b"], [{}])


def test_langchains_own_indexing_runs_on_it(kb: KnowledgeBase) -> None:
    """``langchain_core.indexing.index`` adds, skips, replaces and cleans up as its report says."""
    records, store = InMemoryRecordManager("notes"), kb.vectorstore()
    records.create_schema()

    def run(*texts: str) -> tuple[int, int, int]:
        documents = [Document(page_content=t, metadata={"source": "notes"}) for t in texts]
        done = index(documents, records, store, cleanup="full", source_id_key="source", key_encoder="sha256")
        return done["num_added"], done["num_skipped"], done["num_deleted"]

    assert run("first note", "second note") == (2, 0, 0)
    assert run("first note", "third note") == (1, 1, 1)
    assert {d.page_content for d in store.similarity_search("note", k=9, inside="langchain")} == {
        "first note",
        "third note",
    }


# ---- searching ---------------------------------------------------------------------------


def test_scores_and_relevance_are_cosines(kb: KnowledgeBase) -> None:
    """Score: the cosine; relevance: the same, not below 0; thresholds cut there."""
    store = kb.vectorstore()
    pairs = store.similarity_search_with_score("red button stop", k=3)
    assert [s for _, s in pairs] == [h.score for h in kb.search("red button stop", 3, mode="vector")]
    vectors = store.embeddings.embed_documents([d.page_content for d, _ in pairs])
    query = store.embeddings.embed_query("red button stop")
    assert np.allclose([s for _, s in pairs], np.array(vectors) @ np.array(query), atol=1e-6)
    relevant = store.similarity_search_with_relevance_scores
    assert relevant("red button stop", k=3) == [(d, relevance(s)) for d, s in pairs]
    assert len(relevant("red button stop", k=3, score_threshold=pairs[0][1] - 0.01)) == 1
    assert store.similarity_search_with_score("red button stop", k=3, score_threshold=pairs[1][1]) == pairs[:2]
    assert [relevance(x) for x in (-0.5, 0.25, 1.0000001)] == [0.0, 0.25, 1.0]


def test_a_vector_of_any_length_finds_the_same(kb: KnowledgeBase) -> None:
    """Search by vector equals search by text; another dimension is an error that says so."""
    store = kb.vectorstore()
    vector = WordEmbeddings().embed_query("marriage leave")
    assert store.similarity_search_by_vector(vector, k=2) == store.similarity_search("marriage leave", k=2)
    scored = store.similarity_search_with_score_by_vector(vector, k=2)
    assert scored == store.similarity_search_with_score("marriage leave", k=2)
    with pytest.raises(EmbeddingFailed, match="256"):
        store.similarity_search_by_vector([1.0, 2.0], k=1)


def test_filters_are_exact(kb: KnowledgeBase) -> None:
    """``k`` matching documents are found however far down they stand; patterns and functions too."""
    store = kb.vectorstore()
    store.add_texts([f"red button number {i}" for i in range(60)], [{"n": i, "even": i % 2 == 0} for i in range(60)])

    def numbers(k: int = 9, **options: Any) -> set[Any]:
        return {d.metadata["n"] for d in store.similarity_search("red button", k=k, **options)}

    def paths(**options: Any) -> set[Any]:
        return {d.metadata["path"] for d in store.similarity_search("red button", k=9, **options)}

    assert numbers(filter={"n": {"$gte": 50, "$lt": 55}}) == {50, 51, 52, 53, 54}
    assert numbers(k=3, filter={"n": 59}) == {59}
    assert numbers(filter={"n": [1, 2, 777]}) == {1, 2}
    assert numbers(filter={"$and": [{"even": True}, {"$or": [{"n": {"$in": [4, 5]}}, {"n": {"$eq": 8}}]}]}) == {4, 8}
    assert len(numbers(k=7, filter=lambda m: m.get("even", False))) == 7
    assert len(numbers(k=99, inside="langchain")) == 60
    assert paths(filter={"$not": {"n": {"$gte": 0}}}) == set(FILES)
    assert paths(filter={"path": "manual.txt"}) == {"manual.txt"}
    assert paths(inside="*.md") == {"policies/leave.md", "policies/security.md"}


def test_a_filter_tells_equal_texts_apart(kb: KnowledgeBase) -> None:
    """One passage in many documents: only those that match, also in the past."""
    store = kb.vectorstore()
    store.add_texts(["same words"] * 30, [{"n": i} for i in range(30)])
    at = str(commits(kb))
    assert [d.metadata["n"] for d in store.similarity_search("same words", k=4, filter={"n": [7, 28]})] in (
        [7, 28],
        [28, 7],
    )
    store.delete()
    assert store.similarity_search("same words", k=4, filter={"n": 7}) == []
    assert [d.metadata["n"] for d in store.similarity_search("same words", k=4, filter={"n": 7}, as_of=at)] == [7]


@pytest.mark.parametrize("bad", [{"n": {"$near": 1}}, {"$xor": []}, 7])
def test_wrong_filters_are_named(kb: KnowledgeBase, bad: object) -> None:
    """An unknown operator or kind of filter is an error, not an empty answer."""
    with pytest.raises(UsageError, match="filter"):
        kb.vectorstore().similarity_search("x", filter=bad)


def test_diverse_results_avoid_repetition(kb: KnowledgeBase) -> None:
    """Maximal marginal relevance passes over a near copy; with lambda 1 it is the plain search."""
    store = kb.vectorstore()
    store.add_texts(["red button stop", "red button stop now", "button of the coat"], ids=["1", "2", "3"])
    assert [d.id for d in store.similarity_search("red button stop", k=2)] == ["1", "2"]
    diverse = store.max_marginal_relevance_search("red button stop", k=2, lambda_mult=0.3, inside="langchain")
    assert [d.id for d in diverse] == ["1", "3"]
    vector = WordEmbeddings().embed_query("red button stop")
    assert store.max_marginal_relevance_search_by_vector(vector, k=2, lambda_mult=0.3, inside="langchain") == diverse
    plain = store.similarity_search("red button stop", k=3)
    assert store.max_marginal_relevance_search("red button stop", k=3, lambda_mult=1.0) == plain
    assert store.as_retriever(search_type="mmr", search_kwargs={"k": 1}).invoke("red button stop")[0].id == "1"


def test_an_empty_knowledge_base_answers_nothing(tmp_path: Path) -> None:
    """Before the first update or addition every look-up is empty, and no model is needed to delete."""
    store = make(tmp_path).vectorstore()
    assert store.similarity_search("x") == []
    assert store.max_marginal_relevance_search("x") == []
    assert store.similarity_search_by_vector([1.0] * 256) == []
    assert store.get_by_ids(["1"]) == []
    assert store.delete(["1"]) is True
    assert not store.knowledge_base.layout.metadata.exists()


def test_first_an_addition_then_an_update(tmp_path: Path) -> None:
    """The generation the first addition makes is the one the first update fills."""
    kb = make(tmp_path)
    kb.vectorstore().add_texts(["hello world"], ids=["1"])
    served = kb.layout.served()
    (tmp_path / "knowledge_base" / "a.txt").write_text("hello file\n", "utf-8")
    report = kb.update()
    assert (kb.layout.served(), report.tally.embedded) == (served, 1)
    assert [h.key.path for h in kb.search("hello", 5, mode="vector")] == ["a.txt", "1"]
    verified(kb)
    kb.close()


# ---- writers and threads -----------------------------------------------------------------


def test_a_busy_knowledge_base_is_waited_for_then_named(kb: KnowledgeBase) -> None:
    """A short writer is waited for; a long one ends in Busy, with nothing added."""
    store = IndexerVectorStore(kb, busy_seconds=0.2)
    with writer_lock(kb.layout.lock), pytest.raises(Busy):
        store.add_texts(["x"], ids=["1"])
    assert store.get_by_ids(["1"]) == []
    lock = writer_lock(kb.layout.lock)
    lock.__enter__()
    timer = threading.Timer(0.3, lambda: lock.__exit__(None, None, None))
    timer.start()
    IndexerVectorStore(kb, busy_seconds=20).add_texts(["x"], ids=["1"])
    timer.join()
    assert len(store.get_by_ids(["1"])) == 1


def test_the_lock_is_free_while_embedding(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long embedding blocks no other writer: an update runs in its middle."""
    free: list[bool] = []
    real = WordEmbeddings.embed_documents

    def slow(self: WordEmbeddings, texts: list[str]) -> list[list[float]]:
        if "slow text" in texts:
            with writer_lock(kb.layout.lock):
                free.append(True)
        return real(self, texts)

    monkeypatch.setattr(WordEmbeddings, "embed_documents", slow)
    kb.vectorstore().add_texts(["slow text"])
    assert free == [True]


def test_threads_add_and_search_at_once(kb: KnowledgeBase) -> None:
    """Four threads write and search one store: nothing is lost, no search fails."""
    store = IndexerVectorStore(kb, busy_seconds=60)

    def work(n: int) -> None:
        for i in range(5):
            store.add_texts([f"thread {n} item {i}"], ids=[f"{n}-{i}"])
            assert store.similarity_search(f"thread {n} item {i}", k=1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(store.get_by_ids([f"{n}-{i}" for n in range(4) for i in range(5)])) == 20
    verified(kb)


# ---- other models ------------------------------------------------------------------------


def test_from_texts_needs_a_folder_and_keeps_what_it_made(tmp_path: Path) -> None:
    """``from_texts`` and ``from_documents`` write to a folder; opening it again with an equal object finds all."""
    model = WordEmbeddings(64)
    with pytest.raises(UsageError, match="home="):
        IndexerVectorStore.from_texts(["a"], model)
    texts, metadatas = ["apple pie", "plum cake"], [{"n": 1}, {"n": 2}]
    first = IndexerVectorStore.from_texts(texts, model, metadatas, ids=["1", "2"], home=tmp_path)
    first.knowledge_base.close()
    jam, tree = Document(id="3", page_content="plum jam"), Document(id="4", page_content="plum tree")
    second = IndexerVectorStore.from_documents([jam], WordEmbeddings(64), home=tmp_path)
    assert [d.id for d in second.similarity_search("plum", k=2)] == ["2", "3"]
    third = IndexerVectorStore.from_documents([tree], model, knowledge_base=second.knowledge_base)
    assert third.get_by_ids(["4"])[0].page_content == "plum tree"
    second.knowledge_base.close()


def test_another_object_under_the_same_class_is_noticed(tmp_path: Path) -> None:
    """Vectors of another model never enter an index; without the object a search says what is missing."""
    IndexerVectorStore.from_texts(["apple"], WordEmbeddings(64), home=tmp_path).knowledge_base.close()
    other = IndexerVectorStore.open(tmp_path, WordEmbeddings(64, salt="other"))
    with pytest.raises(ModelChanged):
        other.add_texts(["pear"])
    other.knowledge_base.close()
    make(tmp_path)
    with pytest.raises(ConfigError, match="WordEmbeddings"):
        KnowledgeBase(tmp_path).search("apple")


def test_a_reserved_name_is_refused(tmp_path: Path) -> None:
    """A folder called like the reserved source would mix with it: the configuration refuses, and so does the store."""
    with pytest.raises(ConfigError, match="reserved"):
        make(tmp_path, extra='[[sources]]\nname = "langchain"\npath = "knowledge_base"\n')
    kb = make(tmp_path)
    folder = Source("langchain", str(tmp_path / "knowledge_base"))
    with pytest.raises(UsageError, match="reserved"):
        KnowledgeBase(kb.settings._replace(sources=(folder,))).vectorstore().add_texts(["x"])
