"""What an RTF file states beside its text: properties, instructions of fields, names of objects."""

from __future__ import annotations


class Values:
    """Takes the characters of groups that are values."""

    def __init__(self) -> None:
        self.title = ""
        self.properties: dict[str, str] = {}
        self.objects: list[str] = []
        self.instruction = ""  # of the last field
        self._property = self._shape = ""

    def keep(self, kind: str, text: str) -> str:
        """Keeps a value; returns the text of WordArt, which is shown."""
        if kind == "instruction":
            self.instruction = text
        elif kind == "title":
            self.title = self.title or text
        elif kind == "object":
            self.objects.append(text.strip())
        elif kind == "property":
            self._property = text
        elif kind == "value":
            self.properties.setdefault(self._property, text)
        elif kind == "shape name":
            self._shape = text.strip()
        elif kind == "shape value" and self._shape == "gtextUNICODE":
            return text.strip()
        return ""
