"""How an MCP client is told about this server: the command with absolute paths, as clients start it from anywhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence


def command(home: str, argv0: str, executable: str) -> list[str]:
    """What starts the server: the console script if that is what runs, else this Python."""
    script = os.path.abspath(argv0)
    named = os.path.splitext(os.path.basename(script))[0] == "indexer" and os.access(script, os.X_OK)
    return [*([script] if named and os.path.isfile(script) else [executable, "-m", "indexer"]), "mcp", "--home", home]


def snippet(words: Sequence[str]) -> str:
    """The entry most clients take, below "mcpServers"."""
    return json.dumps({"mcpServers": {"documents": {"command": words[0], "args": list(words[1:])}}}, ensure_ascii=False, indent=2)  # fmt: skip


def added(words: Sequence[str]) -> str:
    """The command line of Claude Code."""
    return "claude mcp add documents -- " + " ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """A word as this machine's shell takes it."""
    if os.name == "nt":
        return f'"{word}"' if " " in word else word
    from shlex import quote

    return quote(word)


def here(home: str) -> list[str]:
    """The command for the process that runs."""
    return command(home, sys.argv[0], sys.executable)
