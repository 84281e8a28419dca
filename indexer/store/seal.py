"""A hash over what a reader needs to embed a query rightly, so that verify can prove it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

SEALED = ("identity", "embedding", "dimension", "probe")


def seal(facts: Mapping[str, Any]) -> str:
    """Hex SHA-256 over the sealed facts of a catalog's meta table."""
    parts = [v if isinstance(v, bytes) else str(v).encode() for v in map(facts.get, SEALED)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
