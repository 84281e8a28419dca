"""Documents, their texts and versions, what was and who did it, over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serving import LEAVE, Running, running

from indexer.core.model import Parsed, Section
from indexer.core.tables import SplitSettings
from indexer.document_text import compared, joined
from indexer.split import make_splitter


def test_hits_point_into_the_text(web: Running) -> None:
    """What a hit calls start and end are characters of the document's text."""
    web.put(
        "long.md", "".join(f"# Chapter {i}\n\nParagraph {i} speaks of subject {i}. " * 9 + "\n\n" for i in range(20))
    )
    for hit in web.client.get("/api/v1/search?q=subject+7&k=20").json()["hits"]:
        text = web.client.get(f"/api/v1/documents/{hit['document']}/text").json()
        assert hit["text"].endswith(text["text"][hit["start"] : hit["end"]])
        assert text["sha256"] == hit["sha256"]


@given(
    st.lists(st.text(st.sampled_from("ab .。\n"), min_size=1, max_size=300), min_size=1, max_size=4), st.integers(5, 60)
)
def test_a_text_is_put_together_from_its_chunks(parts: list[str], size: int) -> None:
    """Every character that is not white space stands where the parser put it."""
    parsed = Parsed(tuple(Section(text, (f"h{i}",)) for i, text in enumerate(parts)))
    chunks = make_splitter(SplitSettings(size, size // 3))(parsed)
    spans = [(c.start, c.end, int(c.headings[0][1:]), 0) for c in chunks]
    made = joined(spans, [c.text for c in chunks])
    for at, character in enumerate(made):
        assert character == parsed.text[at] or (character.isspace() and parsed.text[at].isspace())
    assert parsed.text[len(made) :].strip() == ""


@given(st.text("abc\n", max_size=80), st.text("abc\n", max_size=80))
def test_a_comparison_leads_from_one_text_to_the_other(old: str, new: str) -> None:
    """What is not added is the old text, what is not removed the new one."""
    lines = compared(old, new)
    assert [line.text for line in lines if line.kind != "added"] == old.splitlines()
    assert [line.text for line in lines if line.kind != "removed"] == new.splitlines()


def test_what_a_document_said(web: Running) -> None:
    """Each version's text is there, and how they differ; a document that is gone keeps its past."""
    document = web.put("policy.md", "# Leave\n\nTwelve days.\n")
    first = web.client.get("/api/v1/commits?limit=1").json()["commits"][0]["commit"]
    web.put("policy.md", "# Leave\n\nFifteen days.\n")
    path = f"/api/v1/documents/{document}"
    assert "Twelve" in web.client.get(f"{path}/text?commit={first}").json()["text"]
    assert "Fifteen" in web.client.get(f"{path}/text").json()["text"]
    lines = web.client.get(f"{path}/diff?from={first}").json()["lines"]
    assert [line for line in lines if line["kind"] != "same"] == [
        {"kind": "removed", "text": "Twelve days."}, {"kind": "added", "text": "Fifteen days."},
    ]  # fmt: skip
    web.done(web.client.delete(path))
    assert "Twelve" in web.client.get(f"{path}/text?commit={first}").json()["text"]
    assert web.client.get(f"{path}/text").status_code == 404
    assert len(web.client.get(f"{path}/versions").json()["versions"]) == 2


def test_a_list_in_pages(web: Running) -> None:
    """Every document once, in order, whatever the size of a page; filters count alike."""
    for i in range(7):
        (web.home / "kb" / f"page{i}.md").write_text(f"# Page {i}\n")
    web.done(web.client.post("/api/v1/runs", json={}))
    whole = web.client.get("/api/v1/documents?limit=500").json()
    names, cursor = [], ""
    while cursor is not None:
        page = web.client.get("/api/v1/documents", params={"limit": 3, "cursor": cursor}).json()
        assert page["total"] == whole["total"]
        names += [d["path"] for d in page["documents"]]
        cursor = page["next"]
    assert names == [d["path"] for d in whole["documents"]] == sorted(names)
    assert web.client.get("/api/v1/documents?q=PAGE3").json()["total"] == 1
    assert web.client.get("/api/v1/documents", params={"in": "kb/page*"}).json()["total"] == 7
    assert web.client.get("/api/v1/documents?cursor=%21").status_code == 400


def test_a_document_in_trouble_says_why_and_what_to_do(web: Running) -> None:
    """State, reason and remedy, in the reader's language."""
    document = web.put("broken.pdf", "%PDF-1.7 this is none")
    told = web.client.get(f"/api/v1/documents/{document}").json()
    assert told["state"] == "failed"
    assert told["reasons"]
    assert told["remedy"]
    chinese = web.client.get(f"/api/v1/documents/{document}", headers={"Accept-Language": "zh"}).json()
    assert chinese["reasons"] != told["reasons"]
    why = web.client.get(f"/api/v1/documents/{document}/why").json()
    assert (why["indexed"], why["state"]) == (False, "failed")


def test_names_of_any_bytes(web: Running) -> None:
    """A name that is no UTF-8 has an id, a name to show, and its file can be had."""
    import os

    (Path(os.fsdecode(os.fsencode(web.home / "kb") + b"/caf\xe9.md"))).write_text("# Raw\n\nraw bytes\n")
    web.done(web.client.post("/api/v1/runs", json={}))
    [found] = web.client.get("/api/v1/documents?q=caf%5Cxe9").json()["documents"]
    assert found["path"] == "caf\\xe9.md"
    assert "raw bytes" in web.client.get(f"/api/v1/documents/{found['document']}/download").text
    assert web.client.get(f"/api/v1/documents/{found['document']}/text").status_code == 200


def test_going_back(tmp_path: Path) -> None:
    """The preview tells what the rollback then does, and searches show it."""
    with running(tmp_path) as one:
        document = one.put("later.md", "# Later\n\na rare okapi\n")
        body = {"commit": 1, "preview": True}
        preview = one.client.post("/api/v1/rollback", json=body).json()
        done = one.client.post("/api/v1/rollback", json={"commit": 1}).json()
        assert preview["changes"] == done["changes"] != []
        assert done["commit"] == preview["commit"] + 1
        assert one.client.get("/api/v1/search?q=okapi&mode=lexical").json()["hits"] == []
        assert one.client.get("/api/v1/search?q=okapi&mode=lexical&as_of=2").json()["hits"][0]["document"] == document
        assert one.client.get("/api/v1/diff?from=1").json()["changes"] == []
        commit = one.client.get(f"/api/v1/commits/{done['commit']}").json()
        assert (commit["trigger"], commit["client"]) == ("rollback", "127.0.0.1")
        assert one.client.post("/api/v1/rollback", json={"commit": 99}).status_code == 400
        assert one.client.get("/api/v1/status").json()["pinned"] == 1
        one.done(one.client.post("/api/v1/rollback/release"))  # and what lies in the folder is back
        assert one.client.get("/api/v1/status").json()["pinned"] == 0
        assert one.client.get("/api/v1/search?q=okapi&mode=lexical").json()["hits"][0]["document"] == document
        runs = one.client.get("/api/v1/runs").json()["runs"]
        assert [r["trigger"] for r in runs[:3]] == ["web", "release", "rollback"]


def test_exactly_what_was_shown_is_released(tmp_path: Path) -> None:
    """A token for another set is refused; what is gone since then stays held."""
    with running(tmp_path) as one:
        for i in range(30):
            (one.home / "kb" / f"d{i:02}.md").write_text(f"# Document {i}\n\nnumber {i}\n")
        one.done(one.client.post("/api/v1/runs", json={}))
        for i in range(15):
            (one.home / "kb" / f"d{i:02}.md").unlink()
        one.done(one.client.post("/api/v1/runs", json={}))
        shown = one.client.get("/api/v1/held").json()
        assert len(shown["documents"]) == 15
        (one.home / "kb" / "d00.md").write_text("# Document 0\n\nit is back\n")
        one.done(one.client.post("/api/v1/runs", json={}))
        assert one.client.post("/api/v1/held/release", json={"token": shown["token"]}).status_code == 409
        shown = one.client.get("/api/v1/held").json()
        for i in range(15, 29):  # gone after it was shown: these were never confirmed
            (one.home / "kb" / f"d{i:02}.md").unlink()
        one.done(one.client.post("/api/v1/held/release", json={"token": shown["token"]}))
        left = one.client.get("/api/v1/documents?limit=100").json()["documents"]
        paths = {d["path"] for d in left}
        assert paths & {d["path"] for d in shown["documents"]} == set()
        assert {f"d{i:02}.md" for i in range(15, 30)} | {"d00.md"} <= paths


def test_how_it_stands(web: Running) -> None:
    """Status, runs and snapshots name no folder of this machine."""
    for path in ("/api/v1/status", "/api/v1/runs", "/api/v1/snapshots", "/api/v1/commits"):
        answer = web.client.get(path)
        assert answer.status_code == 200
        assert str(web.home) not in answer.text
    assert web.client.get("/api/v1/status").json()["sources"] == [{"name": "kb"}]


def test_nothing_is_indexed_yet(tmp_path: Path, web: Running) -> None:
    """Lists are empty, searches find nothing, and no address breaks."""
    from slow_embedder import configuration

    from indexer import KnowledgeBase

    kb = KnowledgeBase(configuration(tmp_path))
    before = web.site.kb
    web.site.use(kb)
    try:
        for path in (
            "search?q=x",
            "documents",
            "commits",
            "runs",
            "held",
            "snapshots",
            "status",
            "answers",
            "health/ready",
        ):
            assert web.client.get(f"/api/v1/{path}").status_code == 200, path
        for path in (
            "documents/a2IvYQ",
            "documents/a2IvYQ/text",
            "commits/1",
            "diff?from=1",
            "documents/a2IvYQ/versions",
        ):
            assert web.client.get(f"/api/v1/{path}").status_code in (400, 404), path
    finally:
        web.site.use(before)


def test_what_was_asked_is_answered_from_the_documents(web: Running) -> None:
    """An answer with citations, kept; whether its document changed since."""
    web.put("fact.md", "# Fact\n\nThe okapi lives in the Ituri forest.\n")
    answer = web.client.post("/api/v1/ask", json={"question": "Where does the okapi live?"}).json()
    assert "Ituri" in answer["text"]
    [citation] = [c for c in answer["citations"] if c["path"] == "fact.md"]
    assert citation["url"].startswith(f"/documents/{citation['document']}?commit=")
    web.put("fact.md", "# Fact\n\nThe okapi lives in a zoo.\n")
    kept = web.client.get(f"/api/v1/answers/{answer['id']}").json()
    assert kept["text"] == answer["text"]
    assert {s["state"] for s in kept["standing"] if s["n"] == citation["n"]} == {"changed"}
    assert web.client.get("/api/v1/answers").json()["answers"][0]["id"] == answer["id"]


@pytest.mark.parametrize("body", [{"question": ""}, {}, {"question": "x", "k": 0}, {"question": "x", "nonsense": 1}])
def test_questions_that_are_none(web: Running, body: dict[str, object]) -> None:
    """422, and which field it is."""
    answer = web.client.post("/api/v1/ask", json=body)
    assert answer.status_code == 422
    assert any(name in answer.json()["detail"] for name in ("question", "k", "nonsense"))


def test_the_leave_policy_is_there(web: Running) -> None:
    """Search by address and by JSON give the same."""
    one = web.client.get("/api/v1/search", params={"q": "annual leave", "k": 3, "type": ".md"}).json()
    two = web.client.post("/api/v1/search", json={"q": "annual leave", "k": 3, "type": [".md"]}).json()
    assert one == two
    assert one["hits"]
    assert LEAVE
