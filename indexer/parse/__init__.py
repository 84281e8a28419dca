"""Bytes to sections: which parser reads which suffix, and where it runs.

    text, markdown …    decoded here: codecs and fixed scans, nothing is interpreted
    everything else     in the worker process: see `formats.SUFFIXES`
    configured suffix   a LangChain BaseLoader on a private copy, in the worker process

A parser is a module of this package with ``VERSION: str`` and
``parse(data: bytes, limits: ParseLimits) -> Parsed``; one named ``module:form`` gets the form as
its third argument. It raises ParseRefused for a file that
will not parse however often it is tried; anything else it raises is turned into a one-line
reason by the worker. Its third-party imports stand inside functions, so that ``VERSION`` can
be read without paying for them. Raise ``VERSION`` when the same bytes give another text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from threading import BoundedSemaphore, Condition, Lock
from typing import TYPE_CHECKING

from indexer.core.errors import ConfigError, FileProblem, ParseRefused
from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

from .call import call
from .formats import IN_PROCESS, LIBRARIES, PROGRAMS, SUFFIXES, VERSIONS

if TYPE_CHECKING:
    from .netblock import Role
    from .sandbox import Sandbox

RETURN_SECONDS = 5.0  # for killed workers to be taken away


class Parsers:
    """The `Parser` port: dispatch by suffix, corrected by content, hostile bytes in a worker.

    ``loaders`` maps a suffix such as ".rst" to ``package.module:LoaderClass``; a configured
    suffix replaces a built-in one; ``network`` lets them reach one. ``workers`` is the number of worker processes that may run
    at once; ``parse`` may be called from any number of threads, which wait for one. Nothing is started before the first
    file that needs a worker.
    """

    def __init__(
        self,
        limits: ParseLimits,
        loaders: Mapping[str, str] | None = None,
        workers: int = 1,
        network: bool = False,
    ) -> None:
        self._limits = limits
        self._loaders = {_suffix_key(suffix): _loader_spec(spec) for suffix, spec in (loaders or {}).items()}
        self._loader: Role = "networked" if network else "loader"
        self._free = BoundedSemaphore(max(1, workers))
        self._pool: dict[Role, list[Sandbox]] = {}  # each kind of worker may do just what it must
        self._generation = 0  # raised by close: a worker given back later is not kept
        self._lock = Lock()
        self._busy: set[Sandbox] = set()
        self._returned = Condition(self._lock)

    def supports(self, path: str) -> bool:
        """Whether the suffix of the path has a parser (any letter case)."""
        suffix = _suffix(path)
        return suffix in self._loaders or suffix in SUFFIXES

    def trusted(self, path: str) -> bool:
        """Whether the file is only decoded, in this process: no parser to die of it."""
        suffix = _suffix(path)
        return suffix not in self._loaders and SUFFIXES.get(suffix) in IN_PROCESS

    def suffixes(self) -> frozenset[str]:
        """Every supported suffix, lower case, with its dot."""
        return frozenset(SUFFIXES) | frozenset(self._loaders)

    def fingerprint(self) -> Mapping[str, str]:
        """Parser to version; also names the library releases (major.minor) that decide the text."""
        built_in = {name: _version(name) for name in sorted(set(SUFFIXES.values()))}
        return built_in | {suffix: f"loader {spec}" for suffix, spec in sorted(self._loaders.items())}

    def parse(self, path: str, data: bytes) -> Parsed:
        """The sections of a file. Raises ParseRefused or ParserDied, and never anything else."""
        suffix = _suffix(path)
        name = suffix if suffix in self._loaders else SUFFIXES.get(suffix)
        if name is None:
            raise ParseRefused("Files of type {suffix} are unsupported; convert the file or exclude it", suffix=suffix)
        if len(data) > self._limits.file_mb << 20:
            raise ParseRefused(
                "The file is larger than the size limit of {limit} MB; split it, or raise file_mb",
                limit=self._limits.file_mb,
            )
        if not data:
            return Parsed((), State.NO_TEXT, (Message("The file is empty"),), name)
        return _checked(self._dispatch(name, data), self._limits)

    def close(self) -> None:
        """Ends the worker processes, also those at work for other threads; a later ``parse`` starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, {}
            self._generation += 1
            for sandbox in self._busy:
                sandbox.interrupt()
        for sandbox in chain.from_iterable(pool.values()):
            sandbox.close()
        with self._returned:  # whoever waits for an answer takes its worker's folder away
            self._returned.wait_for(lambda: not self._busy, timeout=RETURN_SECONDS)

    def _dispatch(self, name: str, data: bytes) -> Parsed:
        if name in self._loaders:
            return self._in_worker({"parser": "loader", "loader": self._loaders[name], "suffix": name}, data)
        from . import sniff

        real, note = sniff.check(name, data)
        parsed = _here(real, data, self._limits) if real in IN_PROCESS else self._in_worker({"parser": real}, data)
        if note is not None:
            state = State.WARNED if parsed.state is State.INDEXED else parsed.state
            parsed = parsed._replace(state=state, notes=(note, *parsed.notes))
        return parsed

    def _in_worker(self, request: Mapping[str, object], data: bytes) -> Parsed:
        """Asks the worker that was used last, the warmest; a new one when there is none."""
        from .sandbox import Sandbox

        parser = request["parser"]
        role: Role = self._loader if parser == "loader" else "program" if parser in PROGRAMS else "parser"
        with self._free:
            with self._lock:
                generation = self._generation
                idle = self._pool.setdefault(role, [])
                sandbox = idle.pop() if idle else Sandbox(self._limits, role)
                self._busy.add(sandbox)
            try:
                return sandbox.parse(request, data)
            finally:
                with self._lock:
                    # What a program left running ends with its worker.
                    if kept := generation == self._generation and role != "program":
                        self._pool.setdefault(role, []).append(sandbox)
                if not kept:
                    sandbox.close()
                with self._returned:
                    self._busy.discard(sandbox)
                    self._returned.notify_all()


def _here(name: str, data: bytes, limits: ParseLimits) -> Parsed:
    """A parser that only decodes, in this process; a mistake in it costs the file and not the run."""
    try:
        return call(name, data, limits)
    except FileProblem:
        raise
    except Exception as error:
        raise ParseRefused(
            "The file is damaged: {detail}. Restore it from a good copy, or save it again with its application",
            detail=f"{type(error).__name__}: {error}"[:200],
        ) from error


def _checked(parsed: Parsed, limits: ParseLimits) -> Parsed:
    """Holds every parser to the two promises the index relies on: bounded text, and NO_TEXT said."""
    if sum(len(s.text) for s in parsed.sections) > limits.output_chars:
        raise ParseRefused(
            "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
            limit=limits.output_chars,
        )
    if parsed.state is not State.NO_TEXT and not any(s.text and not s.text.isspace() for s in parsed.sections):
        notes = parsed.notes or (Message("The file has no text"),)
        return parsed._replace(sections=(), state=State.NO_TEXT, notes=notes)
    return parsed


def _suffix(path: str) -> str:
    return os.path.splitext(path.rpartition("/")[2])[1].lower()


def _suffix_key(suffix: str) -> str:
    suffix = suffix.lower()
    return suffix if suffix.startswith(".") else f".{suffix}"


def _loader_spec(spec: str) -> str:
    module, colon, name = spec.partition(":")
    if not (colon and name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise ConfigError("{spec!r} is not a loader; write package.module:LoaderClass", spec=spec)
    return spec


def _version(name: str) -> str:
    found = [VERSIONS[name], *(f"{library} {_release(library)}" for library in LIBRARIES[name])]
    if name in PROGRAMS:
        from . import soffice

        found.append(f"LibreOffice {soffice.release()}")
        if soffice.find() and PROGRAMS[name] in VERSIONS:
            found.append(f"{PROGRAMS[name]} {_version(PROGRAMS[name])}")
    return "; ".join(found)


@lru_cache(maxsize=128)
def _release(library: str) -> str:
    """The installed major.minor, by the name of the .dist-info folder.

    `importlib.metadata` alone costs more to import (20 ms) than a whole update without changes.
    """
    version = _installed(tuple(sys.path)).get(library.replace("-", "_").lower())
    if version is not None:
        return ".".join(version.split(".")[:2])
    return _release_by_metadata(library) if any(map(os.path.isfile, sys.path)) else "absent"


@lru_cache(maxsize=1)
def _installed(folders: tuple[str, ...]) -> dict[str, str]:
    """Distribution to version; what stands first on the path counts."""
    found: dict[str, str] = {}
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in names:
            if entry.endswith(".dist-info"):
                name, _, version = entry[: -len(".dist-info")].partition("-")
                found.setdefault(name.replace(".", "_").lower(), version)
    return found


def _release_by_metadata(library: str) -> str:
    from importlib import metadata

    try:
        return ".".join(metadata.version(library).split(".")[:2])
    except metadata.PackageNotFoundError:
        return "absent"
