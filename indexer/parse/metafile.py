"""The text drawn in a Windows metafile (EMF, WMF): previews of embedded objects, pasted charts and drawings."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

_EMF_TEXT = 84  # EMR_EXTTEXTOUTW
_WMF_TEXT, _WMF_EXT_TEXT = 0x0521, 0x0A32
MOST_CHARS = 20_000  # of one picture
MOST_RECORDS = 500_000


class _Run(NamedTuple):
    """A piece of text: where it begins and ends, on which line, in the units of the picture."""

    text: str
    left: int
    right: int
    line: int


def metafile_lines(data: bytes) -> list[str]:
    """The lines of text in the order of drawing; [] for a picture of another kind, or a damaged one."""
    if len(data) > 44 and data[40:44] == b" EMF":
        return list(_joined(_emf(data)))
    return list(_joined(_wmf(data)))


def _joined(runs: Iterator[_Run]) -> Iterator[str]:
    """Runs on one line belong together; programs draw a word in pieces."""
    line, last, total = "", None, 0
    for run in runs:
        total += len(run.text)
        if total > MOST_CHARS:
            break
        width = (run.right - run.left) / max(1, len(run.text))
        if last is not None and run.line == last.line and run.left >= last.left:
            line += ("" if run.left - last.right < width * 0.3 else " ") + run.text
        else:
            if line.strip():
                yield " ".join(line.split())
            line = run.text
        last = run
    if line.strip():
        yield " ".join(line.split())


def _emf(data: bytes) -> Iterator[_Run]:
    at = 0
    for _ in range(MOST_RECORDS):
        if at + 8 > len(data):
            return
        kind, size = struct.unpack_from("<II", data, at)
        if size < 8 or at + size > len(data):
            return
        if kind == _EMF_TEXT and size >= 76:
            run = _emf_run(data[at : at + size])
            if run is not None:
                yield run
        at += size


def _emf_run(record: bytes) -> _Run | None:
    left, line, count, start, options = struct.unpack_from("<iiIII", record, 36)
    widths = struct.unpack_from("<I", record, 72)[0]
    if options & 0x10 or not 0 < count <= 4096 or start + 2 * count > len(record):
        return None  # glyph numbers are no characters
    text = record[start : start + 2 * count].decode("utf-16-le", "replace").replace("\0", "")
    right = left
    if widths > 0 and widths + 4 * count <= len(record):
        right += sum(struct.unpack_from(f"<{count}I", record, widths)) & 0xFFFFFF
    return _Run(text, left, right, line)


def _wmf(data: bytes) -> Iterator[_Run]:
    at = 22 if data[:4] == b"\xd7\xcd\xc6\x9a" else 0
    if len(data) < at + 18 or struct.unpack_from("<HH", data, at) not in ((1, 9), (2, 9)):
        return
    at += 18
    for _ in range(MOST_RECORDS):
        if at + 6 > len(data):
            return
        words, kind = struct.unpack_from("<IH", data, at)
        record = data[at + 6 : at + 2 * words]
        if words < 3:
            return
        run = _wmf_run(kind, record)
        if run is not None:
            yield run
        at += 2 * words


def _wmf_run(kind: int, record: bytes) -> _Run | None:
    if kind == _WMF_EXT_TEXT and len(record) >= 8:
        line, left, count, options = struct.unpack_from("<hhHH", record)
        start = 16 if options & 6 else 8
    elif kind == _WMF_TEXT and len(record) >= 2:
        count, start = struct.unpack_from("<H", record)[0], 2
        end = start + count + count % 2
        if len(record) < end + 4:
            return None
        line, left = struct.unpack_from("<hh", record, end)
    else:
        return None
    raw = record[start : start + count]
    if not raw or len(raw) < count:
        return None
    from .mail_headers import to_text

    return _Run(to_text(raw).replace("\0", ""), left, left, line)
