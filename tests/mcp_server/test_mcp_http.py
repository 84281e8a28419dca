"""MCP at /mcp of the web service: the SDK's own client over real HTTP, and requests no client of it would send."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from serving import Running, running
from talking import Talk, said, talking

NEW, OLD = "auto", "legacy"
JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
ABOUT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": ABOUT}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with one document, no key."""
    with running(tmp_path_factory.mktemp("web")) as one:
        yield one


@contextmanager
def connected(web: Running, mode: str = NEW, **headers: str) -> Iterator[Talk]:
    """A client of it."""

    @asynccontextmanager
    async def transport() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            streamable_http_client(f"{web.served.address}/mcp", http_client=http) as streams,
        ):
            yield streams

    with talking(Client(transport(), mode=mode)) as talk:
        yield talk


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    """A call as a message."""
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("mode", [OLD, NEW])
def test_every_tool_answers(web: Running, mode: str) -> None:
    """With the protocol of yesterday and of today."""
    with connected(web, mode) as talk:
        assert (talk.client.protocol_version > "2026") == (mode == NEW)
        assert len(talk.ask("list_tools").tools) == 5
        [hit] = talk.get("search", query="annual leave", k=1)["hits"]
        assert hit["path"] == "leave.md"
        assert "15 days" in talk.get("document", document=hit["document"])["text"]
        assert talk.get("status")["documents"] == {"indexed": 1}
        assert talk.get("changes_since", since="0")["added"] == 1
        answer = talk.get("ask", question="How many days of annual leave do employees have?")
        assert answer["grounded"] == "extractive"
        assert "There is no document" in talk.error("document", document="nowhere")
        [resource] = talk.ask("list_resources").resources
        assert "15 days" in talk.ask("read_resource", resource.uri).contents[0].text


def test_a_link_opens_the_passage(web: Running) -> None:
    """The address of the Web UI is the one the request went to."""
    with connected(web) as talk:
        [hit] = talk.get("search", query="annual leave", k=1)["hits"]
    assert hit["url"].startswith(f"{web.served.address}/documents/")
    assert web.client.get(hit["url"], headers={"accept": "text/html"}).status_code == 200


def test_sentences_are_in_the_language_asked_for(web: Running) -> None:
    """By Accept-Language, as everywhere in the web service."""
    with connected(web, **{"accept-language": "zh-CN,zh;q=0.9"}) as talk:
        assert "没有文档 nowhere" in talk.error("document", document="nowhere")
        assert "个段落，最相关的在前" in said(talk.call("search", query="leave"))


def test_a_changed_document_is_found_by_the_next_call(web: Running) -> None:
    """And the old day still has the old one."""
    web.put("rota.md", "The night shift begins at 22:00.\n")
    with connected(web) as talk:
        first = talk.get("search", query="night shift begins", k=1, mode="lexical")
        assert "22:00" in first["hits"][0]["text"]
        web.put("rota.md", "The night shift begins at 23:30.\n")
        [now] = talk.get("search", query="night shift begins", k=1, mode="lexical")["hits"]
        [then] = talk.get("search", query="night shift begins", k=1, mode="lexical", as_of=str(first["commit"]))["hits"]
        assert ("23:30" in now["text"], "22:00" in then["text"]) == (True, True)
        [change] = talk.get("changes_since", since=str(first["commit"]))["changes"]
        assert (change["change"], change["path"]) == ("modified", "rota.md")


def test_several_clients_at_once(web: Running) -> None:
    """Each call is answered with its own."""
    with connected(web) as one, connected(web, OLD) as other, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(talk.get, "document", document="leave.md", start=n, length=3) for n in range(12) for talk in (one, other)]  # fmt: skip
        got = [call.result() for call in calls]
    assert [page["start"] for page in got] == [n for n in range(12) for _ in (one, other)]


def test_keys_and_scopes(web: Running) -> None:
    """No key, a wrong key: refused before anything is read. Read is enough."""
    key = web.key("read")
    try:
        assert web.client.post("/mcp", json=HELLO, headers=JSON).status_code == 401
        wrong = {**JSON, "authorization": "Bearer idx_wrong"}
        assert web.client.post("/mcp", content=b"not even JSON", headers=wrong).status_code == 401
        with pytest.raises(BaseException), connected(web):  # noqa: B017, PT011 - the SDK's groups of exceptions
            pass
        with connected(web, authorization=f"Bearer {key}") as talk:
            assert talk.get("search", query="leave")["hits"]
        found = web.client.get("/.well-known/oauth-protected-resource")
        assert (found.status_code, found.headers["content-type"]) == (401, "application/problem+json")
    finally:
        web.no_keys()


REFUSED = [
    ({"host": "evil.example"}, 421),
    ({"origin": "https://evil.example"}, 403),
    ({"sec-fetch-site": "cross-site"}, 403),
    ({"accept": "text/html"}, 406),
    ({"content-type": "text/plain"}, 400),
]


@pytest.mark.parametrize(("headers", "status"), REFUSED)
def test_what_no_client_sends_is_refused(web: Running, headers: dict[str, str], status: int) -> None:
    """Pages of other sites, other names, other kinds of content."""
    answer = web.client.post("/mcp", content=json.dumps(HELLO), headers={**JSON, **headers})
    assert answer.status_code == status


def test_only_post_is_taken(web: Running) -> None:
    """Nothing is kept between requests, so there is no stream to open and no session to end."""
    for method in ("GET", "DELETE", "PUT"):
        answer = web.client.request(method, "/mcp", headers=JSON)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"jsonrpc":"2.0"}', b"[" * 5000, b"9" * 5000]
)
def test_a_body_that_is_no_message_is_an_error(web: Running, body: bytes) -> None:
    """Said as one, with nothing internal."""
    answer = web.client.post("/mcp", content=body, headers=JSON)
    assert 400 <= answer.status_code < 500
    assert "Traceback" not in answer.text


def test_a_body_that_is_too_large_is_refused(web: Running) -> None:
    """By the length it names, before a byte of it is read, and by what comes."""
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    most = 2**20
    bodies = [
        b"Content-Length: %d\r\n\r\n" % (most + 1),
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (most + 1) + b"x" * (most + 1),
    ]
    for body in bodies:
        with web.raw(head + body) as raw:  # nothing is left unread, so the answer is not lost with the connection
            assert raw.recv(100).startswith(b"HTTP/1.1 413 ")


def test_the_answer_is_one_piece_of_json(web: Running) -> None:
    """No session, no stream, nothing to be cached, the headers of the service."""
    answer = web.client.post("/mcp", json=HELLO, headers=JSON)
    assert answer.json()["result"]["serverInfo"]["name"] == "indexer"
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "mcp-session-id" not in answer.headers
    assert web.client.post("/mcp", json=tool("status"), headers=JSON).json()["result"]["isError"] is False


def test_what_is_internal_stays_inside(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error, and one that names a path, are told without it."""
    from indexer.core.errors import StoreDamaged

    errors: list[Exception] = [
        RuntimeError("/secret/path"),
        StoreDamaged("The catalog {path} is gone.", path="/secret/c.db"),
    ]
    monkeypatch.setattr(type(web.kb), "search", lambda *args, **more: (_ for _ in ()).throw(errors.pop(0)))
    with connected(web) as talk:
        assert "Something went wrong in the service. Its log has the details under" in talk.error("search", query="x")
        assert talk.error("search", query="x") == "The index is damaged; whoever runs it must run `indexer repair`."


def test_a_client_that_goes_away_is_not_waited_for(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its question is withdrawn, its place is free again, others are answered."""
    began, withdrawn = threading.Event(), threading.Event()

    def ask(self: Any, question: Any, *, stop: Any, **more: Any) -> Any:
        from indexer.core.errors import Interrupted

        began.set()
        end = time.monotonic() + 120
        while not stop():
            assert time.monotonic() < end, "nobody withdrew it"
            time.sleep(0.01)
        withdrawn.set()
        raise Interrupted("The question was withdrawn.")

    monkeypatch.setattr(type(web.kb), "ask", ask)
    body = json.dumps(tool("ask", question="What?")).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{web.served.port}\r\nContent-Length: {len(body)}\r\n"
    raw: socket.socket = web.raw(
        head.encode() + b"".join(f"{k}: {v}\r\n".encode() for k, v in JSON.items()) + b"\r\n" + body
    )
    assert began.wait(60)
    with connected(web) as talk:
        assert talk.get("status")["commit"] >= 1
    raw.close()
    assert withdrawn.wait(60)
    web.until(lambda: web.site.crowd.inside == 0)


def test_a_long_call_is_answered_as_ever(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are plain JSON here, which has no room for signs of life: one who asks for them gets the answer."""
    monkeypatch.setattr("indexer.mcp.server.SIGN_SECONDS", 0.01)
    search = type(web.kb).search

    def slow(*args: Any, **more: Any) -> Any:
        time.sleep(0.5)
        return search(*args, **more)

    monkeypatch.setattr(type(web.kb), "search", slow)
    seen: list[float] = []

    async def asked(client: Any) -> Any:
        async def sign(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return await client.call_tool("search", {"query": "leave", "k": 1}, progress_callback=sign)

    with connected(web) as talk:
        assert talk.portal.call(asked, talk.client).structured_content["hits"]
        assert talk.get("status")["commit"] >= 1
    assert seen == []


def test_it_can_be_switched_off(web: Running) -> None:
    """By the configuration, while the service goes on."""
    settings = web.site.settings
    web.site.settings = settings._replace(serve=settings.serve._replace(mcp=False))
    try:
        answer = web.client.post("/mcp", json=HELLO, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert "mcp = true below [serve]" in answer.json()["detail"]
    finally:
        web.site.settings = settings


def test_calls_are_counted(web: Running) -> None:
    """Under their own route, among the metrics of the web service."""
    web.client.post("/mcp", json=HELLO, headers=JSON)
    routes = {sample.labels[1] for sample in web.site.tally.samples()}
    assert "/mcp" in routes


def test_nothing_indexed_yet_is_said(tmp_path: Path) -> None:
    """With what to do."""
    from indexer import KnowledgeBase
    from indexer.web.server import serve
    from indexer.web.site import Site

    (tmp_path / "knowledge_base").mkdir()
    (tmp_path / "indexer.toml").write_text("[serve]\nlisten = '127.0.0.1:0'\n")
    kb = KnowledgeBase(tmp_path)
    served = serve(Site(kb, lambda ask: None, lang="en"))  # type: ignore[arg-type, return-value]
    try:
        one = Running(tmp_path, kb, None, served.site, served)  # type: ignore[arg-type]
        with connected(one) as talk:
            for name, arguments in (("search", {"query": "x"}), ("ask", {"question": "x"}), ("changes_since", {"since": "0"}), ("document", {"document": "x"})):  # fmt: skip
                assert talk.error(name, **arguments).startswith("Nothing is indexed yet. Put documents into the folder")
            assert talk.get("status")["commit"] == 0
            assert talk.ask("list_resources").resources == []
        one.client.close()
    finally:
        served.close()
        kb.close()
