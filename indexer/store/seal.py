"""A hash over the facts of a catalog's meta table, so that verify can prove them.

They decide how a query is embedded, which commits can be searched and what a run does next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

SEAL = "seal"


def seal(facts: Mapping[str, Any]) -> str:
    """Hex SHA-256 over all facts but the seal itself."""
    digest = hashlib.sha256()
    for name, value in sorted(facts.items()):
        if name != SEAL:
            data = value if isinstance(value, bytes) else str(value).encode()
            digest.update(f"{name} {len(data)} ".encode() + data)
    return digest.hexdigest()
