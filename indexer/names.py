"""Title, version label and citation of a document: from its properties, front matter, heading or file name."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .core.model import Hit, Parsed

_EDGE = r"(?:^|(?<=[\s_\-—–.,，:：;；()（）【】\[\]《》]))"
_NUMBER = r"\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?"
_END = r"(?![A-Za-z0-9]|\.\d)(?:[ ]?(?:修订版|修正版|修订|版本|版))?"
_DATE = r"((?:19|20)\d{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])"
_CHINESE = r"第[ ]?[一二三四五六七八九十\d]{1,3}[ ]?(?:版(?:修订|修正)?|次(?:修订|修正)版?)"
# A bare number after a blank is a version only of what has versions: not Python 3.11, USB 3.1, Section 4.5.
_WRITINGS = (
    *("policy", "handbook", "manual", "guide", "procedure", "agreement", "template", "specification", "spec", "plan"),
    *("办法", "制度", "手册", "规定", "细则", "规范", "方案", "指南", "流程", "规程", "准则", "说明书", "合同", "协议"),
)
_WRITING = "(?:" + "|".join(f"(?<={word})" for word in _WRITINGS) + ")"
# What a version label looks like in a name or a title, the clearest first.
_IN_NAME: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?:版本号?|版次)[ :：]{{0,3}}[Vv]?({_NUMBER}){_END}"), "v{}"),
    (re.compile(rf"{_EDGE}[Vv](?:er(?:sion)?)?\.?[ _]?({_NUMBER}){_END}"), "v{}"),
    (re.compile(rf"(?<=[^\x00-\x7f])[Vv](?:er(?:sion)?)?\.?[ _]?({_NUMBER}){_END}"), "v{}"),
    (re.compile(rf"({_CHINESE})(?=[\s_\-)）】\]]|$)"), "{}"),
    (re.compile(r"((?:19|20)\d{2}[ ]?年?[ ]?(?:修订版|修订稿|修订本|修正版|修正案|修订|修正|版))(?![本权面])"), "{}"),
    (re.compile(r"(?<![A-Za-z/])([A-Z]/\d{1,2})(?:[ ]?版|$)"), "{}"),
    (re.compile(rf"{_EDGE}[Rr]ev(?:ision)?[. _]{{0,2}}([A-Z]|{_NUMBER})(?!\w)"), "Rev. {}"),
    (
        re.compile(rf"{_EDGE}((?:\d{{1,2}}(?:st|nd|rd|th)|First|Second|Third|Revised)[ _-][Ee]d(?:ition\b|\.|n\b))"),
        "{}",
    ),
    (re.compile(r"(?<=[^\W\d_])[_-](\d{1,3}\.\d{1,4}(?:\.\d{1,4})?)$"), "v{}"),
    (re.compile(rf"{_WRITING}[ ](\d{{1,3}}\.\d{{1,4}}(?:\.\d{{1,4}})?)$", re.I), "v{}"),
)
_DATED = re.compile(rf"(?:[\s_\-(（]|(?<=[^\x00-\x7f])){_DATE}[)）]?$")
# What says so in the first lines of a text: a word for "version", then the label.
_STATED = rf"[Vv]?({_NUMBER}|[A-Z]/\d{{1,2}})(?=$|[\s|，,;；)）])"
_IN_TEXT = re.compile(
    r"(?:(?:^|[\s|（(])(?:文件|文档|制度)?(?:版本号?|版次)"
    r"|(?:^|[|（(]|(?<![A-Za-z])\s)[ \t]*(?:(?:[Dd]oc(?:ument)?|[Pp]olicy|[Mm]anual)[ ])?(?:[Vv]ersion|VERSION|[Rr]evision))"
    rf"[ \t|]{{0,3}}[:：|][ \t|]{{0,3}}{_STATED}",
    re.M,
)
_ALONE = re.compile(rf"^[ \t]*(?:版本号?|版次|[Vv]ersion|VERSION|[Rr]evision)[ \t]{{1,3}}[Vv]?({_NUMBER})[ \t]*$", re.M)
_FIELDS = ("version", "版本", "版本号", "revision", "rev")
FIRST_LINES = 600  # characters in which a document says what version it is
MOST = 24
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_OPEN, _CLOSE = "(（【[《", ")）】]》"
HEADINGS, LONGEST = 2, 40  # in a citation: how many, and the characters of each


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
    written = [s for s in parsed.sections[:20] if s.kind != "code"]  # a name in code is no title
    first = next((s.headings[0] for s in written if s.headings), "")
    if found := split_name(parsed.title).label or split_name(first).label:
        return found
    text = "".join(s.text for s in written[:3])[:FIRST_LINES]
    stated = _IN_TEXT.search(text) or _ALONE.search(text)
    return _plain(stated[1]) if stated else ""


@lru_cache(maxsize=4096)  # every hit of a document asks, and every search finds the same documents
def split_name(name: str) -> Named:
    """A file's stem or a title without its version label, and the label.

    >>> split_name("年假管理办法_v3.1")
    Named(title='年假管理办法', label='v3.1')
    """
    for pattern, form in _IN_NAME:
        if found := pattern.search(name):
            rest = _without(name, found)
            dated = _DATED.search(rest)
            return Named((_without(rest, dated) if dated else rest) or name, form.format(found[1].strip()))
    if dated := _DATED.search(name):
        return Named(_without(name, dated) or name, "-".join(dated.groups()))
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
    only_label = own.label and own.title == title  # a title "V1.0" names nothing
    return Named((not only_label and own.title) or named.title, label or own.label or named.label)


def citation(hit: Hit) -> str:
    """Where a passage stands, as one would write it: 《年假管理办法》 v3.1 第五章 p.12.

    Title, version label, the last headings, page, and the place in the format's own notation.
    """
    title = hit.title or hit.key.path.rpartition("/")[2]
    headings = [h for h in map(_short, hit.headings) if h and split_name(h).title != title]
    parts = [
        quoted(title),
        hit.label if hit.label.lower() not in title.lower() else "",
        " › ".join(headings[-HEADINGS:]),
        f"p.{hit.page}" if hit.page else "",
        hit.place,
    ]
    return " ".join(part for part in parts if part)


def quoted(title: str) -> str:
    """A title in the marks of its language: 《…》 for Chinese (〈…〉 within), “…” for any other."""
    if not _HAN.search(title):
        return f"“{title}”"
    if title[0] == "《" and title.find("》") == len(title) - 1:
        return title
    return f"《{title.replace('《', '〈').replace('》', '〉')}》"


def _short(heading: str) -> str:
    heading = " ".join(heading.split())
    return heading if len(heading) <= LONGEST else heading[: LONGEST - 1].rstrip() + "…"


def _plain(label: str) -> str:
    """A bare number is a version: "3.1" and "V3.1" are shown as "v3.1"."""
    label = " ".join(label.split())[:MOST]
    number = label[1:] if label[:1] in "Vv" else label
    return f"v{number}" if number[:1].isdigit() and re.fullmatch(_NUMBER, number) else label


def _without(name: str, found: re.Match[str]) -> str:
    """The name without what was found, the brackets around it and the marks that joined it."""
    left = name[: found.start()].rstrip(f" _-—–.,，、{_OPEN}")
    right = name[found.end() :].lstrip(f" _-—–,，、{_CLOSE}")
    joint = "" if not left or not right or right[0] in "（【《" else " "
    return (left + joint + right).strip(" _-—–")
