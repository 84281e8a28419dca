"""The console script: the no-change answer first, the product when it is needed."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Exit code of one command."""
    from .quick import attempt

    code = attempt(sys.argv[1:])
    if code is not None:
        return code
    # numpy's own thread pool is of no use here and costs 0.1 s of CPU to start
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .cli import main as full

    return full()
