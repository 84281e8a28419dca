"""Whether the folder of a source is the one that is watched: away, back, replaced, mounted over."""

from __future__ import annotations

import os
import stat
from enum import Enum
from typing import NamedTuple


class _Identity(NamedTuple):
    device: int
    inode: int
    open: bool


class Seen(Enum):
    """What a look at the root found, compared with the look before."""

    SAME = "same"
    GONE = "gone"
    STILL_GONE = "still gone"
    ANOTHER = "another"


class Root:
    """Remembers which folder a path led to when it was last looked at."""

    def __init__(self, path: str) -> None:
        self.path = os.fsencode(path)
        self._known = self._identity()

    @property
    def there(self) -> bool:
        """Whether it was there at the last look."""
        return self._known is not None

    def look(self) -> Seen:
        """Look again."""
        before, self._known = self._known, self._identity()
        if self._known is None:
            return Seen.STILL_GONE if before is None else Seen.GONE
        return Seen.SAME if self._known == before else Seen.ANOTHER

    def _identity(self) -> _Identity | None:
        try:
            st = os.stat(self.path)
        except OSError:
            return None
        if not stat.S_ISDIR(st.st_mode):
            return None
        return _Identity(st.st_dev, st.st_ino, os.access(self.path, os.R_OK | os.X_OK))
