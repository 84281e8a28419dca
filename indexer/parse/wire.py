"""What goes through the pipes of the worker: JSON and raw bytes with their lengths, never pickle.

    frame = header length (4 bytes) · body length (8 bytes) · header (JSON) · body

A request's body is the file; an answer's body is the text of all sections in UTF-8, and its
header says how many bytes belong to each. Heading paths and leads, which thousands of sections
of a table share, are written once and referred to by number; no text is held as a whole on
either side, so 60 MB of text cost little more than themselves. The answer comes from a process
that has read hostile bytes, so every field is checked again on this side.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

from indexer.core.model import Kind, Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

from .clean import clean

_HEAD = struct.Struct(">IQ")
MAX_HEADER = 16 << 20
_FIELDS = re.compile(r"(?:[^{}]|\{\{|\}\}|\{[a-z_]+(?:![rs])?\})*+")  # no {x.__class__}, no {x[0]}
KINDS = ("text", "table", "code")


class Garbled(Exception):
    """The other side wrote something that is no frame or no valid answer."""


def send(pipe: IO[bytes], header: Mapping[str, object], body: bytes | bytearray = b"") -> None:
    """Writes one frame. OSError when the other side is gone."""
    text = json.dumps(header, ensure_ascii=True).encode()
    pipe.write(_HEAD.pack(len(text), len(body)) + text)
    pipe.write(body)
    pipe.flush()


def receive(pipe: IO[bytes], max_body: int) -> tuple[dict[str, Any], bytes] | None:
    """Reads one frame, None at the end of the stream. Garbled if it is cut off or too long."""
    head = pipe.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise Garbled
    header_size, body_size = _HEAD.unpack(head)
    if header_size > MAX_HEADER or body_size > max_body:
        raise Garbled
    text = pipe.read(header_size)
    body = pipe.read(body_size)
    if len(text) < header_size or len(body) < body_size:
        raise Garbled
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Garbled from error
    if not isinstance(header, dict):
        raise Garbled
    return header, body


def pack(parsed: Parsed) -> tuple[dict[str, object], bytearray]:
    """An answer; the texts are cleaned here, so no parser can send a lone surrogate."""
    body = bytearray()
    paths: dict[tuple[str, ...], int] = {}
    leads: dict[str, int] = {}
    rows: list[object] = []
    for s in parsed.sections:
        start = len(body)
        body += clean(s.text).encode()
        path, lead = paths.setdefault(s.headings, len(paths)), leads.setdefault(s.lead, len(leads))
        rows.append([len(body) - start, path, s.page, s.kind, clean(s.place), lead])
    header: dict[str, object] = {
        "answer": "parsed",
        "sections": rows,
        "paths": [[clean(heading) for heading in path] for path in paths],
        "leads": [clean(lead) for lead in leads],
        "state": parsed.state.value,
        "notes": [pack_message(note) for note in parsed.notes],
        "parser": parsed.parser,
        "title": clean(parsed.title),
        "details": dict(parsed.details),
        "label": clean(parsed.label),
    }
    return header, body


def pack_message(message: Message) -> list[object]:
    """A message as JSON: its template and its values (numbers stay numbers)."""
    return [message.text, {k: v if isinstance(v, int | float) else clean(str(v)) for k, v in message.args.items()}]


def unpack_message(value: object) -> Message:
    """Inverse of :func:`pack_message`; Garbled for a template that reaches into objects."""
    match value:
        case [str(text), dict(args)] if _FIELDS.fullmatch(text):
            if all(isinstance(k, str) and isinstance(v, str | int | float) for k, v in args.items()):
                message = Message(text, args)
                try:
                    str(message)
                except (KeyError, ValueError, IndexError) as error:
                    raise Garbled from error
                return message
    raise Garbled


def unpack(header: Mapping[str, Any], body: bytes, limits: ParseLimits) -> Parsed:
    """Inverse of :func:`pack`; Garbled if the lengths do not add up or a field has a wrong type."""
    try:
        sections = tuple(_sections(header, memoryview(body), limits.output_chars))
        state = State(header["state"])
        if state not in (State.INDEXED, State.WARNED, State.NO_TEXT):
            raise Garbled
        notes = tuple(unpack_message(note) for note in header["notes"])
        details = header["details"]
        if not isinstance(details, dict):
            raise Garbled
        return Parsed(
            sections, state, notes, str(header["parser"]), str(header["title"]), details, str(header["label"])
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise Garbled from error


def _sections(header: Mapping[str, Any], body: memoryview, most: int) -> Iterator[Section]:
    paths = [tuple(str(heading) for heading in path) for path in header["paths"]]
    leads = [str(lead) for lead in header["leads"]]
    at = 0
    for size, path, page, kind, place, lead in header["sections"]:
        if not (isinstance(size, int) and 0 <= size <= len(body) - at and isinstance(page, int | None)):
            raise Garbled
        if kind not in KINDS or not isinstance(place, str) or min(path, lead) < 0:
            raise Garbled
        text = str(body[at : at + size], "utf-8")
        at += size
        most -= len(text)
        if most < 0:
            raise Garbled
        yield Section(text, paths[path], page, cast(Kind, kind), place, leads[lead])
    if at != len(body):
        raise Garbled
