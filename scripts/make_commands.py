"""Write docs/commands.md from the command line itself: `python scripts/make_commands.py` (`make docs`).

From the parser's parts, not from its printed help, which differs between Python versions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from indexer.cli import COMMANDS, parser

TARGET = Path(__file__).resolve().parents[1] / "docs" / "commands.md"

_HEAD = """# Commands

Made from the command line by `make docs`; `indexer COMMAND --help` says the same, in Chinese where the locale is. Every command also
takes `--home DIR`, `--set KEY=VALUE` and `-q`/`--quiet`.

Exit codes: 0 done · 1 internal error, disk full · 2 usage or configuration · 3 done, but not everything (files failed, deletions
held) · 4 source unavailable · 5 embedding failed · 6 store damaged · 7 busy · 130 interrupted.
"""
_EVERYWHERE = {"home", "set", "quiet", "help"}


def subparsers() -> dict[str, argparse.ArgumentParser]:
    """Each command's parser."""
    [action] = [a for a in parser("en")._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def arguments(sub: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """(how it is written, what it does) of every argument of its own."""
    rows = []
    for a in sub._actions:
        if a.dest in _EVERYWHERE:
            continue
        value = a.metavar or (" or ".join(map(str, a.choices)) if a.choices else a.dest.upper())
        if a.option_strings:
            name = ", ".join(a.option_strings) + ("" if a.nargs == 0 else f" {value}")
        else:
            name = {"?": f"[{value}]", "*": f"[{value} …]"}.get(str(a.nargs), str(value))
        rows.append((name, a.help or ""))
    return rows


def page() -> str:
    """The whole document."""
    parts = [_HEAD]
    for name, sub in subparsers().items():
        parts.append(f"\n## indexer {name}\n\n{COMMANDS[name][1][:1].upper()}{COMMANDS[name][1][1:]}.\n")
        if rows := arguments(sub):
            parts.append("\n| argument | meaning |\n| --- | --- |\n")
            parts += ["| `{}` | {} |\n".format(n.replace("|", "\\|"), text) for n, text in rows]
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
