"""Live events: in order, after a reconnection, and never at the cost of the worker."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

from serving import Running

from indexer.web.hub import BEHIND, Hub


def heard(web: Running, last: str = "", until: str = "end") -> list[tuple[str, str, dict[str, Any]]]:
    """(id, kind, facts) up to the first of a kind."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    name = kind = ""
    with web.client.stream("GET", "/api/v1/events", headers={"Last-Event-ID": last} if last else {}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            field, _, value = line.partition(": ")
            if field == "id":
                name = value
            elif field == "event":
                kind = value
            elif field == "data":
                found.append((name, kind, json.loads(value)))
                if kind == until:
                    break
    return found


def test_a_run_as_it_happens(web: Running) -> None:
    """queue, begin, progress, run, commit, end; and what was missed comes after a reconnection."""
    events: list[Any] = []
    listener = threading.Thread(target=lambda: events.extend(heard(web)))
    before = web.site.events.listening()
    listener.start()
    web.until(lambda: web.site.events.listening() > before)
    web.put("event.md", "# Event\n\nsomething happens\n")
    listener.join(60)
    kinds = [kind for _, kind, _ in events]
    assert [k for k in kinds if k in ("begin", "run", "commit", "end")] == ["begin", "run", "commit", "end"]
    assert "progress" in kinds
    assert all("at" in facts for _, _, facts in events)
    end = events[-1][2]
    assert (end["exit_code"], end["changed"], end["counts"]["added"]) == (0, True, 1)
    again = heard(web, last=events[0][0])
    assert again == events[1:]


def test_a_slow_listener_is_dropped_and_the_worker_goes_on() -> None:
    """Whoever does not read loses the stream, not the events of the others."""

    async def scene() -> tuple[int, int]:
        hub = Hub(lambda: 1)
        slow, quick = hub.listen(), hub.listen()
        got = 0
        events = quick.events(5)
        for i in range(BEHIND * 2):
            hub.publish("queue", {"waiting": i})
            event = await anext(events)
            got += event is not None
        left = 0
        async for _ in slow.events(5):
            left += 1
        return got, left

    got, left = asyncio.run(scene())
    assert got == BEHIND * 2
    assert left == BEHIND


def test_a_stream_ends_with_the_service() -> None:
    """Nobody hangs on a hub that is closed."""

    async def scene() -> list[Any]:
        hub = Hub(lambda: 1)
        listener = hub.listen()
        hub.close()
        late = hub.listen()
        return [e async for e in listener.events(5)] + [e async for e in late.events(5)]

    assert asyncio.run(scene()) == []


def test_progress_is_no_flood() -> None:
    """A hundred thousand files are told a few times a second."""
    now = [0]
    hub = Hub(lambda: now[0])
    hub("begin", {"ask": _Ask()})
    hub("progress", {"step": "plan", "files": 1000})
    for i in range(1000):
        now[0] += 1_000_000
        hub("progress", {"step": "file", "source": "kb", "path": f"{i}.md"})
    told = [e for e in hub._kept if e.kind == "progress"]
    assert 4 <= len(told) <= 8
    assert told[-1].facts["total"] == 1000


class _Ask:
    trigger, actor, paths, urgent = "web", "", (), False


def test_who_goes_away_is_forgotten(web: Running) -> None:
    """A closed stream leaves nothing behind."""
    before = web.site.events.listening()
    heard_one = web.client.stream("GET", "/api/v1/events")
    with heard_one:
        web.until(lambda: web.site.events.listening() > before)
    web.put("wake.md", "# Wake\n")
    web.until(lambda: web.site.events.listening() <= before)
