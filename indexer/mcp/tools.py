"""The table of tools: what each is for, what it takes and gives, and how a call of it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from ..core.errors import Interrupted
from ..core.model import Message
from ..i18n import translate
from . import asked, readable, shown
from .asking import ask
from .changes import changes_since
from .desk import Call, Desk
from .documents import document
from .plain import plain
from .searching import search
from .standing import status


class Entry(NamedTuple):
    """One tool. ``does`` may raise IndexerError; ``told`` makes text of what it gives."""

    title: str
    about: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    does: Callable[[Desk, Any, Call], BaseModel]
    told: Callable[[Any, readable.Say], Iterator[str]]
    open_world: bool = False


TOOLS: Mapping[str, Entry] = {
    "search": Entry(
        "Search the documents",
        "Find passages in the user's own documents (policies, manuals, contracts, mail, code ...). Use it first whenever the "
        "user asks about something their documents may say. Gives the passages word for word, best first, each with "
        "its citation, its place and the id of its document; read around a passage with the tool `document`. "
        "Finds by meaning and by exact words (part numbers, names), in Chinese and English. "
        "With as_of it searches the state of an earlier day. Quote the citation for what you take from a passage.",
        asked.Search, shown.Found, search, readable.found,
    ),
    "ask": Entry(
        "Answer from the documents",
        "One question, answered from the documents alone: a finished text whose citations [n] are made by code and proved "
        "against the documents. Use it when a checkable answer is wanted; use `search` when you want to read and "
        "judge the passages yourself. `grounded` says how it came about: by the configured language model, of sentences "
        "word for word where there is none, or that the documents do not answer it. The answer is kept "
        "under its id. May take as long as the configured model does.",
        asked.Ask, shown.Answer, ask, readable.answer, open_world=True,
    ),
    "document": Entry(
        "Read a document",
        "The text of one document, or a stretch of it, as it was parsed (also from PDF, Word, Excel, mail ...), 20,000 characters "
        "a page; `next` says where the following page begins. Takes the id or the source/path of any "
        "other result, and positions as `start` and `end` give them. With as_of: the version of an earlier day.",
        asked.Document, shown.Page, document, readable.page,
    ),
    "status": Entry(
        "How fresh the index is",
        "How many documents are indexed, in which states, the newest commit, when the folders were last looked at, whether an "
        "update runs, and what needs a person. Use it when something cannot be found, or when it matters "
        "whether the answer is up to date.",
        asked.Status, shown.Standing, status, readable.standing,
    ),
    "changes_since": Entry(
        "What changed",
        "Which documents were added, modified or deleted since a commit or a time. Remember the `commit` it gives and pass "
        'it as `since` the next time: nothing is missed and nothing comes twice. since "0" lists every document.',
        asked.ChangesSince, shown.Changes, changes_since, readable.changes,
    ),
}  # fmt: skip


def listed() -> list[Tool]:
    """As a client gets the list. `ask` keeps its answer in the product's own record; no document is ever changed."""
    return [
        Tool(
            name=name, title=tool.title, description=tool.about, input_schema=shown.schema(tool.takes, given=True),
            output_schema=shown.schema(tool.gives, given=False),
            annotations=ToolAnnotations(
                title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True,
                open_world_hint=tool.open_world,
            ),
        )
        for name, tool in TOOLS.items()
    ]  # fmt: skip


def called(desk: Desk, name: str, arguments: Mapping[str, Any], call: Call) -> CallToolResult:
    """The answer to a call of a tool that is there; never raises."""
    tool = TOOLS[name]
    try:
        given = tool.takes.model_validate({k: v for k, v in arguments.items() if v is not None})
        result = tool.does(desk, given, call)
        text = readable.text(tool.told(result, readable.sayer(call.lang)))
        return CallToolResult(content=[TextContent(text=text)], structured_content=result.model_dump(mode="json"))
    except ValidationError as e:
        return failed(wrong(e), call.lang)
    except Interrupted as e:
        return failed(e.message, call.lang)  # nobody waits for it
    except Exception as e:
        return failed(desk.said(e, name), call.lang)


def failed(message: Message, lang: str) -> CallToolResult:
    """A tool error: a sentence the model can act on."""
    return CallToolResult(content=[TextContent(text=readable.text([plain(translate(message, lang))]))], is_error=True)


def wrong(error: ValidationError) -> Message:
    """The first thing that is wrong with the arguments, and how many more."""
    first, *others = error.errors(include_url=False, include_context=False, include_input=False)
    where = ".".join(str(part) for part in first["loc"]) or "arguments"
    more: object = Message(" ({count} more)", {"count": len(others)}) if others else ""
    return Message("{where}: {why}{more}", {"where": where[:200], "why": first["msg"][:300], "more": more})
