"""The daemon's log: a file that rotates, and stderr; sentences for people or JSON lines.

The standard library's logging underneath, so that what other packages say arrives in the same
places. A record of ours carries a :class:`~indexer.core.model.Message`: text shows it in the user's
language, JSON in English with the facts beside it.
"""

from __future__ import annotations

from .log import Log, setup
from .mask import Mask, mask_of
from .runs import RunLog

__all__ = ["Log", "Mask", "RunLog", "mask_of", "setup"]
