"""gitignore rules of the folders of a source. Light on purpose: the no-change path loads it."""

from __future__ import annotations

IGNORE_FILE = b".indexerignore"
_MAGIC = frozenset("*?[]!\\")


class Patterns:
    """gitignore rules of one folder, in force for it and everything below.

    Later and deeper rules win, ``!`` re-includes, a re-include does not reach into an
    excluded folder (as git has it). Rules that are plain anchored names (``/README.md``)
    are compared as such: a no-change run need not import regular expressions for them.
    """

    def __init__(self, base: str, lines, parent: Patterns | None = None) -> None:  # type: ignore[no-untyped-def]
        self.base, self.parent = base, parent
        self.literal = frozenset(lines) if all(map(_is_literal, lines)) else None
        if self.literal is None:
            from .globs import compiled

            self.rules = compiled(lines)

    def match(self, path: str) -> bool | None:
        """True: excluded, False: re-included, None: no rule speaks of it. Folders end in /."""
        inside = path[len(self.base) :]
        if self.literal is not None:
            said = True if "/" + inside.removesuffix("/") in self.literal else None
        else:
            from .globs import verdict

            said = verdict(self.rules, inside)
        if said is None and self.parent is not None:
            return self.parent.match(path)
        return said


def _is_literal(line: str) -> bool:
    return line.startswith("/") and not line.endswith("/") and not _MAGIC.intersection(line) and line == line.strip()


def lines_of(file: bytes) -> list[str]:
    """The rules in an ignore file, none when it is gone or no file; blank lines and comments left out."""
    try:
        with open(file, encoding="utf-8-sig", errors="surrogateescape") as f:
            lines = [line.removesuffix("\r") for line in f.read().split("\n")]
    except (FileNotFoundError, IsADirectoryError):
        return []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def ignored_by(patterns: Patterns | None, path: str) -> bool:
    """Whether the rules exclude a path relative to the source (folders end in /)."""
    return patterns is not None and patterns.match(path) is True


def included(include, path: str) -> bool:  # type: ignore[no-untyped-def]
    """Whether a file is among the source's ``include`` patterns (empty: all are)."""
    if not include:
        return True
    from .globs import compiled, verdict

    key = tuple(include)
    if key not in _compiled:
        _compiled[key] = compiled(key)
    found, parts = False, path.split("/")
    for i in range(1, len(parts) + 1):  # what lies in an included folder is included
        said = verdict(_compiled[key], "/".join(parts[:i]) + ("/" if i < len(parts) else ""))
        found = found if said is None else said
    return found


_compiled: dict = {}  # type: ignore[type-arg]
