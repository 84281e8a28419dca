"""``mcp``: the documents for the programs of language models, over standard input and output."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import IndexerError
from . import knowledge_base

if TYPE_CHECKING:
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes; its help ends with what a client has to be told."""
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = _epilog(t)


def _epilog(t: Callable[[str], str]) -> str:
    from ..mcp.clients import added, here, snippet

    words = here(_home())
    return "\n".join(
        (
            t("Most clients (Claude Desktop, Cursor, Cherry Studio, Windsurf) take this in their settings, below MCP servers:"),
            "", snippet(words), "", t("For Claude Code, this command:"), "", "  " + added(words), "",
            t("Over HTTP: `indexer serve` answers at http://127.0.0.1:8765/mcp; with a key, the header `Authorization: Bearer KEY`."),
        )
    )  # fmt: skip


def _home() -> str:
    """The nearest knowledge base, else a name to be replaced."""
    from ..config import resolve_home

    try:
        return str(resolve_home(None))
    except IndexerError:
        return "/path/to/the/folder/with/indexer.toml"


def run(options: argparse.Namespace, out: Out) -> int:
    """Serve until the input ends."""
    kb = knowledge_base(options, out)  # before the SDK: what is wrong with the configuration is said at once
    gc.disable()  # the import makes objects that all stay: looking for garbage among them is a sixth of its time
    from ..mcp.stdio import run as serve

    gc.enable()
    if sys.stdin.isatty():
        out.warn(
            "An MCP client starts this, and speaks to it; `indexer mcp --help` shows how to tell it. Ctrl-C ends it."
        )
    return serve(kb, out.lang)
