"""The message inside an opaque signature (S/MIME, smime.p7m): a CMS structure around plain content."""

from __future__ import annotations

SIGNED = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
DEEPEST = 12
_SEQUENCE, _OBJECT_ID, _OCTETS, _CONTENT = 0x30, 0x06, 0x04, 0xA0


def signed_content(data: bytes) -> bytes | None:
    """What was signed; None when it is enciphered, kept elsewhere or damaged."""
    try:
        outer = _children(data, 0, len(data))[0]
        kind, holder = _children(data, *outer[1:])[:2]
        if kind[0] != _OBJECT_ID or data[kind[1] : kind[2]] != SIGNED or holder[0] != _CONTENT:
            return None
        signed = _children(data, *_children(data, *holder[1:])[0][1:])
        inner = next(part for part in signed if part[0] == _SEQUENCE)
        content = _children(data, *inner[1:])[1]
        return b"".join(_octets(data, *content[1:])) or None
    except (IndexError, ValueError, StopIteration):
        return None


def _octets(data: bytes, start: int, end: int, depth: int = 0) -> list[bytes]:
    """The pieces of an octet string, which may be cut into several."""
    pieces: list[bytes] = []
    for tag, begin, stop in _children(data, start, end):
        if tag == _OCTETS:
            pieces.append(data[begin:stop])
        elif tag == _OCTETS | 0x20 and depth < DEEPEST:
            pieces.extend(_octets(data, begin, stop, depth + 1))
    return pieces


def _children(data: bytes, start: int, end: int, depth: int = 0) -> list[tuple[int, int, int]]:
    """Tag, begin and end of the elements in a stretch (BER, lengths that are not said included)."""
    found: list[tuple[int, int, int]] = []
    at = start
    while at + 1 < end:
        tag, length, begin = data[at], data[at + 1], at + 2
        if tag == 0 and length == 0:
            break  # the end of a stretch whose length was not said
        if length == 0x80:
            if depth > DEEPEST:
                raise ValueError("nested too deeply")
            inner = _children(data, begin, end, depth + 1)
            stop = _after(data, inner[-1]) if inner else begin
            found.append((tag, begin, stop))
            at = stop + 2
            continue
        if length > 0x80:
            size = length & 0x7F
            length, begin = int.from_bytes(data[begin : begin + size], "big"), begin + size
        if begin + length > end:
            raise ValueError("cut off")
        found.append((tag, begin, begin + length))
        at = begin + length
    return found


def _after(data: bytes, element: tuple[int, int, int]) -> int:
    """Where an element really ends: one of unsaid length has two zero bytes after it."""
    _, begin, stop = element
    unsaid = data[begin - 1] == 0x80 and (begin < 3 or data[begin - 2] != 0x81)
    return stop + 2 if unsaid else stop
