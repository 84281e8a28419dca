"""``indexer search``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
    sub.add_argument(
        "--mode", choices=("hybrid", "vector", "lexical"), default="", help=t("by meaning, by words, or both")
    )
    sub.add_argument("--source", default="", metavar="NAME", help=t("only documents of this source"))
    sub.add_argument(
        "--type", action="append", default=[], metavar="SUFFIX", help=t("only documents of this type: pdf (repeatable)")
    )
    sub.add_argument("--after", default="", metavar="TIME", help=t("only what became searchable at this time or later"))
    sub.add_argument("--before", default="", metavar="TIME", help=t("only what became searchable before this time"))
    sub.add_argument("--label", default="", metavar="LABEL", help=t("only documents of this version: v3.1"))
    sub.add_argument(
        "--per-document", type=_positive, default=0, metavar="N", help=t("so many passages of one document go first")
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
    from ..core.model import Filters
    from ..names import citation

    kb = knowledge_base(options, out)
    if kb.layout.served() is None:
        raise UsageError("Nothing is indexed yet. Put documents into the folder and run `indexer update --now`.")
    wanted = Filters(options.inside, options.source, tuple(options.type), options.after, options.before, options.label)
    how: dict[str, Any] = {"as_of": options.as_of, "mode": options.mode, "per_document": options.per_document}
    hits = kb.search(options.query, options.k, filters=wanted, **how)
    if options.json:
        out.json([h._asdict() | {"citation": citation(h)} for h in hits])
        return 0
    if not hits:
        out.say("Nothing found.")
    for i, hit in enumerate(hits, 1):
        out.line(f"{i}. {place(hit)}" + (f"  {hit.score:.3f}" if hit.score else ""))
        out.line("   " + " ".join(hit.text.split()))
    return 0


def place(hit: Hit) -> str:
    """Where a passage stands, for people: its citation, and the file to open."""
    from ..names import citation

    return f"{citation(hit)} · {hit.key}"
