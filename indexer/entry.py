"""The console script: the no-change answer first, the product when it is needed."""

from __future__ import annotations

import sys


def main() -> int:
    """Exit code of one command."""
    from .quick import attempt

    code = attempt(sys.argv[1:])
    if code is not None:
        return code
    from .cli import main as full

    return full()
