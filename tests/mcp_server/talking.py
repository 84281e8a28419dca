"""The SDK's own client, made easy for tests that are no coroutines; raw processes; small knowledge bases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

ROOT = Path(__file__).resolve().parents[2]
PATHS = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
DOCUMENTS = {
    "hr/年假管理办法_v3.1.md": "# 年假管理办法\n\n## 第五章 假期\n\n员工每年享受带薪年假十五天。\n",
    "hr/handbook.md": "# Employee Handbook v2.0\n\n## Remote work\n\nEmployees may work remotely two days a week.\n",
    "parts.txt": "The pump takes the seal AX-4411-B and no other.\n",
}


def environment(**more: str) -> dict[str, str]:
    """In English, with the test's embedder to be found."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("INDEXER_", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C.UTF-8", "PYTHONPATH": PATHS, **more}


def configure(home: Path, more: str = "") -> Path:
    """A knowledge base with that model."""
    (home / "knowledge_base").mkdir(parents=True, exist_ok=True)
    (home / "indexer.toml").write_text(f"{more}\n[embedding]\nmodel = 'python:loud_embedder:LoudEmbedder'\n", "utf-8")
    return home


def put(home: Path, name: str | bytes, text: str) -> None:
    """Write a document."""
    path = os.path.join(os.fsencode(home / "knowledge_base"), os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Talk:
    """One connected client."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal, self.client = portal, client

    def ask(self, method: str, *args: Any) -> Any:
        """A method of the client."""
        return self.portal.call(getattr(self.client, method), *args)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        result: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def get(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool gives, which must be no error."""
        result = self.call(tool, **arguments)
        assert not result.is_error, said(result)
        found: dict[str, Any] = result.structured_content
        return found

    def error(self, tool: str, **arguments: Any) -> str:
        """What a tool says that refuses."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert result.structured_content is None
        return said(result)


def said(result: CallToolResult) -> str:
    """The text of a result."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


@contextmanager
def talking(client: Client) -> Iterator[Talk]:
    """A connected client, in an event loop of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as connected:
        yield Talk(portal, connected)


def started(words: list[str], home: Path, **more: str) -> AbstractAsyncContextManager[Any]:
    """The transport to a process of its own; its standard error goes to ``home/mcp.err``."""

    @asynccontextmanager
    async def transport() -> Any:
        parameters = StdioServerParameters(
            command=words[0], args=words[1:], env=environment(LOUD_TOLD=str(home / "loaded"), **more)
        )
        with open(home / "mcp.err", "a", encoding="utf-8") as err:
            async with stdio_client(parameters, errlog=err) as streams:
                yield streams

    return transport()


def command(home: Path) -> list[str]:
    """What starts the server."""
    return [sys.executable, "-m", "indexer", "mcp", "--home", str(home)]


class Raw:
    """A process spoken to byte by byte."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            command(home), env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, message: Mapping[str, Any] | bytes) -> None:
        """One line."""
        assert self.process.stdin is not None
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self) -> dict[str, Any]:
        """The next line, which must be a message."""
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def initialize(self) -> dict[str, Any]:
        """The handshake."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
        answer = self.line()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        """Ask for a tool, without waiting."""
        params = {"name": tool, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def end(self, seconds: float = 60) -> tuple[int, bytes, bytes]:
        """Close its input: the exit code, what it still wrote, its standard error."""
        out, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, out, err
