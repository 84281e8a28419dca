"""What the documents show is what the product does: commands parse, code runs, links lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
from pathlib import Path

import pytest

from indexer.cli import COMMANDS, parser

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"(?ms)^```(\w+)\n(.*?)^```")


def blocks(path: Path, language: str) -> list[str]:
    """The fenced code of one language."""
    return [m[2] for m in _FENCE.finditer(path.read_text("utf-8")) if m[1] == language]


def shown() -> list[tuple[str, str]]:
    """(document, command) of every line of a shell block or indented block that calls indexer."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        lines = [x for b in blocks(path, "sh") for x in b.splitlines()] + re.findall(r"(?m)^    (indexer .*)$", text)
        calls = (part.strip() for x in lines for part in x.split("&&"))
        found += [(path.name, c) for c in calls if re.match(r"(\S*/)?indexer ", c)]
    return found


@pytest.mark.parametrize(("document", "command"), shown())
def test_every_command_shown_is_one(document: str, command: str) -> None:
    """It parses: no option, command or argument that is not there."""
    words = shlex.split(command, comments=True)[1:]
    assert parser("en").parse_args(words).command == words[0]


def test_commands_are_shown_at_all() -> None:
    """The pattern above finds them (it would pass over everything in silence)."""
    assert len(shown()) >= 8
    assert {"update", "search", "init"} <= {shlex.split(c, comments=True)[1] for _, c in shown()}


def test_the_page_of_commands_is_up_to_date() -> None:
    """docs/commands.md is what `make docs` writes."""
    path = ROOT / "scripts" / "make_commands.py"
    spec = importlib.util.spec_from_file_location("make_commands", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert (ROOT / "docs" / "commands.md").read_text("utf-8") == made.page(), "run `make docs`"


def test_the_readme_names_every_command_and_no_other() -> None:
    """In its table, with every option that changes what a command does."""
    table = re.findall(r"(?m)^\| (`[^|]*(?:\\\|[^|]*)*) \|", (ROOT / "README.md").read_text("utf-8"))
    named = {m for row in table for m in re.findall(r"`([a-z-]+)", row)}
    assert set(COMMANDS) <= named


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link names a file."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text("utf-8"))
    missing = [t for t in targets if "://" not in t and not (document.parent / t).exists()]
    assert not missing


def test_the_readme_s_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the shipped documents, with the shipped configuration and the default model."""
    shutil.copytree(ROOT / "knowledge_base", tmp_path / "knowledge_base")
    shutil.copyfile(ROOT / "indexer.toml", tmp_path / "indexer.toml")
    monkeypatch.chdir(tmp_path)
    [code] = blocks(ROOT / "README.md", "python")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - our own document
    assert "婚假" in capsys.readouterr().out
    assert names["retriever"].invoke("婚假有几天")  # type: ignore[attr-defined]
    names["kb"].close()  # type: ignore[attr-defined]
