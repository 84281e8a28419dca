"""Names that are no documents, and gitignore rules held to git itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.core.tables import Source
from indexer.sources import folder
from indexer.sources.rules import junk, suffix
from indexer.sources.walk import _JUNK_STARTS, _PLAIN, skipped_folder

JUNK = [
    "~$report.docx", ".~lock.report.odt#", "~WRL0001.tmp", "~WRD0000.tmp", ".a.txt.swp", ".a.txt.swo", "a.txt~", "#a.txt#", ".#a.txt",
    "4913", "a.pdf.part", "a.pdf.crdownload", "x.download", "a.txt.partial", ".DS_Store", "._a.txt", "Thumbs.db", "THUMBS.DB",
    "desktop.ini", ".nfs000000000001", ".syncthing.a.txt.tmp", ".goutputstream-ABC", ".indexerignore", "a.txt___jb_tmp___",
]  # fmt: skip
DOCUMENTS = [
    "temp.txt", "temporary.md", "a.bak.txt", "tmp.txt", "lock.txt", "a.swp.txt", "#1 plan.txt", "~notes.txt", "$offer.txt", "download.txt",
    "partial.txt", "part.txt", "4913.txt", "thumbs.txt", "report~1.docx", "desktop.md", "~$.md.txt"[2:], "手册~草稿.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", JUNK)
def test_junk(name: str) -> None:
    """Temporaries of editors, office programs, downloads, syncing and systems are no documents, by a named rule."""
    assert junk(name.encode())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents(name: str) -> None:
    """Names that only resemble temporaries are somebody's documents."""
    assert junk(name.encode()) is None


@settings(max_examples=500)
@given(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1),
    st.sampled_from(sorted(_PLAIN)),
)
def test_ordinary_names_are_never_junk(stem: str, ending: bytes) -> None:
    """The walk asks no rule about a name with an ordinary suffix that starts with no mark: none would match."""
    name = stem.encode() + ending
    assert name[0] in _JUNK_STARTS or junk(name) is None


@pytest.mark.parametrize(
    ("name", "want"),
    [
        (b"a.txt", ".txt"),
        (b"A.TXT", ".txt"),
        (b"a.tar.gz", ".gz"),
        (b".txt", ""),
        (b"a", ""),
        (b"a.", "."),
        (b"\xff.md", ".md"),
        (b"a.\xff", ".\udcff"),
    ],
)
def test_suffix(name: bytes, want: str) -> None:
    """The last dot counts, unless it is the first character; any bytes are possible."""
    assert suffix(name) == want


@pytest.mark.parametrize(
    ("name", "skipped"),
    [(b".git", True), (b"node_modules", True), (b".Trash-1000", True), (b"git", False), (b".github", False)],
)
def test_skipped_folders(name: bytes, skipped: bool) -> None:
    """Version control, caches and bins are never entered."""
    assert skipped_folder(name) is skipped


# ---- gitignore -------------------------------------------------------------------------------

FILES = (
    "a.txt",
    "b.txt",
    "ab.txt",
    "c.md",
    "d/a.txt",
    "d/c.md",
    "d/e/a.txt",
    "d/e/f/b.txt",
    "e/a.txt",
    "sp ace.txt",
    "[x].txt",
    "手/册.txt",
    "!a.txt",
    "#a.txt",
)
RULES = (
    "a.txt", "/a.txt", "*.md", "d/", "/d/", "d", "d/e", "/d/e/", "**/a.txt", "d/**", "d/*", "**/f/", "!a.txt", "!d/a.txt", "!d/", "!*.md", "*", "/*", "!/d",
    "[ab].txt", "?b.txt", "a*", "*.txt", "sp ace.txt", "sp\\ ace.txt", "\\[x\\].txt", "手/", "册.txt", "# comment", "", "\\!a.txt", "\\#a.txt", "a.txt ", "a.txt\\ ", "d/e/**/b.txt", "/e", "!e/a.txt",
    "!*/", "!d/e/", "*/", "[[:lower:]].txt", "[!a]b.txt", "[a--]b.txt", "[a&&b].txt", "[z-a].txt", "[a-b]*", "[a", "[]x].txt", "\\", "a**", "**", "e/**/", "***/b.txt", "!**/", "d/**/f", "!",  "/", "!册.txt",
)  # fmt: skip


def _tree(root: Path) -> None:
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def _kept_by_git(root: Path, lines: list[str], deep: list[str]) -> set[str]:
    """What git would add: its own walk, its own reading of the rules."""
    (root / ".gitignore").write_text("\n".join(lines) + "\n", "utf-8")
    (root / "d/.gitignore").write_text("\n".join(deep) + "\n", "utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]
    out = subprocess.run(command, cwd=root, env=environ, capture_output=True, check=True).stdout.decode()
    for file in (root / ".gitignore", root / "d/.gitignore"):
        file.unlink()
    return {p for p in out.split("\0") if p and not p.endswith(".gitignore")}


def _kept_by_us(root: Path, lines: list[str], deep: list[str]) -> set[str]:
    for file, rules in ((root / ".indexerignore", lines), (root / "d/.indexerignore", deep)):
        file.write_text("\n".join(rules) + "\n", "utf-8")
    look = folder.scan(Source("s", str(root)), (".txt", ".md"), 0)
    for file in (root / ".indexerignore", root / "d/.indexerignore"):
        file.unlink()
    return {os.fsdecode(f + b"/" + n if f else n) for f, blob in look.folders.items() for n in folder.unpack(blob)}


_lines = st.lists(st.sampled_from(RULES), max_size=5)


@settings(max_examples=60, deadline=None)
@given(_lines, _lines)
def test_ignore_files_mean_what_they_mean_to_git(lines: list[str], deep: list[str]) -> None:
    """Rules at the top and in a folder keep exactly the files that git keeps."""
    with tempfile.TemporaryDirectory() as where:
        root = Path(where)
        subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
        _tree(root)
        assert _kept_by_us(root, lines, deep) == _kept_by_git(root, lines, deep)


@pytest.mark.parametrize(
    ("include", "exclude", "want"),
    [
        ((), (), set(FILES)),
        (("*.md",), (), {"c.md", "d/c.md"}),
        (("/d/",), (), {f for f in FILES if f.startswith("d/")}),
        (("*.md", "a.txt"), ("d/",), {"c.md", "a.txt", "e/a.txt"}),
        ((), ("*.txt",), {"c.md", "d/c.md"}),
        ((), ("*", "!*.md", "!d/"), {"c.md", "d/c.md"}),
    ],
)
def test_include_and_exclude_of_a_source(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], want: set[str]
) -> None:
    """Patterns of the configuration have gitignore syntax: what is included, minus what is excluded."""
    _tree(tmp_path)
    look = folder.scan(Source("s", str(tmp_path), include, exclude), (".txt", ".md"), 0)
    found = {os.fsdecode(f + b"/" + n if f else n) for f, blob in look.folders.items() for n in folder.unpack(blob)}
    assert found == want


def test_an_ignore_file_may_have_a_mark_and_windows_line_ends(tmp_path: Path) -> None:
    """A byte order mark and CR LF do not make another rule of the first or any line."""
    _tree(tmp_path)
    (tmp_path / ".indexerignore").write_bytes("\ufeff/a.txt\r\n*.md\r\n".encode())
    look = folder.scan(Source("s", str(tmp_path)), (".txt", ".md"), 0)
    assert b"a.txt" not in folder.unpack(look.folders[b""])
    assert b"c.md" not in folder.unpack(look.folders[b""])
