"""What a person sees while an update runs: bars with rate and ETA on a terminal, lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..cli import Out


class Lines:
    """One plain line per commit and at most one every ten seconds in between."""

    def __init__(self, out: Out, clock: Callable[[], float] = time.monotonic) -> None:
        self.out, self.clock = out, clock
        self.files = self.total = self.embedded = 0
        self.said = clock()

    def __call__(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Take one event of a run."""
        if kind == "plan":
            self.total = facts["files"]
        elif kind == "file":
            self.files += 1
        elif kind == "embedded":
            self.embedded += facts["texts"]
        if kind in ("file", "embedded") and self.clock() - self.said > 10:
            self.said = self.clock()
            self.out.say(
                "{files} of {total} files, {texts} passages embedded",
                files=self.files,
                total=self.total,
                texts=self.embedded,
            )


def bars(out: Out) -> Callable[[str, Mapping[str, Any]], None]:
    """Two bars on stderr; nothing is drawn before there is work."""
    progress: Any = None
    tasks: dict[str, Any] = {}
    total = 0

    def begin() -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        p = Progress(*columns, console=Console(stderr=True), transient=True)
        tasks["files"] = p.add_task(out.text("files"), total=total, rate="")
        tasks["texts"] = p.add_task(out.text("passages"), total=0, rate="")
        p.start()
        return p

    def listen(kind: str, facts: Mapping[str, Any]) -> None:
        nonlocal progress, total
        if kind == "plan":
            total = facts["files"]
        elif kind == "end" and progress is not None:
            progress.stop()
        elif kind in ("file", "embedding", "embedded"):
            progress = progress or begin()
            name = "files" if kind == "file" else "texts"
            task = progress.tasks[tasks[name]]
            if kind == "embedding":
                progress.update(tasks[name], total=task.total + facts["texts"])
            else:
                speed = f"{task.speed:.0f}/s" if task.speed else ""
                progress.update(tasks[name], advance=facts.get("texts", 1), rate=speed)

    return listen
