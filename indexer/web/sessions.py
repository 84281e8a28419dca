"""A browser's login: a cookie that names a key and is signed with that key's hash, so it ends with the key.

Nothing is stored: the hash is a secret of ``keys.json``. A session that was logged out of is
remembered until it would have ended anyway.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from .keys import Entry, Keys

COOKIE = "indexer_session"
_FORM = re.compile(r"([A-Za-z0-9._-]{1,64})~(\d{1,12})~([A-Za-z0-9_-]{16})~([0-9a-f]{64})")


def begin(entry: Entry, now: float, hours: float) -> str:
    """The cookie's value; ``now``: seconds since 1970."""
    told = f"{entry.name}~{int(now + hours * 3600)}~{secrets.token_urlsafe(12)}"
    return f"{told}~{_signed(entry, told)}"


def whose(cookie: str, keys: Keys, now: float, ended: dict[str, float]) -> Entry | None:
    """The key a cookie stands for; None when it is forged, over, or its key is gone."""
    match = _FORM.fullmatch(cookie)
    if match is None or int(match[2]) <= now or match[3] in ended:
        return None
    entry = keys.named(match[1])
    if entry is None or not hmac.compare_digest(_signed(entry, cookie.rpartition("~")[0]), match[4]):
        return None
    return entry


def end(cookie: str, now: float, ended: dict[str, float]) -> None:
    """Log out: the cookie is worth nothing from now on."""
    for name in [name for name, until in list(ended.items()) if until <= now]:
        ended.pop(name, None)
    if match := _FORM.fullmatch(cookie):
        ended[match[3]] = float(match[2])


def _signed(entry: Entry, told: str) -> str:
    return hmac.new(bytes.fromhex(entry.hash), f"indexer session\n{told}".encode(), hashlib.sha256).hexdigest()
