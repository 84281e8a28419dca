"""E-mail messages (.eml): subject, sender, receivers, date, body, attachments.

The structure comes from the standard library's parser under its old policy, which takes
anything; the new one raises on real mail. Charsets, transfer encodings and encoded words are
decoded here, leniently. The stations:

    eml_mime       the parts of a message: bodies, attachments, messages inside
    mail_headers   headers and characters     mail_body   plain text and HTML, once
    mail           the message as sections, attachments by the parser of their format
"""

from __future__ import annotations

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, State
from indexer.core.tables import ParseLimits

VERSION = "1"


def parse(data: bytes, limits: ParseLimits, depth: int = 1) -> Parsed:
    """The sections of a message. ``depth`` counts it and the documents around it."""
    from .eml_mime import read_mail
    from .mail import Mail, parsed_mail
    from .mail_body import Body
    from .mail_headers import to_text
    from .sniff import identify

    if not data.strip():
        return Parsed((), State.NO_TEXT, (Message("The file is empty"),), "eml")
    if identify(data, binary=False) == "HTML page":  # mail programs export bare pages too
        return parsed_mail(Mail(bodies=[Body(html=to_text(data))]), "eml", limits, depth)
    try:
        mail = read_mail(data)
    except RecursionError as error:
        raise ParseRefused(
            "The file is nested too deeply, as no mail program writes it; save the message again, or exclude it"
        ) from error
    return parsed_mail(mail, "eml", limits, depth)
