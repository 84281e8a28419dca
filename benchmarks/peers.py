"""The product beside the usual recipes, on the same work: ``python -m benchmarks.peers --files 1000``.

Every workload is a new process (imports counted) of each system on its own copy of one
generated tree, with the same zero-cost embedder. Each is done ``--repeat`` times with another
file or folder (the build once); the run with the least CPU counts, since others only add to it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import measure, trees
from benchmarks.right import wrongs
from benchmarks.systems import SYSTEMS, System

Figures = dict[str, float | int | None]
Table = dict[str, dict[str, Figures]]

WARM_UP = 20  # files; so that every .pyc exists and every library is in the page cache
YARDSTICKS = ("pass", "import sqlite3", "import numpy", "import langchain_text_splitters")
CHECKED = 1000  # files; up to here each workload's outcome is checked unless told otherwise


class Wrong(Exception):
    """A system finds something else than the folder holds: its figures would mean nothing."""


def one(system: System, workload: str, turn: int, quiet: float) -> Figures:
    """Change the tree, run one update, return what it cost."""
    trees.WORKLOADS[workload](system.tree, turn)
    trees.settle(quiet)
    ran = system.run(system.argv())
    return {
        "cpu_s": ran.cpu_s,
        "wall_s": ran.wall_s,
        "rss_mb": ran.rss_mb,
        "written_mb": ran.written_mb,
        "embedded": int(str(measure.last_json(ran.out)["embedded"])),
    }


def best(system: System, workload: str, repeat: int, quiet: float) -> Figures:
    """The cheapest of ``repeat`` runs in CPU seconds; a first build happens once."""
    turns = range(1 if workload == "build" else repeat)
    return min((one(system, workload, turn, quiet) for turn in turns), key=lambda f: f["cpu_s"] or 0.0)


def check(system: System, name: str, workload: str) -> None:
    """Raises :class:`Wrong` unless exactly the tree's present text can be found."""
    found = wrongs(system.tree, system.found())
    if found:
        raise Wrong(f"{name} after {workload}: {len(found)} wrong, first: {found[0]}")


def measured(name: str, home: Path, args: argparse.Namespace) -> dict[str, Figures]:
    """All wanted workloads of one system, in order, on a fresh copy of the tree."""
    system = SYSTEMS[name](home)
    system.prepare()
    costs = {}
    for workload in trees.WORKLOADS:
        if workload != "build" and workload not in args.only:
            continue
        costs[workload] = best(system, workload, args.repeat, args.quiet)
        say(f"{name:16} {workload:9} {_line(costs[workload])}")
        if args.check:
            check(system, name, workload)
    return {workload: costs[workload] for workload in costs if workload in args.only}


def compare(args: argparse.Namespace, work: Path) -> Table:
    """workload → system → figures."""
    trees.make(work / "base", args.files, seed=args.seed)
    trees.make(work / "warm", WARM_UP, seed=args.seed + 1)
    table: Table = {workload: {} for workload in trees.WORKLOADS if workload in args.only}
    for name in args.systems:
        if args.warm_up:
            warm_up(name, work)
        home = work / name
        shutil.copytree(work / "base", home / "tree")
        for workload, figures in measured(name, home, args).items():
            table[workload][name] = figures
        shutil.rmtree(home)
    return table


def warm_up(name: str, work: Path) -> None:
    """Run a build and an edit on a small tree, unmeasured."""
    home = work / f"{name}-warm"
    shutil.copytree(work / "warm", home / "tree")
    system = SYSTEMS[name](home)
    system.prepare()
    for workload in ("build", "edit"):
        trees.WORKLOADS[workload](system.tree, 0)
        system.run(system.argv())
    shutil.rmtree(home)


def yardsticks(work: Path) -> str:
    """How fast this machine is right now: CPU seconds of a bare Python and of three imports."""
    cpu = {
        code: min(measure.run([sys.executable, "-c", code], cwd=str(work)).cpu_s for _ in range(3))
        for code in YARDSTICKS
    }
    return "cpu s here: " + ", ".join(f"{code} {seconds:.2f}" for code, seconds in cpu.items())


# ---- for people ---------------------------------------------------------------------------


def say(line: str) -> None:
    """Progress goes to stderr, so that --json stays JSON."""
    print(line, file=sys.stderr, flush=True)


def _line(f: Figures) -> str:
    written = "     ?" if f["written_mb"] is None else f"{f['written_mb']:10.3f}"
    return (
        f"{f['cpu_s']:8.2f} cpu s {f['wall_s']:8.2f} wall s {f['rss_mb']:7.0f} MB peak "
        f"{written} MB written {f['embedded']:8d} embedded"
    )


def readable(table: Table) -> str:
    """A table, the ratios of CPU seconds against ours, and one last line of figures."""
    lines, last = [], []
    for workload, systems in table.items():
        ours = systems.get("ours", {}).get("cpu_s")
        for name, figures in systems.items():
            ratio = f"{(figures['cpu_s'] or 0.0) / ours:7.1f} x ours" if ours else ""
            lines.append(f"{workload:9} {name:16} {_line(figures)} {ratio}")
        last.append(f"{workload} " + "/".join(f"{f['cpu_s']:.2f}" for f in systems.values()))
    names = "/".join(next(iter(table.values())))
    return "\n".join([*lines, f"cpu s ({names}): " + ", ".join(last)])


def names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """An argparse type: a comma-separated choice of ``known``, kept in their order."""

    def parse(text: str) -> list[str]:
        wanted = text.split(",")
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return [name for name in known if name in wanted]

    return parse


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="a multiple of 20 (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--only", type=names(list(trees.WORKLOADS)), default=list(trees.WORKLOADS), metavar="LIST")
    parser.add_argument("--systems", type=names(list(SYSTEMS)), default=list(SYSTEMS), metavar="LIST")
    parser.add_argument("--repeat", type=int, default=1, help="runs a workload; the cheapest counts")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--quiet", type=float, default=trees.QUIET, help="seconds between a change and the run")
    parser.add_argument(
        "--warm-up", action=argparse.BooleanOptionalAction, default=True, help="on 20 files, unmeasured"
    )
    parser.add_argument("--dir", type=Path, help="where to put the trees (a real disk; default: the temporary folder)")
    parser.add_argument("--check", action=argparse.BooleanOptionalAction, default=None, help="check what is found")
    args = parser.parse_args(argv)
    if args.check is None:
        args.check = args.files <= CHECKED
    return args


def main(argv: Sequence[str] | None = None) -> None:
    """Make the trees, measure, print, clean up."""
    args = arguments(argv)
    with tempfile.TemporaryDirectory(prefix="indexer-bench-", dir=args.dir) as work:
        say(yardsticks(Path(work)))
        try:
            table = compare(args, Path(work))
        except (Wrong, measure.Failed) as error:
            raise SystemExit(str(error)) from error
    print(json.dumps({"files": args.files, "workloads": table}) if args.json else readable(table))


if __name__ == "__main__":
    main()
