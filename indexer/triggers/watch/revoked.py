"""Files that may not be read any more: hidden at the second look, so the second look must come."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

from .debounce import Path

_MOST = 1000


class Revoked:
    """Remembers files found without permission to read, until they were asked about twice."""

    def __init__(self, roots: Mapping[str, bytes], wait: float) -> None:
        self._roots, self._wait = roots, wait
        self._known: dict[Path, float | None] = {}

    def note(self, paths: Iterable[Path], at: float) -> None:
        """What is being asked about; ``at``: monotonic seconds."""
        for path in paths:
            if not self._denied(path):
                self._known.pop(path, None)
            elif path not in self._known and len(self._known) < _MOST:
                self._known[path] = at + self._wait

    def due(self, at: float) -> list[Path]:
        """What must be asked about a second time now; said once."""
        found = [path for path, when in self._known.items() if when is not None and when <= at]
        self._known |= dict.fromkeys(found)
        return found

    def _denied(self, path: Path) -> bool:
        full = os.path.join(self._roots[path[0]], path[1])
        try:
            return stat.S_ISREG(os.lstat(full).st_mode) and not os.access(full, os.R_OK)
        except OSError:
            return False
