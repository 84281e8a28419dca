"""What an uploaded file is called: our own check of every part, so that a name can lead nowhere but into its folder.

Nothing is repaired silently but white space at the ends and the form of accents (NFC): a name that does not hold
is refused with the reason, so what lies in the folder is what somebody meant.
"""

from __future__ import annotations

import os
import re
import unicodedata

from ..core.model import Message, display
from ..sources.rules import junk
from ..sources.walk import skipped_folder
from .problems import Problem

LONGEST = 255
"""Bytes of one name, as file systems have it."""

DEEPEST = 32
"""Folders below each other."""

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
_WINDOWS = re.compile(r'[<>:"|?*]')
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
"""Characters that turn the direction of what follows: `gpj.exe` can be shown as `exe.jpg`."""


def file_name(given: str) -> str:
    """The name of a file; of a path that a browser or program sent the last part. Raises Problem (400)."""
    name = _part(re.split(r"[/\\]", given)[-1])
    if rule := junk(name.encode()):
        raise _refused(name, Message("ignored by rule: {rule}", {"rule": rule}))
    return name


def folder_path(given: str) -> str:
    """A folder below the source, parts joined by "/", "" for the source itself. Raises Problem (400)."""
    parts = [part for part in re.split(r"[/\\]", given) if part not in ("", ".")]
    if len(parts) > DEEPEST:
        raise _refused(given, Message("there are more than {count} folders in it", {"count": DEEPEST}))
    named = [_part(part) for part in parts]
    for name in named:
        if skipped_folder(name.encode()):
            raise _refused(name, Message("folders of this name are not looked at"))
    return "/".join(named)


def _part(given: str) -> str:
    name = unicodedata.normalize("NFC", given).strip()
    if why := _why_not(name):
        raise _refused(given, why)
    return name


def _why_not(name: str) -> Message | None:
    if not name or set(name) <= {"."}:
        return Message("it is empty")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") for c in name):
        return Message("it holds characters that cannot be shown")
    if set(name) & set(_TURNS):
        return Message("it holds characters that turn the direction of the text")
    if len(name.encode()) > LONGEST - len(".part"):
        return Message("it is longer than {count} bytes", {"count": LONGEST - len(".part")})
    if _RESERVED.fullmatch(name) or name.endswith("."):
        return Message("Windows cannot have a file of this name")
    if os.name == "nt" and _WINDOWS.search(name):
        return Message("Windows cannot have a file of this name")
    return None


def _refused(name: str, why: Message) -> Problem:
    shown = display(name.encode("utf-8", "backslashreplace").decode())[:300]
    return Problem(400, "name", Message("The name {name} is refused: {why}.", {"name": shown, "why": why}))
