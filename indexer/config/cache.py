"""The validated settings of last time, so that an unchanged configuration costs no pydantic.

Importing pydantic-settings costs 0.35 s of CPU, four times what a whole no-change update
may cost. ``<metadata>/config.cache`` holds a seal, a line end and JSON; the seal is the SHA-256 over
everything the result was made from *and* the JSON, so a stale, moved or damaged file never
matches. Secrets are not in it: they are read again where they come from.

This is the one file of the state not written by ``store.disk``: the configuration stands
beside the store and may not import it, and nothing is lost when the file is torn or gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ..core.following import FollowerSettings
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
from .inputs import KEYED, OTHER_VARIABLES, PREFIX, SECRET_WORDS, Inputs

FORMAT = 3
NAME = "config.cache"
_FOLLOWER_SECRETS = ("api_key", "password")
_METADATA = re.compile(rb"""^[ \t]*metadata[ \t]*=[ \t]*["']([^"'\\]+)["']""", re.MULTILINE)


def folder(inputs: Inputs) -> str:
    """Where the cache lies, found without parsing: a wrong guess is a miss, never a wrong answer."""
    path = inputs.flags.get("metadata") or inputs.environ.get("INDEXER_METADATA")
    if not path:
        written = _METADATA.search(inputs.data)
        path = written[1].decode("utf-8", "replace") if written else "metadata"
    return os.path.join(inputs.home, os.path.expanduser(str(path)))


def load(inputs: Inputs, environ: Mapping[str, str]) -> Settings | None:
    """The settings if everything they depend on is as it was, else None."""
    try:
        with open(os.path.join(folder(inputs), NAME), "rb") as file:
            seal, _, payload = file.read().partition(b"\n")
        if seal != _seal(inputs, payload):
            return None
        stored: dict[str, Any] = json.loads(payload)
        settings = _from_json(stored["settings"], inputs)
        if stored["real"] != _real(settings):  # a link was turned: places.py must look again
            return None
        keys = {table: _secret(table, stored["secrets"][table], inputs, environ) for table in KEYED}
        settings = settings._replace(followers=_followers(settings.followers, inputs, environ))
        return settings._replace(**{t: getattr(settings, t)._replace(api_key=key) for t, key in keys.items() if key})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(inputs: Inputs, settings: Settings, key_variables: Mapping[str, str]) -> None:
    """Best effort: a read-only or missing metadata folder only costs the time next time.

    ``key_variables``: for each table with a key the variable of its ``api_key_env``, or nothing.
    """
    given = {*inputs.environ, *map(str, inputs.flags)}
    listed = r"(?i)(indexer_)?(notify|followers)(__|\.|\[|$)"
    if not cacheable(settings) or any(re.match(listed, name) for name in given):
        return
    plain = {n: _plain(v) for n, v in settings._asdict().items()}
    held = {table: plain[table].pop("api_key") for table in KEYED}
    plain["notify"]["urls"] = len(plain["notify"]["urls"])
    for follower in plain["followers"]:
        follower |= {secret: bool(follower[secret]) for secret in _FOLLOWER_SECRETS}
    origins = {t: f"env:{key_variables[t]}" if key_variables.get(t) else "given" if held[t] else "" for t in KEYED}
    payload = json.dumps({"settings": plain, "real": _real(settings), "secrets": origins}).encode()
    where = os.path.join(settings.metadata, NAME)
    temporary = f"{where}.{os.getpid()}.tmp"
    with contextlib.suppress(OSError):
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(_seal(inputs, payload) + b"\n" + payload)
            os.replace(temporary, where)  # no fsync: a torn file has no valid seal
        except OSError:
            os.unlink(temporary)


def cacheable(settings: Settings) -> bool:
    """Whether no value but keys, passwords and ``notify.urls`` may hold a secret (options of a class, user:password@ in an address)."""
    options = [f.options for f in settings.followers]
    words = json.dumps([settings.embedding.options, settings.llm.options, settings.llm.rerank_options, *options])
    addresses = [getattr(settings, table).base_url for table in KEYED] + [f.url for f in settings.followers]
    return not re.search(SECRET_WORDS, words, re.IGNORECASE) and not any("@" in address for address in addresses)


def _seal(inputs: Inputs, payload: bytes) -> bytes:
    environ = {k: v for k, v in inputs.environ.items() if k not in OTHER_VARIABLES or k == "INDEXER_LANG"}
    flags = dict(inputs.flags)
    for table in KEYED:
        for values, secret in ((environ, _variable(table)), (flags, f"{table}.api_key")):
            if secret in values:  # its presence decides, its value is read again
                values[secret] = "*" if values[secret] else ""
    facts = [FORMAT, _code(), inputs.home, os.path.expanduser("~"), sorted(environ.items()), sorted(flags.items())]
    parts = (json.dumps(facts, default=str).encode(), inputs.data, payload)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d\n" % len(part) + part)
    return digest.hexdigest().encode()


def _code() -> list[object]:
    """Which code validated: a new version of the product or an edited default makes the cache stale."""
    here = os.path.dirname(__file__)
    names = (
        "schema.py",
        "fields.py",
        "daemon_tables.py",
        "followers_table.py",
        "llm_table.py",
        "layers.py",
        "toml_file.py",
        "places.py",
        "../settings.py",
        "../core/model.py",
        "../core/following.py",
    )
    stats = [(here, name, os.stat(os.path.join(here, name))) for name in names]
    return [(where, name, stat.st_size, stat.st_mtime_ns) for where, name, stat in stats]


def _real(settings: Settings) -> list[str]:
    paths = (settings.metadata, settings.vectorstore, *(s.path for s in settings.sources))
    return [os.path.realpath(path) for path in paths]


def _variable(table: str) -> str:
    return f"{PREFIX}{table.upper()}__API_KEY"


def _secret(table: str, origin: str, inputs: Inputs, environ: Mapping[str, str]) -> str:
    if origin.startswith("env:"):
        return environ.get(origin[4:], "")
    if not origin:
        return ""
    given = inputs.flags.get(f"{table}.api_key") or inputs.environ.get(_variable(table))
    if given is None:
        import tomllib

        given = tomllib.loads(inputs.text)[table]["api_key"]
    return str(given)


def _addresses(count: int, inputs: Inputs) -> tuple[str, ...]:
    """Read again from where they stand, since they may be secrets."""
    if not count:
        return ()
    import tomllib

    return tuple(map(str, tomllib.loads(inputs.text)["notify"]["urls"]))


def _followers(
    found: tuple[FollowerSettings, ...], inputs: Inputs, environ: Mapping[str, str]
) -> tuple[FollowerSettings, ...]:
    """With their secrets, read again from where they stand."""
    if not any(getattr(f, secret) for f in found for secret in _FOLLOWER_SECRETS):
        return tuple(f._replace(api_key="", password="") for f in found)
    import tomllib

    tables = tomllib.loads(inputs.text)["followers"]

    def value(table: Mapping[str, str], secret: str) -> str:
        return str(table.get(secret) or environ.get(table.get(secret + "_env", ""), ""))

    return tuple(
        f._replace(api_key=value(table, "api_key"), password=value(table, "password"))
        for f, table in zip(found, tables, strict=True)
    )


def _from_json(values: dict[str, Any], inputs: Inputs) -> Settings:
    sources = [Source(s["name"], s["path"], tuple(s["include"]), tuple(s["exclude"])) for s in values["sources"]]
    return Settings(
        **{
            **values,
            "sources": tuple(sources),
            "split": SplitSettings(**values["split"]),
            "limits": ParseLimits(**values["limits"]),
            "embedding": EmbeddingSettings(**values["embedding"]),
            "loaders": tuple((suffix, path) for suffix, path in values["loaders"]),
            "search": SearchSettings(**values["search"]),
            "schedule": ScheduleSettings(**values["schedule"]),
            "watch": WatchSettings(**values["watch"]),
            "log": LogSettings(**values["log"]),
            "metrics": MetricsSettings(**values["metrics"]),
            "llm": LlmSettings(**values["llm"]),
            "serve": ServeSettings(**_tuples(values["serve"])),
            "followers": tuple(FollowerSettings(**_tuples(f)) for f in values["followers"]),
            "notify": NotifySettings(
                _addresses(values["notify"]["urls"], inputs),
                tuple(values["notify"]["on"]),
                values["notify"]["language"],
            ),
        }
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _plain(value: Any) -> Any:
    """A settings value as JSON: named tuples as objects, other sequences as lists."""
    if hasattr(value, "_asdict"):
        return {n: _plain(v) for n, v in value._asdict().items()}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
