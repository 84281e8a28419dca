"""Which names in a source are no documents: editor temporaries, unfinished downloads, system files."""

from __future__ import annotations

import re

# Exact patterns only: `temp*` or `*.bak` may well be somebody's document.
_JUNK = {
    "Office owner file": rb"~\$.*|\.~lock\..*#",
    "Word temporary": rb"~WR[A-Z]\d*\.tmp|~\$?[0-9a-f]+\.tmp|~DF[0-9A-F]+\.tmp",
    "editor temporary": rb"\..*\.sw[a-px]|.*~|#.*#|\.#.*|\.goutputstream-.*|4913|.*___jb_(?:tmp|old)___",
    "unfinished download": rb".*\.(?:part|partial|crdownload|download|opdownload|!ut|aria2|filepart)",
    "sync temporary": rb"\.syncthing\..*\.tmp|~syncthing~.*\.tmp|\.sync\..*|.*\.tmp\.driveupload|\.nfs[0-9a-f]+|\.owncloudsync\.log.*",
    "system file": rb"\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.localized|Icon\r",
    "rules of the indexer": rb"\.indexerignore|\.indexer-probe-[0-9]+",
}
_ANY_JUNK = re.compile(b"|".join(b"(?:%s)" % p for p in _JUNK.values()), re.IGNORECASE | re.DOTALL)


def junk(name: bytes) -> str | None:
    """The rule that makes a file name no document, or None."""
    if not _ANY_JUNK.fullmatch(name):
        return None
    return next(rule for rule, p in _JUNK.items() if re.fullmatch(p, name, re.IGNORECASE | re.DOTALL))


def suffix(name: bytes) -> str:
    """Lower-case suffix with its dot, "" when there is none."""
    dot = name.rfind(b".")
    return name[dot:].lower().decode("utf-8", "surrogateescape") if dot > 0 else ""
