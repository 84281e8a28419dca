"""A request served in the middle of another run, between two of its batches.

A bulk run of hours must not keep a saved file from being found in seconds. It runs in the same
process, under the same lock, on the same store, and is a run of its own in the history.
"""

from __future__ import annotations

from typing import NamedTuple

from .batches import Batches
from .core.model import raw
from .embedding import Embedding
from .gaps import Passed
from .look import Looker, Request, World
from .recording import Recorded, record
from .report import Report
from .store.local import Store
from .store.recover import recover_below


class Place(NamedTuple):
    """Where it works. ``donor``: a generation whose vectors may be reused; ``run``: its own number."""

    store: Store
    donor: str | None
    floor: int
    run: int


def serve(world: World, request: Request, place: Place, passed: Passed) -> Report:
    """Bring what was named up to date, put the run on record, note in ``passed`` what it took."""
    report, catalog, began = Report(), place.store.catalog, world.now_ns()
    report.run, report.commit_before = place.run, catalog.head()
    embedding = Embedding(world, catalog, place.donor, report.tally)
    for name, number in catalog.source_ids().items():  # a document of the run at work may be in no folder's record yet
        recover_below(catalog, number, [raw(k.path) for k in request.paths if k.source == name])
    looker = Looker(world, request, catalog, report)
    looked = [x for s in world.settings.sources if (x := looker.look(s)) is not None]
    Batches(
        world, request, place.store, embedding, report, lambda: place.run, place.floor, nested=True
    ).work(looked)  # fmt: skip
    for x in looked:
        passed.add(x.id, [raw(k.path) for k in request.paths if k.source == x.source.name])
    report.tally.pair_moves()
    report.commit = catalog.head()
    with catalog.db.write():
        record(place.store, Recorded(place.run, (began, world.now_ns()), request, report.exit_code, report.summary()))
    report.seconds = (world.now_ns() - began) / 1e9
    return report
