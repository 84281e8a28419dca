"""The configuration, and the packages it needs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from importlib import metadata

from ..core.model import Message
from ..settings import Settings
from .finding import Case, Finding, ok, problem, warning

_OLDEST = (3, 11)


def configuration(case: Case) -> Iterator[Finding]:
    """Whether indexer.toml, the environment and the flags hold; every wrong key is named."""
    name = Message("configuration")
    if case.error is not None:
        remedy = Message("Correct it; `indexer config show` shows every key with its value and origin.")
        yield problem(name, case.error.message, remedy, case.error.exit_code)
        return
    yield ok(name, Message("{path} holds", {"path": os.path.join(case.home, "indexer.toml")}))


def packages(case: Case) -> Iterator[Finding]:
    """Whether Python and the required packages are there in the versions needed."""
    name = Message("packages")
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        yield problem(name, Message("Python {version} is too old, {needed} is needed", {"version": version, "needed": needed}))  # fmt: skip
    try:
        wrong, count = _wrong(metadata.requires("indexer") or [])
    except metadata.PackageNotFoundError:
        yield ok(
            name, Message("Python {version}; run from its source, so no package was checked", {"version": version})
        )
        return
    for text, requirement in wrong:
        command = shlex.join([sys.executable, "-m", "pip", "install", requirement])
        yield problem(name, text, Message("Run {command}", {"command": command}))
    if not wrong:
        yield ok(
            name, Message("Python {version}, {count} packages as they are needed", {"version": version, "count": count})
        )


def _wrong(requirements: list[str]) -> tuple[list[tuple[Message, str]], int]:
    """What is missing or has another version with what to install, and how many were looked at (no extras)."""
    from packaging.requirements import Requirement

    needed = [r for text in requirements if _applies(r := Requirement(text))]
    wrong = []
    for r in needed:
        words, wanted = {"name": r.name, "needed": str(r.specifier) or "*"}, f"{r.name}{r.specifier}"
        try:
            have = metadata.version(r.name)
        except metadata.PackageNotFoundError:
            wrong.append((Message("the package {name} is missing ({needed})", words), wanted))
            continue
        if not r.specifier.contains(have, prereleases=True):
            found = Message("the package {name} is {have}, needed is {needed}", {**words, "have": have})
            wrong.append((found, wanted))
    return wrong, len(needed)


def _applies(requirement: object) -> bool:
    marker = getattr(requirement, "marker", None)
    return marker is None or marker.evaluate({"extra": ""})


def named_things(case: Case, settings: Settings) -> Iterator[Finding]:
    """Loaders, modules and secrets that the configuration names, and whether they are there."""
    from ..config import absent

    name = Message("secrets and loaders")
    found = list(absent(settings, case.environ))
    for message in found:
        yield warning(name, message, Message("Correct indexer.toml, or install what it names."))
    if settings.embedding.model.startswith("openai:") and not settings.embedding.api_key:
        yield ok(name, Message("{model} is asked without a key", {"model": settings.embedding.model}))
    elif not found:
        yield ok(name, Message("what the configuration names is there"))
