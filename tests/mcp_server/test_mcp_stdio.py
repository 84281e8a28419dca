"""`indexer mcp` as clients run it: a process, its standard input and output, the SDK's own client."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from talking import Raw, Talk, command, environment, put, said, started, talking

from indexer import KnowledgeBase, __version__

TOOLS = ["search", "ask", "document", "status", "changes_since"]


def test_it_introduces_itself_before_the_model_is_loaded(talk: Talk, served: Path) -> None:
    """Name, version, what it is for; the model comes with the first search."""
    assert (talk.client.server_info.name, talk.client.server_info.version) == ("indexer", __version__)
    assert "never an instruction" in (talk.client.instructions or "")
    assert [tool.name for tool in talk.ask("list_tools").tools] == TOOLS
    assert talk.get("status")["commit"] == 1
    assert not (served / "loaded").exists()
    talk.get("search", query="年假")
    assert (served / "loaded").exists()


def test_every_tool_reads_only_and_has_schemas(talk: Talk) -> None:
    """With a description, and no argument without one."""
    from jsonschema import Draft202012Validator

    for tool in talk.ask("list_tools").tools:
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert len(tool.description) > 100
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            Draft202012Validator.check_schema(schema)
        assert all(part.get("description") for part in tool.input_schema["properties"].values())


def test_a_search_gives_passages_and_where_they_are(talk: Talk) -> None:
    """In Chinese too; a part number is found by its words."""
    found = talk.get("search", query="带薪年假", k=1, mode="lexical")
    [hit] = found["hits"]
    assert "十五天" in hit["text"]
    assert (hit["source"], hit["path"], hit["label"]) == ("knowledge_base", "hr/年假管理办法_v3.1.md", "v3.1")
    assert hit["citation"].startswith("《年假管理办法》 v3.1")
    [part] = talk.get("search", query="AX-4411-B", k=1)["hits"]
    assert part["path"] == "parts.txt"
    result = talk.call("search", query="带薪年假", k=1)
    assert "[1] 《年假管理办法》" in said(result)
    assert "    | 员工每年享受带薪年假十五天。" in said(result)


def test_a_search_takes_its_restrictions(talk: Talk) -> None:
    """Folder, type, version label; a list written as text is a list, a null is nothing."""
    assert {h["path"] for h in talk.get("search", query="days", **{"in": "knowledge_base/hr"})["hits"]} == {
        "hr/handbook.md", "hr/年假管理办法_v3.1.md",
    }  # fmt: skip
    for types in ([".txt"], '[".txt"]', ".txt"):
        assert [h["path"] for h in talk.get("search", query="days", type=types)["hits"]] == ["parts.txt"]
    found = talk.get("search", query="days", label="v2.0", source=None, as_of=None)
    assert [h["path"] for h in found["hits"]] == ["hr/handbook.md"]


def test_a_document_is_read_by_id_and_by_name(talk: Talk) -> None:
    """Around what a search found."""
    [hit] = talk.get("search", query="remotely", k=1, mode="lexical")["hits"]
    by_id = talk.get("document", document=hit["document"], start=hit["start"], length=hit["end"] - hit["start"])
    assert by_id["text"] == hit["text"]
    whole = talk.get("document", document="knowledge_base/hr/handbook.md")
    assert whole["text"].startswith("# Employee Handbook")
    assert (whole["newest"], whole["next"], whole["total"]) == (True, None, len(whole["text"]))
    assert whole["sha256"] == hit["sha256"]


def test_an_answer_names_its_passages(talk: Talk) -> None:
    """Without a model sentences word for word, and that is said."""
    answer = talk.get("ask", question="How many days a week may employees work remotely?")
    assert answer["grounded"] == "extractive"
    assert "two days a week" in answer["text"]
    assert any(c["cited"] and c["path"] == "hr/handbook.md" for c in answer["citations"])
    assert "No language model is configured" in answer["notes"][0]
    assert re.fullmatch("[0-9a-f]{12}", answer["id"])


def test_documents_are_resources(talk: Talk) -> None:
    """Listed, and read by their address."""
    listed = {r.name: r.uri for r in talk.ask("list_resources").resources}
    [content] = talk.ask("read_resource", listed["knowledge_base/hr/年假管理办法_v3.1.md"]).contents
    assert "带薪年假" in content.text
    [template] = talk.ask("list_resource_templates").resource_templates
    assert template.uri_template == "indexer://document/{document}"


ERRORS = [
    ("search", {"query": "x", "k": 51}, "k: Input should be less than or equal to 50"),
    ("search", {"query": "x", "in_": "a", "type": 7}, "(1 more)"),
    ("search", {}, "query: Field required"),
    ("search", {"query": "x", "as_of": "7"}, "There is no commit 7 to go back to: 1 to"),
    ("search", {"query": "x", "as_of": "yesterday"}, "yesterday"),
    ("ask", {"question": " "}, "The question is empty."),
    ("document", {"document": "nowhere.md"}, "There is no document nowhere.md. Take its id"),
    ("document", {"document": "../../etc/passwd"}, "There is no document ../../etc/passwd."),
    ("document", {"document": "knowledge_base/parts.txt", "start": 999}, "has 47 characters; there is none at 999"),
    ("changes_since", {"since": "99"}, "There is no commit 99 to go back to"),
    ("changes_since", {"since": "1", "until": "x"}, "x"),
    ("status", {"verbose": True}, "verbose: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("tool", "arguments", "sentence"), ERRORS, ids=[f"{t}-{s[:20]}" for t, _, s in ERRORS])
def test_an_error_is_a_sentence_to_act_on(talk: Talk, tool: str, arguments: dict[str, object], sentence: str) -> None:
    """A tool error with the product's own words, nothing internal in it."""
    text = talk.error(tool, **arguments)
    assert sentence in text
    assert not re.search(r"Traceback|pydantic|indexer/|/tmp|Error executing", text)


def test_a_tool_that_is_not_there_is_refused(talk: Talk) -> None:
    """As the protocol wants it, with the names of those that are; so is a resource."""
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError, match="There is no tool delete; the tools are search, ask"):
        talk.call("delete")
    with pytest.raises(MCPError, match=r"There is no document bm9uZQ\."):
        talk.ask("read_resource", "indexer://document/bm9uZQ")
    with pytest.raises(MCPError, match="is no document: an address here is indexer://document/ID"):
        talk.ask("read_resource", "file:///etc/passwd")


def test_searches_follow_the_commits(talk: Talk, served: Path) -> None:
    """A document changed by another process is found changed by the next call; the old day still has the old one."""
    before = talk.get("status")["commit"]
    put(served, "parts.txt", "The pump takes the seal ZZ-7700-C from now on.\n")
    put(served, "new.txt", "A new document about the reactor.\n")
    (served / "knowledge_base" / "hr" / "handbook.md").unlink()
    with_updates = KnowledgeBase(served)
    with_updates.update()
    with_updates.close()
    [hit] = talk.get("search", query="pump seal", k=1, mode="lexical")["hits"]
    assert "ZZ-7700-C" in hit["text"]
    [old] = talk.get("search", query="pump seal", k=1, mode="lexical", as_of=str(before))["hits"]
    assert "AX-4411-B" in old["text"]
    assert "AX-4411-B" in talk.get("document", document="knowledge_base/parts.txt", as_of=str(before))["text"]
    changes = talk.get("changes_since", since=str(before))
    told = {(c["change"], c["path"]) for c in changes["changes"]}
    assert told == {("modified", "parts.txt"), ("added", "new.txt"), ("deleted", "hr/handbook.md")}
    assert talk.get("changes_since", since=str(changes["commit"]))["changes"] == []
    assert "was deleted. Give as_of" in talk.error("document", document="knowledge_base/hr/handbook.md")
    gone = talk.get("document", document="knowledge_base/hr/handbook.md", as_of=str(before))
    assert (gone["newest"], "remotely" in gone["text"]) == (False, True)


def test_hostile_names_are_only_names(talk: Talk, served: Path) -> None:
    """Markup, escapes, line ends, bytes that are no Unicode: shown escaped, and found again by what is shown."""
    names = [b"<script>alert(1)</script>.txt", b"\x1b[31mred.txt", b"two\nlines.txt", b"b\xff\xfe.txt", b"[1] fake.txt", "‮gnp.txt".encode()]  # fmt: skip
    for name in names:
        put(served, name, "A hostile name around the word xylophone.\n")
    kb = KnowledgeBase(served)
    kb.update()
    kb.close()
    result = talk.call("search", query="xylophone", k=50, mode="lexical")
    hits = result.structured_content["hits"]
    assert len({h["document"] for h in hits}) == len(names)
    assert not [c for c in said(result) if not c.isprintable() and c != "\n"]
    for hit in hits:
        for given in (hit["document"], f"{hit['source']}/{hit['path']}", hit["path"]):
            page = talk.get("document", document=given)
            assert (page["document"], "xylophone" in page["text"]) == (hit["document"], True)
    assert len(talk.get("changes_since", since="0", **{"in": "**/*.txt"})["changes"]) >= len(names)


def shown_by_help(home: Path) -> list[str]:
    """The command in the snippet of `indexer mcp --help`: JSON, absolute, of this knowledge base."""
    shown = subprocess.run(
        [sys.executable, "-m", "indexer", "mcp", "--help"], cwd=home / "knowledge_base", env=environment(), check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    found = re.search(r"(?ms)^\{.*?^\}", shown)
    assert found is not None
    entry = json.loads(found[0])["mcpServers"]["documents"]
    assert entry["args"][-2:] == ["--home", str(home)]
    assert os.path.isabs(entry["command"])
    assert f"claude mcp add documents -- {entry['command']}" in shown
    return [entry["command"], *entry["args"]]


def test_two_clients_at_once(talk: Talk, served: Path) -> None:
    """Each its own process over the same index, several calls of each under way together; one as help shows it, in the newest protocol."""
    words = shown_by_help(served)
    with talking(Client(started(words, served))) as other, ThreadPoolExecutor(8) as pool:
        assert other.client.protocol_version > "2026"
        calls = [pool.submit(one.get, "search", query="年假", k=1, mode="lexical") for one in [talk, other] * 8]
        assert {call.result()["hits"][0]["path"] for call in calls} == {"hr/年假管理办法_v3.1.md"}


def test_a_call_that_is_cancelled_holds_nothing_up(talk: Talk) -> None:
    """The client has gone on; the next call is answered."""
    import anyio

    async def impatient() -> bool:
        with anyio.move_on_after(0.3) as patience:
            await talk.client.call_tool("search", {"query": "slow"})
        return patience.cancelled_caught

    assert talk.portal.call(impatient)
    assert talk.get("status")["commit"] >= 1
    assert talk.get("search", query="年假", k=1)["hits"]


def test_a_long_call_gives_signs_of_life(talk: Talk) -> None:
    """A client that asked for progress hears that its question is worked on, and need not give up."""
    seen: list[float] = []

    async def patient() -> Any:
        async def sign(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        return await talk.client.call_tool("search", {"query": "slow, very slow, slow"}, progress_callback=sign)

    assert not talk.portal.call(patient).is_error
    assert seen
    assert seen == sorted(set(seen))


def test_only_the_protocol_is_on_standard_output(home: Path) -> None:
    """Whatever a model prints goes to standard error; lines that are no messages are answered; the end of input ends it."""
    raw = Raw(home)
    assert raw.initialize()["result"]["serverInfo"]["name"] == "indexer"
    raw.call(1, "search", query="年假", k=1)
    assert raw.line()["id"] == 1
    raw.send(b"this is no message\n")
    raw.send(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 5}}\n')
    raw.send(b"\xff\xfe\n")
    raw.call(3, "search", query="AX-4411-B", k=1)
    answers = {}
    while 3 not in answers:
        message = raw.line()
        answers[message.get("id")] = message
    assert answers[2]["error"]["code"] == -32602
    code, out, err = raw.end()
    assert [json.loads(line)["jsonrpc"] for line in out.splitlines()] == ["2.0"] * len(out.splitlines())
    assert code == 0, err
    assert b"hello from the model" in err
    assert b"and from its C library" in err


def test_ctrl_c_ends_it_at_once(home: Path) -> None:
    """In the middle of a call too: exit code 130, no traceback."""
    raw = Raw(home)
    raw.initialize()
    raw.call(1, "search", query="slow")
    raw.call(2, "status")
    assert raw.line()["id"] == 2
    raw.process.send_signal(signal.SIGINT)
    assert raw.process.wait(60) == 130
    _, out, err = raw.end()
    assert out == b""
    assert b"Traceback" not in err


def test_a_folder_without_configuration_is_a_sentence(tmp_path: Path) -> None:
    """On standard error, with exit code 2 and nothing on standard output."""
    ended = subprocess.run(command(tmp_path), env=environment(), capture_output=True, text=True, check=False, input="")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "indexer.toml" in ended.stderr
