"""Pages that are pictures: what is read of them with text recognition, and what is said without."""

from __future__ import annotations

from typing import Any

import pytest
from pdf_builder import Pdf

from indexer.core.model import Message, State
from indexer.core.tables import ParseLimits
from indexer.parse import ocr
from indexer.parse.pdf import parse


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A recogniser that always reads the same; it keeps the shapes of what it was shown."""
    state: dict[str, Any] = {"text": "recognised words\n", "score": 0.97, "shapes": []}

    def read(image: Any) -> ocr.Reading:
        state["shapes"].append(image.shape)
        return ocr.Reading(state["text"], state["score"], 1)

    monkeypatch.setattr(ocr, "available", lambda: True)
    monkeypatch.setattr(ocr, "read", read)
    return state


def scans(*kinds: str) -> bytes:
    pdf = Pdf()
    for kind in kinds:
        pdf.lines("typed words") if kind == "typed" else pdf.scan()
    return pdf.data()


def test_scanned_pages_are_read(reading: dict[str, Any]) -> None:
    """Only pages without text are recognised, each on its page number, at 200 dpi in red, green and blue."""
    parsed = parse(scans("typed", "scan", "typed", "scan"), ParseLimits())
    assert [(s.page, s.text) for s in parsed.sections] == [
        (1, "typed words\n"),
        (2, "recognised words\n"),
        (3, "typed words\n"),
        (4, "recognised words\n"),
    ]
    assert parsed.state is State.INDEXED
    assert reading["shapes"] == [(2339, 1653, 3)] * 2


def test_doubtful_readings_are_said(reading: dict[str, Any]) -> None:
    """A page that is hard to read is named."""
    reading["score"] = 0.5
    parsed = parse(scans("typed", "scan"), ParseLimits())
    assert parsed.state is State.WARNED
    assert "page 2" in str(parsed.notes[0])


def test_pictures_without_text_are_said(reading: dict[str, Any]) -> None:
    """A page on which nothing is recognised is named, not passed over."""
    reading["text"] = ""
    parsed = parse(scans("typed", "scan", "scan"), ParseLimits())
    assert parsed.state is State.WARNED
    assert "2-3" in str(parsed.notes[0])


def test_a_page_of_enormous_size_is_bounded(reading: dict[str, Any]) -> None:
    """A poster is rendered smaller, not at the cost of all memory."""
    pdf = Pdf()
    pdf.page(
        "q 9000 0 0 9000 0 0 cm /Im0 Do Q",
        resources=f"/XObject<</Im0 {pdf.image()} 0 R>>",
        entries="/MediaBox[0 0 9000 9000]",
    )
    parse(pdf.data(), ParseLimits())
    ((height, width, colours),) = reading["shapes"]
    assert height * width <= 12_100_000
    assert colours == 3


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages are named, and what to install."""
    monkeypatch.setattr(ocr, "available", lambda: False)
    parsed = parse(scans("scan", "scan"), ParseLimits())
    assert parsed.state is State.NO_TEXT
    assert "1-2" in str(parsed.notes[0])
    assert "indexer[ocr]" in str(parsed.notes[0])
    assert isinstance(parsed.notes[0], Message)
