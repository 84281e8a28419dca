"""Ways to break a file: bytes, lengths, blocks, zip members, XML trees, text. All from one dice, so repeatable."""

from __future__ import annotations

import copy
import io
import random
import re
import zipfile
from collections.abc import Callable

from lxml import etree

LARGEST = 2 << 20  # bytes of a mutant
NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
WORDS = (b"-1", b"0", b"99999999", b"4294967295", b"2147483648", b"99999999999999999999", b"1e309", b"NaN", b"0x10")
VALUES = (
    "",
    "-1",
    "0",
    "1048576",
    "99999999999999999999",
    "true",
    "NaN",
    "\U0001f600",
    "../../../etc/passwd",
    "file:///etc/passwd",
)
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">'
    b'<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e SYSTEM "file:///etc/passwd">]>'
)
Dice = random.Random


def flip(data: bytearray, dice: Dice) -> bytes:
    """Up to 64 bits turned."""
    for _ in range(dice.choice((1, 2, 8, 64))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def cut(data: bytearray, dice: Dice) -> bytes:
    """The end is missing, as after a broken copy."""
    return bytes(data[: dice.randrange(len(data))])


def headless(data: bytearray, dice: Dice) -> bytes:
    """The first bytes are missing, or junk stands before them."""
    at = dice.randrange(min(len(data), 600))
    return bytes(data[at:]) if dice.random() < 0.5 else dice.randbytes(at) + bytes(data)


def overwrite(data: bytearray, dice: Dice) -> bytes:
    """A stretch of zeros, of 0xFF or of noise."""
    at, size = _stretch(data, dice)
    data[at : at + size] = dice.choice((bytes(size), b"\xff" * size, dice.randbytes(size)))
    return bytes(data)


def repeat(data: bytearray, dice: Dice) -> bytes:
    """A block stands there up to 200 times."""
    at, size = _stretch(data, dice)
    return bytes(data[:at] + bytes(data[at : at + size]) * dice.choice((2, 3, 20, 200)) + data[at + size :])


def swap(data: bytearray, dice: Dice) -> bytes:
    """Two blocks have changed places."""
    first, second, third = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    return bytes(data[:first] + data[second:third] + data[first:second] + data[third:])


def lengths(data: bytearray, dice: Dice) -> bytes:
    """Binary numbers become the ends of their ranges."""
    for _ in range(dice.choice((1, 3, 10))):
        size = dice.choice((1, 2, 4, 8))
        at = dice.randrange(max(1, len(data) - size))
        value = dice.choice(NUMBERS) & (256**size - 1)
        data[at : at + size] = value.to_bytes(size, dice.choice(("little", "big")))
    return bytes(data)


def digits(data: bytearray, dice: Dice) -> bytes:
    """Written numbers become huge, negative, or none."""
    found = list(re.finditer(rb"\d++", data))
    for match in sorted(dice.sample(found, min(len(found), dice.choice((1, 2, 8)))), key=lambda m: -m.start()):
        data[match.start() : match.end()] = dice.choice(WORDS)
    return bytes(data)


def nest(data: bytearray, dice: Dice) -> bytes:
    """Brackets, quotes or tags by the thousand in the middle."""
    opening = dice.choice(
        (
            b"[",
            b"{",
            b"(",
            b'{"a":',
            b"<b>",
            b"<div>",
            b"{\\b ",
            b'"',
            b'""',
            b"<<",
            b"> ",
            b"  ",
            b"*",
            b"/*",
            b"${",
            b"`",
        )
    )
    at = dice.randrange(len(data) + 1)
    return bytes(data[:at]) + opening * dice.choice((50, 3_000, 60_000)) + bytes(data[at:])


def entities(data: bytearray, dice: Dice) -> bytes:
    """A document type with entities before the root, and their use."""
    at = max(0, data.find(b"?>") + 2 if data.startswith(b"<?xml") else 0)
    body = bytes(data[at:]).replace(
        b"</", dice.choice((b"&d;</", b"&e;</", b"&nbsp;</", b"&#0;</", b"&#x110000;</")), 3
    )
    return bytes(data[:at]) + LAUGHS + body


def recode(data: bytearray, dice: Dice) -> bytes:
    """The text in another encoding than it says, or with line ends of another kind, or none."""
    text = bytes(data).decode("utf-8", "replace")
    way = dice.randrange(6)
    if way < 4:
        return text.encode(("utf-16", "gb18030", "utf-32-be", "cp037")[way], "replace")
    return text.replace("\n", "\r" if way == 4 else " ").encode("utf-8", "replace")


def tree(data: bytearray, dice: Dice) -> bytes:
    """Elements removed, copied into each other, renamed, with odd attributes and odd text."""
    try:
        root = etree.fromstring(bytes(data), etree.XMLParser(resolve_entities=False, huge_tree=True))
    except (etree.XMLSyntaxError, ValueError):
        return flip(data, dice)
    for _ in range(dice.randint(1, 12)):
        elements = [e for e in root.iter() if isinstance(e.tag, str)][:5000]
        element, other = dice.choice(elements), dice.choice(elements)
        action, parent = dice.randrange(6), element.getparent()
        if action == 0 and parent is not None:
            parent.remove(element)
        elif action == 1 and len(elements) < 3000:
            element.append(copy.deepcopy(other))
        elif action == 2:
            element.tag = other.tag
        elif action == 3 and element.attrib:
            element.set(dice.choice(sorted(map(str, element.attrib))), dice.choice(VALUES))
        elif action == 4:
            element.text = dice.choice((None, "\u202e\u0085", "x" * 100_000, *VALUES))
        elif action == 5:
            _deepen(element, dice.choice((20, 300, 3_000)))
    return bytes(etree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _deepen(element: etree._Element, levels: int) -> None:
    """The element inside itself, by name, so many times."""
    inner = element
    for _ in range(levels):
        inner = etree.SubElement(inner, element.tag)
    inner.text = "deep"


def package(data: bytearray, dice: Dice) -> bytes:
    """A member renamed, lost, doubled, exchanged, or broken inside and packed again."""
    try:
        with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
            members = [(info, archive.read(info)) for info in archive.infolist()]
    except Exception:
        return flip(data, dice)
    for _ in range(dice.choice((1, 1, 3))):
        if not members:
            break
        at, other = dice.randrange(len(members)), dice.randrange(len(members))
        info, body = members[at]
        match dice.randrange(8):
            case 0:
                info.filename = dice.choice(
                    ("x" + info.filename, info.filename.upper(), "../" + info.filename, "a" * 300)
                )
            case 1:
                del members[at]
            case 2:
                members.append((copy.copy(info), body))
            case 3:
                members[at] = (info, members[other][1])
            case _ if body:
                members[at] = (
                    info,
                    dice.choice((flip, cut, repeat, digits, entities, nest, tree, tree, tree))(bytearray(body), dice),
                )
    return _packed(members)


def _packed(members: list[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for info, body in members:
            archive.NameToInfo.pop(info.filename, None)  # two of one name are wanted, a warning is not
            archive.writestr(info, body[: 4 * LARGEST])
    return buffer.getvalue()


BYTES: tuple[Callable[[bytearray, Dice], bytes], ...] = (flip, cut, headless, overwrite, repeat, swap, lengths, digits)
TEXTS = (nest, entities, recode, tree)


def mutate(data: bytes, donor: bytes, dice: Dice) -> tuple[str, bytes]:
    """The name of the way and the broken file; ``donor`` gives foreign blocks."""
    ways = list(BYTES)
    if data.startswith(b"PK"):
        ways += [package] * 12
    elif b"\0" not in data[:1000]:
        ways += TEXTS * 2
    if dice.random() < 0.05:
        at, from_ = dice.randrange(len(data) + 1), dice.randrange(len(donor))
        return "splice", (data[:at] + donor[from_ : from_ + 5000] + data[at:])[:LARGEST]
    way = dice.choice(ways)
    return way.__name__, way(bytearray(data), dice)[:LARGEST]


def _stretch(data: bytearray, dice: Dice) -> tuple[int, int]:
    at = dice.randrange(len(data))
    return at, dice.choice((1, 16, 512, 4096))
