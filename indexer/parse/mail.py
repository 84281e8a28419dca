"""A message, whatever format it came in: headers, bodies in order, attachments; and what it is written as.

The subject is the title and the first heading; From, To, Cc and Date follow as lines. Each
attachment is a part under its own heading, its file name, read by the parser of its format. One
that cannot be read is named, so that the file can be found, and said in a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from indexer.core.errors import ParseRefused
from indexer.core.model import Message, Parsed, Section, State
from indexer.core.tables import ParseLimits

from .mail_body import Body, body_sections
from .parts import DEEPEST, parse_part

NAMED = 5  # attachments listed in a note
MOST = 500  # attachments read


@dataclass(slots=True)
class Attached:
    """An attachment: bytes of some format, or a message."""

    name: str
    data: bytes = b""
    mail: Mail | None = None


@dataclass(slots=True)
class Mail:
    """A message. ``fields`` are the header lines to show, ``notes`` what could not be read of it."""

    subject: str = ""
    fields: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)


def parsed_mail(mail: Mail, parser: str, limits: ParseLimits, depth: int) -> Parsed:
    """The message as a document. ``depth`` counts it and the documents around it."""
    writer = _Writer(limits)
    writer.write(mail, (), depth)
    said = tuple({str(note): note for note in writer.notes()}.values())
    state = State.WARNED if said else State.INDEXED
    if not any(section.text.strip() for section in writer.sections):
        state, said = State.NO_TEXT, (Message("The message has no text"), *said)
    details: dict[str, object] = {name.lower(): value[:200] for name, value in mail.fields}
    if mail.attached:
        details["attachments"] = [(a.name or (a.mail.subject if a.mail else ""))[:100] for a in mail.attached[:50]]
    return Parsed(tuple(writer.sections), state, said, parser, mail.subject, details)


class _Writer:
    """Messages and attachments to sections, one within the other."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits
        self._written = 0
        self._read = 0
        self._seen: set[bytes] = set()
        self._unread: list[str] = []
        self._reasons: list[Message] = []
        self._notes: list[Message] = []
        self.sections: list[Section] = []

    def write(self, mail: Mail, around: tuple[str, ...], depth: int) -> None:
        """The message under the headings around it."""
        path = (*around, mail.subject) if mail.subject else around
        lines = [mail.subject, *(f"{name}: {value}" for name, value in mail.fields)]
        self._add(Section("".join(f"{line}\n" for line in lines if line), path), apart=True)
        for body in mail.bodies:
            sections = body_sections(body)
            for index, section in enumerate(sections, 1):
                self._add(section._replace(headings=(*path, *section.headings)), apart=index == len(sections))
        self._notes.extend(mail.notes)
        for attached in mail.attached:
            self._attached(attached, path, depth)

    def notes(self) -> Iterator[Message]:
        """What a person should know: of the messages, and the attachments whose content is not in the text."""
        yield from self._notes
        names = list(dict.fromkeys(self._unread))
        if names:
            shown = ", ".join(name[:60] for name in names[:NAMED])
            yield Message(
                "Attachments could not be read: {names}. Save them as files of a supported format to index them",
                {"names": shown if len(names) <= NAMED else f"{shown}, … ({len(names)})"},
            )
            yield from self._reasons[:NAMED]

    def _attached(self, attached: Attached, path: tuple[str, ...], depth: int) -> None:
        name = attached.name
        if name:
            self._add(Section(f"{name}\n", (*path, name)))
        if attached.mail is not None:
            if depth > DEEPEST:
                self._unread.append(name or attached.mail.subject or "?")
            else:
                self.write(attached.mail, (*path, name) if name else path, depth + 1)
            return
        self._read += 1
        try:
            if self._read > MOST:
                raise ParseRefused(
                    "The message has more than the limit of {limit} attachments; save them as files of their own",
                    limit=MOST,
                )
            self._part(attached, (*path, name) if name else path, depth)
        except ParseRefused as refused:
            self._give_up(name, refused.message)
        except MemoryError:
            self._give_up(name, Message("Its reading needs more memory than the limit; save it as a file of its own"))
        except Exception as error:  # a parser's mistake on one attachment must not lose the message around it
            self._give_up(
                name,
                Message(
                    "The file is damaged: {detail}. Save it on its own to see what is wrong with it",
                    {"detail": type(error).__name__},
                ),
            )

    def _give_up(self, name: str, reason: Message) -> None:
        self._unread.append(name or "?")
        self._reasons.append(reason)

    def _part(self, attached: Attached, path: tuple[str, ...], depth: int) -> None:
        if not attached.data.strip() or attached.data in self._seen:
            return
        self._seen.add(attached.data)
        parsed = parse_part(attached.name, attached.data, self._limits, depth)
        for section in parsed.sections:
            self._add(section._replace(headings=(*path, *section.headings)))
        if parsed.state is not State.INDEXED:
            self._give_up(attached.name, parsed.notes[0] if parsed.notes else Message("The file has no text"))

    def _add(self, section: Section, apart: bool = False) -> None:
        """Adds a section that ends its last line, and its paragraph if what follows stands ``apart``."""
        end = "\n\n" if apart and section.kind == "text" else "\n"
        if section.text and not section.text.endswith(end):
            section = section._replace(text=section.text.rstrip("\n") + end)
        self._written += len(section.text)
        if self._written > self._limits.output_chars:
            raise ParseRefused(
                "The text is longer than the limit of {limit} characters; split the file, or raise output_chars",
                limit=self._limits.output_chars,
            )
        if section.text:
            self.sections.append(section)
