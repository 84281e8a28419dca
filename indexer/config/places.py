"""Where the folders are, and that none of them is inside another.

A source inside ``metadata/`` would index the index; ``metadata/`` inside a source likewise;
a source inside a source would make two documents of every file.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.model import Message
from ..core.tables import (
    EmbeddingSettings,
    LlmSettings,
    LogSettings,
    MetricsSettings,
    NotifySettings,
    ParseLimits,
    ScheduleSettings,
    SearchSettings,
    ServeSettings,
    Source,
    SplitSettings,
    WatchSettings,
)
from ..settings import Settings
from .problems import Location, raise_all, wrong_value
from .schema import NAME, NAME_RULE

RESERVED = "langchain"
"""The source of documents that lie in no folder (see :mod:`indexer.care.handmade`)."""

TABLES: Mapping[str, Callable[..., Any]] = {
    "split": SplitSettings,
    "limits": ParseLimits,
    "search": SearchSettings,
    "schedule": ScheduleSettings,
    "watch": WatchSettings,
    "log": LogSettings,
    "metrics": MetricsSettings,
    "serve": ServeSettings,
}
"""Tables whose keys are the fields of their settings."""

_FOLDERS = ("./", "../", "~", ".\\", "..\\")
"""What a model's folder begins with; a bare name is a name."""

if TYPE_CHECKING:
    from .layers import Layers
    from .llm_table import LlmTable
    from .schema import ConfigFile, EmbeddingTable


def settle(found: ConfigFile, layers: Layers, environ: Mapping[str, str]) -> Settings:
    """The validated keys as Settings: absolute paths, names filled in; ConfigError on overlap."""
    home = layers.inputs.home
    sources = tuple(
        Source(s.name or os.path.basename(absolute(home, s.path)), absolute(home, s.path), (*s.include,), (*s.exclude,))
        for s in found.sources
    )
    metadata, vectorstore = absolute(home, found.metadata), absolute(home, found.vectorstore)
    tables = {name: kind(**_kept(getattr(found, name).model_dump())) for name, kind in TABLES.items()}
    log = tables["log"] = tables["log"]._replace(file=absolute(home, found.log.file) if found.log.file else "")
    overlaps = _overlaps(sources, metadata, vectorstore, layers)
    raise_all(
        [
            *_same_names(sources, layers),
            *_same_followers(found, layers),
            *overlaps,
            *_log_among_documents(found.log.file, log.file, sources, layers),
        ]
    )
    same = set(Settings._fields) & set(type(found).model_fields)
    plain = same - {"metadata", "vectorstore", "sources", "loaders", *TABLES, "embedding", "llm", "notify", "followers"}
    return Settings(
        home=home,
        metadata=metadata,
        vectorstore=vectorstore,
        sources=sources,
        embedding=EmbeddingSettings(**_model(found.embedding, "model", home, environ)),
        llm=LlmSettings(**_model(found.llm, "rerank", home, environ)),
        loaders=tuple(sorted(found.loaders.items())),
        notify=NotifySettings(tuple(found.notify.urls), tuple(found.notify.on), found.notify.language),
        followers=tuple(f.settings(lambda name: environ.get(name, "")) for f in found.followers),
        **tables,
        **{name: getattr(found, name) for name in plain},
    )


def _kept(values: Mapping[str, Any]) -> dict[str, Any]:
    """A table's values as settings have them: what is a list cannot be changed there."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def absolute(home: str, path: str) -> str:
    """``~`` is the user's folder; everything else relative is relative to ``home``."""
    return os.path.normpath(os.path.join(home, os.path.expanduser(path)))


def _model(table: EmbeddingTable | LlmTable, folder: str, home: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """A table with a key as settings have it; ``folder`` names the value that may be a path."""
    values = table.model_dump(exclude={"api_key_env"})
    if values[folder].startswith(_FOLDERS):
        values[folder] = absolute(home, values[folder])
    if table.api_key_env:
        values["api_key"] = environ.get(table.api_key_env, "")
    return values


def _same_names(sources: Sequence[Source], layers: Layers) -> list[Message]:
    first: dict[str, str] = {}
    out = []
    for number, source in enumerate(sources):
        location: Location = ("sources", number, "name")
        name = unicodedata.normalize("NFC", source.name).casefold()
        if not NAME.fullmatch(source.name):  # the folder's name, when none is given
            out.append(wrong_value(layers.where(location), location, source.name, NAME_RULE))
        elif name == RESERVED:
            why = Message("this name is reserved for documents added in Python; choose another")
            out.append(wrong_value(layers.where(location), location, source.name, why))
        elif name in first:
            why = Message("two sources have this name; each needs its own")
            out.append(wrong_value(layers.where(location), location, source.name, why))
        first.setdefault(name, source.name)
    return out


def _same_followers(found: ConfigFile, layers: Layers) -> list[Message]:
    names = [f.name.casefold() for f in found.followers]
    return [
        wrong_value(layers.where(location), location, found.followers[n].name, Message("two followers have this name"))
        for n, name in enumerate(names)
        if name in names[:n]
        for location in [("followers", n, "name")]
    ]


def _overlaps(sources: Sequence[Source], metadata: str, vectorstore: str, layers: Layers) -> list[Message]:
    own: list[tuple[Location, str]] = [(("metadata",), metadata), (("vectorstore",), vectorstore)]
    places = own + [(("sources", n, "path"), s.path) for n, s in enumerate(sources)]
    out = []
    for n, (location, path) in enumerate(places):
        for other, (_, other_path) in enumerate(places[:n]):
            if not (_within(path, other_path) or _within(other_path, path)):
                continue
            args = {"other": _name(other, sources), "path": other_path}
            why = Message("it overlaps with {other} ({path}); choose folders beside each other", args)
            out.append(wrong_value(layers.where(location), location, path, why))
    return out


def _log_among_documents(given: str, file: str, sources: Sequence[Source], layers: Layers) -> list[Message]:
    """Each line of it would be a change of a document, and each change a line."""
    location: Location = ("log", "file")
    return [
        wrong_value(
            layers.where(location), location, given, Message(_AMONG_DOCUMENTS, {"name": s.name, "path": s.path})
        )
        for s in sources
        if file and _within(file, s.path)
    ]


_AMONG_DOCUMENTS = "it lies in source {name} ({path}); choose a place outside"


def _name(index: int, sources: Sequence[Source]) -> str:
    return ("metadata", "vectorstore")[index] if index < 2 else sources[index - 2].name


def _within(path: str, folder: str) -> bool:
    """Links resolved; identity on disk counts too (bind mounts, file systems that ignore case)."""
    inner, outer = (os.path.normcase(os.path.realpath(p)) for p in (path, folder))
    known = _identity(outer)
    while True:
        if inner == outer or (known and _identity(inner) == known):
            return True
        parent = os.path.dirname(inner)
        if parent == inner:
            return False
        inner = parent


def _identity(path: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if stat.st_ino else None
