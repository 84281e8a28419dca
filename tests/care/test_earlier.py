"""Another profile takes over what its parsers and its splitter would make of the same bytes anyway."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from indexer import KnowledgeBase
from indexer.care.earlier import comparable
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers

HASHED = {"embedding.model": "python:indexer.embed.hashing:HashEmbedder"}
TEXTS = {"a.txt": "年假为每年十五天。" * 40, "b.md": "# Title\n\nA paragraph of text.\n" * 30, "c.txt": "third"}


class Released(Parsers):
    """The real parsers, some of them in another release; counts what it is asked for."""

    def __init__(self, **versions: str) -> None:
        super().__init__(ParseLimits())
        self.versions, self.asked = versions, list[str]()

    def fingerprint(self) -> Mapping[str, str]:
        return {**super().fingerprint(), **self.versions}

    def parse(self, path: str, data: bytes):  # type: ignore[no-untyped-def]
        self.asked.append(path)
        return super().parse(path, data)


def docx(text: str) -> bytes:
    stream = io.BytesIO()
    ns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{ns}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>',
        )
        archive.writestr("[Content_Types].xml", "<Types/>")
    return stream.getvalue()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    docs = tmp_path / "knowledge_base"
    docs.mkdir()
    for name, text in TEXTS.items():
        (docs / name).write_text(text, "utf-8")
    (tmp_path / "indexer.toml").write_text("")
    (docs / "d.docx").write_bytes(docx("Word document about passwords"))
    return tmp_path


def found(kb: KnowledgeBase) -> list[tuple[object, ...]]:
    """Everything the index finds, without the numbers that differ from one index to the next."""
    hits = kb.search("年假 paragraph passwords third", 50)
    return sorted((str(h.key), h.text, h.headings, h.start, h.end, h.title, h.sha256) for h in hits)


def test_a_new_release_of_one_parser_parses_only_its_own(home: Path) -> None:
    """The documents of the other parsers are copied, nothing is embedded again, and what is found is the same."""
    kb = KnowledgeBase(home, flags=HASHED)
    kb.update(parser=Released(), profile=kb.profile(Released()))
    before = found(kb)
    changed = Released(markdown="2")
    report = kb.update(parser=changed, profile=kb.profile(changed))
    assert changed.asked == ["b.md"]
    assert report.tally.embedded == 0
    assert found(kb) == before
    kb.close()


def test_another_splitter_parses_everything(home: Path) -> None:
    """Other sizes make other chunks of the same text."""
    kb = KnowledgeBase(home, flags=HASHED)
    kb.update(parser=Released(), profile=kb.profile(Released()))
    kb.close()
    kb = KnowledgeBase(home, flags={**HASHED, "split.size": 100})
    again = Released()
    kb.update(parser=again, profile=kb.profile(again))
    assert sorted(again.asked) == sorted([*TEXTS, "d.docx"])
    kb.close()


def test_another_model_parses_nothing(home: Path) -> None:
    """The chunks are taken over, every vector is made anew."""
    kb = KnowledgeBase(home, flags=HASHED)
    kb.update(parser=Released(), profile=kb.profile(Released()))
    before = found(kb)
    kb.close()
    (home / "indexer.toml").write_text('[embedding]\noptions = { salt = "another" }\n')
    other = KnowledgeBase(home, flags=HASHED)
    again = Released()
    report = other.update(parser=again, profile=other.profile(again))
    assert again.asked == []
    assert report.tally.embedded == len({text for _, text, *_ in before})
    assert found(other) == before
    other.close()


def test_a_damaged_text_file_is_no_source(home: Path) -> None:
    """What the other generation cannot give any more is parsed."""
    kb = KnowledgeBase(home, flags=HASHED)
    kb.update(parser=Released(), profile=kb.profile(Released()))
    before = found(kb)
    for path in home.glob("metadata/*/texts/*.texts"):
        path.write_bytes(b"garbage")
    changed = Released(markdown="2")
    kb.update(parser=changed, profile=kb.profile(changed))
    assert sorted(changed.asked) == sorted([*TEXTS, "d.docx"])
    assert found(kb) == before
    kb.close()


def test_mail_depends_on_every_parser() -> None:
    """An attachment's text is made by another parser, so mail is taken over only when all are the same."""
    old = {"split": 1, "parsers": {"eml": "1", "pdf": "1", "text": "1"}}
    assert comparable(old, {"split": 1, "parsers": {"eml": "1", "pdf": "2", "text": "1"}}) == {"text"}
    assert comparable(old, old) == {"eml", "pdf", "text"}
    assert comparable(old, {**old, "split": 2}) == frozenset()
