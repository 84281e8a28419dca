"""Who may do what: every operation of the OpenAPI document, for everybody there is."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import httpx
import pytest
from serving import Running

from indexer.web.app import create_app
from indexer.web.keys import SCOPES
from indexer.web.scopes import PUBLIC, needed

PERSONS = ("nobody", "wrong", *SCOPES)


class Operation(NamedTuple):
    """One of the document."""

    method: str
    path: str
    scope: str


def operations(web: Running) -> list[Operation]:
    """All of them, with the scope that the document tells."""
    found = create_app(web.site).app.openapi()["paths"]  # type: ignore[attr-defined]
    return [Operation(m.upper(), path, o.get("x-scope", PUBLIC)) for path, ops in found.items() for m, o in ops.items()]


@pytest.fixture
def keys(web: Running) -> Any:
    """A key of each scope; gone afterwards."""
    yield {scope: web.key(scope) for scope in SCOPES}
    web.no_keys()


def asked(web: Running, operation: Operation, person: str, keys: dict[str, str]) -> int:
    """The status that a person gets. What they send is nothing: whoever is let in is told so."""
    sent = {"nobody": None, "wrong": "idx_" + "x" * 43}.get(person, keys.get(person))
    headers = {"Authorization": f"Bearer {sent}"} if sent else {}
    path = operation.path
    for name in ("document", "commit", "run", "request_id", "answer", "model", "follower"):
        path = path.replace("{" + name + "}", "0")
    with web.client.stream(operation.method, path, headers=headers) as answer:
        return answer.status_code


def test_every_operation_for_everybody(web: Running, keys: dict[str, str]) -> None:
    """Whoever lacks the scope is refused, whoever has it is not."""
    wrong = []
    for operation, person in itertools.product(operations(web), PERSONS):
        status = asked(web, operation, person, keys)
        enough = person in SCOPES and (
            operation.scope == PUBLIC or SCOPES.index(person) >= SCOPES.index(operation.scope)
        )
        if operation.scope == PUBLIC:
            fits = status not in (403,) and (status != 401 or operation.path == "/login")
        elif enough:
            fits = status not in (401, 403)
        else:
            fits = status == (403 if person in SCOPES else 401)
        if not fits:
            wrong.append((operation, person, status))
    assert wrong == []


def test_what_each_scope_is_for(web: Running) -> None:
    """Reading reads, writing changes documents, the rest is for admins."""
    scopes = {(o.method, o.path): o.scope for o in operations(web)}
    assert {key for key, scope in scopes.items() if scope == PUBLIC} == {
        ("GET", "/api/v1/health/live"), ("GET", "/api/v1/health/ready"), ("POST", "/login"), ("POST", "/logout"),
    }  # fmt: skip
    assert {key for key, scope in scopes.items() if scope == "write"} == {
        ("POST", "/api/v1/documents"), ("DELETE", "/api/v1/documents/{document}"), ("POST", "/api/v1/runs"),
    }  # fmt: skip
    assert {key for key, scope in scopes.items() if scope == "admin"} == {
        ("POST", "/api/v1/rollback"), ("POST", "/api/v1/rollback/release"), ("POST", "/api/v1/held/release"),
        *(("POST", f"/api/v1/followers/{{follower}}/{act}") for act in ("pause", "resume", "retry")),
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path"), [("POST", "/api/v1/new"), ("PUT", "/api/v1/documents/x"), ("PATCH", "/"), ("DELETE", "/api/v1/keys/x")])  # fmt: skip
def test_what_nobody_decided_is_for_admins(method: str, path: str) -> None:
    """An address that is forgotten is closed, not open."""
    assert needed(method, path) == "admin"


def test_pages_lead_to_the_login(web: Running, keys: dict[str, str]) -> None:
    """A browser without a key is led to the page for it and back; a program gets 401."""
    answer = web.client.get("/documents?state=failed")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2Fdocuments%3Fstate%3Dfailed")
    answer = web.client.get("/api/v1/documents")
    assert (answer.status_code, answer.json()["code"]) == (401, "key")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_session_is_as_good_as_its_key_and_ends_with_it(web: Running, keys: dict[str, str]) -> None:
    """The cookie has the key's scope; without the key it is worth nothing."""
    with httpx.Client(base_url=web.served.address) as browser:
        answer = browser.post("/login", json={"key": web.key("read", "browser")})
        assert answer.json() == {"name": "browser", "scope": "read"}
        flags = answer.headers["set-cookie"].lower()
        assert "httponly" in flags
        assert "samesite=strict" in flags
        assert browser.get("/api/v1/status").status_code == 200
        assert browser.post("/api/v1/runs", json={}).status_code == 403
        web.site.keys.remove("browser")
        assert browser.get("/api/v1/status").status_code == 401


def test_who_logged_out_stays_out(web: Running, keys: dict[str, str]) -> None:
    """A copy of the cookie is worth nothing after the logout."""
    with httpx.Client(base_url=web.served.address) as browser:
        browser.post("/login", json={"key": keys["admin"]})
        cookie = browser.cookies["indexer_session"]
        assert browser.post("/logout").status_code == 204
    assert web.client.get("/api/v1/status", headers={"Cookie": f"indexer_session={cookie}"}).status_code == 401


@pytest.mark.parametrize("spoil", [lambda c: c[:-1] + ("0" if c[-1] != "0" else "1"), lambda c: "x" + c, lambda c: c.replace("~", "~9", 1), lambda c: ""])  # fmt: skip
def test_a_forged_session_is_none(web: Running, keys: dict[str, str], spoil: Any) -> None:
    """Another name, another end, another signature."""
    cookie = web.client.post("/login", json={"key": keys["admin"]}).cookies["indexer_session"]
    web.client.cookies.clear()
    headers = {"Cookie": f"indexer_session={spoil(cookie)}"}
    assert httpx.get(f"{web.served.address}/api/v1/status", headers=headers).status_code == 401


def test_a_session_is_over_in_time(web: Running, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """After session_hours one logs in again."""
    cookie = httpx.post(f"{web.served.address}/login", json={"key": keys["read"]}).cookies["indexer_session"]
    later = web.site.now_ns() + 13 * 3600 * 10**9
    monkeypatch.setattr(web.site, "now_ns", lambda: later)
    assert httpx.get(f"{web.served.address}/api/v1/status", cookies={"indexer_session": cookie}).status_code == 401


def test_a_broken_file_of_keys_lets_nobody_in(web: Running) -> None:
    """Fail closed: not even as if there were no key."""
    web.site.keys.path.write_text("{", "utf-8")
    try:
        answer = web.client.get("/api/v1/status")
        assert (answer.status_code, answer.json()["code"]) == (503, "configuration")
        assert "keys.json" not in answer.text
        assert web.client.get("/api/v1/health/live").status_code == 200
    finally:
        web.no_keys()
