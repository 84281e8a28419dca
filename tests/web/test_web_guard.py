"""What a request passes before anything of it is looked into."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import httpx
import pytest
from serving import Running, running

from indexer.web import server


def answered(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    got = b""
    with connection:
        while piece := connection.recv(65536):
            got += piece
    return got


def keep_sending(connection: socket.socket) -> None:
    """A byte again and again, for a minute and more."""
    for _ in range(6_000):
        connection.sendall(b" ")
        time.sleep(0.01)


def test_a_body_is_not_read_before_the_key_is_known(web: Running) -> None:
    """Headers that promise a gigabyte are answered before one byte of it was sent."""
    web.key("read")
    try:
        head = (
            b"POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        )
        for length in (b"1000", b"1073741824"):
            connection = web.raw(head + b"Content-Length: " + length + b"\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 401 ")
            connection.close()
    finally:
        web.no_keys()


def test_an_early_answer_is_not_lost(web: Running) -> None:
    """Who is still sending when the answer comes is not reset: the answer may not be read yet."""
    web.key("read")
    try:
        connection = web.raw(
            b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
        )
        got = connection.recv(1)
        for _ in range(20):
            connection.sendall(b" " * 10_000)
            time.sleep(0.01)
        assert (got + answered(connection)).startswith(b"HTTP/1.1 401 ")
    finally:
        web.no_keys()


def test_who_never_stops_sending_is_closed(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of an answered request is read for a while only."""
    monkeypatch.setattr(server, "LINGER_SECONDS", 0.3)
    connection = web.raw(b"POST /api/v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
    assert connection.recv(65536).startswith(b"HTTP/1.1 421 ")
    with connection, pytest.raises(ConnectionError):
        keep_sending(connection)


def test_what_says_itself_that_it_is_too_large_is_not_read(web: Running) -> None:
    """413 by the Content-Length alone."""
    for path, length in ((b"/api/v1/search", b"2000000"), (b"/api/v1/documents", b"300000000")):
        connection = web.raw(b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " + length + b"\r\n\r\n")  # fmt: skip
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
        connection.close()


def test_what_does_not_say_its_size_is_counted(web: Running) -> None:
    """413 in the middle of a body in pieces."""
    answer = web.client.post("/api/v1/search", content=(b"x" * 65536 for _ in range(40)), headers={"Content-Type": "application/json"})  # fmt: skip
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost:1", "0x7f000001", "[::2]"])
def test_other_names_are_not_ours(web: Running, host: str) -> None:
    """A name of somebody else that leads here gets nothing (DNS rebinding)."""
    answer = web.client.get("/api/v1/status", headers={"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (421, "host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "localhost:{port}"])
def test_our_own_names(web: Running, host: str) -> None:
    """With and without the port."""
    assert web.client.get("/api/v1/health/live", headers={"Host": host.format(port=web.served.port)}).status_code == 200


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])  # fmt: skip
def test_pages_of_other_sites_change_nothing(web: Running, headers: dict[str, str]) -> None:
    """Whatever a browser is made to send from elsewhere."""
    for path in ("/api/v1/runs", "/api/v1/rollback", "/login", "/logout", "/api/v1/search"):
        assert web.client.post(path, json={}, headers=headers).status_code == 403
    assert web.client.delete("/api/v1/documents/a2IvYQ", headers=headers).status_code == 403


def test_a_browser_that_is_turned_away_reads_a_sentence(web: Running) -> None:
    """In its language, as a page that loads nothing; programs get their problem at every address."""
    headers = {"Host": "evil.example", "Accept": "text/html,*/*;q=0.8", "Accept-Language": "zh-CN"}
    page = web.client.get("/documents", headers=headers)
    assert (page.status_code, page.headers["content-type"]) == (421, "text/html; charset=utf-8")
    assert '<html lang="zh">' in page.text
    assert "<h1>操作未成功 (421)</h1>" in page.text
    assert not re.search(r"<script|<link|<img|evil", page.text)
    for path, more in (("/api/v1/status", headers), ("/documents", {"Host": "evil.example"})):
        assert web.client.get(path, headers=more).json()["code"] == "host"


def test_our_own_pages_may(web: Running) -> None:
    """Origin and Sec-Fetch-Site of the service itself."""
    headers = {"Origin": web.served.address, "Sec-Fetch-Site": "same-origin"}
    assert web.client.post("/api/v1/search", json={"q": "leave"}, headers=headers).status_code == 200


def test_scripts_of_other_sites_read_nothing_but_links_lead_here(web: Running) -> None:
    """A link in a mail opens a download; a script elsewhere does not even ask."""
    away = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert web.client.get("/api/v1/status", headers=away).status_code == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert web.client.get("/api/v1/status", headers=link).status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/status", "/api/v1/nothing", "/v1/models", "/"])
def test_every_answer_protects_its_reader(web: Running, path: str) -> None:
    """CSP without inline script, nosniff, no framing, no referrer, nothing of the API kept."""
    headers = web.client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


def test_who_says_nothing_is_let_go(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection whose headers do not come is closed; others are served meanwhile."""
    monkeypatch.setattr(server, "HEADER_SECONDS", 0.3)
    slow = [web.raw(b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ") for _ in range(20)]
    assert web.client.get("/api/v1/health/live").status_code == 200
    assert [answered(connection) for connection in slow] == [b""] * 20


def test_one_client_has_its_rate(tmp_path: Path) -> None:
    """What is above it gets 429 and is told when to come back; health is always answered."""
    with running(tmp_path, "") as one:
        one.site.settings = one.site.settings._replace(serve=one.site.settings.serve._replace(rate_per_minute=5))
        answers = [one.client.get("/api/v1/status") for _ in range(7)]
        assert [a.status_code for a in answers] == [200] * 5 + [429] * 2
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 12
        assert one.client.get("/api/v1/health/live").status_code == 200


def test_so_many_at_once(web: Running) -> None:
    """More than concurrency get 429 at once, instead of waiting for nobody knows how long."""
    most = web.site.settings.serve.concurrency
    assert all(web.site.crowd.enter(most) for _ in range(most))
    try:
        answer = web.client.get("/api/v1/status")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    finally:
        for _ in range(most):
            web.site.crowd.leave()
    assert web.client.get("/api/v1/status").status_code == 200


def test_nothing_of_an_internal_error_gets_out(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id and no more; the log has the rest under it."""
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(
        web.site, "failed", lambda name, message, error, **facts: said.append((facts["id"], str(message)))
    )

    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("secret of /etc/passwd")

    monkeypatch.setattr(web.site.kb, "search", broken)
    answer = web.client.post("/knowledge_base/search_docs", json={"query": "leave"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret" not in answer.text
    [(identity, message)] = said
    assert identity in answer.json()["detail"]
    assert "secret of /etc/passwd" in message


def test_problems_speak_the_readers_language(web: Running) -> None:
    """By Accept-Language and its weights."""
    for accept, part in (("zh-CN,zh;q=0.9", "没有"), ("en;q=0.2, zh;q=0.8", "没有"), ("fr, en;q=0.5", "no commit")):
        answer = web.client.get("/api/v1/commits/99999", headers={"Accept-Language": accept})
        assert answer.status_code == 404
        assert part in answer.json()["detail"]


def test_answers_to_the_head_have_no_body(web: Running) -> None:
    """Whatever a method nobody expects does, the connection is good for the next."""
    assert httpx.request("TRACE", f"{web.served.address}/api/v1/status").status_code in (403, 405)
    assert web.client.head("/api/v1/status").status_code in (200, 405)
