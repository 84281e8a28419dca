"""A soak: edits, a daemon that is killed and frozen, clocks that jump, readers; and a settle after each round."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from datetime import time as wall
from pathlib import Path

from soak_checks import HOUR_NS, Reader, Run, Slope, Stretch, check_nights, slope
from soak_daemons import Keeper, Sample, family, process
from soak_home import Home, runs_of, scraped
from soak_reader import EVERYTHING
from soak_scenes import Scenes
from soak_times import RATE, Clock, Nights, make_zone
from soak_trouble import PATIENCE, Trouble
from soak_truth import CLOSED, Truth

from indexer import KnowledgeBase
from indexer.core.tables import SplitSettings

READERS = 2
ENOUGH = 4.0
"""Injected hours of one life below which nothing is said of its memory."""


class Soak:
    """``seconds`` of it, real; it is ``local`` when it begins. ``log`` is a file that tells everything that was done."""

    def __init__(self, work: Path, seconds: float, seed: int, local: wall) -> None:
        self.home, self.seconds, self.rng = Home(work), seconds, random.Random(seed)  # noqa: S311
        self.began, self.start_ns = time.monotonic(), time.time_ns()
        self.log = open(work / "soak.log", "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - closed by close()
        self.zone = make_zone(work / "zones", self.start_ns, local)
        self.clock, self.nights = Clock.create(work / "clock", self.start_ns), Nights(self.zone, self.start_ns)
        self.truth = Truth(self.home.root, SplitSettings(self.home.size, 0))
        self.edits = Scenes(self.home.root, self.home.outside, self.rng, self.truth, self.say)
        self.keeper = Keeper(work)
        self.readers: list[subprocess.Popen[bytes]] = []
        self.kb = KnowledgeBase(work, flags={"schedule.time_zone": "UTC"})  # the other zone is known to the daemon only
        self.stretches: list[Stretch] = []
        self.samples: list[Sample] = []
        self.lags: list[float] = []
        self.runs: dict[int, Run] = {}
        self.trouble = Trouble(self.home, self.keeper, self.clock, self.edits, self.rng, self.say)
        self.say(f"seed {seed}, {seconds:g} s")

    def say(self, what: str) -> None:
        """A line of the log: seconds since the start, the injected local time."""
        at = time.strftime("%d %H:%M", self._local())
        self.log.write(f"{time.monotonic() - self.began:8.2f} {at} {what}\n")
        self.log.flush()

    def _local(self) -> time.struct_time:
        from datetime import datetime

        return datetime.fromtimestamp(self.clock.now_ns() / 1e9, self.zone).timetuple()

    # ---- the whole -------------------------------------------------------------------------

    def run(self) -> str:
        """All of it; the line of figures. Raises AssertionError."""
        for _ in range(30):
            self.edits.do("write")
        self.keeper.start()
        self._settle()
        self.readers = [
            process(self.home.path, "soak_reader.py", str(self.home.path), str(self.home.path / f"reader{i}"), str(i))
            for i in range(READERS)
        ]
        while (share := (time.monotonic() - self.began) / self.seconds) < 1:
            self._round(kills=share < 0.5)
            self._settle()
        return self._finish()

    def close(self) -> None:
        """Nothing is left running."""
        for one in [*self.readers, self.keeper.process]:
            if one is not None and one.poll() is None:
                one.send_signal(signal.SIGCONT)
                one.kill()
                one.wait()
        self.kb.close()
        self.log.close()

    def _finish(self) -> str:
        (self.home.path / "stop").touch()
        for reader in self.readers:
            assert reader.wait(60) == 0
        assert self.keeper.end() == 0, self.keeper.err.read_text()[-2000:]
        self._proved()
        same: dict[int, str] = {}
        logs = [Reader(self.home.path / f"reader{i}", self.stretches, same) for i in range(READERS)]
        for log in logs:
            log.check()
        assert all(log.searches > 10 for log in logs)
        due = self.nights.until(self.clock.now_ns())
        check_nights(due, self.runs, self.clock.now_ns())
        return self._figures(sum(log.searches for log in logs), due)

    def _proved(self) -> None:
        """Everything stored is what was written, and no process is left."""
        found = self.home.indexer("verify")
        assert found.returncode == 0, found.stdout + found.stderr
        end = time.monotonic() + 20
        while (left := family(self.home.path)) and time.monotonic() < end:
            time.sleep(0.2)
        assert not left, f"processes are left: {left}"

    # ---- one round ---------------------------------------------------------------------------

    def _round(self, *, kills: bool) -> None:
        """Some edits, in their midst one thing that is not an edit."""
        edits = self.rng.randint(1, 14)
        at = self.rng.randrange(edits)
        for i in range(edits):
            if i == at:
                self.trouble.any(kills=kills)
            self.edits.one()
            time.sleep(self.rng.choice((0, 0, 0, 0.02, 0.1, 0.4)))

    # ---- settles ------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Quiet: within the patience the index says what the folder says, and stays so."""
        self.truth.note()
        quiet = time.monotonic()
        time.sleep(self.home.debounce)
        wrong, agreed, lag = ["nothing was asked"], 0, 0.0
        while agreed < 2:
            self.keeper.check()
            assert time.monotonic() < quiet + PATIENCE, f"not right after {PATIENCE} s: {wrong[:5]} ({len(wrong)})"
            time.sleep(0.1)
            idle, held = self.keeper.idle(), self._held()
            hits = self.kb.search("anything", EVERYTHING)
            found, wrong = self.truth.compare((h.key.path, h.sha256, h.text) for h in hits)
            agreed = agreed + 1 if idle and not wrong and not held else 0
            lag = time.monotonic() - quiet if agreed == 1 else lag
            if idle and held:
                self._release(held)
        self.lags.append(lag)
        self._note({h.commit for h in hits}, found)

    def _held(self) -> list[str]:
        catalog = self.kb.catalog()
        if catalog is None:
            return []
        held = [
            p.decode("utf-8", "surrogateescape")
            for (p,) in catalog.db.all("SELECT path FROM document WHERE held IS NOT NULL")
        ]
        catalog.close()
        return [p for p in held if self.truth.state(p) != CLOSED]  # nobody can say whether that one is there

    def _release(self, held: list[str]) -> None:
        """As somebody does who looked at the list: they were really deleted."""
        there = [p for p in held if os.path.lexists(self.home.root / p)]
        self.say(f"release {len(held)} held deletions; still there: {there}")
        self.trouble.done["held"] += len(held)
        released = process(self.home.path, "soak_process.py", "update", str(self.home.path))
        assert released.wait(PATIENCE) in (0, 3)

    def _note(self, commits: set[int], found: dict[str, str]) -> None:
        [commit] = commits
        lasting = {p: self.truth.base[p] for p in self.truth.lasting() if p in self.truth.base}
        ever = {p: self.truth.ever(p) for p in self.truth.past}
        self.stretches.append(Stretch(commit, found, ever, lasting, time.monotonic_ns()))
        self.truth.settle(found)
        self.runs |= runs_of(self.kb)
        assert "indexer_" in scraped(self.home.port)
        now = self.clock.now_ns()
        if time.monotonic() - self.keeper.began > 20:
            check_nights(self.nights.until(now), self.runs, now)
        if sample := self.keeper.memory(RATE):
            self.samples.append(sample)
        self.say(f"settled: commit {commit}, {len(found)} documents, {self.lags[-1]:.2f} s; {sample}")

    # ---- figures ------------------------------------------------------------------------------

    def slopes(self) -> tuple[Slope, Slope] | None:
        """(resident, own) of the last life, its first quarter left out; None when that is not enough to tell."""
        last = [s for s in self.samples if s.life == self.keeper.life]
        last = [s for s in last if s.hours > last[-1].hours / 4]
        if len(last) < 10 or last[-1].hours - last[0].hours < ENOUGH:
            return None
        return slope([(s.hours, s.resident) for s in last]), slope([(s.hours, s.own) for s in last])

    def _figures(self, searches: int, due: list[int]) -> str:
        hours, days = self.clock.clock() / 3600, (self.clock.now_ns() - self.start_ns) / HOUR_NS / 24
        lags, slopes = sorted(self.lags), self.slopes()
        ran = sum(1 for r in self.runs.values() if r.due in due and r.exit_code in (0, 3))
        parts = [
            f"{hours:.1f} h at work in {(time.monotonic() - self.began) / 60:.1f} min, {days:.1f} days by the clock",
            f"{self.edits.done.total()} edits",
            f"{len(self.stretches)} settles right", f"{len(self.runs)} runs", f"{self.stretches[-1].commit} commits",
            ", ".join(f"{k} {n}" for k, n in self.trouble.done.items() if k != "nothing"),
            f"ended within {max(self.trouble.ends, default=0):.1f} s", f"nights {len(due)}, run {ran}", f"{searches} searches, 0 errors",
            f"settled after {lags[len(lags) // 2]:.1f} s (median), {lags[int(len(lags) * 0.95)]:.1f} s (p95)",
            f"resident {slopes[0]}, own {slopes[1]}" if slopes else "memory not judged",
        ]  # fmt: skip
        return "soak: " + "; ".join(parts)
