"""Outlook messages (.msg): subject, sender, receivers, date, body, attachments, messages inside.

The compound file is opened by `olefile`; what its streams mean (MS-OXMSG) is read here, in
`msg_store`, since `python-oxmsg` gives no messages inside messages and `extract-msg` is GPL.
"""

from __future__ import annotations

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

VERSION = "1"


def parse(data: bytes, limits: ParseLimits, depth: int = 1) -> Parsed:
    """The sections of a message. ``depth`` counts it and the documents around it."""
    from .mail import parsed_mail
    from .msg_store import read_message

    return parsed_mail(read_message(data, limits), "msg", limits, depth)
