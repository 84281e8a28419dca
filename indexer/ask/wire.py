"""Answers as plain values: what the database keeps, what JSON shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.model import Message
from .model import Answer, Citation, Kept


def pack(answer: Answer) -> dict[str, Any]:
    """As it is kept: notes as templates with their values, so that each reader gets them in their language."""
    plain = answer._asdict()
    plain["citations"] = [c._asdict() for c in answer.citations]
    plain["notes"] = [{"text": note.text, "args": dict(note.args)} for note in answer.notes]
    return plain


def unpack(plain: Mapping[str, Any]) -> Answer:
    """Inverse of :func:`pack`; fields of another version of the product are left out or get their default."""
    known = {name: plain[name] for name in Answer._fields if name in plain}
    known["citations"] = tuple(_citation(c) for c in plain["citations"])
    known["notes"] = tuple(Message(note["text"], note["args"]) for note in plain["notes"])
    return Answer(**known)


def _citation(plain: Mapping[str, Any]) -> Citation:
    known = {name: plain[name] for name in Citation._fields if name in plain}
    return Citation(**{**known, "headings": tuple(known["headings"])})


def shown(answer: Answer, lang: str) -> dict[str, Any]:
    """For JSON: notes as sentences in a reader's language."""
    from ..i18n import translate

    plain = answer._asdict()
    plain["citations"] = [c._asdict() for c in answer.citations]
    return {**plain, "notes": [translate(note, lang) for note in answer.notes]}


def kept(answer: Kept, lang: str) -> dict[str, Any]:
    """As :func:`shown`, with ``standing``: for each citation what became of its document."""
    return {**shown(answer.answer, lang), "standing": [s._asdict() for s in answer.standing]}
