"""API keys: who may ask for what. ``keys.json`` in the metadata folder holds salted hashes, never a key.

A key is 256 random bits, so one salted SHA-256 is as good as a slow hash: there is nothing to guess.
The file is read again when it changed, so a key that is removed ends at once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..core.errors import ConfigError, UsageError
from ..core.model import Message
from ..store import disk
from ..store.lock import writer_lock

NAME = "keys.json"
SCOPES = ("read", "write", "admin")
"""Each includes those before it."""

_KEY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BEGINS = "idx_"


class Entry(NamedTuple):
    """One key as it is kept; ``created`` is an ISO time."""

    name: str
    scope: str
    salt: str
    hash: str
    created: str

    def may(self, scope: str) -> bool:
        """Whether what this key may includes a scope."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


class Keys:
    """The keys of one knowledge base; asked by several threads."""

    def __init__(self, metadata: str | os.PathLike[str]) -> None:
        self.path = Path(metadata) / NAME
        self._lock = threading.Lock()
        self._stamp: tuple[int, ...] | None = None
        self._entries: tuple[Entry, ...] = ()

    def entries(self) -> tuple[Entry, ...]:
        """Every key by name; raises ConfigError when the file does not hold: nobody is let in then."""
        with self._lock:
            stamp = self._now()
            if stamp != self._stamp:
                self._entries = self._read() if stamp else ()
                self._stamp = stamp
            return self._entries

    def _now(self) -> tuple[int, ...] | None:
        try:
            st = os.stat(self.path)
        except FileNotFoundError:
            return None
        except OSError as e:
            raise self._broken(e.strerror or str(e)) from e
        return st.st_mtime_ns, st.st_size, st.st_ino, st.st_ctime_ns

    def _read(self) -> tuple[Entry, ...]:
        try:
            kept = json.loads(self.path.read_bytes())["keys"]
            entries = tuple(Entry(**{field: str(one[field]) for field in Entry._fields}) for one in kept)
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise self._broken(str(e)) from e
        if any(e.scope not in SCOPES or not _hex(e.salt) or len(e.hash) != 64 for e in entries):
            raise self._broken("a key has no known scope, salt or hash")
        return entries

    def _broken(self, why: str) -> ConfigError:
        return ConfigError(
            "The file of keys {path} cannot be used ({why}). Restore it, or remove it and make new keys with `indexer key add`.",
            path=str(self.path),
            why=why,
        )

    def check(self, key: str) -> Entry | None:
        """The entry of a key, None when it is nobody's; takes the same time whichever it is."""
        found = None
        for entry in self.entries():
            if hmac.compare_digest(_hash(entry.salt, key), entry.hash):
                found = entry
        return found

    def named(self, name: str) -> Entry | None:
        """The key of this name."""
        return next((e for e in self.entries() if e.name == name), None)

    # ---- changing them ---------------------------------------------------------------

    def add(self, name: str, scope: str, now: str, token: Callable[[int], str] = secrets.token_urlsafe) -> str:
        """Make a key; the only time it is seen. ``now``: an ISO time. Raises UsageError."""
        if not _KEY_NAME.fullmatch(name):
            raise UsageError("{name} cannot name a key: letters, digits, . _ and - (64 at most).", name=name)
        if scope not in SCOPES:
            raise UsageError("There is no scope {scope}; the scopes are {scopes}.", scope=scope, scopes=_list())
        with writer_lock(self.path.with_name("keys.lock"), "keys"):
            if self.named(name) is not None:
                raise UsageError(
                    "There is a key named {name} already; remove it first, or choose another name.", name=name
                )
            key, salt = _BEGINS + token(32), secrets.token_hex(16)
            self._write((*self.entries(), Entry(name, scope, salt, _hash(salt, key), now)))
        return key

    def remove(self, name: str) -> None:
        """Forget a key: whoever uses it is refused from now on. Raises UsageError when there is none."""
        with writer_lock(self.path.with_name("keys.lock"), "keys"):
            entries = self.entries()
            if self.named(name) is None:
                names = ", ".join(e.name for e in entries)
                known = Message("the keys are {names}", {"names": names}) if names else Message("there is none")
                raise UsageError("There is no key named {name}: {known}.", name=name, known=known)
            self._write(tuple(e for e in entries if e.name != name))

    def _write(self, entries: tuple[Entry, ...]) -> None:
        data = json.dumps({"keys": [e._asdict() for e in entries]}, indent=1).encode()
        disk.write_private(self.path, data)


def _hash(salt: str, key: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + key.encode("utf-8", "surrogatepass")).hexdigest()


def _hex(text: str) -> bool:
    return bool(re.fullmatch(r"([0-9a-f]{2}){8,64}", text))


def _list() -> str:
    return ", ".join(SCOPES)
