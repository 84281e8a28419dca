"""Hostile zip and XML: refused while inflating, by a stated limit."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits
from indexer.parse.archive import open_zip, parse_xml

LIMITS = ParseLimits(inflated_mb=20)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # duplicate names are on purpose
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def test_members_are_read() -> None:
    """Names in order without folders; backslashes are slashes."""
    archive = open_zip(zipped(("word/", b""), ("word\\a.xml", b"1"), ("b.xml", b"2")), LIMITS)
    assert archive.names() == ("word/a.xml", "b.xml")
    assert archive.read("word/a.xml") == b"1"
    assert "b.xml" in archive
    with pytest.raises(KeyError):
        archive.read("none.xml")


def test_the_sum_of_all_members_is_limited() -> None:
    """Twenty parts of 2 MB are as much as one of 40."""
    noise = bytes(range(256)) * 8192
    archive = open_zip(zipped(*((f"{n}.xml", noise) for n in range(20)), method=zipfile.ZIP_STORED), LIMITS)
    with pytest.raises(ParseRefused, match="size limit of 20 MB"):
        list(map(archive.read, archive.names()))


def test_a_bomb_is_refused_by_its_ratio() -> None:
    """Deflated zeros stop long before the size limit of a generous setting."""
    archive = open_zip(zipped(("word/document.xml", bytes(100 << 20))), ParseLimits(inflated_mb=1000))
    with pytest.raises(ParseRefused, match="bomb"):
        archive.read("word/document.xml")


def test_the_declared_size_is_not_believed() -> None:
    """A member that lies about its size is still counted while it inflates."""
    data = bytearray(zipped(("a.xml", bytes(30 << 20))))
    entry = data.rindex(b"PK\1\2")
    struct.pack_into("<I", data, entry + 24, 10)
    with pytest.raises(ParseRefused):
        open_zip(bytes(data), LIMITS).read("a.xml")


@pytest.mark.parametrize("name", ["../a.xml", "/a.xml", "a/../../b", "C:/a.xml", "..\\a.xml"])
def test_names_that_point_outside_are_refused(name: str) -> None:
    """No part may leave the package."""
    with pytest.raises(ParseRefused, match="points outside"):
        open_zip(zipped((name, b"x")), LIMITS)


def test_two_parts_of_one_name_are_refused() -> None:
    """Two programs would read two different documents."""
    with pytest.raises(ParseRefused, match="two parts"):
        open_zip(zipped(("a.xml", b"1"), ("a.xml", b"2")), LIMITS)


def test_encrypted_members_are_a_password() -> None:
    """The reason names the password, not a broken archive."""
    data = bytearray(zipped(("a.xml", b"secret")))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    with pytest.raises(ParseRefused, match="password"):
        open_zip(bytes(data), LIMITS)


def test_unusual_methods_are_refused() -> None:
    """LZMA and its dictionaries have no place in an office file."""
    with pytest.raises(ParseRefused, match="unusual method"):
        open_zip(zipped(("a.xml", b"x"), method=zipfile.ZIP_LZMA), LIMITS)


def test_overlapping_members_are_refused() -> None:
    """Many directory entries over one body are a bomb without nesting."""
    data = zipped(("a.xml", bytes(range(256)) * 64), method=zipfile.ZIP_STORED)
    start = data.rindex(b"PK\1\2")
    entry, end = data[start:-22], bytearray(data[-22:])
    entries = b"".join(entry.replace(b"a.xml", b"%c.xml" % letter) for letter in b"abcdefgh")
    struct.pack_into("<HHI", end, 8, 8, 8, len(entries))
    with pytest.raises(ParseRefused, match="overlap"):
        open_zip(data[:start] + entries + bytes(end), LIMITS)


@pytest.mark.parametrize("cut", [10, 60, 100])
def test_cut_archives_are_damage(cut: int) -> None:
    """A half-copied file is told as such."""
    data = zipped(("a.xml", bytes(range(256)) * 16))
    with pytest.raises(ParseRefused, match="damaged"):
        open_zip(data[: len(data) - cut], LIMITS).read("a.xml")


def test_flipped_bytes_are_damage() -> None:
    """The checksum of a part is checked."""
    data = bytearray(zipped(("a.xml", bytes(range(256)) * 16), method=zipfile.ZIP_STORED))
    data[100] ^= 1
    with pytest.raises(ParseRefused, match=r"damaged: a\.xml"):
        open_zip(bytes(data), LIMITS).read("a.xml")


ENTITY = b'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><r>&b;</r>'
EXTERNAL = b'<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>'


@pytest.mark.parametrize(
    "data",
    [
        ENTITY,
        EXTERNAL,
        ENTITY.decode().encode("utf-16"),
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r>&x;</r>',
    ],
)
def test_document_types_are_refused(data: bytes) -> None:
    """Entities, internal or from files and the network, are never expanded."""
    with pytest.raises(ParseRefused, match="entities"):
        parse_xml(data)


def test_xml_is_parsed_or_damage() -> None:
    """A well-formed part gives its root, a broken one a reason on one line."""
    assert parse_xml(b"<r><!-- c --><?pi x?><a>t</a></r>")[0].text == "t"
    with pytest.raises(ParseRefused, match="damaged") as caught:
        parse_xml(b"<r>\n<a></r>")
    assert "\n" not in str(caught.value)
