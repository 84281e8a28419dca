"""What happens to the daemon and the clock in the midst of edits."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable

from soak_daemons import Keeper, process
from soak_home import Home
from soak_scenes import Scenes
from soak_times import Clock

from indexer.core.tables import SplitSettings

PATIENCE = 60.0
"""Seconds in which the index must have come to what the folder says; a busy machine needs some."""


class Trouble:
    """Kills, freezes, sets the clock; ``say`` writes a line of the log."""

    def __init__(
        self, home: Home, keeper: Keeper, clock: Clock, edits: Scenes, rng: random.Random, say: Callable[[str], None]
    ) -> None:  # fmt: skip
        self.home, self.keeper, self.clock, self.edits, self.rng, self.say = home, keeper, clock, edits, rng, say
        self.done: Counter[str] = Counter()
        self.ends: list[float] = []
        self._set_back = 0.0

    def any(self, *, kills: bool) -> None:
        """One thing at random, most often nothing."""
        kinds = {"nothing": 8, "frozen": 1, "set_forward": 1, "set_back_a_little": 1, "asleep": 1}
        kinds |= {"model_away": 1, "beside": 1}
        if kills:
            kinds |= {"killed": 4, "ended": 2, "told": 3}
        name = self.rng.choices(list(kinds), list(kinds.values()))[0]
        self.do(name)

    def do(self, name: str) -> None:
        """One thing that happens to the daemon or the clock."""
        self.done[name] += 1
        getattr(self, f"_{name}")()

    def _nothing(self) -> None:
        """Most of the time."""

    def _killed(self) -> None:
        """In the middle of whatever it does, often twice within a moment; edits go on without it."""
        time.sleep(self.rng.random() * self.rng.choice((0.05, 0.5, 2)))
        self.say("SIGKILL")
        self.keeper.kill()
        for _ in range(self.rng.randrange(4)):
            self.edits.one()
        self.keeper.start()

    def _ended(self) -> None:
        """SIGTERM, now and then before it knows what to do with one."""
        early = self.rng.random() < 0.3
        self.say(f"SIGTERM, {early=}")
        if not early:
            self._ready()
        began = time.monotonic()
        assert self.keeper.end() in ((0, -signal.SIGTERM) if early else (0,)), self.keeper.err.read_text()[-2000:]
        self.ends.append(time.monotonic() - began)
        for _ in range(self.rng.randrange(4)):
            self.edits.one()
        self.keeper.start()

    def _model_away(self) -> None:
        """Nothing can be embedded for a moment."""
        self.say("the model is away")
        broken = self.home.path / "broken"
        broken.touch()
        for _ in range(self.rng.randint(1, 6)):
            self.edits.one()
            time.sleep(0.3)
        broken.unlink()

    def _beside(self) -> None:
        """Somebody updates by hand; the edits go on meanwhile."""
        self.say("an update beside the daemon")
        beside = process(self.home.path, "soak_process.py", "update", str(self.home.path))
        for _ in range(self.rng.randint(1, 6)):
            self.edits.one()
            time.sleep(0.2)
        assert beside.wait(PATIENCE) in (0, 3, 4)

    def _frozen(self) -> None:
        seconds = self.rng.choice((0.5, 2, 11))
        self.say(f"SIGSTOP, {seconds} s")
        self.keeper.send(signal.SIGSTOP)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.edits.one()
            time.sleep(0.2)
        self.keeper.send(signal.SIGCONT)

    def _told(self) -> None:
        """SIGHUP: another configuration, or one that is refused."""
        self._ready()
        kind = self.rng.choice(("debounce", "size", "wrong", "same", "mode"))
        self.say(f"SIGHUP, {kind}")
        if kind == "wrong":
            self.home.write("no_such_key = 1")
            self.keeper.send(signal.SIGHUP)
            time.sleep(1.5)
        elif kind == "debounce":
            self.home.debounce, self.home.look = self.rng.choice((0.2, 0.5)), self.rng.choice((0.2, 15.0))
        elif kind == "mode":
            self.home.mode = "polling" if self.home.mode == "auto" else "auto"
        elif kind == "size":
            self.home.size = 140 if self.home.size == 100 else 100
            self.edits.truth.split_again(SplitSettings(self.home.size, 0))
        self.home.write()
        self.keeper.send(signal.SIGHUP)

    def _set_forward(self) -> None:
        self._step(self.rng.choice((2, 300, 5400)))

    def _set_back_a_little(self) -> None:
        """Never twice within hours: what ran in a future that is an hour ahead counts as wrong, and rightly so."""
        if self.clock.clock() - self._set_back > 4 * 3600:
            self._set_back = self.clock.clock()
            self._step(-self.rng.choice((2, 300, 2700)))

    def _step(self, seconds: float) -> None:
        self.say(f"the clock is set by {seconds:g} s")
        self.clock.step(seconds)

    def _asleep(self) -> None:
        hours = self.rng.choice(
            (0.5, 3, 9) if self.done["asleep"] != 3 else (24 * 35,)
        )  # one month, past the retention
        self.say(f"the machine sleeps for {hours} h")
        self.clock.sleep(hours * 3600)

    def _ready(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self.keeper.state():
            self.keeper.check()
            assert time.monotonic() < end, "the daemon did not begin"
            time.sleep(0.05)
