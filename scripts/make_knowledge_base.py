"""Makes the shipped documents of ``knowledge_base/`` that are no plain UTF-8 text.

    python scripts/make_knowledge_base.py [--to FOLDER] [--check]

The sources lie in ``scripts/documents/source``; the results are committed, and the same
sources give the same bytes. The other documents (.md and .txt in UTF-8) are edited in place.
``--check`` compares with the files and writes nothing (exit 1 when they differ). Needs
reportlab, which the extra ``dev`` installs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from documents.blocks import load
from documents.pdf import pdf
from documents.word import word

SCRIPTS = Path(__file__).resolve().parent
SOURCES = SCRIPTS / "documents" / "source"
FOLDER = SCRIPTS.parent / "knowledge_base"


def gb18030(path: Path) -> bytes:
    """The text as Chinese Windows programs save it."""
    return path.read_text("utf-8").replace("\n", "\r\n").encode("gb18030")


MADE: Mapping[str, tuple[str, Callable[[Path], bytes]]] = {
    "hr/员工休假管理办法.docx": ("leave_rules.md", lambda path: word(load(path))),
    "hr/employee-handbook.docx": ("employee_handbook.md", lambda path: word(load(path))),
    "it/information-security-guide.pdf": ("security_guide.md", lambda path: pdf(load(path))),
    "it/数据安全与保密制度.pdf": ("confidentiality_rules.md", lambda path: pdf(load(path))),
    "finance/差旅报销规定.txt": ("travel_rules.txt", gb18030),
}
"""Document in the folder: its source, and what makes one of the other."""


def main(argv: list[str]) -> int:
    """0 when all is made (or, with --check, as committed)."""
    parser = argparse.ArgumentParser(description="Makes the shipped documents of knowledge_base/.")
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder of the documents (default: knowledge_base/)")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when a document differs")
    options = parser.parse_args(argv)
    stale = False
    for name, (source, make) in MADE.items():
        file, made = options.to / name, make(SOURCES / source)
        if not options.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(made)
        elif not file.is_file() or file.read_bytes() != made:
            stale = True
            print(f"{name} differs from what scripts/documents/source/{source} makes; run this script without --check")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
