"""The command line: reads the words, builds the knowledge base, hands over to one command.

The only place that builds things. Heavy modules are imported by the command that needs
them: a no-change ``indexer update --now`` must answer at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from .core.errors import INTERNAL, IndexerError, Interrupted, UsageError
from .core.model import Message
from .i18n import language, translate

if TYPE_CHECKING:
    from .quick import Walked

# name: (module, one line of help)
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("setup", "make a knowledge base here: indexer.toml and the three folders"),
    "update": ("update", "bring the index up to date with the folders"),
    "run": ("daemon", "keep the index up to date by itself: every night, and while you work"),
    "schedule": ("daemon", "as run, with the schedule alone"),
    "watch": ("daemon", "as run, with watch mode alone: put a file into the folder and find it"),
    "serve": ("daemon", "the web service: search, ask, upload and watch it in a browser, or over HTTP"),
    "key": ("key", "the keys of the web service: who may read, write, administer"),
    "search": ("search", "find passages"),
    "ask": ("ask", "answer a question from the documents, with citations"),
    "answer": ("ask", "what a kept answer rested on, and whether that has changed since"),
    "mcp": ("mcp", "the documents for Claude, Cursor, Cherry Studio and other MCP clients, over stdio"),
    "status": ("status", "is the index fresh, and what is wrong"),
    "install-service": ("service", "what starts `indexer run` with the machine: print it, install it"),
    "doctor": ("doctor", "check the installation, and say what to do"),
    "files": ("inspect", "every document with its state"),
    "why": ("inspect", "why a file is or is not in the index"),
    "history": ("commits", "the commits, or the versions of one document"),
    "diff": ("commits", "what changed between two commits"),
    "snapshots": ("care", "the physical snapshots, and taking one"),
    "rollback": ("care", "go back to an earlier commit"),
    "verify": ("care", "prove that everything stored is what was written"),
    "audit": ("audit", "who changed which documents when: prove it, export it"),
    "repair": ("care", "mend what verify found, or rebuild"),
    "gc": ("care", "forget what is past the retention, give space back"),
    "export": ("setup", "write the index, or what monitoring needs, for other programs"),
    "config": ("setup", "show or check the configuration"),
    "notify": ("notify", "see whether notifications arrive"),
    "followers": ("followers", "the systems that are kept in step with the index, and how they stand"),
    "flush": ("followers", "send followers now what they lack"),
    "pause": ("followers", "send a follower nothing for the time being"),
    "resume": ("followers", "let a paused follower go on"),
    "resync": ("followers", "compare a follower with the index, and repair what differs"),
}


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are ours: exit code, language, remedy."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("{problem}. See `{command} --help`.", problem=message, command=self.prog)


class Out:
    """Where words go: results to stdout, everything about them to stderr, in one language."""

    def __init__(self, lang: str, quiet: bool = False) -> None:
        self.lang, self.quiet = lang, quiet

    def text(self, template: str | Message, /, **args: object) -> str:
        """A sentence in the user's language."""
        message = template if isinstance(template, Message) else Message(template, args)
        return translate(message, self.lang)

    def say(self, template: str | Message, /, **args: object) -> None:
        """One line on stdout, unless --quiet."""
        if not self.quiet:
            self.line(self.text(template, **args))

    def line(self, text: str = "") -> None:
        """A result, also with --quiet."""
        sys.stdout.write(text + "\n")

    def warn(self, template: str | Message, /, **args: object) -> None:
        """One line on stderr."""
        sys.stderr.write(self.text(template, **args) + "\n")

    def json(self, value: object) -> None:
        """One JSON document on stdout; bytes of names that are no UTF-8 stay escaped."""
        import json

        sys.stdout.write(json.dumps(value, ensure_ascii=True, default=str) + "\n")


def parser(lang: str, only: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, or what one command needs of it (imports only its module)."""
    _argparse_speaks(lang)
    top = _Parser(
        prog="indexer",
        description=translate(Message(_ABOUT), lang),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="store_true", help=_t("print the version", lang))
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, (module, summary) in COMMANDS.items():
        if only is not None and name != only:
            continue
        sub = commands.add_parser(name, help=_t(summary, lang), description=_t(summary, lang))
        sub.add_argument(
            "--home", metavar="DIR", help=_t("the folder with indexer.toml (default: the nearest one upwards)", lang)
        )
        sub.add_argument(
            "--set", metavar="KEY=VALUE", action="append", default=[], help=_t("override one configuration key", lang)
        )
        sub.add_argument("-q", "--quiet", action="store_true", help=_t("print results and errors only", lang))
        import_module(f".commands.{module}", __package__).arguments(name, sub, lambda text: _t(text, lang))
    return top


def _argparse_speaks(lang: str) -> None:
    """argparse asks gettext for its own words; here they come from our table."""
    words: dict[str, str] = {}
    if lang == "zh":
        import json
        from pathlib import Path

        words = json.loads(Path(__file__).with_name("locale").joinpath("argparse_zh.json").read_text("utf-8"))
    argparse._ = lambda text: words.get(text, text)  # type: ignore[attr-defined]
    argparse.ngettext = lambda one, many, n: words.get(one if n == 1 else many, one if n == 1 else many)  # type: ignore[attr-defined]


_ABOUT = "A folder of documents in, an always-right vector index out, at the cost of what changed."


def _t(text: str, lang: str) -> str:
    return translate(Message(text), lang)


def main(argv: Sequence[str] | None = None, walked: Walked | None = None) -> int:
    """Run one command; returns the exit code of DESIGN 9. No traceback reaches a user.

    ``walked``: what :mod:`.quick` saw before it gave up.
    """
    _utf8()
    words = list(sys.argv[1:] if argv is None else argv)
    lang = language()
    out = Out(lang)
    try:
        return _run(words, lang, out, walked)
    except IndexerError as e:
        out.warn(Message("indexer: {error}", {"error": e.message}))
        return e.exit_code
    except KeyboardInterrupt:
        out.warn("indexer: interrupted; the last commit stands.")
        return Interrupted.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except SystemExit as e:
        return int(e.code or 0) if not isinstance(e.code, str) else INTERNAL
    except Exception as e:
        if os.environ.get("INDEXER_DEBUG"):
            raise
        out.warn(
            "indexer: internal error: {kind}: {error}. Set INDEXER_DEBUG=1 to see where.",
            kind=type(e).__name__,
            error=str(e),
        )
        return INTERNAL


def _utf8() -> None:
    """Any document name can be printed, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _run(words: Sequence[str], lang: str, out: Out, walked: Walked | None) -> int:
    if "--version" in words[:1]:
        from . import __version__

        out.line(f"indexer {__version__}")
        return 0
    named = next((w for w in words if not w.startswith("-")), None)
    if named is not None and named not in COMMANDS:
        raise UsageError("There is no command {name}.{hint}", name=named, hint=_nearest(named))
    options, unknown = parser(lang, named).parse_known_args(words)
    if unknown:
        raise UsageError(
            "`{command}` does not know {words}. See `{command} --help`.",
            command=f"indexer {named or ''}".strip(),
            words=" ".join(unknown),
        )
    if options.command is None:
        parser(lang).print_help()
        return 0
    out.quiet, options.walked = options.quiet, walked
    command: Callable[[argparse.Namespace, Out], int] = import_module(
        f".commands.{COMMANDS[named or ''][0]}", __package__
    ).run
    return command(options, out)


def _nearest(word: str) -> Message:
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, 1)
    return (
        Message(" Did you mean `indexer {near}`?", {"near": close[0]}) if close else Message(" See `indexer --help`.")
    )
