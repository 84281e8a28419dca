"""The console script: the no-change answer first, the product when it is needed."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Exit code of one command."""
    from .quick import attempt

    done = attempt(sys.argv[1:])
    if isinstance(done, int):
        return done
    # numpy's own thread pool is of no use here and costs 0.1 s of CPU to start
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from .cli import main as full

    try:
        return full(walked=done)
    finally:
        if done is not None:
            done.close()
