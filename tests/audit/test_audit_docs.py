"""What docs/audit.md shows is run: the script that knows nothing of the product, and the Python."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from audit_lab import Lab, script

DOC = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text("utf-8")
CHECK, PYTHON = re.findall(r"(?ms)^```python\n(.*?)^```", DOC)


@pytest.fixture
def exported(told: Lab) -> tuple[Lab, Path]:
    """Entries over a change of profile, a rollback and a deletion; and the script beside them."""
    told.configure(size=100)
    told.put("规定.txt", "婚假十五天。")
    told.update()
    told.run("rollback", "7")
    (told.files / "a.txt").unlink()
    told.update(allow_deletions=True)
    assert told.run("audit", "export", "--format", "entries", "-o", "entries.jsonl").code == 0
    (told.home / "check_trail.py").write_text(CHECK, "utf-8")
    return told, told.home / "entries.jsonl"


def _checked(lab: Lab, *words: str) -> tuple[int, str]:
    done = script(lab.home / "check_trail.py", "entries.jsonl", *words, cwd=lab.home)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


def test_the_script_is_short() -> None:
    """About twenty lines, nothing but the standard library."""
    assert len(CHECK.splitlines()) <= 24
    assert set(re.findall(r"(?m)^import (\w+)", CHECK)) == {"hashlib", "json", "sys"}


def test_the_export_is_verified_without_the_product(exported: tuple[Lab, Path]) -> None:
    """It holds, the newest hash is the catalog's, and noted hashes are found."""
    lab, _ = exported
    code, said = _checked(lab, *lab.hashes())
    assert code == 0, said
    assert lab.hashes()[-1] in said
    assert _checked(lab, "f" * 64)[0] == 1


@pytest.mark.parametrize("how", ["changed", "removed", "swapped", "last changed"])
def test_the_script_finds_what_was_done_to_the_export(exported: tuple[Lab, Path], how: str) -> None:
    """Change, removal and order; the last line against the noted hash."""
    lab, path = exported
    lines, newest = path.read_bytes().splitlines(keepends=True), lab.hashes()[-1]
    if how == "changed":
        lines[1] = json.dumps({**json.loads(lines[1]), "actor": "x"}).encode() + b"\n"
    elif how == "removed":
        del lines[2]
    elif how == "swapped":
        lines[1], lines[2] = lines[2], lines[1]
    else:
        lines[-1] = lines[-1].replace(b'"client":""', b'"client":"x"')
    path.write_bytes(b"".join(lines))
    assert _checked(lab, newest)[0] == 1


def test_the_script_knows_of_holes(told: Lab) -> None:
    """What repair put on record is no break of the chain."""
    told.sql("DELETE FROM audit WHERE n=2")
    for folder in (told.kb.layout.vectorstore / (told.kb.layout.served() or "") / "snapshots").iterdir():
        (folder / "manifest").unlink()
    assert told.run("repair").code == 0
    told.run("audit", "export", "--format", "entries", "-o", "entries.jsonl")
    (told.home / "check_trail.py").write_text(CHECK, "utf-8")
    assert _checked(told)[0] == 0


def test_the_python_of_the_document_runs(told: Lab) -> None:
    """And its author is in the trail."""
    told.put("a.txt", "Annual leave is seventeen days.")
    exec(compile(PYTHON, "docs/audit.md", "exec"), {})  # noqa: S102 - our own document
    by = [(e["actor"], e["client"], e["trigger"]) for e in told.entries()[-2:]]
    assert by == [("alice@intranet", "10.0.0.7", "api"), ("alice@intranet", "10.0.0.7", "langchain")]


def test_every_field_is_documented(told: Lab) -> None:
    """No key of an entry, no column of the export and no kind of change without a word in the document."""
    from indexer.care.audit_export import COLUMNS

    table = DOC[: DOC.index("## Verifying")]
    for name in set(told.entries()[1]):
        assert f"`{name}`" in table, name
    for name in set(COLUMNS) - {
        "from_source",
        "from_path",
        "path",
        "source",
        "time",
        "change",
        "sha256_before",
        "sha256_after",
        "hash",
    }:
        assert name in DOC, name
