"""Dispatch by suffix, and LangChain loaders as parsers for more suffixes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from indexer.core.errors import ConfigError, ParseRefused
from indexer.core.model import State
from indexer.core.tables import ParseLimits, SplitSettings
from indexer.parse import VERSIONS, Parsers
from indexer.split import make_splitter

LIMITS = ParseLimits()


def test_a_langchain_base_loader_reads_another_suffix() -> None:
    """The class runs in the worker on a private copy; its documents become sections with pages."""
    parsers = Parsers(LIMITS, {".rst": "plain_loader:Blocks"})
    assert parsers.supports("docs/Guide.RST")
    parsed = parsers.parse("docs/Guide.RST", "第一块\n\n第二块".encode())
    parsers.close()
    assert [(s.text, s.page) for s in parsed.sections] == [("第一块\n\n", 1), ("第二块", 2)]
    assert parsed.title == "块"
    assert [chunk.text for chunk in make_splitter(SplitSettings())(parsed)] == ["第一块", "第二块"]


def test_langchains_own_text_loader_works() -> None:
    """A stock loader of langchain-community is named and used as it is."""
    parsers = Parsers(LIMITS, {"ini": "langchain_community.document_loaders.text:TextLoader"})
    assert parsers.parse("a.ini", b"key = value\n").text == "key = value\n"
    parsers.close()


@pytest.mark.parametrize(
    "name", ["a.txt", "A.TXT", "b.text", "c.log", "d.md", "e.markdown", "f.pdf", "g.docx", "x.y/h.Md"]
)
def test_supported_suffixes(name: str) -> None:
    """Letter case does not matter, folders with dots do not either."""
    assert Parsers(LIMITS).supports(name)


@pytest.mark.parametrize("name", ["a", "a.dwg", "txt", ".txt", "x.txt/file", "a.txt.gz"])
def test_other_names_are_unsupported(name: str) -> None:
    """Asked all the same, the answer is a reason."""
    parsers = Parsers(LIMITS)
    assert not parsers.supports(name)
    with pytest.raises(ParseRefused, match="unsupported"):
        parsers.parse(name, b"x")


@pytest.mark.parametrize("spec", ["module", "module.Class", ":Class", "a b:C", "m:", "m:C()", "os;x:C"])
def test_a_wrong_loader_is_a_configuration_error(spec: str) -> None:
    """Said at once, not at the first file."""
    with pytest.raises(ConfigError, match=r"package\.module:LoaderClass"):
        Parsers(LIMITS, {".x": spec})


def test_the_fingerprint_names_versions_and_libraries() -> None:
    """A change of parser, library release or loader is visible; asking is cheap and starts nothing."""
    facts = Parsers(LIMITS, {".rst": "m:C"}).fingerprint()
    assert set(facts) == {*VERSIONS, ".rst"}
    assert "pypdf " in facts["pdf"]
    assert "lxml " in facts["docx"]
    assert facts[".rst"] == "loader m:C"
    assert "absent" not in re.sub(r"(rapidocr|LibreOffice|tree-sitter-\w+) absent", "", " ".join(facts.values()))


def test_importing_and_asking_load_no_library() -> None:
    """`import indexer.parse`, `supports` and `fingerprint` cost no heavy import."""
    script = (
        "import sys, indexer.parse as p, indexer.split\n"
        "from indexer.core.tables import ParseLimits\n"
        "parsers = p.Parsers(ParseLimits()); parsers.fingerprint(); parsers.supports('a.pdf')\n"
        "parsers.parse('a.md', '# 标题\\n正文'.encode())\n"
        "heavy = {'pypdf', 'docx', 'lxml', 'chardet', 'langchain_core', 'langchain_text_splitters', 'numpy',"
        " 'subprocess', 'importlib.metadata', 'tempfile', 'logging', 'dataclasses'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_renamed_file_is_read_with_a_note() -> None:
    """Text that is HTML is read as a page and WARNED, with the note first."""
    parsers = Parsers(LIMITS)
    parsed = parsers.parse("a.txt", b"<html><body><p>x</body></html>")
    parsers.close()
    assert (parsed.state, parsed.text, parsed.parser) == (State.WARNED, "x\n\n", "html")
    assert "HTML" in str(parsed.notes[0])
