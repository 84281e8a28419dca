"""A LightRAG server as a follower: each document goes through steps, and each step is written down before and after.

    (nothing) ──send──▶ sending ──taken──▶ accepted ──processed──▶ done
         ▲                                    └──failed there──▶ failed, processed again later
       absent ◀──gone── deleting ◀── changed or deleted here, or there already without our doing

The server has no "replace": a changed document is deleted there, waited for, sent. It deletes only while nothing else is
at work. Two documents of the same content are one there; that is remembered, and the other is sent when the one goes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from ..core.following import FollowerSettings
from ..core.model import EMPTY, Key, Message
from .guards import too_long, too_short
from .lightrag_api import Clearing, LightRagApi, Row
from .model import Document, Item, Record, Refused, Remote, Task
from .remote_names import remote_name

Bytes = Callable[[Document], bytes | None]
"""The file of a document as it lies in its folder; None when that is another version by now."""

_SOON, _WORKING, _BUSY = 0.2, 0.5, 1.0  # seconds until the next look
_ORPHANED_NS = 5 * 10**9  # in progress while nothing is at work
_LOST_NS = 30 * 10**9  # handed over, and the server knows nothing of it
_AGAIN_NS = 30 * 10**9
_TAKEN_UP_NS = 3 * 10**9  # after "process again" a document is shown as failed for a moment
_SLOWEST = 5.0
_RETRY_SECONDS, _RETRY_MOST = 30.0, 1800.0
_PROGRESS = frozenset({"pending", "parsing", "analyzing", "processing", "preprocessed"})


class LightRag:
    """``file_of`` is asked where whole files are sent."""

    def __init__(self, settings: FollowerSettings, file_of: Bytes, api: LightRagApi | None = None) -> None:
        self.settings = settings
        self.api = api or LightRagApi(settings)
        self._file_of = file_of
        self._reprocessed_ns = 0

    # ---- as every target -------------------------------------------------------------

    def probe(self) -> None:
        """Raises Unreachable, Misconfigured."""
        self.api.health()
        self.api.busy()

    def digest(self, document: Document) -> str:
        """Of what is sent."""
        if self.settings.send == "file":
            return document.sha256
        return hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()

    def refuses(self, document: Document) -> Message | None:
        """What a graph is not worth, or what would jam the server."""
        return too_short(document, self.settings.min_chars) or too_long(document, self.settings.max_kb)

    def inventory(self) -> list[Remote] | None:
        """Every document there."""
        return self.api.inventory()

    def remove(self, remotes: Sequence[Remote]) -> bool:
        """Have documents deleted that nobody here knows of; whether they are gone."""
        left = sorted({r.id for r in remotes} & {row.id for row in self.api.listed()})
        if left and not self.api.busy():
            self.api.delete(left)
        return not left

    def close(self) -> None:
        """Let go of the connection."""
        self.api.close()

    def work(self, tasks: Sequence[Task], record: Record) -> float:
        """One look at all of them; seconds until the next."""
        busy = self.api.busy()
        waits = [_BUSY]
        leaving = [t for t in tasks if _leaves(t)]
        if coming := [t for t in tasks if t.item.step in ("accepted", "failed") and not _leaves(t)]:
            waits.append(self._follow(coming, record, busy))
        if leaving:
            waits.append(_BUSY if busy else self._remove(leaving, record))
        going = {t.item.digest for t in leaving}
        sendable = [t for t in tasks if t.document and t.item.step in ("", "absent", "sending", "skipped", "refused") and not _leaves(t)]  # fmt: skip
        for task in sendable:
            if task.digest in going:  # the same content under its old name: it would be taken for a copy
                continue
            try:
                self._send(task, record)
                waits.append(_SOON)
            except Clearing:
                waits.append(_WORKING)
                break
        return min(waits)

    # ---- what was handed over --------------------------------------------------------

    def _follow(self, tasks: Sequence[Task], record: Record, busy: bool) -> float:
        """How far they are; asked the less often the longer it takes."""
        now, oldest, changed = record.now_ns(), record.now_ns(), {}
        for task in tasks:
            item = self._judged(task.item, self._row(task.item, now), now, busy)
            if item != task.item:
                changed[task.key] = item
            oldest = min(oldest, task.item.at_ns or now)
        record.put(changed)
        return min(_WORKING + (now - oldest) / 1e10, _SLOWEST)

    def _row(self, item: Item, now: int) -> Row | None:
        """What the server says of a document that was handed over; its track tells, the list only where that does not."""
        track = str(item.remote.get("track", ""))
        rows = self.api.tracked(track) if track else []
        row = next((r for r in rows if _same(r, item)), None)
        if row is None and (not track or now - item.at_ns > _ORPHANED_NS):
            row = next((r for r in self.api.listed() if _same(r, item)), None)
        return row

    def _judged(self, item: Item, row: Row | None, now: int, busy: bool) -> Item:
        """How a document stands now that was handed over."""
        if row is None:
            if now - item.at_ns > _LOST_NS and not busy:
                return Item("absent")  # the server lost it: it is sent again
            return item
        remote = {**item.remote, "id": row.id}
        if row.original and all(r.id != row.original for r in self.api.listed()):
            return self._alone(item._replace(remote=remote))
        if row.original or row.state == "processed":
            done = item._replace(step="done", remote=remote, original=row.original)
            return done._replace(note=None, tries=0, retry_ns=0, at_ns=0)
        if row.state == "failed":
            return self._failed(item._replace(remote=remote), row, now, busy)
        if not busy and row.state in _PROGRESS and now - item.at_ns > _ORPHANED_NS:
            self._process_again(now)  # after a restart the server leaves them lying
        return item._replace(remote=remote)

    def _failed(self, item: Item, row: Row, now: int, busy: bool) -> Item:
        """What failed there is processed again, later and later; the server keeps it until it succeeds."""
        if item.step == "failed" and item.retry_ns <= now and not busy:
            self._process_again(now)
            return item._replace(step="accepted", at_ns=0)
        if item.step == "failed" or now - self._reprocessed_ns < _TAKEN_UP_NS:
            return item
        wait = min(_RETRY_SECONDS * 2**item.tries, _RETRY_MOST)
        note = Message("the server could not process it: {why}", {"why": row.error[:300] or "?"})
        return item._replace(step="failed", tries=item.tries + 1, retry_ns=now + int(wait * 1e9), note=note, at_ns=0)

    def _process_again(self, now: int) -> None:
        if now - self._reprocessed_ns > _AGAIN_NS:
            self._reprocessed_ns = now
            self.api.reprocess()

    # ---- what goes -------------------------------------------------------------------

    def _remove(self, tasks: Sequence[Task], record: Record) -> float:
        """Nothing else is at work: have them deleted, or see that they are gone."""
        there = self._present(tasks)
        gone = {t.key: _after(t) for t in tasks if there[t.key] is None}
        for item in self._released([t for t in tasks if t.key in gone], record):
            gone |= {k: v for k, v in item.items() if k not in gone}
        record.put(gone)
        left = [(t, row) for t in tasks if (row := there[t.key]) is not None]
        if not left:
            return _SOON
        record.put({t.key: t.item._replace(step="deleting", remote={**t.item.remote, "id": row.id}, original="", at_ns=0) for t, row in left if t.item.step != "deleting" or t.item.remote.get("id") != row.id})  # fmt: skip
        return _SOON if self.api.delete(sorted({row.id for _, row in left})) else _BUSY

    def _present(self, tasks: Sequence[Task]) -> dict[Key, Row | None]:
        """What the server still has of them. A track tells it of one document, else all are listed once."""
        listed: list[Row] | None = None
        found: dict[Key, Row | None] = {}
        for task in tasks:
            item = task.item
            if item.original and not item.remote.get("id"):
                found[task.key] = None  # another document stands for it; that one stays
                continue
            if item.remote.get("track") and item.remote.get("id"):
                rows = self.api.tracked(str(item.remote["track"]))
            else:
                rows = listed = self.api.listed() if listed is None else listed
            found[task.key] = next((r for r in rows if _same(r, item)), None)
        return found

    def _released(self, gone: Sequence[Task], record: Record) -> list[Mapping[Key, Item | None]]:
        """Documents for which one of these stood: their own content is to be sent now."""
        ids = [str(t.item.remote["id"]) for t in gone if t.item.remote.get("id")]
        return [{key: self._alone(item)} for key, item in record.sharing(ids).items()]

    def _alone(self, item: Item) -> Item:
        """A copy whose original is gone: it stands for nothing, and its own content is to be sent."""
        return item._replace(step="deleting" if self.api.by_name else "absent", original="", digest="")

    # ---- what comes ------------------------------------------------------------------

    def _send(self, task: Task, record: Record) -> None:
        """Hand one document over, having written down that this is tried."""
        document = task.document
        assert document is not None  # noqa: S101 - only such tasks are sent
        name = remote_name(task.key)
        tried = task.item.step == "sending" and task.item.digest == task.digest
        data = self._file_of(document) if self.settings.send == "file" else None
        if self.settings.send == "file" and data is None:
            return  # it changed meanwhile: the next commit says how
        sending = Item("sending", task.digest, {"name": name})
        record.put({task.key: sending})
        try:
            sent = self.api.send_file(name, data) if data is not None else self.api.send_text(name, document.text)
        except Refused as e:
            record.put({task.key: sending._replace(step="refused", remote=EMPTY, note=e.message)})
            return
        if sent.taken:
            record.put({task.key: sending._replace(step="accepted", remote={"name": name, "track": sent.track})})
        else:
            record.put({task.key: self._there_already(task, sending, sent.track, tried)})

    def _there_already(self, task: Task, sending: Item, track: str, tried: bool) -> Item:
        """The name or the content is known there: by an earlier try of ours, by another document, or from before us."""
        name = str(sending.remote["name"])
        # a row that only says "a copy of …" keeps the name as well
        own = min((r for r in self.api.listed() if r.name == name), key=lambda r: bool(r.original), default=None)
        if own is not None:
            remote = {"name": name, "track": track or own.track, "id": own.id}
            return sending._replace(step="accepted" if tried else "deleting", remote=remote)
        other = next(iter(self.api.tracked(track)), None) if track else None
        if other is not None:  # 1.4: the same content under another name
            return sending._replace(step="done", remote={"name": name}, original=other.id)
        return sending  # what stood in the way is gone by now


def _leaves(task: Task) -> bool:
    """Whether what is there, or may be, has to go first."""
    item = task.item
    if item.step == "deleting":
        return True
    if item.step in ("accepted", "failed", "done", "sending"):
        return task.document is None or item.digest != task.digest
    return task.document is None and bool(item.remote)


def _after(task: Task) -> Item | None:
    """What is known of a document once it is gone there."""
    return Item("absent") if task.document is not None else None


def _same(row: Row, item: Item) -> bool:
    known = item.remote.get("id")
    return row.id == known if known else row.name == item.remote.get("name")
