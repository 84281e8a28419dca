"""The shared file cases and the shared corpus, run over the real parsers and splitter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import corpus_table
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARED = Path(os.environ.get("INDEXER_SHARED", ROOT / ".." / "shared")).resolve()

pytestmark = [
    pytest.mark.skipif(not SHARED.exists(), reason="../shared absent"),
    pytest.mark.timeout(1800),  # hundreds of processes, one per file
]


def check(script: Path, *arguments: str) -> list[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(HERE), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.splitlines()


def judged(*arguments: str) -> dict[str, str]:
    """Case to the line of its verdict."""
    cases = SHARED / "cases"
    lines = check(
        cases / "check_files.py",
        *("--expect", str(cases / "files/expect_public.json"), "--base", str(cases / "files/public")),
        *arguments,
        *("--", sys.executable, str(HERE / "extract.py")),
    )
    return {line.split()[0]: line for line in lines if "MB " in line}


def test_all_public_file_cases_pass() -> None:
    """Every case of every format is right, none is left out."""
    verdicts = judged()
    assert [line for line in verdicts.values() if line.split()[1] != "ok"] == []
    assert len(verdicts) >= 50


def test_the_big_cases_pass_within_their_limits(tmp_path: Path) -> None:
    """Ten megabytes on one line, 3,000 pages, a 400 MB bomb: in bounded time and memory."""
    check(SHARED / "cases" / "make_cases.py", "--big", str(tmp_path))
    verdicts = judged("--big", str(tmp_path), "--only", "^(PDF-10|TXT-10|DOCX-13)$")
    assert [line for line in verdicts.values() if line.split()[1] != "ok"] == []
    assert len(verdicts) == 3


@pytest.mark.parametrize("name", corpus_table.formats())
def test_the_corpus_is_read_right(name: str) -> None:
    """Expected snippets are found, expected failures fail with a reason, nothing hangs or crashes, in every format.

    `python tests/shared_cases/corpus_table.py` prints the table of figures.
    """
    score = corpus_table.score(name)
    print(score.row())
    assert score.wrong == ()
    assert score.right == score.files > 0
    assert score.found == score.snippets
