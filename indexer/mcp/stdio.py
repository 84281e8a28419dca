"""Serving one client over standard input and output, until the input ends.

Standard output carries the protocol only: the SDK keeps it for itself and leads whatever else is
printed to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from ..core.errors import DONE, INTERRUPTED
from .desk import LocalDesk
from .server import build

if TYPE_CHECKING:
    from ..api import KnowledgeBase


def run(kb: KnowledgeBase, lang: str) -> int:
    """Serve; returns the exit code."""
    desk = LocalDesk(kb, lang, time.time_ns)
    # The thread that reads the input cannot be interrupted: without this Ctrl-C would wait for one more line.
    # There is nothing to put in order: everything here only reads, and a kept answer is one transaction.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    anyio.run(_serve, desk)
    kb.close()
    sys.stderr.flush()
    return DONE


async def _serve(desk: LocalDesk) -> None:
    server = build(desk)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
