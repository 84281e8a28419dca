"""What every request passes before anything of it is looked into: who it is for, where it comes from, who asks, how much.

Pure ASGI, outermost: a request that is turned away costs no thread, and not a byte of its body is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import quote

from ..core.errors import IndexerError
from ..core.model import Message
from ..metrics.web import OTHER
from . import origins, scopes, sessions
from .body import Body, TooLarge, TooSlow
from .keys import Entry
from .problems import Problem, bare_page, encoded, language_of, problem_of
from .site import Site

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LISTENERS = 64
"""Event streams open at once."""

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; img-src 'self' data:",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Who(NamedTuple):
    """Who asks: the key's name ("" where none is configured), what it may, and from where."""

    name: str
    scope: str
    client: str
    secure: bool = False


class Guard:
    """Wraps the application; see the module."""

    def __init__(self, app: App, site: Site, port: int) -> None:
        self.app, self.site, self.port = app, site, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection's request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        call = _Call(self.site, scope, send)
        entered: list[Any] = []
        try:
            self._judge(call, entered)
            body = Body(receive, call.limit())
            await self.app(scope, body, call.send)
        except (TooLarge, TooSlow) as e:
            await call.refuse(e.problem)
        except Problem as e:
            await call.refuse(e)
        except asyncio.CancelledError:
            raise
        except Exception as e:
            if not call.started:  # else it was answered, and written down, where it happened
                await call.refuse(call.internal(e))
        finally:
            for crowd in entered:
                crowd.leave()
            self.site.tally.add(scope["method"], call.route(), call.status, self.site.clock() - call.began)

    def _judge(self, call: _Call, entered: list[Any]) -> None:
        """Raises Problem for what may not pass."""
        settings = self.site.settings.serve
        if not origins.known_host(call.headers.get("host", ""), settings, self.port):
            raise Problem(421, "host", _HOST)
        if not origins.ours(call.method, call.headers, scopes.is_api(call.path)):
            raise Problem(403, "origin", _ORIGIN)
        free = scopes.unlimited(call.path)
        if not free and (wait := self.site.rate.take(call.client, settings.rate_per_minute)):
            raise Problem(429, "rate", Message(_RATE, {"seconds": wait}), headers={"Retry-After": str(wait)})
        call.scope.setdefault("state", {})["who"] = self._who(call)
        call.check_length()
        if not free:
            self._enter(call, entered, settings.concurrency)

    def _enter(self, call: _Call, entered: list[Any], concurrency: int) -> None:
        crowd, most = (self.site.streams, LISTENERS) if scopes.streams(call.path) else (self.site.crowd, concurrency)
        if not crowd.enter(most):
            raise Problem(429, "crowd", _CROWD, headers={"Retry-After": "1"})
        entered.append(crowd)

    def _who(self, call: _Call) -> Who:
        """Who asks; raises Problem when they may not."""
        need = scopes.needed(call.method, call.path)
        try:
            return self._known(call, need)
        except IndexerError as e:  # the file of keys does not hold: nobody is let in
            if need == scopes.PUBLIC:
                return Who("", "", call.client, call.secure)
            raise call.internal(e) from None

    def _known(self, call: _Call, need: str) -> Who:
        entry = self._entry(call)
        if entry is not None:
            who = Who(entry.name, entry.scope, call.client, call.secure)
            if need != scopes.PUBLIC and not entry.may(need):
                raise Problem(403, "scope", Message(_SCOPE, {"scope": need, "has": entry.scope}))
            return who
        if not self.site.keys.entries() and not origins.exposed(self.site.settings.serve):
            return Who("", "admin", call.client, call.secure)
        if need == scopes.PUBLIC:
            return Who("", "", call.client, call.secure)
        if not scopes.is_api(call.path) and call.method in ("GET", "HEAD"):
            raise Problem(303, "login", _NO_KEY, headers={"Location": f"/login?next={call.asked()}"})
        raise Problem(401, "key", _WRONG_KEY if call.given() else _NO_KEY, headers={"WWW-Authenticate": "Bearer"})

    def _entry(self, call: _Call) -> Entry | None:
        keys = self.site.keys
        if given := call.given():
            return keys.check(given)
        cookie = call.cookies().get(sessions.COOKIE, "")
        return sessions.whose(cookie, keys, self.site.now_ns() / 1e9, self.site.ended) if cookie else None


_HOST = Message("This service does not answer to that name. Add it to allowed_hosts below [serve] in indexer.toml.")
_ORIGIN = Message("Refused: the request comes from a page of another site.")
_RATE = "Too many requests. Try again in {seconds} seconds."
_CROWD = Message("Too many requests at once. Try again later.")
_SCOPE = "This needs a key with the scope {scope}; this one has {has}."
_NO_KEY = Message("This needs a key: send it as `Authorization: Bearer KEY`, or log in.")
_WRONG_KEY = Message("This key is not known.")


class _Call:
    """One request: what of it the guard reads, and the answer on its way out."""

    def __init__(self, site: Site, scope: Scope, send: Send) -> None:
        self.site, self.scope, self._send = site, scope, send
        self.began, self.status, self.started = site.clock(), 499, False
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = _headers(scope)
        peer = (scope.get("client") or ("", 0))[0]
        self.client, self.secure = origins.client_of(peer, self.headers, site.settings.serve)

    def given(self) -> str:
        """The key that was sent, "" for none."""
        kind, _, value = self.headers.get("authorization", "").partition(" ")
        return value.strip() if kind.casefold() == "bearer" else self.headers.get("x-api-key", "")

    def cookies(self) -> Mapping[str, str]:
        """By name; of two with one name the first."""
        found: dict[str, str] = {}
        for pair in self.headers.get("cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            found.setdefault(name, value)
        return found

    def asked(self) -> str:
        """The address asked for, to come back to."""
        query = self.scope.get("query_string", b"").decode("latin-1")
        return quote(self.path + (f"?{query}" if query else ""), safe="")

    def limit(self) -> int:
        """Bytes its body may have."""
        if scopes.uploads(self.method, self.path):
            return self.site.settings.serve.max_upload_mb * 2**20 + 2**16  # the form around the file
        return 2**20

    def check_length(self) -> None:
        """Refuse what says itself that it is too large."""
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self.limit():
            raise TooLarge(self.limit()).problem

    def route(self) -> str:
        """The route as it was declared."""
        found = self.scope.get("route")
        return str(getattr(found, "path", OTHER))

    def lang(self) -> str:
        """The language of who asks."""
        asked = self.cookies().get("lang", "")
        return language_of(self.headers.get("accept-language", ""), asked, self.site.lang)

    def internal(self, error: BaseException) -> Problem:
        """What went wrong goes into the log, with an id that the answer names."""
        return logged(self.site, error, self.method, self.path)

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """The answer, with the headers that protect its reader."""
        if message["type"] == "http.response.start":
            self.started, self.status = True, message["status"]
            present = {name.lower() for name, _ in message["headers"]}
            more = dict(HEADERS)
            if scopes.is_api(self.path) or self.path in ("/login", "/logout"):
                more["cache-control"] = "no-store"
            message["headers"] = [
                *message["headers"],
                *((k.encode(), v.encode()) for k, v in more.items() if k.encode() not in present),
            ]
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer with a problem, if nothing was answered yet."""
        if self.started:
            return
        if scopes.for_people(self.path, self.headers.get("accept", "")):
            data, kind = bare_page(problem, self.lang())
        else:
            data, kind = encoded(problem, self.lang(), self.path)
        headers = {"content-type": kind, "content-length": str(len(data)), "connection": "close", **problem.headers}  # fmt: skip
        raw = [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": raw})
        await self.send({"type": "http.response.body", "body": data if self.method != "HEAD" else b""})


def _headers(scope: Scope) -> dict[str, str]:
    """By name; the lines of a list that proxies add to are one list."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name == "x-forwarded-for" and name in found else value
    return found


def logged(site: Site, error: BaseException, method: str, path: str) -> Problem:
    """An error as a problem; one that is not the asker's own business is written down under an id first."""
    from secrets import token_hex

    identity = token_hex(4)
    problem = problem_of(error, identity)
    if problem.status >= 500 and not isinstance(error, Problem):
        why = error.message if isinstance(error, IndexerError) else str(error)
        words = {"id": identity, "method": method, "path": path, "kind": type(error).__name__, "error": why}
        site.failed("web_error", Message("{method} {path} failed, {id}: {kind}: {error}", words), error, id=identity)
    return problem
