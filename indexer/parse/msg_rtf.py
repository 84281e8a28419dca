"""The compressed RTF body of an Outlook message (MS-OXRTFCP)."""

from __future__ import annotations

import struct

_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_COMPRESSED, _PLAIN = b"LZFu", b"MELA"
MOST = 64 << 20


def decompressed(data: bytes) -> bytes:
    """The RTF; what could be read of it when the stream is damaged."""
    if len(data) < 16:
        return b""
    size, kind = struct.unpack_from("<I", data, 4)[0], data[8:12]
    if kind == _PLAIN:
        return data[16 : 16 + size]
    return _inflate(data[16:], min(size, MOST)) if kind == _COMPRESSED else b""


def _inflate(data: bytes, size: int) -> bytes:
    window = bytearray(_START.ljust(4096, b" "))
    write, out, at = len(_START), bytearray(), 0
    while at < len(data) and len(out) < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                piece = data[at : at + 1]
                at += 1
            elif at + 1 < len(data):
                token = data[at] << 8 | data[at + 1]
                at += 2
                start, length = token >> 4, (token & 0xF) + 2
                if start == write:
                    return bytes(out)
                piece = None
            else:
                return bytes(out)
            for step in range(length if piece is None else len(piece)):
                byte = window[(start + step) % 4096] if piece is None else piece[step]
                window[write] = byte
                write = (write + 1) % 4096
                out.append(byte)
    return bytes(out)
