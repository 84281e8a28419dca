"""``indexer search``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import knowledge_base

if TYPE_CHECKING:
    from ..cli import Out
    from ..core.model import Hit


def arguments(name: str, sub: argparse.ArgumentParser, t: Callable[[str], str]) -> None:
    """What the command takes."""
    sub.add_argument("query", metavar="QUERY", help=t("what you want to know"))
    sub.add_argument("-k", type=_positive, default=5, metavar="N", help=t("how many passages (default 5)"))
    sub.add_argument(
        "--in", dest="inside", default="", metavar="PATTERN", help=t("only documents matching this glob or folder")
    )
    sub.add_argument("--as-of", default="", metavar="COMMIT|TIME", help=t("search the index as it was then"))
    sub.add_argument("--json", action="store_true", help=t("print one JSON document"))


def _positive(text: str) -> int:
    n = int(text)
    if n < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return n


def run(options: argparse.Namespace, out: Out) -> int:
    """Search and print the passages with their places."""
    from ..core.errors import UsageError
    from ..names import citation

    kb = knowledge_base(options, out)
    if kb.layout.served() is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    hits = kb.search(options.query, options.k, inside=options.inside, as_of=options.as_of)
    if options.json:
        out.json([h._asdict() | {"citation": citation(h)} for h in hits])
        return 0
    if not hits:
        out.say("Nothing found.")
    for i, hit in enumerate(hits, 1):
        out.line(f"{i}. {place(hit)}  {hit.score:.3f}")
        out.line("   " + " ".join(hit.text.split()))
    return 0


def place(hit: Hit) -> str:
    """Where a passage stands, for people: its citation, and the file to open."""
    from ..names import citation

    return f"{citation(hit)} · {hit.key}"
