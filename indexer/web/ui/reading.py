"""What a document's pages say: its text around a passage, its versions, how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...docid import key_of
from . import marks
from .render import Page


def number(page: Page, name: str) -> int | None:
    """A count in the address; None where there is none, or no count."""
    text = page.request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def document(
    page: Page, facts: Mapping[str, Any], text: Mapping[str, Any] | None, versions: Sequence[Mapping[str, Any]],
    commit: int | None,
) -> dict[str, Any]:  # fmt: skip
    """The page of one document, as of ``commit`` (None: as it is now)."""
    body, sections = (text["text"], text["sections"]) if text else ("", [])
    start, end = number(page, "start"), number(page, "end")
    mark = (start, end) if start is not None and end is not None and start < end <= len(body) else None
    view = marks.window(len(body), mark[0] if mark else number(page, "at") or 0)
    return {
        "d": facts, "view": view, "parts": _numbered(marks.parts(body, sections, view, mark)), "versions": versions,
        "text_commit": text["commit"] if text else None, "about": about(page, facts),
        "commit": commit, "outdated": _outdated(versions, commit), "typed": key_of(facts["document"]).path == facts["path"],
    }  # fmt: skip


def _numbered(parts: list[marks.Part]) -> list[marks.Part]:
    """The first marked piece gets the number 1: it is where the page scrolls to."""
    found, first = [], True
    for part in parts:
        pieces = []
        for piece in part.pieces:
            pieces.append(piece._replace(number=1) if piece.marked and first else piece)
            first = first and not piece.marked
        found.append(part._replace(pieces=pieces))
    return found


def _outdated(versions: Sequence[Mapping[str, Any]], commit: int | None) -> bool:
    """Whether what the commit showed is not what is shown now."""
    if commit is None:
        return False
    now = next((v for v in versions if v["removed"] is None), None)
    then = next((v for v in versions if v["added"] <= commit and (v["removed"] is None or v["removed"] > commit)), None)
    return then is not None and (now is None or now["sha256"] != then["sha256"])


def about(page: Page, d: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Label and value of what is known of a document, without what is not."""
    from .words import date, size

    t = page.t
    rows = [
        (t("Chunks"), d.get("chunks")), (t("Size"), size(d["size"]) if d.get("size") is not None else None),
        (t("In this version since"), date(d.get("changed"))), (t("Commit"), d.get("version")),
        (t("Brought in by"), d.get("actor")), (t("Trigger"), d.get("trigger")), (t("SHA-256"), d.get("sha256")),
        (t("Parser"), d.get("parser")), (t("Attempts"), d.get("tries")), (t("Next try"), date(d.get("retry_at"))),
        (t("Pinned to commit"), d.get("pinned")),
    ]  # fmt: skip
    return [(label, value) for label, value in rows if value not in (None, "", 0, False)]


def difference(page: Page, lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A diff's lines as a page shows them, and how many there are of each kind."""
    count = {kind: sum(1 for line in lines if line["kind"] == kind) for kind in ("added", "removed")}
    return {"lines": marks.folded(lines), **count}


def chosen(page: Page, versions: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Which two versions to compare, by the commits that brought them: as asked, else the newest and the one before."""
    newest = versions[0]["added"] if versions else 0
    before = versions[1]["added"] if len(versions) > 1 else newest
    old, new = number(page, "from"), number(page, "to")
    return _version_at(versions, before if old is None else old), _version_at(versions, newest if new is None else new)


def _version_at(versions: Sequence[Mapping[str, Any]], commit: int) -> int:
    """The version that a commit showed."""
    return next((v["added"] for v in versions if v["added"] <= commit), commit)
