"""The PDFs that the repository ships are read whole, by their bookmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.core.model import ParseLimits, State
from indexer.parse.pdf import parse

FOLDER = Path(__file__).parents[2] / "knowledge_base"


@pytest.mark.parametrize(
    ("name", "heading", "phrase"),
    [
        ("information-security-guide.pdf", "2.2 Lost or stolen devices", "within one hour of noticing it"),
        ("账号与密码管理规定.pdf", "三、密码要求", "普通账号的密码每 180 天更换一次"),
    ],
)
def test_shipped_pdf(name: str, heading: str, phrase: str) -> None:
    """A rule of the document stands in the section of its heading, nothing is warned of."""
    parsed = parse((FOLDER / name).read_bytes(), ParseLimits())
    assert (parsed.state, parsed.notes) == (State.INDEXED, ())
    wanted = "".join(phrase.split())
    (found,) = [section for section in parsed.sections if wanted in "".join(section.text.split())]
    assert found.headings[-1] == heading
    assert parsed.title == parsed.sections[0].headings[0]
