"""File, environment and flags: read each, remember who said what, validate the sum.

Order: ``indexer.toml`` < environment ``INDEXER_…`` < flags. Tables are merged key by key,
lists are replaced whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from ..core.model import Message
from ..i18n import code
from .daemon_tables import LogTable, MetricsTable, NotifyTable, ScheduleTable, ServeTable, WatchTable
from .followers_table import FollowerTable
from .inputs import FILE, KEYED, OTHER_VARIABLES, PREFIX, TEST_PREFIX, Inputs
from .lines import line_of
from .llm_table import LlmTable
from .problems import Location, close, dotted, raise_all, reason, unknown_key, wrong_value
from .schema import ConfigFile, EmbeddingTable, LimitsTable, SearchTable, SourceTable, SplitTable
from .toml_file import toml

TABLES: Mapping[str, type[BaseModel]] = {
    "sources": SourceTable,
    "split": SplitTable,
    "limits": LimitsTable,
    "embedding": EmbeddingTable,
    "search": SearchTable,
    "schedule": ScheduleTable,
    "watch": WatchTable,
    "log": LogTable,
    "metrics": MetricsTable,
    "llm": LlmTable,
    "serve": ServeTable,
    "notify": NotifyTable,
    "followers": FollowerTable,
}


_JSON = (
    "sources",
    "loaders",
    "embedding.options",
    "llm.options",
    "llm.rerank_options",
    "notify.urls",
    "notify.on",
    "serve.allowed_hosts",
    "serve.proxies",
    "followers",
)  # flags that are JSON where they can be
_EXAMPLES = {
    "followers": '[{"name": "graph", "kind": "lightrag", "url": "http://127.0.0.1:9621"}]',
    "sources": '[{"path": "FOLDER"}]',
    "loaders": '{".html": "package.module:Class"}',
}


def keys() -> tuple[str, ...]:
    """Every key of the configuration, dotted: ``language``, ``split.size``, ``sources.path`` …"""
    inner = [f"{name}.{key}" for name, table in TABLES.items() for key in table.model_fields]
    return (*ConfigFile.model_fields, *inner)


def variable(key: str) -> str:
    """``split.size`` → ``INDEXER_SPLIT__SIZE``."""
    return PREFIX + key.upper().replace(".", "__")


@dataclass(frozen=True, slots=True)
class Layers:
    """What each of the three says, as nested tables; later ones win."""

    inputs: Inputs
    file: Mapping[str, Any]
    environment: Mapping[str, Any]
    flags: Mapping[str, Any]

    def merged(self) -> dict[str, Any]:
        """The three on top of each other."""
        out: dict[str, Any] = {}
        for layer in (self.file, self.environment, self.flags):
            out = _over(out, layer)
        return out

    def origin(self, location: Location) -> str:
        """``flag``, ``environment``, ``file`` or ``default``: who decided this key."""
        named = (("flag", self.flags), ("environment", self.environment), ("file", self.file))
        return next((name for name, layer in named if _reaches(layer, location)), "default")

    def where(self, location: Location) -> Message:
        """The place to look at for this key."""
        origin = self.origin(location)
        if origin == "flag":
            return Message("option {key}", {"key": ".".join(map(str, location))})
        if origin == "environment":
            return Message("environment variable {name}", {"name": self._variable(location)})
        if line := line_of(self.inputs.text, location):
            return Message("{file}, line {line}", {"file": FILE, "line": line})
        return Message("{file}", {"file": FILE})

    def _variable(self, location: Location) -> str:
        parts = [str(p).upper() for p in location]
        names = [PREFIX + "__".join(parts[:n]) for n in range(len(parts), 0, -1)]
        have = {name.upper(): name for name in self.inputs.environ}
        return next((have[n] for n in names if n in have), names[-1])


def read(inputs: Inputs) -> Layers:
    """Parses all three; raises ConfigError for broken TOML and unknown variables."""
    flags: dict[str, Any] = {}
    for key, value in inputs.flags.items():
        if value is not None:
            _put(flags, key.split("."), _json(value) if key.startswith(_JSON) else value)
    return Layers(inputs, toml(inputs), _environment(inputs.environ), flags)


def validate(layers: Layers) -> ConfigFile:
    """The validated sum, or a ConfigError that lists every problem in the order of the file."""
    problems = _unknown_variables(layers)
    found = None
    try:
        found = ConfigFile(**layers.merged())
    except ValidationError as error:
        problems += [_problem(layers, e) for e in error.errors(include_url=False)]
    raise_all(problems)  # outside of "except": pydantic's error repeats the values, secrets too
    assert found is not None  # noqa: S101 - a ValidationError has at least one error
    return found


def _problem(layers: Layers, error: Any) -> Message:
    location: Location = tuple(p for p in error["loc"] if p != "[key]")
    kind, context = error["type"], error.get("ctx", {})
    given = error["input"]
    if key := getattr(context.get("error"), "key", ""):
        location, given = (*location, key), getattr(given, key, given)
        if isinstance(given, Mapping):
            given = given.get(key, getattr(TABLES[str(location[0])].model_fields[key], "default", ""))
    where = layers.where(location if kind != "missing" else location[:-1])
    if kind == "extra_forbidden":
        return unknown_key(where, location, keys())
    why = reason(location, kind, context, given)
    if isinstance(given, str) and kind.startswith(("list", "dict", "model")) and layers.origin(location) != "file":
        example = _EXAMPLES.get(str(location[0]), '{"KEY": "VALUE"}')
        why = Message("JSON is expected here, such as {example}", {"example": example})
    if kind == "missing":
        return Message("{where}: {key}: {why}", {"where": where, "key": dotted(location), "why": why})
    return wrong_value(where, location, given, why)


class _Environment(EnvSettingsSource):
    """``INDEXER_SPLIT__SIZE=300``; lists and tables as JSON; reads the mapping it is given."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        super().__init__(ConfigFile)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in self._environ.items()}

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError:  # validation names it, together with every other problem
            return value


def _environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found = _Environment(environ)()
    for table, key in (("embedding", "options"), ("llm", "options"), ("llm", "rerank_options")):
        prefix = variable(f"{table}.{key}") + "__"
        for name, value in environ.items():
            if name.upper().startswith(prefix):  # a class wants numbers, a variable is a text
                _put(found, [table, key, *name[len(prefix) :].lower().split("__")], _json(value))
    lang = environ.get("INDEXER_LANG", "")
    if "language" not in found and lang:  # the short name that also works without indexer.toml
        found["language"] = code(lang) or "en"
    return found


def key_variables(layers: Layers) -> dict[str, str]:
    """For each table with a key that names a variable for it: that variable."""
    tables = {name: layers.merged().get(name) for name in KEYED}
    named = {name: table.get("api_key_env") for name, table in tables.items() if isinstance(table, Mapping)}
    return {name: str(variable) for name, variable in named.items() if variable}


def _unknown_variables(layers: Layers) -> list[Message]:
    known = [variable(key) for key in keys() if not key.startswith("sources.")]
    named = (*key_variables(layers).values(), *OTHER_VARIABLES)
    out = []
    for name in sorted(layers.inputs.environ):
        upper = name.upper()
        table = upper.removeprefix(PREFIX).partition("__")[0].lower()
        if upper in known or name in named or upper.startswith(TEST_PREFIX) or table in ConfigFile.model_fields:
            continue  # a wrong key inside a table is the schema's to report
        words = [n.removeprefix(PREFIX) for n in (*known, *OTHER_VARIABLES)]
        args = {"name": name}
        if guess := close(upper.removeprefix(PREFIX), words):
            args["guess"] = PREFIX + guess
            out.append(Message("environment variable {name}: no such setting; did you mean {guess}?", args))
        else:
            out.append(Message("environment variable {name}: no such setting; unset it", args))
    return out


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        out[key] = _over(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return out


def _put(table: dict[str, Any], path: list[str], value: object) -> None:
    for part in path[:-1]:
        if not isinstance(table.get(part), dict):
            table[part] = {}
        table = table[part]
    table[path[-1]] = value


def _json(value: object) -> object:
    """A word of the shell as JSON where it is JSON: ``8`` a number, ``true`` a truth, ``abc`` a text."""
    import json

    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _reaches(layer: Any, location: Location) -> bool:
    for part in location:
        if isinstance(layer, Mapping) and part in layer:
            layer = layer[str(part)]
        elif isinstance(layer, list) and isinstance(part, int) and part < len(layer):
            layer = layer[part]
        else:
            return False
    return True
