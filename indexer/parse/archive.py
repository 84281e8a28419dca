"""Hostile containers: zip members inflated under a limit, XML without entities or network.

Used by the parsers of zip-based formats, inside the worker. Everything raises ParseRefused
with a reason that names the limit or the trick.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.core.errors import ParseRefused
from indexer.core.tables import ParseLimits

if TYPE_CHECKING:
    from lxml.etree import _Element

BLOCK = 1 << 18  # bytes inflated between two looks at the sum
MAX_MEMBERS = 20_000
# Real Office XML inflates 5 to 60 fold; deflate cannot exceed 1,032 fold.
MAX_RATIO = 250
RATIO_FROM = 16 << 20  # below this much output a high ratio harms nobody
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Budget:
    """How much may be inflated in all (MiB), and how far a member may grow over its packed size."""

    def __init__(self, limit_mb: int) -> None:
        self._limit_mb = limit_mb
        self._inflated = 0

    def charge(self, block: int, size: int, packed: int) -> None:
        """Count ``block`` more bytes of a member that has ``size`` by now; raises ParseRefused."""
        self._inflated += block
        if self._inflated > self._limit_mb << 20:
            raise ParseRefused(
                "The file expands to more than the size limit of {limit} MB; split it, or raise inflated_mb",
                limit=self._limit_mb,
            )
        if size > RATIO_FROM and size > packed * MAX_RATIO:
            raise ParseRefused(
                "The file expands more than {limit} fold, as a zip bomb does; save it again with its application",
                limit=MAX_RATIO,
            )


class Archive:
    """The members of a zip file in memory, read under one common budget."""

    def __init__(self, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], limits: ParseLimits) -> None:
        self._archive = archive
        self._members = members
        self._budget = Budget(limits.inflated_mb)

    def names(self) -> tuple[str, ...]:
        """Member names as "a/b.xml" in the order of the archive, folders left out."""
        return tuple(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        KeyError if there is none; ParseRefused when the sum of everything read so far would
        exceed ``inflated_mb``, when a member inflates more than 250 fold, or is damaged.
        """
        return b"".join(self.blocks(name, self._budget))

    def blocks(self, name: str, budget: Budget) -> Iterator[bytes]:
        """The bytes of a member in pieces, counted in ``budget``; raises as :meth:`read` does.

        A refusal has a ``__cause__`` when the member is damaged, none when a limit was met.
        """
        info, size = self._members[name], 0
        try:
            with self._archive.open(info) as stream:
                while block := stream.read(BLOCK):
                    size += len(block)
                    budget.charge(len(block), size, info.compress_size)
                    yield block
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
            raise ParseRefused(
                "The file is damaged: {part} inside it cannot be unpacked. Restore it from a good copy", part=name[:100]
            ) from error


@contextmanager
def depth_refused() -> Iterator[None]:
    """A document whose parts lie in one another without end is refused, not a mistake of the parser."""
    try:
        yield
    except RecursionError as error:
        raise ParseRefused(
            "The file is nested too deeply, as no office program writes it; save it again with its application, or exclude it"
        ) from error


def open_zip(data: bytes, limits: ParseLimits) -> Archive:
    """Opens a zip file held in memory after judging its directory; nothing is inflated yet."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ParseRefused(
            "The file is damaged: it is cut off or no zip package. Restore it from a good copy"
        ) from error
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MAX_MEMBERS:
        raise ParseRefused("The file has more than the limit of {limit} parts; split it", limit=MAX_MEMBERS)
    if sum(info.compress_size for info in infos) > len(data):
        raise ParseRefused("The parts of the file overlap, as in a zip bomb; save it again with its application")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = _member_name(info)
        if name in members:
            raise ParseRefused("The file has two parts named {part}; save it again with its application", part=name)
        members[name] = info
    return Archive(archive, members, limits)


def _member_name(info: zipfile.ZipInfo) -> str:
    # Some generators write backslashes; a part is looked up with slashes only.
    name = info.filename.replace("\\", "/")
    if info.flag_bits & 0x1:
        raise ParseRefused("The file is protected by a password; save it without one")
    if name.startswith("/") or ".." in name.split("/") or "\0" in name or ":" in name.split("/")[0]:
        raise ParseRefused(
            "The file has a part that points outside of it: {part}. Save it again with its application, or exclude it",
            part=name[:100],
        )
    if info.compress_type not in METHODS:
        raise ParseRefused(
            "The file is packed with an unusual method; save it again with its application",
        )
    return name


def parse_xml(data: bytes) -> _Element:
    """The root element; a document type (the door to entities) is refused, nothing is fetched.

    The caller's bytes come from :meth:`Archive.read`, so the tree is bounded by its budget.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # long text nodes; the size is bounded by the archive's budget
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        detail = " ".join(str(error).split())[:120]
        raise ParseRefused("The file is damaged: {detail}. Restore it from a good copy", detail=detail) from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise ParseRefused(
            "The file declares XML entities, which no office program writes; save it again with its application, or exclude it"
        )
    return root
