"""Feeds broken files to the real parsers and keeps the figures: what came out, how long, how much memory."""

from __future__ import annotations

import os
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import hostile_mutations
import hostile_seeds

from indexer.core.errors import FileProblem, ParserDied, ParseRefused
from indexer.core.model import Message, Parsed
from indexer.core.tables import ParseLimits
from indexer.i18n import translate
from indexer.parse import Parsers
from indexer.parse.formats import PROGRAMS, SUFFIXES

LIMITS = ParseLimits(
    cpu_seconds=10,
    wall_seconds=20,
    page_seconds=5,
    pages=3,
    inflated_mb=100,
    file_mb=20,
    output_chars=20_000_000,
)
LONGEST = LIMITS.wall_seconds + LIMITS.pages * LIMITS.page_seconds + 10
"""Seconds a file may take at most, on a machine that does other things too."""
SEED = 20_260_101
RARELY = 20  # turns until a format that needs an installed program comes again
SAMPLE = re.compile(r"[\u4e00-\u9fff]")


@dataclass
class Figures:
    """What a run met; times in seconds, memory in MiB."""

    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    formats: set[str] = field(default_factory=set)
    slowest: tuple[float, str] = (0.0, "")
    worker_mb: float = 0.0
    deaths: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def line(self) -> str:
        """One line for the log."""
        outcomes = ", ".join(f"{name} {count}" for name, count in sorted(self.outcomes.items()))
        deaths = "; ".join(f"{count} x {name}" for name, count in self.deaths.most_common())
        return (
            f"hostile: {self.files} files of {len(self.formats)} formats in {self.seconds:.0f} s: {outcomes}; "
            f"slowest {self.slowest[0]:.1f} s ({self.slowest[1]}), worker at most {self.worker_mb:.0f} MB, "
            f"main process at most {main_mb():.0f} MB" + (f"; died of: {deaths}" if deaths else "")
        )


def mutants(supports: object, count: int, seed: int = SEED, corpus: bool = True) -> Iterator[tuple[str, bytes]]:
    """``count`` broken files as (name, bytes): the formats in turn, the seeds of each by chance."""
    assert callable(supports)
    groups: dict[str, list[bytes]] = {}
    for suffix, data in (*hostile_seeds.own(supports), *(hostile_seeds.corpus(supports) if corpus else ())):
        groups.setdefault(suffix, []).append(data)
    everything = [data for group in groups.values() for data in group]
    suffixes = sorted(groups)
    for number in range(count):
        dice = random.Random(f"{seed}-{number}")  # noqa: S311 - repeatable, not secret
        suffix = suffixes[number % len(suffixes)]
        if SUFFIXES.get(suffix) in PROGRAMS and number // len(suffixes) % RARELY:
            suffix = dice.choice(
                [s for s in suffixes if SUFFIXES.get(s) not in PROGRAMS]
            )  # starting LibreOffice takes seconds
        way, data = hostile_mutations.mutate(dice.choice(groups[suffix]), dice.choice(everything), dice)
        yield f"{number:04}-{way}{suffix}", data


def feed(parsers: Parsers, files: Iterator[tuple[str, bytes]] | Sequence[tuple[str, bytes]], figures: Figures) -> None:
    """Each file through ``parse``; whatever is no Parsed, ParseRefused or ParserDied with a remedy is noted as wrong."""
    begun = time.monotonic()
    for name, data in files:
        started = time.monotonic()
        try:
            outcome, problems = _judged(parsers.parse(name, data))
        except FileProblem as error:
            outcome, problems = _named(error)
            if isinstance(error, ParserDied):
                figures.deaths[f"{Path(name).suffix} {str(error)[:60]}"] += 1
        except BaseException as error:
            outcome, problems = "raised", [f"{type(error).__name__}: {error}"]
        took = time.monotonic() - started
        figures.files += 1
        figures.outcomes[outcome] += 1
        figures.formats.add(Path(name).suffix)
        figures.slowest = max(figures.slowest, (took, name))
        figures.worker_mb = max(figures.worker_mb, worker_mb(parsers))
        if took > LONGEST:
            problems.append(f"took {took:.0f} s")
        figures.wrong += [f"{name}: {problem}" for problem in problems]
        if figures.files % 250 == 0 and "INDEXER_TEST_FUZZ" in os.environ:
            print(figures.line(), *figures.wrong[-5:], sep="\n", file=sys.__stderr__, flush=True)
    figures.seconds += time.monotonic() - begun


def _judged(parsed: Parsed) -> tuple[str, list[str]]:
    problems = []
    if any("\0" in section.text for section in parsed.sections):
        problems.append("NUL in the text")
    if parsed.state != "indexed" and not parsed.notes:
        problems.append(f"{parsed.state} without a note")
    return parsed.state.value, problems + [p for note in parsed.notes for p in _said(note)]


def _named(error: FileProblem) -> tuple[str, list[str]]:
    kind = (
        type(error).__name__ if isinstance(error, ParseRefused | ParserDied) else f"unexpected {type(error).__name__}"
    )
    problems = _said(error.message)
    if kind.startswith("unexpected") or len(str(error)) < 20:
        problems.append(f"{kind}: {error}")
    return {"ParseRefused": "refused", "ParserDied": "died"}.get(kind, kind), problems


def _said(message: Message) -> list[str]:
    """A sentence fit for a person, in both languages."""
    english, chinese = translate(message, "en"), translate(message, "zh")
    problems = [f"not one printable line: {english!r}"] if not english.isprintable() or "Traceback" in english else []
    if not SAMPLE.search(chinese):
        problems.append(f"no Chinese: {chinese}")
    return problems


def worker_mb(parsers: Parsers) -> float:
    """The most memory any of the workers alive has ever had resident."""
    most = 0
    for idle in parsers._pool.values():
        for sandbox in idle:
            try:
                status = Path(f"/proc/{sandbox._worker._process.pid}/status").read_text()  # type: ignore[union-attr]
                most = max(most, int(status.partition("VmHWM:")[2].split()[0]))
            except (OSError, AttributeError, IndexError, ValueError):
                continue
    return most / 1024


def main_mb() -> float:
    """The most memory this process has ever had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
