"""Title and version label of a document: from its properties, front matter, heading or file name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .core.model import Parsed

_EDGE = r"(?:^|(?<=[\s_\-—–.,，:：;；()（）【】\[\]《》]))"
_NUMBER = r"\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?"
# What a version label looks like in a name or a title, the clearest first.
_IN_NAME: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"{_EDGE}[Vv](?:er(?:sion)?)?\.?[ _]?({_NUMBER})(?![\w.]*\d|[A-Za-z])"), "v{}"),
    (re.compile(rf"(?<=[^\x00-\x7f])[Vv]({_NUMBER})(?![\w.]*\d|[A-Za-z])"), "v{}"),
    (re.compile(rf"(?:版本号?|版次)[ :：]{{0,3}}[Vv]?({_NUMBER})"), "v{}"),
    (re.compile(r"(第[ ]?[一二三四五六七八九十\d]{1,3}[ ]?[版次](?:修订|修正)?)(?=[\s_\-)）】\]]|$)"), "{}"),
    (re.compile(r"((?:19|20)\d{2}[ ]?年?[ ]?(?:修订版|修正版|修订|修正|版))"), "{}"),
    (re.compile(r"(?<=\w)[ _-](\d{1,3}\.\d{1,4}(?:\.\d{1,4}){0,2})$"), "v{}"),
    (re.compile(rf"{_EDGE}[Rr]ev(?:ision)?[. _]{{0,2}}([A-Z]|{_NUMBER})(?!\w)"), "Rev. {}"),
)
_DATED = re.compile(r"[\s_\-(（]((?:19|20)\d{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])[)）]?$")
# What says so in the first lines of a text: a word for "version", then the label.
_IN_TEXT = re.compile(
    r"(?:^|[\s|（(])(?:(?:文件|文档|制度)?版本号?|版次|[Vv]ersion|[Rr]evision|VERSION)"
    rf"(?:[ \t|]{{0,3}}[:：][ \t|]{{0,3}}|[ \t|]{{1,3}})[Vv]?({_NUMBER}|[A-Z]/\d{{1,2}})(?=$|[\s|，,;；)）])",
    re.M,
)
_FIELDS = ("version", "版本", "版本号", "revision", "rev")
FIRST_LINES = 600  # characters in which a document says what version it is
MOST = 24


class Named(NamedTuple):
    """What a person calls a document: title, and version label such as "v3.1" ("" for none)."""

    title: str
    label: str


def label_of(parsed: Parsed) -> str:
    """The version label a document states itself: properties, front matter, title, first heading, first lines."""
    if parsed.label:
        return _plain(parsed.label)
    front = parsed.details.get("front_matter")
    if isinstance(front, dict):
        for key, value in front.items():
            if str(key).lower() in _FIELDS and value:
                return _plain(str(value))
    first = next((s.headings[0] for s in parsed.sections if s.headings), "")
    if found := split_name(parsed.title).label or split_name(first).label:
        return found
    stated = _IN_TEXT.search("".join(s.text for s in parsed.sections[:3])[:FIRST_LINES])
    return _plain(stated[1]) if stated else ""


def split_name(name: str) -> Named:
    """A file's stem or a title without its version label, and the label.

    >>> split_name("年假管理办法_v3.1")
    Named(title='年假管理办法', label='v3.1')
    """
    for pattern, form in _IN_NAME:
        if found := pattern.search(name):
            return Named(_without(name, found), form.format(found[1].strip()))
    if dated := _DATED.search(name):
        return Named(_without(name, dated), "-".join(dated.groups()))
    return Named(name, "")


def shown(title: str, details: str | None, path: str) -> Named:
    """How a document is called where it is found: its own title and label, else those of its file name.

    ``details``: the JSON a content keeps; ``path``: the document's, which a copy does not share.
    """
    label = ""
    if details and '"label"' in details:
        stored = json.loads(details).get("label")
        label = stored if isinstance(stored, str) else ""
    stem = path.rpartition("/")[2]
    named = split_name(stem[: stem.rfind(".")] if "." in stem[1:] else stem)
    own = split_name(title)
    return Named(own.title or title or named.title, label or own.label or named.label)


def _plain(label: str) -> str:
    """A bare number is a version: "3.1" is shown as "v3.1"."""
    label = " ".join(label.split())[:MOST]
    return f"v{label}" if label[:1].isdigit() and re.fullmatch(_NUMBER, label) else label


def _without(name: str, found: re.Match[str]) -> str:
    rest = name[: found.start()].rstrip(" _-—–.,，(（【[") + " " + name[found.end() :].lstrip(" _-—–,，)）】]")
    return rest.strip(" _-—–") or name
