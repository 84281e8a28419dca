"""How fast each format is parsed, in one worker process and in several: ``python -m benchmarks.parsing``.

Makes files of every format with the same sentences in them (or takes ``--folder``), gives them to the product's own
parsers as an update does, and prints files and megabytes a second. Workers are warm: their start is told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.documents import MAKERS, sentences
from indexer.core.errors import FileProblem
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers

Files = Mapping[str, Sequence[bytes]]


def made(count: int, size: int) -> Files:
    """``count`` files of each format, of ``size`` sentences each."""
    return {suffix: [make(sentences(n, size)) for n in range(count)] for suffix, make in MAKERS.items()}


def found(folder: Path, largest_mb: float) -> Files:
    """The files of a folder by suffix; those above ``largest_mb`` are left out."""
    files: dict[str, list[bytes]] = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= largest_mb * 1e6:
            files[path.suffix.lower()].append(path.read_bytes())
    return files


def measure(suffix: str, files: Sequence[bytes], workers: int) -> dict[str, object]:
    """Wall-clock figures of one format; megabytes are 10^6 bytes of the files."""
    parsers = Parsers(ParseLimits(), workers=workers)
    refused = 0
    chars = 0

    def one(data: bytes) -> int | None:
        try:
            return sum(len(section.text) for section in parsers.parse(f"a{suffix}", data).sections)
        except FileProblem:
            return None

    with ThreadPoolExecutor(workers) as pool:
        started = time.perf_counter()
        list(pool.map(one, [files[0]] * workers))  # starts the workers and what their parser imports
        start_s = time.perf_counter() - started
        started = time.perf_counter()
        for got in pool.map(one, files):
            refused += got is None
            chars += got or 0
        took = time.perf_counter() - started
    parsers.close()
    size = sum(map(len, files)) / 1e6
    return {
        "format": suffix, "workers": workers, "files": len(files), "mb": round(size, 2), "refused": refused, "chars": chars,
        "start_s": round(start_s, 2), "seconds": round(took, 3), "files_s": round(len(files) / took, 1), "mb_s": round(size / took, 2),
    }  # fmt: skip


def table(rows: Sequence[Mapping[str, object]], workers: Sequence[int]) -> str:
    """A line for each format, columns for each number of workers."""
    head = " | ".join(f"files/s, {w} worker{'s' if w > 1 else ''} | MB/s" for w in workers)
    lines = [f"| format | files | MB | refused | {head} |", "| --- |" + " ---: |" * (3 + 2 * len(workers))]
    for suffix in dict.fromkeys(row["format"] for row in rows):
        of = [row for row in rows if row["format"] == suffix]
        speed = " | ".join(f"{row['files_s']} | {row['mb_s']}" for row in of)
        lines.append(f"| {suffix} | {of[0]['files']} | {of[0]['mb']} | {of[0]['refused']} | {speed} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Make or find the files, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parsing", description=__doc__)
    parser.add_argument("--folder", type=Path, help="parse the files of this folder instead of made ones")
    parser.add_argument("--files", type=int, default=40, help="made files of each format (default: %(default)s)")
    parser.add_argument("--sentences", type=int, default=200, help="sentences in each (default: %(default)s)")
    parser.add_argument("--largest-mb", type=float, default=20.0, help="of a file of the folder (default: %(default)s)")
    parser.add_argument("--formats", default="", help="only these suffixes, with commas between")
    parser.add_argument("--workers", default="1,2", help="numbers of worker processes (default: %(default)s)")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    files = found(args.folder, args.largest_mb) if args.folder else made(args.files, args.sentences)
    wanted = {f".{name.strip().lstrip('.')}" for name in args.formats.split(",") if name.strip()}
    supports = Parsers(ParseLimits()).supports
    workers = [int(number) for number in args.workers.split(",")]
    rows = [
        measure(suffix, files[suffix], number)
        for suffix in sorted(files)
        if supports(f"a{suffix}") and (not wanted or suffix in wanted)
        for number in workers
    ]
    if args.json:
        print(json.dumps({"cores": os.cpu_count(), "rows": rows}))
    else:
        print(table(rows, workers))


if __name__ == "__main__":
    main()
