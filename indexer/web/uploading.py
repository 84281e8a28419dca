"""One upload: the form as it comes in, the file into its folder, and a word to the service to look at it at once."""

from __future__ import annotations

import errno
import hashlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from anyio import to_thread

from ..core.errors import DiskFull, IndexerError, ParseRefused
from ..core.model import Ask, Key, Message, display, unraw
from ..core.tables import Source
from ..docid import docid
from ..sources import receiving
from ..sources.explain import explain
from ..sources.rules import suffix
from . import upload_names
from .form import Form, Part
from .problems import Conflict, Problem

if TYPE_CHECKING:
    from .site import Site

_FIELD = 4096
_SNIFFING = threading.Lock()
"""One file at a time is held in memory to see what it is."""


class Stored(NamedTuple):
    """What lies in the folder now."""

    key: Key
    size: int
    sha256: str


class Upload:
    """Takes the parts of a form; the file has to come last, because the fields say where it goes."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.fields: dict[str, str] = {}
        self.stored: Stored | None = None

    async def read(self, stream: AsyncIterator[bytes], content_type: str) -> Stored:
        """The whole form; raises Problem."""
        async for part in Form(stream, content_type).parts():
            if self.stored is not None:
                await part.skip()
            elif part.name == "file":
                self.stored = await self._file(part)
            else:
                self.fields[part.name] = await part.text(_FIELD)
        if self.stored is None:
            raise Problem(400, "no_file", Message("There is no file in the request: it is the part named `file`."))
        return self.stored

    async def _file(self, part: Part) -> Stored:
        source = source_of(self.site, self.fields.get("source", ""))
        folder = upload_names.folder_path(self.fields.get("folder", ""))
        name = upload_names.file_name(part.filename)
        if suffix(name.encode()) not in self.site.suffixes:
            raise unsupported(suffix(name.encode()), self.site.suffixes)
        replace = self.fields.get("replace", "").casefold()
        if replace not in ("", "true", "false"):
            raise Problem(400, "replace", Message("The field replace is true or false."))
        receiver = Receiver(self.site, source, folder, name, replace == "true")
        try:
            await to_thread.run_sync(receiver.open)
            async for data in part.data():
                await to_thread.run_sync(receiver.take, data)
            return await to_thread.run_sync(receiver.done)
        finally:
            await to_thread.run_sync(receiver.close)


class Receiver:
    """The disk's part of an upload; each call runs in a thread."""

    def __init__(self, site: Site, source: Source, folder: str, name: str, replace: bool) -> None:
        self.site, self.source, self.folder, self.name, self.replace = site, source, folder, name, replace
        self._size, self._hash = 0, hashlib.sha256()
        self._opened: Any = None
        self._incoming: receiving.Incoming | None = None

    def open(self) -> None:
        """The folder, made if need be, and a temporary file in it."""

        def begin() -> None:
            self._opened = receiving.opened(self.source, self.folder, make=True)
            self._incoming = receiving.Incoming(self._opened.__enter__())

        self._disk(begin)

    def take(self, data: bytes) -> None:
        """The next bytes; raises Problem (413)."""
        self._size += len(data)
        limit = self.site.settings.serve.max_upload_mb
        if self._size > limit * 2**20:
            raise Problem(413, "too_large", Message("The file is larger than {limit} MB.", {"limit": limit}))
        self._hash.update(data)
        self._disk(lambda: self._there.write(data))

    def done(self) -> Stored:
        """Look at what it is, then give it its name; raises Problem."""
        with _SNIFFING:
            self._disk(lambda: self._judge(self._there.finish()))
        name = self.name.encode()
        try:
            name = self._disk(lambda: self._there.place(name, replace=self.replace))
        except receiving.Taken as e:
            raise Conflict(e.message, "taken") from e
        path = f"{self.folder}/{unraw(name)}" if self.folder else unraw(name)
        if not self.replace and (rule := explain(self.source, path, self.site.suffixes)) is not None:
            receiving.remove(self.source, path)
            raise Problem(400, "ignored", Message("A rule keeps this file out of the index: {why}.", {"why": rule}))
        return Stored(Key(self.source.name, path), self._size, self._hash.hexdigest())

    def close(self) -> None:
        """Whatever happened: no half file is left."""
        if self._incoming is not None:
            self._incoming.close()
        if self._opened is not None:
            self._opened.__exit__(None, None, None)

    @property
    def _there(self) -> receiving.Incoming:
        assert self._incoming is not None  # noqa: S101 - it was opened
        return self._incoming

    def _judge(self, data: bytes) -> None:
        if not data:
            raise Problem(400, "empty", Message("The file is empty."))
        try:
            judge(self.name, data)
        except ParseRefused as e:
            raise Problem(415, "content", e.message) from e

    def _disk(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except OSError as e:
            raise disk_problem(e) from e


def judge(name: str, data: bytes) -> None:
    """Raises ParseRefused when the content is of a kind that nobody reads, whatever the name says."""
    from ..parse import sniff
    from ..parse.formats import SUFFIXES

    if (parser := SUFFIXES.get(suffix(name.encode()))) is not None:
        sniff.check(parser, data)


def disk_problem(e: OSError) -> Exception:
    """What the operating system refused."""
    if e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull("There is no room left on the disk; nothing was changed.")
    if e.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Conflict(Message("The folder cannot be written by the service."), "read_only")
    if e.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
        return Problem(400, "name", Message("The file system does not take this name."))
    return IndexerError("The disk failed while a file was received ({why}).", why=e.strerror or str(e))


def source_of(site: Site, name: str) -> Source:
    """The source an upload goes to: the named one, else the first."""
    for source in site.settings.sources:
        if not name or display(source.name) == name or source.name == name:
            return source
    known = ", ".join(display(s.name) for s in site.settings.sources)
    raise Problem(
        400,
        "source",
        Message("There is no source {name}; the sources are {names}.", {"name": name[:100], "names": known}),
    )


def unsupported(ending: str, suffixes: frozenset[str]) -> Problem:
    """415, with what is supported."""
    words = {"suffix": ending or "-", "suffixes": ", ".join(sorted(suffixes))}
    return Problem(415, "suffix", Message("Files of the type {suffix} cannot be read. These can: {suffixes}", words))


def look_at(site: Site, key: Key, ask: Ask) -> str:
    """Have the service look at one document before everything else; the request's id."""
    return site.requests.add(site.ask(ask._replace(paths=(key,), urgent=True, since_ns=site.now_ns())))


def told(site: Site, stored: Stored, ask: Ask) -> dict[str, Any]:
    """The answer to an upload."""
    return {
        "document": docid(stored.key), "source": display(stored.key.source), "path": display(stored.key.path),
        "size": stored.size, "sha256": stored.sha256, "request": look_at(site, stored.key, ask),
    }  # fmt: skip
