"""Content controls bound to data parts: Word shows the data, not the copy in the document.

Report generators replace the data part and leave the copy as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .docx_package import Package
from .docx_xml import W15, W

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# Data parts every document has, under the fixed ids Word gives them.
_BUILT_IN = {
    "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}": "core-properties",
    "{6668398D-A668-4E3E-A5EB-62B293D839F1}": "extended-properties",
}
_ITEM_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}itemID"
_STEP = re.compile(r"/(@?)(?:([\w.-]+):)?([\w.-]+|\*)(?:\[(\d+)\])?")
_PREFIX = re.compile(r"xmlns:([\w.-]+)=[\"']([^\"']*)[\"']")
# Controls whose stored value is not what is shown: a code for a display text, an ISO date.
_TRANSLATED = (W + "date", W + "comboBox", W + "dropDownList", W + "picture", W15 + "repeatingSection")


class Bindings:
    """The data parts of a package, opened at the first bound control."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._stores: dict[str, Element] | None = None

    def value(self, properties: Element, content: Element | None) -> str | None:
        """The text a control shows by its binding; None to read the control's own content."""
        binding = properties.find(W + "dataBinding")
        if binding is None:
            return None
        placeholder = properties.find(W + "showingPlcHdr") is not None
        empty = content is None or not any((t.text or "").strip() for t in content.iter(W + "t"))
        if not (placeholder or empty) and any(properties.find(name) is not None for name in _TRANSLATED):
            return None
        if content is not None and next(content.iter(W + "drawing", W + "pict", W + "tbl"), None) is not None:
            return None
        return self._look_up(binding) or None

    def _look_up(self, binding: Element) -> str:
        if self._stores is None:
            self._stores = dict(self._open())
        node = self._stores.get(binding.get(W + "storeItemID", "").upper())
        prefixes = dict(_PREFIX.findall(binding.get(W + "prefixMappings", "")))
        return "" if node is None else _follow(node, binding.get(W + "xpath", ""), prefixes).strip()

    def _open(self) -> Iterator[tuple[str, Element]]:
        package = self._package
        for relation in package.relations(package.main).values():
            properties = package.xml(package.related(relation.target, "customXmlProps"))
            if relation.kind != "customXml" or properties is None:
                continue
            item = properties.get(_ITEM_ID, "")
            root = package.xml(relation.target)
            if root is not None:
                yield item.upper(), root
        for item, kind in _BUILT_IN.items():
            root = package.xml(package.related("", kind))
            if root is not None:
                yield item, root


def _follow(root: Element, path: str, prefixes: dict[str, str]) -> str:
    """The plain paths Word writes (``/a:b[1]/c:d[2]/@e``); any other expression finds nothing."""
    steps = _STEP.findall(path)
    if not steps or _STEP.sub("", path).strip():
        return ""
    node: Element | None = None
    for at, prefix, name, place in steps:
        tag = f"{{{prefixes.get(prefix, '')}}}{name}" if prefix else name
        if at:
            return "" if node is None else node.get(tag, "")
        siblings = [root] if node is None else list(node.iterchildren())
        found = [child for child in siblings if child.tag == tag or name == "*"]
        index = int(place or "1") - 1
        if not 0 <= index < len(found):
            return ""
        node = found[index]
    return "" if node is None else "".join(str(text) for text in node.itertext())
