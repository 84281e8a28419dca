"""Examples of the OpenAPI document; a test checks each against its schema."""

from __future__ import annotations

from typing import Any

DOCUMENT_ID = "a25vd2xlZGdlX2Jhc2UvaHIvbGVhdmUtcG9saWN5Lm1k"
_PLACE: dict[str, Any] = {"document": DOCUMENT_ID, "source": "knowledge_base", "path": "hr/leave-policy.md"}
_SHA = "3f0c9a1d5b7e2f4c8a6b0d9e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c"
_AT = "2026-11-30T02:00:07+08:00"
_URL = f"/documents/{DOCUMENT_ID}?commit=42&start=120&end=310"

SEARCH: dict[str, Any] = {"q": "How many days of annual leave?", "k": 5, "in": "hr/", "type": [".md", ".pdf"]}
HIT: dict[str, Any] = {
    **_PLACE, "title": "Leave policy", "label": "v3.1", "headings": ["Annual leave"], "page": None, "place": "",
    "start": 120, "end": 310, "text": "Employees have 15 days of annual leave.", "score": 0.87, "fused": 0.0325,
    "found_by": ["vector", "lexical"], "citation": "Leave policy v3.1, Annual leave", "commit": 42, "sha256": _SHA,
    "passage": 1234, "url": _URL,
}  # fmt: skip
FOUND: dict[str, Any] = {"query": SEARCH["q"], "commit": 42, "mode": "hybrid", "hits": [HIT]}
PROBLEM: dict[str, Any] = {
    "type": "about:blank", "title": "Not Found", "status": 404, "detail": "There is no such document.", "code": "not_found",
}  # fmt: skip
REQUEST: dict[str, Any] = {"request": "q3l0S8yX2mJd9a1B", "state": "done", "run": 17, "exit_code": 0, "commit": 43, "error": None}  # fmt: skip
RUN: dict[str, Any] = {
    "run": 17, "started": _AT, "finished": "2026-11-30T02:00:09+08:00", "actor": "li.na", "client": "10.0.0.7",
    "trigger": "web", "exit_code": 0, "report": {"added": 1, "modified": 0, "deleted": 0}, "error": None,
}  # fmt: skip
CITATION: dict[str, Any] = {
    "n": 1, **_PLACE, "title": "Leave policy", "label": "v3.1", "headings": ["Annual leave"], "page": None, "place": "",
    "start": 120, "end": 310, "text": HIT["text"], "commit": 42, "sha256": _SHA, "passage": 1234,
    "citation": HIT["citation"], "url": _URL, "score": 0.87, "cited": True,
}  # fmt: skip
QUESTION: dict[str, Any] = {"question": "How many days of annual leave do I have?", "k": 8, "stream": False}
ANSWER: dict[str, Any] = {
    "id": "a7Qf3k", "question": QUESTION["question"], "text": "You have 15 days of annual leave [1].", "language": "en",
    "citations": [CITATION], "grounded": "llm", "model": "qwen3", "commit": 42, "as_of": "", "created": _AT,
    "notes": [], "failed": False,
}  # fmt: skip
STANDING: dict[str, Any] = {"n": 1, "state": "changed", "commit": 45, "sha256": _SHA, "label": "v3.2"}
LISTED: dict[str, Any] = {
    **_PLACE, "name": "leave-policy.md", "state": "indexed", "chunks": 12, "title": "Leave policy", "label": "v3.1",
    "size": 5120, "version": 42, "changed": _AT, "reasons": [], "remedy": "", "retry_at": None, "held": False,
}  # fmt: skip
DOCUMENT: dict[str, Any] = {
    **LISTED, "sha256": _SHA, "parser": "markdown", "pinned": None, "tries": 0, "actor": "li.na", "client": "10.0.0.7",
    "trigger": "web", "writable": True,
}  # fmt: skip
UPLOADED: dict[str, Any] = {**_PLACE, "size": 5120, "sha256": _SHA, "request": REQUEST["request"]}
TEXT: dict[str, Any] = {
    "text": HIT["text"], "sections": [{"start": 0, "end": 39, "headings": ["Annual leave"], "page": None, "place": ""}],
    "commit": 42, "sha256": _SHA,
}  # fmt: skip
VERSION: dict[str, Any] = {
    "added": 42, "removed": None, "at": _AT, "chunks": 12, "sha256": _SHA, "title": "Leave policy", "label": "v3.1",
    "actor": "li.na", "client": "10.0.0.7", "trigger": "web",
}  # fmt: skip
DIFF: dict[str, Any] = {
    "from": 40, "to": 42,
    "lines": [
        {"kind": "same", "text": "# Annual leave"}, {"kind": "removed", "text": "Employees have 12 days."},
        {"kind": "added", "text": "Employees have 15 days."},
    ],
}  # fmt: skip
WHY: dict[str, Any] = {
    **_PLACE, "rule": None, "indexed": True, "state": "indexed", "reasons": [], "remedy": "",
    "sentences": ["knowledge_base/hr/leave-policy.md is indexed: 12 chunks, in this version since commit 42."],
}  # fmt: skip
COMMIT: dict[str, Any] = {
    "commit": 42, "at": _AT, "run": 17, "note": "", "added": 1, "removed": 1, "hash": _SHA, "actor": "li.na",
    "client": "10.0.0.7", "trigger": "web",
}  # fmt: skip
CHANGE: dict[str, Any] = {**_PLACE, "change": "modified", "chunks_before": 11, "chunks_after": 12}
SNAPSHOT: dict[str, Any] = {"commit": 40, "at": _AT, "bytes": 48_000_000}
KEY: dict[str, Any] = {"key": "idx_…"}
_FOLLOWER: dict[str, Any] = {
    "name": "graph", "kind": "lightrag", "state": "well", "since": None, "behind": 0, "behind_since": None, "error": "",
    "next_try": None, "documents": {"there": 120, "skipped": 3, "refused": 1, "failed": 0, "moving": 0},
}  # fmt: skip
FOLLOWER: dict[str, Any] = {
    **_FOLLOWER, "more_troubles": 0,
    "troubles": [{**_PLACE, "state": "refused", "why": "422: file type", "tries": 1, "next_try": None}],
}  # fmt: skip
STATUS: dict[str, Any] = {
    "commit": 42, "committed": _AT, "documents": {"indexed": 120, "failed": 1}, "passages": 2400, "segments": 3, "held": 0,
    "pinned": 0, "model": "builtin:e5-small", "sources": [{"name": "knowledge_base"}],
    "fresh": {"fresh": True, "age_seconds": 312.0, "watched": True},
    "disk": {"free_bytes": 80_000_000_000, "index_bytes": 48_000_000, "reserve_bytes": 209_715_200},
    "running": None, "waiting": 0, "next_run": {"at": "2026-12-01T02:00:00+08:00", "schedule": "every day at 02:00"},
    "last_run": RUN, "last_success": RUN, "watch": [{"source": "knowledge_base", "how": "events", "why": ""}],
    "followers": [_FOLLOWER],
    "daemon": {"version": "0.1.0", "mode": "run", "started": _AT},
}  # fmt: skip
