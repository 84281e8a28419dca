"""uvicorn in a thread: the socket is ours (so a taken port is an error with a remedy), the rest is its own.

A connection that does not get its headers sent in time is closed: somebody who opens hundreds and says
nothing must not keep others out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..core.errors import ConfigError
from .app import create_app

if TYPE_CHECKING:
    from .site import Site

HEADER_SECONDS = 10.0
"""From the first byte of a connection, or of its next request, to the end of the headers."""

CONNECTIONS = 512
"""Open at once; more are closed as they come."""

LINGER_SECONDS = 3.0
"""How long the rest of a request that is answered already is read away."""

_STOP_SECONDS = 3.0


class Lingering:
    """A transport that, where the peer is still sending, is closed in two steps.

    Who closes a socket on which bytes arrive resets the connection, and the peer may lose the answer that
    told it why. So the answer's end is sent, and what still comes is read away for a while.
    """

    def __init__(self, transport: Any, sending: Callable[[], bool]) -> None:
        self._transport, self._sending, self.lingers = transport, sending, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Whether nothing more can be said."""
        return self.lingers or bool(self._transport.is_closing())

    def close(self) -> None:
        """At once, or when the peer has ended or its time is over."""
        if self.is_closing():
            return
        if not self._sending():
            self._transport.close()
            return
        self.lingers = True
        self._transport.write_eof()
        self._transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._transport.abort)


class Protocol(H11Protocol):
    """HTTP/1.1 whose headers have to come in time, and whose answers arrive."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take it, if there are not too many."""
        super().connection_made(Lingering(transport, lambda: self.conn.their_state is h11.SEND_BODY))  # type: ignore[arg-type] # it does all that a transport does
        if len(self.connections) > CONNECTIONS:
            transport.abort()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        """After each piece: are headers still awaited?"""
        if self.transport.lingers:  # type: ignore[attr-defined] # ours, see connection_made
            return
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._unwatch()
        elif self._late is None:
            self._late = self.loop.call_later(HEADER_SECONDS, self._too_late)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self.transport.close()


class Served:
    """A web service at work."""

    def __init__(self, site: Site, listen: socket.socket) -> None:
        self.site, self._socket = site, listen
        host, port = listen.getsockname()[:2]
        self.host, self.port = str(host), int(port)
        config = uvicorn.Config(
            create_app(site, self.port), http=Protocol, ws="none", lifespan="off", loop="asyncio", log_config=None,
            access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=30,
            timeout_graceful_shutdown=1, h11_max_incomplete_event_size=64 * 1024,
        )  # fmt: skip
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # what strangers send is no news for our log
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="web", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    @property
    def address(self) -> str:
        """``http://127.0.0.1:8765``."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    def close(self) -> None:
        """Stop answering and give the port back; requests at work have a moment to end."""
        self.site.events.close()
        self._server.should_exit = True
        self._thread.join(_STOP_SECONDS)
        if self._thread.is_alive():
            self._server.force_exit = True
            self._thread.join(1)
        self._socket.close()
        self.site.close()


def serve(site: Site) -> Served:
    """Answer on ``[serve] listen`` until closed; raises ConfigError when the port is taken."""
    settings = site.settings.serve
    host, _, port = settings.listen.rpartition(":")
    host = host.strip("[]")
    listen = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if os.name != "nt":  # on Windows it would let two programs share the port
            listen.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listen.bind((host, int(port)))
        listen.listen(128)
    except (OSError, OverflowError) as e:
        listen.close()
        raise ConfigError(
            "serve.listen: nothing can be served on {listen} ({why}). Give another address (--listen), or end the "
            "program that has this one.",
            listen=settings.listen, why=getattr(e, "strerror", None) or str(e),
        ) from e  # fmt: skip
    listen.setblocking(False)
    return Served(site, listen)
