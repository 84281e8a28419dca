"""The scripts of a soak use modules of other folders of tests."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(TESTS / name) for name in ("laws", "service", "sources", "parse") if str(TESTS / name) not in sys.path
]
