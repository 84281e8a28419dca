"""Old audit entries leave from the front, and not in silence."""

from __future__ import annotations

import json

from ..core.errors import StoreDamaged
from ..store import audit
from ..store.author import whoami
from ..store.local import Store

_DAY_NS = 86_400 * 10**9


def forget(store: Store, days: int, now_ns: int) -> int:
    """Remove the entries older than so many days (0: none) from the front; returns how many.

    Number and hash of the last one stay, and the next entry says what was removed, when and by
    whom: what is left proves itself as before. The newest entry stays, and so does all behind
    one that cannot be read.
    """
    db, last, count = store.catalog.db, None, 0
    newest = db.value("SELECT max(n) FROM audit")
    if not days or newest is None:
        return 0
    with db.read():
        for n, stored in audit.rows(db):
            try:
                entry = audit.unpack(n, stored)
            except StoreDamaged:
                break
            if n == newest or entry.facts["at"] >= now_ns - days * _DAY_NS:
                break
            last, count = entry, count + 1
    if last is None:
        return 0
    total = count + int(audit.removed(store.catalog).get("entries", 0))
    facts = {"commit": last.n, "hash": last.hash.hex(), "at": now_ns, "actor": whoami(), "entries": total}
    with db.write():
        db.run("DELETE FROM audit WHERE n<=?", (last.n,))
        store.catalog.set_meta(**{audit.REMOVED: json.dumps(facts)})
    return count
