"""PDF engines side by side on a folder of PDFs: ``python -m benchmarks.pdf_engines FOLDER``.

Each file is read by each engine in a process of its own under the limits of the sandbox (1 GB of memory, 60 CPU
seconds), so that a crash, a hang or a leak counts against one file. Seconds are CPU of the reading alone, without the
imports; memory is the largest resident set of any of an engine's processes. ``--manifest`` names a table (tab-separated,
with the columns path, expect, must, ref_chars) that says which snippets each file must show; snippets are compared with
white space removed and in NFKC. Without it the engines are still compared by characters, refusals and deaths.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import re
import resource
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import measure

MEMORY, CPU = 1024 << 20, 60


def with_ours(path: Path) -> str:
    """The product's parser: pdfium's characters in our own reading order, pypdf for structure."""
    from indexer.core.tables import ParseLimits
    from indexer.parse.pdf import parse

    return parse(path.read_bytes(), ParseLimits()).text


def with_pypdf(path: Path) -> str:
    """pypdf as it comes."""
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def with_pdfium(path: Path) -> str:
    """pypdfium2 as it comes."""
    from pypdfium2 import PdfDocument

    document = PdfDocument(path)
    return "\n".join(document[i].get_textpage().get_text_bounded() for i in range(len(document)))


def with_pdfminer(path: Path) -> str:
    """pdfminer.six with its layout analysis."""
    from pdfminer.high_level import extract_text  # type: ignore[import-not-found]  # no dependency of ours

    return str(extract_text(path))


def with_pdfplumber(path: Path) -> str:
    """pdfplumber, which is pdfminer.six with its own words and lines."""
    import pdfplumber  # type: ignore[import-not-found]  # no dependency of ours

    with pdfplumber.open(path) as document:
        return "\n".join(page.extract_text() for page in document.pages)


ENGINES: dict[str, tuple[str, Callable[[Path], str]]] = {
    "ours": ("pypdfium2", with_ours),
    "pypdf": ("pypdf", with_pypdf),
    "pypdfium2": ("pypdfium2", with_pdfium),
    "pdfminer.six": ("pdfminer", with_pdfminer),
    "pdfplumber": ("pdfplumber", with_pdfplumber),
}
"""Name to the module that must be installed and the function that reads."""


@dataclass
class Wanted:
    """What the manifest says of a file."""

    expect: str = ""
    must: Sequence[str] = ()
    chars: int = 0


@dataclass
class Score:
    """Sums over the files of one engine."""

    read: int = 0
    refused: int = 0
    died: list[str] = field(default_factory=list)
    chars: int = 0
    seconds: float = 0.0
    rss_mb: float = 0.0
    found: int = 0
    snippets: int = 0
    lacking: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)


def plain(text: str) -> str:
    """Text as it is compared: NFKC, no white space, no soft hyphens, zero-width or direction marks."""
    text = unicodedata.normalize("NFKC", text)
    return re.sub("[\\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+", "", text)


def one(engine: str, path: Path) -> None:
    """Reads one file in this process and prints what came of it as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 1))
    read = ENGINES[engine][1]
    start = time.process_time()
    try:
        text, problem = read(path), ""
    except Exception as error:
        text, problem = "", f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    print(json.dumps({"text": text, "problem": problem, "seconds": seconds}))


def score(engine: str, paths: Sequence[Path], wanted: dict[str, Wanted]) -> Score:
    """Reads every file with one engine."""
    total = Score()
    for path in paths:
        argv = [sys.executable, "-m", "benchmarks.pdf_engines", "--engine", engine, "--one", str(path)]
        try:
            ran = measure.run(argv, cwd=str(Path(__file__).parents[1]), timeout=4 * CPU)
            got = measure.last_json(ran.out)
        except (measure.Failed, ValueError):
            total.died.append(path.name)
            continue
        total.rss_mb = max(total.rss_mb, ran.rss_mb)
        total.seconds += float(str(got["seconds"]))
        add(total, path.name, got, wanted.get(path.name, Wanted()))
    return total


def add(total: Score, name: str, got: dict[str, object], want: Wanted) -> None:
    """Counts one answer."""
    text = plain(str(got["text"]))
    total.read += not got["problem"]
    total.refused += bool(got["problem"])
    total.chars += len(text)
    if want.expect != "text":
        return
    lacking = [snippet for snippet in want.must if plain(snippet) not in text]
    total.snippets += len(want.must)
    total.found += len(want.must) - len(lacking)
    if lacking:
        total.lacking.append(name)
    if len(text) < 0.7 * want.chars:
        total.short.append(name)


def manifest(path: Path | None) -> dict[str, Wanted]:
    """File name to what it must show."""
    if path is None:
        return {}
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {
        Path(row["path"]).name: Wanted(row["expect"], json.loads(row["must"] or "[]"), int(row["ref_chars"] or 0))
        for row in rows
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Compare, and print a Markdown table; what each engine lacks stands below it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pdf_engines", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="searched for *.pdf, with its sub-folders")
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--engine", action="append", choices=ENGINES, help="may be repeated (default: all installed)")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.one:
        return one(args.engine[0], args.one)
    if args.folder is None:
        parser.error("name a folder")
    paths, wanted = sorted(args.folder.resolve().rglob("*.pdf")), manifest(args.manifest)
    engines = args.engine or [name for name, (module, _) in ENGINES.items() if importlib.util.find_spec(module)]
    print(f"{len(paths)} files\n\n| engine | read | refused | died | snippets | short | characters | CPU s | peak MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    scores = {engine: score(engine, paths, wanted) for engine in engines}
    for engine, s in scores.items():
        found = f"{s.found}/{s.snippets}"
        row = (engine, s.read, s.refused, len(s.died), found, len(s.short), s.chars, f"{s.seconds:.1f}")
        print("|", " | ".join(map(str, row)), f"| {s.rss_mb:.0f} |")
    for engine, s in scores.items():
        for what, names in (("died on", s.died), ("snippets missing in", s.lacking), ("short on", s.short)):
            if names:
                print(f"\n{engine} {what}: {', '.join(names)}")


if __name__ == "__main__":
    main()
