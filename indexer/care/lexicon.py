"""The lexical index of older segments made, and of damaged ones made again: from their texts, without the model."""

from __future__ import annotations

import hashlib

from ..core.errors import StoreDamaged
from ..core.model import Message
from ..store import disk, texts
from ..store.catalog import stamp
from ..store.local import Store
from ..store.schema import UNFILLED
from ..store.texts import Texts, key_of
from . import upkeep


def fill(store: Store) -> bool:
    """Give each segment of an older format its lexical index, one transaction a segment; whether there was one.

    Readers go on with what they have; a run that ends in between leaves the rest to the next.
    """
    if not store.catalog.meta(UNFILLED):
        return False
    filled = False
    for (segment,) in store.catalog.db.all("SELECT id FROM segment ORDER BY first"):
        if not _indexed(store, segment):
            upkeep.rewrite(store, [segment])
            filled = True
    with store.catalog.db.write():
        store.catalog.set_meta(**{UNFILLED: 0})
    return filled


def _indexed(store: Store, segment: int) -> bool:
    opened = Texts(store.segment_paths(segment)[1])
    try:
        return opened.words() is not None
    finally:
        opened.close()


def mend(store: Store, *, prove: bool = False) -> list[Message]:
    """Make damaged lexical indexes again where every text still is what its key says; ``prove``: hash every file."""
    mended = []
    for segment, sha, known in store.catalog.db.all("SELECT id,texts_sha,texts_stamp FROM segment ORDER BY id"):
        path = store.segment_paths(segment)[1]
        if upkeep.holds(path, sha, "" if prove else known) or not texts_hold(store, segment):
            continue
        _again(store, segment, sha)
        mended.append(Message("The lexical index of a damaged segment was made again ({path}).", {"path": str(path)}))
    return mended


def texts_hold(store: Store, segment: int) -> bool:
    """Whether a segment's text file holds the texts of its passages, whatever became of the rest of it."""
    try:
        opened = Texts(store.segment_paths(segment)[1])
    except (FileNotFoundError, StoreDamaged):
        return False
    try:
        items = list(opened.items())
    except (IndexError, ValueError, OverflowError):
        return False
    finally:
        opened.close()
    first, last, count = store.catalog.db.one("SELECT first,last,count FROM segment WHERE id=?", (segment,)) or (
        0,
        0,
        0,
    )
    known: dict[int, bytes] = dict(
        store.catalog.db.all("SELECT id,key FROM passage WHERE id BETWEEN ? AND ?", (first, last))
    )
    if len(items) != count or not items or (items[0][0], items[-1][0]) != (first, last):
        return False
    return all(known.get(i) == key_of(text.decode("utf-8", "replace")) for i, text in items)


def _again(store: Store, segment: int, sha: bytes) -> None:
    """Write the file as it was; a segment of another version's tokens gives way to a new one."""
    path = store.segment_paths(segment)[1]
    opened = Texts(path)
    ids, data = [i for i, _ in opened.items()], [t for _, t in opened.items()]
    opened.close()
    made = texts.encode(ids, data)
    if hashlib.sha256(made).digest() != sha:
        upkeep.rewrite(store, [segment])
        return
    disk.write_new(path, made)
    with disk.failures_named(path.parent), store.catalog.db.write():
        store.catalog.db.run("UPDATE segment SET texts_stamp=? WHERE id=?", (stamp(path), segment))
