"""Title and version label as the properties of an Office package state them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .docx_package import Package

# Titles that programs write by themselves.
_NO_TITLE = re.compile(
    r"(?i)^(?:untitled|title|document\d*|文档\s*\d*|无标题|microsoft word - .*|word document|normal\.dotm?"
    r"|powerpoint[ -]?presentation|powerpoint 演示文稿|演示文稿\s*\d*|presentation\s*\d*|slide \d+|幻灯片\s*\d+)$"
)
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_VERSION_NAMES = frozenset(
    ("version", "version number", "document version", "doc version", "版本", "版本号", "文档版本", "文件版本", "版次")
)
MOST = 60


def real_title(text: str) -> str:
    """The title on one line; "" for one that a program put there by itself."""
    text = " ".join(text.split())
    lost = text.count("?") + text.count("\ufffd")  # a title stored in a code page that cannot hold it
    return "" if _NO_TITLE.match(text) or 2 * lost > len(text) else text


def stated_title(package: Package) -> str:
    """The title a person gave the document; "" for none."""
    core = package.xml(package.related("", "core-properties"))
    return real_title(("" if core is None else core.findtext(_DUBLIN_CORE + "title")) or "")


def stated_label(package: Package) -> str:
    """The version among the custom properties, else the core ones; "" for none."""
    custom = package.xml(package.related("", "custom-properties"))
    for field in () if custom is None else custom:
        if is_version(field.get("name", "")):
            text = version_text("".join(str(t) for t in field.itertext()))
            if text:
                return text
    core = package.xml(package.related("", "core-properties"))
    return version_text(("" if core is None else core.findtext(_CORE + "version")) or "")


def is_version(name: str) -> bool:
    """Whether a property of this name holds the version of the document."""
    return " ".join(name.lower().replace("_", " ").split()) in _VERSION_NAMES


def version_text(text: str) -> str:
    """A label on one line; "" for a text too long to be one."""
    text = " ".join(text.split())
    return text if len(text) <= MOST else ""
