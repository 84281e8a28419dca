"""Every error the product raises on purpose, and the exit code each carries.

    IndexerError                 1  internal error
    ├── UsageError               2  wrong option, wrong argument
    ├── ConfigError              2  indexer.toml, environment or flag does not hold
    ├── SourceUnavailable        4  a source is missing, unmounted or emptied
    ├── EmbeddingFailed          5  the model or its server did not answer
    ├── ModelChanged             5  the model answers, but not with the profile's vectors
    ├── StoreDamaged             6  the catalog or a segment does not hold
    ├── Busy                     7  another update holds writer.lock
    ├── DiskFull                 1  no room for the next step; nothing was lost
    ├── Interrupted            130  Ctrl-C or SIGTERM between two commits
    └── FileProblem              -  one file only; never ends a run
        ├── ParseRefused            deterministic: not tried again until something changes
        ├── ParserDied              limit, time-out, crash: tried three times
        └── Unreadable              the bytes could not be had (permission, moving file)

Exit code 3 ("done, but not everything") belongs to a report, not to an exception.
"""

from __future__ import annotations

from .model import Message

DONE, INTERNAL, USAGE, PARTIAL, NO_SOURCE, NO_EMBEDDING, DAMAGED, BUSY, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 7, 130


class IndexerError(Exception):
    """Root of the tree: a message for a person and the exit code of the process."""

    exit_code = INTERNAL

    def __init__(self, text: str | Message, /, **args: object) -> None:
        self.message = text if isinstance(text, Message) else Message(text, args)
        super().__init__(str(self.message))


class UsageError(IndexerError):
    """A wrong option or argument."""

    exit_code = USAGE


class ConfigError(IndexerError):
    """A configured value does not hold; the message names the key and the nearest right one."""

    exit_code = USAGE


class SourceUnavailable(IndexerError):
    """A source cannot be looked at, so nothing of it was changed."""

    exit_code = NO_SOURCE


class EmbeddingFailed(IndexerError):
    """The embedder gave no vectors; what was committed before stays."""

    exit_code = NO_EMBEDDING


class ModelChanged(EmbeddingFailed):
    """The probe text's vector is not the recorded one: another model under the same name."""


class StoreDamaged(IndexerError):
    """The catalog or a segment is not what was written; ``indexer repair`` is the remedy."""

    exit_code = DAMAGED


class Busy(IndexerError):
    """Another process is updating this knowledge base."""

    exit_code = BUSY


class DiskFull(IndexerError):
    """There is no room for the next step; the last commit stands."""


class Interrupted(IndexerError):
    """Stopped between two commits on request."""

    exit_code = INTERRUPTED


class FileProblem(IndexerError):
    """Concerns one file only."""


class ParseRefused(FileProblem):
    """The file will not parse however often it is tried (password, damage, wrong type)."""


class ParserDied(FileProblem):
    """The parser hit a limit or crashed; may be worth another attempt."""


class Unreadable(FileProblem):
    """The bytes could not be had. ``denied``: for lack of permission; else it kept changing."""

    def __init__(self, text: str | Message, /, *, denied: bool = False, **args: object) -> None:
        super().__init__(text, **args)
        self.denied = denied
