"""The followers over the API: how they stand, who does not get there, paused, resumed, tried again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from serving import Running, running

from indexer.core.model import Key, Message
from indexer.docid import docid
from indexer.followers.ledger import Ledger
from indexer.followers.model import Item
from indexer.followers.opening import opened

FOLLOWERS = """
[[followers]]
name = "hook"
kind = "webhook"
url = "http://127.0.0.1:9"
[[followers]]
name = "off"
kind = "webhook"
url = "http://127.0.0.1:9"
enabled = false
"""


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service whose follower nobody works on: what the ledger says is what stands."""
    with running(tmp_path_factory.mktemp("followed"), FOLLOWERS) as one:
        yield one


def written(web: Running) -> Ledger:
    """The ledger, to write in as a worker would that has begun."""
    for settings in web.kb.settings.followers:
        with opened(web.kb, settings, print) as follower:
            follower.begin()
    return Ledger(Path(web.kb.settings.metadata))


def test_how_they_stand(followed: Running) -> None:
    """Each that is configured; one that never ran is new and lacks everything."""
    told = followed.client.get("/api/v1/followers").json()["followers"]
    assert [(f["name"], f["state"], f["behind"]) for f in told] == [("hook", "new", 1), ("off", "new", 1)]
    assert followed.client.get("/api/v1/followers/hook").json() == told[0]
    answer = followed.client.get("/api/v1/followers/nobody")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_pause_and_resume(followed: Running) -> None:
    """It is the same switch as on the command line."""
    assert followed.client.post("/api/v1/followers/hook/pause").json()["state"] == "paused"
    with closing(written(followed)) as ledger:
        assert ledger.standing("hook").paused
        assert not ledger.standing("off").paused
    assert followed.client.post("/api/v1/followers/hook/resume").json()["state"] == "new"
    for act in ("pause", "resume", "retry"):
        assert followed.client.post(f"/api/v1/followers/nobody/{act}").status_code == 404


def test_documents_in_trouble(followed: Running) -> None:
    """Named with the reason and the next try, in the language of who asks; tried again on request."""
    key, why = Key("kb", "leave.md"), Message("{status}: {why}", {"status": 422, "why": "no such type"})
    with closing(written(followed)) as ledger:
        ledger.put("hook", {key: Item("refused", "d", tries=1, note=why)})
        told = followed.client.get("/api/v1/followers/hook").json()
        assert told["documents"]["refused"] == 1
        assert told["troubles"] == [{
            "document": docid(key), "source": "kb", "path": "leave.md", "state": "refused", "tries": 1, "next_try": None,
            "why": "422: no such type",
        }]  # fmt: skip
        told = followed.client.post("/api/v1/followers/hook/retry").json()
        assert (told["documents"]["refused"], told["troubles"]) == (0, [])
        ledger.put("hook", {Key("kb", f"{n}.md"): Item("failed", "d", note=why) for n in range(203)})
        told = followed.client.get("/api/v1/followers/hook").json()
        assert (len(told["troubles"]), told["more_troubles"]) == (200, 3)
