"""Scores the real parsers over the shared corpus, format by format: a table for people, and what is wrong.

python tests/shared_cases/corpus_table.py [FORMAT...]      prints the table of the README
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse import SUFFIXES, Parsers, ocr

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARED = Path(os.environ.get("INDEXER_SHARED", ROOT / ".." / "shared")).resolve()
CORPUS = SHARED / "corpus"
FAILURES = ("error", "empty", "any", "limit", "garbled", "error_or_empty", "unsupported")
SILENT_LOSS = 0.7  # of the characters that a reference finds


class Score(NamedTuple):
    """What was expected of the files of one format, and what came."""

    format: str
    files: int = 0
    right: int = 0
    snippets: int = 0
    found: int = 0
    failures: int = 0  # files that are damaged, locked, empty or hostile
    failed_right: int = 0
    short: int = 0  # files with less than SILENT_LOSS of the reference's characters
    wrong: tuple[str, ...] = ()

    def row(self) -> str:
        """One line of the table."""
        failures = f"{self.failed_right} of {self.failures}" if self.failures else "-"
        return f"| {self.format} | {self.right} of {self.files} | {self.found} of {self.snippets} | {failures} |"


def manifest() -> dict[str, dict[str, str]]:
    """Path to its row."""
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["path"]: row for row in rows}


def formats() -> list[str]:
    """Every format of the manifest."""
    return sorted({row["format"] for row in manifest().values()}) if CORPUS.exists() else []


def score(name: str) -> Score:
    """Runs the checker over the files of one format, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.json"
        subprocess.run(
            [
                *(sys.executable, str(CORPUS / "corpus_check.py"), "--formats", name, "--json", str(out), "--timeout", "180"),
                *("--", sys.executable, str(HERE / "text.py"), "{}"),
            ],
            check=True, capture_output=True, env=os.environ | {"PYTHONPATH": os.pathsep.join((str(HERE), str(ROOT)))},
        )  # fmt: skip
        results = json.loads(out.read_text("utf-8"))
    rows = manifest()
    total = Score(name)
    for result in results:
        total = _with(total, result, json.loads(rows[result["path"]]["must"] or "[]"))
    return total


def _with(total: Score, result: dict[str, object], must: list[str]) -> Score:
    faults = result["fail"]
    assert isinstance(faults, list)
    expect, read = result["expect"], result["rc"] == 0
    if expect == "empty" and ocr.available():  # a scan has the text that recognition reads
        faults = [fault for fault in faults if "should be none" not in fault]
    if expect == "error" and read and _renamed(CORPUS / str(result["path"])):
        faults = []  # a binary file under a text's name "must not be indexed as text": it was read as what it is
    failure = expect in FAILURES
    counted = must if expect == "text" or read else []
    missing = [fault for fault in faults if fault.startswith("lacks ")]
    ratio = result["ratio"]
    return total._replace(
        files=total.files + 1,
        right=total.right + (not faults),
        snippets=total.snippets + len(counted),
        found=total.found + (len(counted) - len(missing) if read else 0),
        failures=total.failures + failure,
        failed_right=total.failed_right + (failure and not faults),
        short=total.short + (isinstance(ratio, float) and expect == "text" and ratio < SILENT_LOSS),
        wrong=(*total.wrong, *(f"{result['path']}: {fault}" for fault in faults)),
    )


def _renamed(path: Path) -> bool:
    """Whether the file was read as another format than its name says, and that was said."""
    parsers = Parsers(ParseLimits())
    try:
        parsed = parsers.parse(path.name, path.read_bytes())
    finally:
        parsers.close()
    return parsed.state is State.WARNED and parsed.parser != SUFFIXES[path.suffix.lower()]


def main(names: list[str]) -> int:
    """Prints the table; 1 when something is wrong."""
    print("| format | files right | snippets found | failures named |\n| --- | --- | --- | --- |")
    scores = [score(name) for name in names or formats()]
    wrong = [line for s in scores for line in s.wrong]
    for s in scores:
        print(s.row(), flush=True)
    sums = [sum(getattr(s, field) for s in scores) for field in Score._fields[1:8]]
    print(Score("**all**", *sums).row())
    print(*wrong, sep="\n", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
