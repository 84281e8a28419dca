"""The numbers a model writes: only those of passages it was given stay, in one notation, also in a stream.

The model may write ``[1]``, ``[1, 2]``, ``【3】`` or ``［1-3］``; what comes out is ``[1][2]``. A number that
no passage has is dropped with its brackets: a citation nobody can follow is worse than none. A year
in brackets is none.
"""

from __future__ import annotations

import re

_NUMBER = r"(?:[Ss]ource|[Pp]assage|资料|段落|来源)?[ ]?\^?\d{1,3}(?:[ ]?[-–—~][ ]?\d{1,3})?(?:†[^\]】］]{0,40})?"
_WHOLE = re.compile(rf"[ ]?[\[【［][ ]?({_NUMBER}(?:[ ]?[,，、;；][ ]?{_NUMBER})*)[ ]?[\]】］]")
_ONE = re.compile(r"(\d+)(?:[ ]?[-–—~][ ]?(\d+))?")
_BEGUN = re.compile(r"[ ]?[\[【［][^\]】］\n]{0,60}$")
_MOST = 20  # numbers one range may stand for
MARK = re.compile(r"\[(\d+)\]")


class Numbers:
    """Text in, text out; what might become a citation is held back until it is one or is none."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.cited: set[int] = set()
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        text = self._held + piece
        begun = _BEGUN.search(text)
        cut = begun.start() if begun else len(text)
        if begun is None and text[-1:] == " ":  # the blank before a citation goes with it
            cut -= 1
        self._held = text[cut:]
        return self._named(text[:cut])

    def end(self) -> str:
        """What was held back."""
        rest, self._held = self._named(self._held), ""
        return rest

    def _named(self, text: str) -> str:
        return _WHOLE.sub(self._known, text)

    def _known(self, match: re.Match[str]) -> str:
        numbers: list[int] = []
        for first, last in _ONE.findall(re.sub(r"†[^,，、;；]*", "", match[1])):
            numbers += range(int(first), min(int(last or first), int(first) + _MOST) + 1)
        kept = [n for n in dict.fromkeys(numbers) if 1 <= n <= self.count]
        self.cited.update(kept)
        return "".join(f"[{n}]" for n in kept)
