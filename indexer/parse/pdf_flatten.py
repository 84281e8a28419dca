"""A page's content with everything laid open, as one list of operations for pypdf.

Form XObjects and the appearances of fields stand where they are drawn, each font has a name
of its own, text in fonts that pypdf misreads is already decoded, hidden layers are gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import bidirectional

from .pdf_content import PAINTS, SHOWS, Operand, Operation, operations
from .pdf_fonts import FontShelf, Typeface
from .pdf_objects import as_dict, as_list, entry, mapped, replaced, text_string

if TYPE_CHECKING:
    from pypdf.generic import DictionaryObject, StreamObject

MAX_OPERATIONS = 600_000  # more is a drawing made of text, or an attack
MAX_FORMS, MAX_FORM_DEPTH = 5_000, 24
MAX_CONTENT_BYTES = 128 << 20
MIN_IMAGE_SIDE = 8  # dots; smaller images are spacers and bullets, never a scanned page
PLACES = frozenset({b"Td", b"TD", b"Tm", b"T*"})


class PageTooComplex(Exception):
    """The page asks for more work than any page a person reads."""


@dataclass(slots=True)
class Drawing:
    """What a page draws; ``images``, ``paths`` and ``shows`` are counts."""

    operations: list[tuple[list[Any], bytes]] = field(default_factory=list)
    fonts: dict[str, DictionaryObject] = field(default_factory=dict)
    images: int = 0
    paths: int = 0
    shows: int = 0
    doubtful: int = 0  # shows in fonts that do not say what they show


class Saved(NamedTuple):
    """A saved graphics state, and how much was drawn before it."""

    face: Typeface | None
    length: int
    shows: int


class Flattener:
    """Turns content streams into one `Drawing`."""

    def __init__(self, shelf: FontShelf, hidden_layers: frozenset[int]) -> None:
        self.drawing = Drawing()
        self._shelf = shelf
        self._hidden = hidden_layers
        self._forms = 0
        self.read_bytes = 0
        self._content_bytes = 0
        self._running: list[int] = []
        self._silent: set[int] = set()
        self._face: Typeface | None = None
        self.placed = True

    def run(self, data: bytes, resources: Mapping[str, Any]) -> None:
        """Adds a content stream. Raises PageTooComplex."""
        self.read_bytes += len(data)
        self._content_bytes += len(data)
        if self._content_bytes > MAX_CONTENT_BYTES:
            raise PageTooComplex
        stream = _Stream(self, resources)
        for operation in operations(data):
            stream.step(operation)
        stream.finish()

    def form(self, form: StreamObject, resources: Mapping[str, Any]) -> None:
        """Adds a form XObject where it is drawn; a form inside itself is drawn once."""
        identity = form.indirect_reference.idnum if form.indirect_reference else id(form)
        if identity in self._running or identity in self._silent or len(self._running) >= MAX_FORM_DEPTH:
            return
        self._forms += 1
        if self._forms > MAX_FORMS:
            raise PageTooComplex
        saved = self.save()
        matrix = as_list(form.get("/Matrix"))
        if len(matrix) == 6:
            self.emit(b"cm", matrix)
        self._running.append(identity)
        try:
            self.run(form.get_data(), as_dict(form.get("/Resources")) or resources)
        finally:
            self._running.pop()
        if self.drawing.shows == saved.shows:
            self._silent.add(identity)  # an icon drawn a thousand times is read once
        self.restore(saved)

    def emit(self, operator: bytes, operands: list[Any]) -> None:
        """Adds one operation for pypdf. Raises PageTooComplex."""
        if len(self.drawing.operations) >= MAX_OPERATIONS:
            raise PageTooComplex
        self.drawing.operations.append((operands, operator))

    def save(self) -> Saved:
        """The q operator."""
        saved = Saved(self._face, len(self.drawing.operations), self.drawing.shows)
        self.emit(b"q", [])
        return saved

    def restore(self, saved: Saved) -> None:
        """The Q operator. What was drawn since without any text is forgotten."""
        self._face = saved.face
        if self.drawing.shows == saved.shows:
            del self.drawing.operations[saved.length :]
        else:
            self.emit(b"Q", [])

    def choose(self, fonts: Mapping[str, Any], operands: list[Operand]) -> None:
        """The Tf operator."""
        name = operands[0] if operands and isinstance(operands[0], str) else ""
        size = operands[1] if len(operands) > 1 and isinstance(operands[1], float) else 1.0
        self._face = face = self._shelf.face(fonts, name)
        self.drawing.fonts[face.name] = face.resource
        self.emit(b"Tf", [face.name, size])

    def show(self, operation: Operation, instead: str | None) -> None:
        """A text-showing operator; ``instead`` is what its marked content says it reads."""
        from pypdf.generic import ArrayObject

        self.drawing.shows += 1
        operands: list[Any] = operation.operands
        if self._face is None:
            self.choose({}, [])
        if not self.placed:
            self.emit(b"Td", [0.0, 0.0])  # pypdf compares positions only where text is placed
            self.placed = True
        decode = self._face.decode if self._face else None
        self.drawing.doubtful += bool(self._face and self._face.doubtful)
        if instead is not None:
            operands = replaced(operands, instead)
        elif decode is not None:
            operands = mapped(operands, decode)
        shown = next((item for item in reversed(operands) if isinstance(item, list | bytes | str)), b"")
        if isinstance(shown, list):  # also "[(a)] Tj", which viewers show
            self.emit(b"TJ", [ArrayObject(item for item in shown if isinstance(item, bytes | str | float))])
        elif operation.operator in (b"'", b'"'):
            self.emit(b"'", [shown])
        else:
            self.emit(b"Tj", [shown])

    def image(self, image: Mapping[str, Any]) -> None:
        """Counts an image that may be a scan."""
        sides = (entry(image, "/Width"), entry(image, "/Height"))
        self.read_bytes += len(getattr(image, "_data", b""))  # held by pypdf from now on
        if all(not isinstance(side, int | float) or side >= MIN_IMAGE_SIDE for side in sides):
            self.drawing.images += 1

    def hides(self, group: object) -> bool:
        """Whether an optional content group, or membership, is switched off."""
        if getattr(group, "idnum", None) in self._hidden:
            return True
        members = as_dict(group).get("/OCGs")
        listed = members if isinstance(members, list) else [as_dict(group).raw_get("/OCGs")] if members else []
        return bool(listed) and all(getattr(member, "idnum", None) in self._hidden for member in listed)


class _Stream:
    """One content stream on its way: its saved fonts and its marked content."""

    def __init__(self, flattener: Flattener, resources: Mapping[str, Any]) -> None:
        self._to = flattener
        self._resources = resources
        self._fonts = as_dict(resources.get("/Font"))
        self._saved: list[Saved] = []
        self._marks: list[tuple[bool, str | None]] = []  # (hidden, text to read instead)
        self._hidden = 0
        self._instead: str | None = None

    def step(self, operation: Operation) -> None:
        operator, operands = operation
        if operator in SHOWS:
            self._show(operation)
        elif operator in PAINTS:
            self._to.drawing.paths += 1
        elif operator == b"Tf":
            self._to.choose(self._fonts, operands)
        elif operator == b"q":
            self._saved.append(self._to.save())
        elif operator == b"Q":
            if self._saved:
                self._to.restore(self._saved.pop())
        elif operator == b"Do":
            self._draw(operands)
        elif operator == b"BI":
            self._to.drawing.images += 1
        elif operator in (b"BDC", b"BMC"):
            self._begin(operands)
        elif operator == b"EMC":
            self._end()
        else:
            self._to.placed = operator in PLACES or (self._to.placed and operator != b"BT")
            self._to.emit(operator, [value for value in operands if isinstance(value, float)])

    def finish(self) -> None:
        """Closes what the stream left open, so that it cannot reach the page around it."""
        while self._saved:
            self._to.restore(self._saved.pop())

    def _show(self, operation: Operation) -> None:
        if self._hidden:
            return
        self._to.show(operation, self._instead)
        if self._instead:
            self._instead = ""  # the first operator shows it all

    def _draw(self, operands: list[Operand]) -> None:
        from pypdf.generic import StreamObject

        name = operands[0] if operands else None
        drawn = entry(as_dict(self._resources.get("/XObject")), name) if isinstance(name, str) else None
        if self._hidden or not isinstance(drawn, StreamObject):
            return
        if "/OC" in drawn and self._to.hides(drawn.raw_get("/OC")):
            return
        if entry(drawn, "/Subtype") == "/Image":
            self._to.image(drawn)
        else:
            self._to.form(drawn, self._resources)

    def _begin(self, operands: list[Operand]) -> None:
        tag, properties = (*operands, None, None)[:2]
        hidden, instead = False, None
        if tag == "/OC" and isinstance(properties, str):
            groups = as_dict(self._resources.get("/Properties"))
            hidden = properties in groups and self._to.hides(groups.raw_get(properties))
        elif isinstance(properties, dict):
            instead = text_string(properties.get("/ActualText"))
            if instead and any(bidirectional(char) in ("R", "AL") for char in instead):
                instead = None  # pypdf sets right-to-left runs in order by their glyphs
        self._marks.append((hidden, instead))
        self._hidden += hidden
        if instead is not None:
            self._instead = instead

    def _end(self) -> None:
        if self._marks:
            hidden, _ = self._marks.pop()
            self._hidden -= hidden
            self._instead = "" if any(mark[1] is not None for mark in self._marks) else None
