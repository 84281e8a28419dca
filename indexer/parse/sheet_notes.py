"""What a person should know of how a spreadsheet was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexer.core.model import Message

SHOWN = 5  # names in a note


class Notes:
    """Collected over all sheets, told once."""

    def __init__(self) -> None:
        self.hidden_sheets: list[str] = []
        self.lost_sheets: list[str] = []
        self._uncomputed = 0
        self._first = ""
        self._lost = 0
        self._hidden: list[str] = []

    def add(self, name: str, uncomputed: int, first: str, left_out: bool, lost: int = 0) -> None:
        """What was met in one sheet: formulas without a value, hidden cells, texts the file does not have."""
        if uncomputed:
            self._uncomputed += uncomputed
            self._first = self._first or f"{name}!{first}"
        self._lost += lost
        if left_out:
            self._hidden.append(name)

    def messages(self, damaged: Sequence[str]) -> tuple[Message, ...]:
        """One sentence for each kind of loss."""
        found: list[Message] = []
        if damaged or self.lost_sheets:
            parts = listed([*dict.fromkeys(damaged), *self.lost_sheets])
            found.append(
                Message("Damaged parts were left out: {parts}. Restore the file from a good copy", {"parts": parts})
            )
        if self._lost:
            found.append(
                Message(
                    "{count} cells refer to texts that are not in the file; restore it from a good copy",
                    {"count": self._lost},
                )
            )
        if self._uncomputed:
            found.append(
                Message(
                    "{count} formulas have no stored value (first: {cell}); open the file in a spreadsheet program and save it",
                    {"count": self._uncomputed, "cell": self._first},
                )
            )
        return (*found, *self._left_out())

    def _left_out(self) -> Iterator[Message]:
        if self.hidden_sheets:
            yield Message(
                "Hidden sheets are not part of the text: {names}. Show them to index them",
                {"names": listed(self.hidden_sheets)},
            )
        if self._hidden:
            yield Message(
                "Hidden rows or columns are not part of the text, in: {names}. Show them to index them",
                {"names": listed(self._hidden)},
            )


def listed(names: Sequence[str]) -> str:
    """The first names, and that there are more."""
    return ", ".join(name[:60] for name in names[:SHOWN]) + (" ..." if len(names) > SHOWN else "")
