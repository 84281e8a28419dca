"""Permissions that count for root too."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

_READ_EVERYTHING = (1 << 1) | (1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


@contextlib.contextmanager
def ordinary() -> Iterator[None]:
    """Root's right to read everything is given up (by this thread); a no-op for anybody else."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, data)
    before = data[0]
    data[0] &= ~_READ_EVERYTHING
    libc.capset(header, data)
    try:
        yield
    finally:
        data[0] = before
        libc.capset(header, data)
