"""Text kept in parts of its own: SmartArt diagrams and charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .docx_context import Block, Context, Line, Table
from .docx_table import BETWEEN
from .docx_xml import CX, DGM, C, R, drawn_paragraphs, number

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def read_drawn(context: Context, part: str, reference: Element) -> list[Block]:
    """The texts of the part a ``dgm:relIds`` or ``c:chart`` refers to; [] when it is missing."""
    id_name = "dm" if reference.tag == DGM + "relIds" else "id"
    relation = context.package.relations(part).get(reference.get(R + id_name, ""))
    root = None if relation is None or relation.external else context.package.xml(relation.target)
    if root is None:
        return []
    blocks = list(drawn_blocks(root))
    for block in blocks:
        for text in block.rows if isinstance(block, Table) else (block.text,):
            context.charge(text)
    return blocks


def drawn_blocks(root: Element) -> Iterator[Block]:
    """The texts of a diagram's data or of a chart, by the root of its part."""
    if root.tag == DGM + "dataModel":
        return _diagram(root)
    return _extended_chart(root) if root.tag == CX + "chartSpace" else _chart(root)


def _diagram(root: Element) -> Iterator[Block]:
    # Points of presentation type repeat, for the layout, what the data points say.
    for point in root.iter(DGM + "pt"):
        if point.get("type", "node") != "pres":
            for text in drawn_paragraphs(point):
                yield Line(text)


def _chart(root: Element) -> Iterator[Block]:
    for title in root.iter(C + "title"):
        text = " ".join(drawn_paragraphs(title)) or " ".join(v.text or "" for v in title.iter(C + "v")).strip()
        if text:
            yield Line(text)
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    for series in root.iter(C + "ser"):
        names.append(" ".join(v.text or "" for tx in series.iterchildren(C + "tx") for v in tx.iter(C + "v")))
        categories = _points(series, "cat", "xVal") | categories
        columns.append(_points(series, "val", "yVal"))
    if any(names) or categories:
        yield Table(tuple(_chart_rows(names, categories, columns)))


def _chart_rows(names: list[str], categories: dict[int, str], columns: list[dict[int, str]]) -> Iterator[str]:
    if any(names):
        yield BETWEEN.join(["", *names]).strip()
    for index in sorted(categories.keys() | {i for column in columns for i in column}):
        yield BETWEEN.join([categories.get(index, ""), *(column.get(index, "") for column in columns)])


def _points(series: Element, *names: str) -> dict[int, str]:
    """Cached points by their index; the levels of a nested category are joined, outermost first."""
    points: dict[int, list[str]] = {}
    for name in names:
        for axis in series.iterchildren(C + name):
            for point in axis.iter(C + "pt"):
                value = point.find(C + "v")
                if value is not None and value.text:
                    points.setdefault(number(point.get("idx"), 0), []).insert(0, _shown(value.text.strip()))
    return {index: " ".join(values) for index, values in points.items()}


def _shown(value: str) -> str:
    """A cached number without the noise of its binary form (4.4000000000000004 is 4.4)."""
    if len(value) < 15:
        return value
    try:
        return f"{float(value):.12g}"
    except ValueError:
        return value


def _extended_chart(root: Element) -> Iterator[Block]:
    for title in root.iter(CX + "title"):
        text = " ".join(drawn_paragraphs(title)) or " ".join(v.text or "" for v in title.iter(CX + "v")).strip()
        if text:
            yield Line(text)
    for dimension in root.iter(CX + "strDim"):
        texts = [p.text.strip() for p in dimension.iter(CX + "pt") if p.text and p.text.strip()]
        if texts:
            yield Line(BETWEEN.join(texts))
