"""A document inside a document (an attachment), parsed by the parser of its own format, in the same worker."""

from __future__ import annotations

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits

from .call import call
from .formats import CONTENT, PROGRAMS, SUFFIXES

DEEPEST = 3  # an attachment of an attachment of an attachment


def parse_part(name: str, data: bytes, limits: ParseLimits, depth: int = 1) -> Parsed:
    """What a file named ``name`` with these bytes says. Raises ParseRefused, unsupported formats included.

    ``depth`` counts the documents around it; parsers that have parts of their own take it as
    their third argument.
    """
    from . import sniff

    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    parser = SUFFIXES.get(suffix)
    if parser is None:
        parser = CONTENT.get(sniff.identify(data, binary=True) or "")
    if parser is None:
        raise ParseRefused("Files of type {suffix} are unsupported; convert the file or exclude it", suffix=suffix)
    real, _ = sniff.check(parser, data)
    if real in PROGRAMS:  # this worker may start nothing
        raise ParseRefused(
            "Files of Office 97 to 2003 (.doc, .xls, .ppt) are not read within another; save it as a file of its own"
        )
    if real in NESTING:
        if depth >= DEEPEST:
            raise ParseRefused(
                "Attachments are nested more than {limit} deep; save the inner ones as files of their own",
                limit=DEEPEST,
            )
        return call(real, data, limits, depth + 1)
    return call(real, data, limits)


NESTING = frozenset({"eml", "msg"})
