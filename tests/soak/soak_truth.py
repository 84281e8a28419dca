"""What must be found, told from the folder's bytes alone: after each settle, and by readers in between.

When the daemon looks is its own affair, so for a file that cannot be read or parsed more than one
answer is right: any good version that lay there since the last settle. For every other file one is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from reference import version
from soak_folder import Folder

from indexer.core.tables import SplitSettings

NOTHING, DENIED, CLOSED = "", "denied", "closed"
"""States of a path beside the SHA-256 of its bytes: no document, no right to read it, in a folder that cannot be listed."""


class Document(NamedTuple):
    """What is found of some bytes; ``whole``: these chunks exactly, else one of them holds each text."""

    texts: frozenset[str]
    whole: bool = True


class Truth:
    """The states of every path since the last settle (``past``), what was found then (``base``)."""

    def __init__(self, root: Path, split: SplitSettings) -> None:
        self.root, self.split = root, split
        self.base: dict[str, str] = {}
        self.past: dict[str, list[str]] = {}
        self.good: dict[tuple[str, str], Document | None] = {}
        self.texts: dict[tuple[str, str], bytes] = {}
        self.before: dict[tuple[str, str], list[Document | None]] = {}
        self.made: dict[str, str] = {}
        """SHA-256 of documents of formats that only a parser reads, with a text each holds."""

    # ---- the folder ------------------------------------------------------------------------

    def note(self) -> None:
        """Look at everything: called after each edit."""
        folder = Folder(self.root)
        for path in self.past.keys() | folder.files.keys():
            self._note(path, folder)

    def _note(self, path: str, folder: Folder) -> None:
        states = self.past.setdefault(path, [NOTHING])
        if path in folder.files:
            data = folder.files[path]
            state = DENIED if data is None else self._sha(path, data)
        else:
            state = CLOSED if folder.hidden(path) else NOTHING
        if states[-1] != state:
            states.append(state)

    def split_again(self, split: SplitSettings) -> None:
        """Other chunks are made of the same bytes from now on."""
        self.split = split
        for (kind, sha), text in self.texts.items():
            self.before.setdefault((kind, sha), []).append(self.good[kind, sha])
            self.good[kind, sha] = Document(version(kind, text, split, 0).chunks)

    def _sha(self, path: str, data: bytes) -> str:
        sha = hashlib.sha256(data).hexdigest()
        if _key(path, sha) not in self.good:
            self.good[_key(path, sha)] = self._read(path, data, sha)
        return sha

    def _read(self, path: str, data: bytes, sha: str) -> Document | None:
        if not data:
            return Document(frozenset())
        if path.lower().endswith(".docx"):
            return Document(frozenset([self.made[sha]]), whole=False) if sha in self.made else None
        try:
            found = Document(version(path.lower(), data, self.split, 0).chunks)
        except ValueError:
            return None
        self.texts[_key(path, sha)] = data
        return found

    # ---- what may be found -------------------------------------------------------------------

    def document(self, path: str, sha: str) -> Document | None:
        """What is found of these bytes under this name; None when they cannot be parsed."""
        return self.good.get(_key(path, sha))

    def state(self, path: str) -> str:
        """What lies there now."""
        return self.past[path][-1] if path in self.past else NOTHING

    def due(self, path: str) -> set[str]:
        """The versions of which one is to be found now; NOTHING stands for none."""
        states, base = self.past[path], self.base.get(path, NOTHING)
        if states[-1] == NOTHING:
            return {NOTHING}
        if (found := self.document(path, states[-1])) is not None:
            return {states[-1] if found.texts else NOTHING}
        hidden = {NOTHING} if DENIED in states else set()
        if not any(s == NOTHING or self.document(path, s) is not None for s in states[1:]):
            return {base, *hidden}
        return self.ever(path)

    def ever(self, path: str) -> set[str]:
        """The versions a reader may have met since the last settle."""
        states = self.past.get(path, [])
        return {NOTHING, self.base.get(path, NOTHING), *(s for s in states if self._shows(path, s))}

    def _shows(self, path: str, sha: str) -> bool:
        found = self.document(path, sha)
        return found is not None and bool(found.texts)

    def lasting(self) -> set[str]:
        """Paths that must not be missing from any search since the last settle: one readable state and no other."""
        return {p for p, states in self.past.items() if len(states) == 1 and self._shows(p, states[0])}

    def settle(self, found: Mapping[str, str]) -> None:
        """What was found is what is due: a new stretch begins."""
        self.base = dict(found)
        self.past = {p: s[-1:] for p, s in self.past.items() if s[-1] != NOTHING or p in found}

    # ---- comparison --------------------------------------------------------------------------

    def compare(self, hits: Iterable[tuple[str, str, str]]) -> tuple[dict[str, str], list[str]]:
        """(path, sha256, text) of everything found → version by path, and what is wrong with it."""
        found: dict[str, dict[str, list[str]]] = {}
        for path, sha, text in hits:
            found.setdefault(path, {}).setdefault(sha, []).append(text)
        wrong = []
        for path in sorted(found.keys() | self.past.keys(), key=repr):
            shown, due = found.get(path, {}), self.due(path) if path in self.past else {NOTHING}
            if len(shown) > 1:
                wrong.append(f"{path!r}: {len(shown)} versions at once")
            elif next(iter(shown), NOTHING) not in due:
                wrong.append(f"{path!r}: {self.name(next(iter(shown), NOTHING))}, due {sorted(map(self.name, due))}")
            else:
                wrong += [
                    f"{path!r}: {self._differs(path, s, t)}" for s, t in shown.items() if self._differs(path, s, t)
                ]
        return {path: next(iter(shown)) for path, shown in found.items()}, wrong

    def _differs(self, path: str, sha: str, texts: list[str]) -> str:
        known = self.document(path, sha)
        if known is None:
            return "a version that cannot be read is found"
        if not known.whole:
            return "" if all(any(k in t for t in texts) for k in known.texts) else "its text is not found"
        if self.state(path) != sha and any(
            k and sorted(texts) == sorted(k.texts) for k in self.before.get(_key(path, sha), [])
        ):
            return ""  # what cannot be read any more keeps the chunks it had
        return "" if sorted(texts) == sorted(known.texts) else f"{len(texts)} chunks, due {len(known.texts)}"

    @staticmethod
    def name(sha: str) -> str:
        """A version in a line of the log."""
        return sha[:8] or "nothing"


def _key(path: str, sha: str) -> tuple[str, str]:
    """What decides how bytes are read: the suffix of the name, and they themselves."""
    return path[path.rfind(".") :].lower(), sha
