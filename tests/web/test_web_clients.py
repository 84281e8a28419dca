"""Programs that speak other APIs: the real OpenAI client, Langchain-Chatchat's call, Prometheus."""

from __future__ import annotations

import openai
import pytest
from serving import Running

QUESTION = "How many days of annual leave do employees have?"


@pytest.fixture(scope="module")
def client(web: Running) -> openai.OpenAI:
    """OpenAI's own."""
    return openai.OpenAI(base_url=f"{web.served.address}/v1", api_key="not needed", max_retries=0)


def test_a_completion(client: openai.OpenAI, web: Running) -> None:
    """The answer is of the documents, its sources follow as text and as a field."""
    made = client.chat.completions.create(model="indexer", messages=[{"role": "user", "content": QUESTION}])
    text = made.choices[0].message.content or ""
    assert "15 days" in text
    assert f"{web.served.address}/documents/" in text
    assert made.choices[0].finish_reason == "stop"
    assert made.usage is not None
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens > 0
    assert (made.model_extra or {})["citations"][0]["path"] == "leave.md"


def test_a_stream_says_the_same(client: openai.OpenAI) -> None:
    """Put together it is the whole answer; usage at the end where it is asked for."""
    asked = [{"role": "user", "content": QUESTION}]
    whole = client.chat.completions.create(model="indexer", messages=asked)  # type: ignore[arg-type]
    chunks = list(
        client.chat.completions.create(
            model="indexer", messages=asked, stream=True, stream_options={"include_usage": True}
        )  # type: ignore[arg-type]
    )
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason] == ["stop"]
    assert chunks[-1].usage is not None
    assert any((c.model_extra or {}).get("citations") for c in chunks)


def test_a_conversation(client: openai.OpenAI) -> None:
    """System messages, earlier turns and lists of parts are understood."""
    made = client.chat.completions.create(
        model="indexer", temperature=0.7, max_tokens=500,
        messages=[
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello."}, {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
        ],
    )  # fmt: skip
    assert "15 days" in (made.choices[0].message.content or "")


def test_models(client: openai.OpenAI) -> None:
    """One, and no other."""
    assert [model.id for model in client.models.list()] == ["indexer"]
    assert client.models.retrieve("indexer").id == "indexer"
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="gpt-4", messages=[{"role": "user", "content": "x"}])
    assert caught.value.code == "model_not_found"


def test_errors_have_openais_shape(client: openai.OpenAI, web: Running) -> None:
    """A wrong key, a wrong request: the client's own classes, with a message."""
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="indexer", messages=[{"role": "assistant", "content": "x"}])
    with pytest.raises(openai.UnprocessableEntityError):
        client.chat.completions.create(model="indexer", messages=[])
    key = web.key("read")
    try:
        with pytest.raises(openai.AuthenticationError) as caught:
            client.chat.completions.create(model="indexer", messages=[{"role": "user", "content": "x"}])
        assert "not known" in str(caught.value)
        assert client.with_options(api_key=key).models.list().data
    finally:
        web.no_keys()


def test_langchain_chatchat(web: Running) -> None:
    """Its request and the list it expects; a smaller score is closer, a threshold holds."""
    body = {"query": "annual leave", "knowledge_base_name": "samples", "top_k": 2, "score_threshold": 2.0, "file_name": "", "metadata": {}}  # fmt: skip
    found = web.client.post("/knowledge_base/search_docs", json=body).json()
    assert len(found) == 2
    assert set(found[0]) == {"page_content", "metadata", "type", "id", "score"}
    assert found[0]["score"] <= found[1]["score"]
    assert found[0]["metadata"]["source"] == "leave.md"
    near = web.client.post("/knowledge_base/search_docs", json={**body, "score_threshold": found[0]["score"]}).json()
    assert [one["id"] for one in near] == [found[0]["id"]]
    none = web.client.post("/knowledge_base/search_docs", json={**body, "file_name": "other%"}).json()
    assert none == []
    assert web.client.post("/knowledge_base/search_docs", json={**body, "query": ""}).json() == []


def test_metrics_count_requests_by_route(web: Running) -> None:
    """Whatever is typed into addresses makes no series of its own."""
    from indexer import __version__
    from indexer.metrics import Metrics

    metrics = Metrics(web.kb.settings, __version__)
    metrics.web = web.site.tally
    web.site.scrape = metrics.scrape
    for i in range(3):
        web.client.get(f"/api/v1/documents/made-up-{i}")
        web.client.get(f"/nowhere/{i}")
    text = web.client.get("/metrics").text
    assert 'indexer_web_requests_total{method="GET",route="/api/v1/documents/{document}",status="404"}' in text
    assert "made-up" not in text
    assert "nowhere" not in text
    assert web.client.get("/api/v1/metrics").status_code == 200
