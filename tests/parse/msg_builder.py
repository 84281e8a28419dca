"""Writes small compound files and Outlook messages for the tests (MS-CFB, MS-OXMSG)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

FREE, END, NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF
Tree = Mapping[str, "bytes | Tree"]


@dataclass
class _Entry:
    name: str
    kind: int  # 1 storage, 2 stream, 5 root
    data: bytes = b""
    child: int = NONE
    right: int = NONE
    start: int = END


def compound(tree: Tree) -> bytes:
    """A compound file of 512-byte sectors; every stream lies in the small-block area."""
    entries = [_Entry("Root Entry", 5)]
    _add(entries, 0, tree)
    mini, mini_fat = bytearray(), []
    for entry in entries:
        if entry.kind == 2 and entry.data:
            entry.start = len(mini) // 64
            blocks = -(-len(entry.data) // 64)
            mini_fat += [*range(entry.start + 1, entry.start + blocks), END]
            mini += entry.data.ljust(blocks * 64, b"\0")
    entries[0].data, entries[0].start = bytes(mini), END
    directory = b"".join(_directory(entry, bool(mini)) for entry in entries)
    parts = [directory.ljust(-(-len(directory) // 512) * 512, b"\0")]
    parts.append(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(-(-len(mini_fat) * 4 // 512) * 512, b"\xff"))
    parts.append(bytes(mini).ljust(-(-len(mini) // 512) * 512, b"\0"))
    starts, fat = [], []
    for part in parts:
        starts.append(len(fat))
        count = len(part) // 512
        fat += [*range(len(fat) + 1, len(fat) + count), END] if count else []
    fat_sectors = 1
    while (len(fat) + fat_sectors) * 4 > fat_sectors * 512:
        fat_sectors += 1
    at = len(fat)
    fat += [0xFFFFFFFD] * fat_sectors
    body = b"".join(parts)
    body = body[:116] + struct.pack("<I", starts[2] if mini else END) + body[120:]  # root's start sector
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(fat_sectors * 512, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack(
        "<IIIIIIIII", 0, fat_sectors, 0, 0, 4096, starts[1] if mini_fat else END, -(-len(parts[1]) // 512), END, 0
    )
    header += struct.pack("<109I", *(at + i if i < fat_sectors else FREE for i in range(109)))
    return header + body + table


def _add(entries: list[_Entry], parent: int, tree: Tree) -> None:
    before = None
    for name, value in tree.items():
        index = len(entries)
        entries.append(_Entry(name, 2, value) if isinstance(value, bytes) else _Entry(name, 1))
        if before is None:
            entries[parent].child = index
        else:
            entries[before].right = index
        before = index
        if not isinstance(value, bytes):
            _add(entries, index, value)


def _directory(entry: _Entry, small: bool) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    return (
        name.ljust(64, b"\0")
        + struct.pack("<HBB", len(name), entry.kind, 1)
        + struct.pack("<III", NONE, entry.right, entry.child)
        + bytes(36)
        + struct.pack("<IQ", entry.start, len(entry.data))
    )


@dataclass
class Properties:
    """Properties of a message, recipient or attachment by tag; ``page`` writes texts in an old code page."""

    texts: Mapping[int, str] = field(default_factory=dict)
    binaries: Mapping[int, bytes] = field(default_factory=dict)
    numbers: Mapping[int, int] = field(default_factory=dict)
    page: str = ""

    def tree(self, header: int) -> dict[str, bytes | Tree]:
        """The streams; ``header`` is the length of what stands before the properties."""
        fixed = b"".join(struct.pack("<HHIQ", 0x0003, tag, 6, number) for tag, number in self.numbers.items())
        made: dict[str, bytes | Tree] = {"__properties_version1.0": bytes(header) + fixed}
        kind, codec = ("001E", self.page) if self.page else ("001F", "utf-16-le")
        made |= {f"__substg1.0_{tag:04X}{kind}": text.encode(codec) for tag, text in self.texts.items()}
        return made | {f"__substg1.0_{tag:04X}0102": data for tag, data in self.binaries.items()}


def message(
    own: Properties,
    people: Sequence[Properties] = (),
    attached: Sequence[Properties] = (),
    inside: Sequence[Tree] = (),
    header: int = 32,
) -> dict[str, bytes | Tree]:
    """The tree of a message; ``inside`` are trees of messages attached to it."""
    tree = own.tree(header)
    tree |= {f"__recip_version1.0_#{i:08X}": person.tree(8) for i, person in enumerate(people)}
    tree |= {f"__attach_version1.0_#{i:08X}": item.tree(8) for i, item in enumerate(attached)}
    for i, inner in enumerate(inside, len(attached)):
        tree[f"__attach_version1.0_#{i:08X}"] = Properties().tree(8) | {"__substg1.0_3701000D": inner}
    return tree
