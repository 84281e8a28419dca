"""What ``verify`` says: one thing that does not hold, and which repair it needs."""

from __future__ import annotations

from typing import NamedTuple

from ..core.model import Message

VECTORS = "vectors"  # embedded again from their texts, as the lexical index is made again from them
CATALOG = "catalog"  # given up for a snapshot, or made anew
RECORDS = "records"  # folder records are written again from the documents
LOST = "lost"  # commits at the end of the log; what lies in the folders is indexed again
SNAPSHOT = "snapshot"  # removed
TRAIL = "audit"  # audit entries: put back from a snapshot, else an entry says what is missing


class Finding(NamedTuple):
    """One thing that does not hold. ``what`` says which repair it needs."""

    what: str
    message: Message
