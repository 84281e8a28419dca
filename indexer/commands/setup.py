"""``init``, ``config``, ``export``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import DONE, USAGE
from . import knowledge_base

if TYPE_CHECKING:
    from ..cli import Out


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What each command takes."""
    if name == "init":
        sub.add_argument("directory", nargs="?", default=".", metavar="DIR", help=t("where (default: here)"))
        sub.add_argument("--model", default="", help=t("the embedding model to write into indexer.toml"))
    if name == "config":
        sub.add_argument(
            "action", choices=("show", "check"), help=t("show every value with its origin, or check that it works here")
        )
    if name == "export":
        sub.add_argument(
            "format", choices=tuple(_EXPORTS), help=t("for which program: the whole index, or what monitoring needs")
        )
        sub.add_argument("directory", metavar="DIR", help=t("the folder to write"))


def run(options: argparse.Namespace, out: Out) -> int:
    """Dispatch."""
    return _COMMANDS[options.command](options, out)


def _init(options: argparse.Namespace, out: Out) -> int:
    from .. import embed, scaffold

    model = options.model or embed.default_model()
    made = scaffold.init(options.directory, model=model)
    for path in made:
        out.say("made {path}", path=str(path))
    if not made:
        out.say("Everything is there already; nothing was changed.")
    if model != "builtin:e5-small" and not options.model:
        out.say("The default model has no package for this platform; {model} was chosen.", model=model)
    out.say("Put documents into knowledge_base/ and run `indexer update --now`.")
    return DONE


def _config(options: argparse.Namespace, out: Out) -> int:
    from .. import config

    kb = knowledge_base(options, out)
    if options.action == "show":
        flags = dict(pair.partition("=")[::2] for pair in options.set)
        out.line(config.show(kb.settings, flags))
        return DONE
    problems = config.check(kb.settings)
    for problem in problems:
        out.warn(problem)
    if not problems:
        out.say("The configuration holds.")
    return USAGE if problems else DONE


def _export(options: argparse.Namespace, out: Out) -> int:
    return _EXPORTS[options.format](options, out)


def _langchain(options: argparse.Namespace, out: Out) -> int:
    from ..langchain import export

    kb = knowledge_base(options, out)
    count = export(kb, options.directory)
    out.say(
        "{count} passages written to {folder}; open it with FAISS.load_local.", count=count, folder=options.directory
    )
    return DONE


def _monitoring(options: argparse.Namespace, out: Out) -> int:
    from .. import monitoring

    listen = knowledge_base(options, out).settings.metrics.listen
    made = monitoring.write(options.directory, listen)
    for path in made:
        out.say("made {path}", path=str(path))
    if not made:
        out.say("Everything is there already; nothing was changed.")
    if not listen:
        out.say(
            'The daemon serves no metrics yet: set listen = "{listen}" below [metrics] in indexer.toml.',
            listen=monitoring.LISTEN,
        )
    return DONE


_EXPORTS = {"langchain": _langchain, "monitoring": _monitoring}
_COMMANDS = {"init": _init, "config": _config, "export": _export}
