"""Control words that change a setting or end something; destinations are in `rtf_reader`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .rtf_fonts import code_page
from .rtf_story import Look, Story

if TYPE_CHECKING:
    from .rtf_reader import Reader

PICTURE, METAFILE = "picture", "metafile"  # values: bytes nobody reads, and those in which text is drawn


@dataclass(slots=True)
class Group:
    """What ``{`` opens: the settings that ``}`` gives back."""

    story: Story
    look: Look
    silent: bool = False
    hidden: bool = False
    deleted: bool = False
    font: int = -1
    skip: int = 1  # characters that stand for a \\u character in old readers
    value: str | None = None  # what the characters are kept as, instead of being text
    optional: bool = False  # \\* was seen
    style: int = -1
    texts: list[str] = field(default_factory=list)  # of a value


def _cell(reader: Reader, group: Group, value: int | None) -> None:
    reader.charge(1)
    group.story.cell()


def _font(reader: Reader, group: Group, value: int | None) -> None:
    group.font = -1 if value is None else value


def _style(reader: Reader, group: Group, value: int | None) -> None:
    group.style = -1 if value is None else value
    if group.value is None:
        group.look.level, group.look.title = reader.styles.level(group.style), reader.styles.is_title(group.style)


def _pard(reader: Reader, group: Group, value: int | None) -> None:
    group.look = Look()


def _plain(reader: Reader, group: Group, value: int | None) -> None:
    group.hidden = group.deleted = False
    group.font = reader.fonts.default


def _level(reader: Reader, group: Group, value: int | None) -> None:
    group.look.level = value if value is not None and 0 <= value < 9 else None


def _endnote(reader: Reader, group: Group, value: int | None) -> None:
    if group.story.kind == "footnote":
        group.story.kind = "endnote"


def _metafile(reader: Reader, group: Group, value: int | None) -> None:
    if group.value == PICTURE:
        group.value = METAFILE


Handler = Callable[["Reader", Group, int | None], None]


def _set(name: str) -> Handler:
    """A yes/no setting of the group, "off" written with a 0."""
    return lambda reader, group, value: setattr(group, name, value != 0)


HANDLERS: dict[bytes, Handler] = {
    b"par": lambda reader, group, value: reader.end_paragraph(group),
    b"sect": lambda reader, group, value: reader.end_paragraph(group),
    b"cell": _cell,
    b"row": lambda reader, group, value: group.story.row(),
    b"nestcell": lambda reader, group, value: group.story.nested_cell(group.look),
    b"nestrow": lambda reader, group, value: group.story.nested_row(group.look),
    b"trowd": lambda reader, group, value: group.story.begin_row(),
    b"trhdr": lambda reader, group, value: group.story.mark_row(),
    b"intbl": lambda reader, group, value: setattr(group.look, "in_table", value != 0),
    b"itap": lambda reader, group, value: group.look.nest(1 if value is None else value),
    b"pard": _pard,
    b"plain": _plain,
    b"s": _style,
    b"sbasedon": lambda reader, group, value: reader.styles.base(group.style, value),
    b"outlinelevel": _level,
    b"ftnalt": _endnote,
    b"f": _font,
    b"fcharset": lambda reader, group, value: reader.fonts.set_charset(group.font, value or 0),
    b"cpg": lambda reader, group, value: reader.fonts.set_page(group.font, value or 0),
    b"ansicpg": lambda reader, group, value: setattr(reader.fonts, "page", code_page(value or 0)),
    b"mac": lambda reader, group, value: setattr(reader.fonts, "page", "mac-roman"),
    b"pc": lambda reader, group, value: setattr(reader.fonts, "page", "cp437"),
    b"pca": lambda reader, group, value: setattr(reader.fonts, "page", "cp850"),
    b"deff": lambda reader, group, value: setattr(reader.fonts, "default", -1 if value is None else value),
    b"uc": lambda reader, group, value: setattr(group, "skip", max(0, value or 0)),
    b"emfblip": _metafile,
    b"wmetafile": _metafile,
    b"v": _set("hidden"),
    b"deleted": _set("deleted"),
    b"mvf": _set("deleted"),
}
