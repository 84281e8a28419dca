"""The cases SINK-01 to SINK-05 of real bug reports, by their names, against servers of both kinds.

The real servers go through the same in `test_lightrag_real.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from following import Lab, differs, text
from lightrag_stand_in import StandIn

from indexer.core.following import FollowerSettings
from indexer.core.model import Key
from indexer.followers.remote_names import remote_name


@pytest.fixture
def lab(tmp_path: Path, server: StandIn) -> Lab:
    """A knowledge base that this server follows."""
    return Lab(tmp_path, FollowerSettings("graph", url=server.url, api_key="secret", timeout_seconds=10))


def changed(lab: Lab) -> None:
    """Commit, and send."""
    lab.commit()
    assert lab.flush() is None


def right(lab: Lab, server: StandIn) -> bool:
    """Whether the server has exactly what the folder has."""
    return differs(server.content(), lab.texts()) == []


def test_sink_01_one_name_in_two_folders(lab: Lab, server: StandIn) -> None:
    """The server keeps only the last part of a name: the folders are in it, so both are there."""
    lab.write("a/readme.md", text(1))
    lab.write("b/readme.md", text(2))
    changed(lab)
    assert sorted(server.content()) == ["kb%2Fa%2Freadme.md", "kb%2Fb%2Freadme.md"]
    lab.write("b/readme.md", text(3))
    changed(lab)
    assert right(lab, server)


def test_sink_02_a_second_upload_replaces_nothing(lab: Lab, server: StandIn) -> None:
    """The server refuses or ignores a name it has: the old one is deleted, waited for, and the new one sent."""
    lab.write("a.md", text(1))
    changed(lab)
    lab.write("a.md", text(2))
    changed(lab)
    assert right(lab, server)
    assert server.seen["DELETE /documents/delete_document"] == 1


def test_sink_03_changes_while_it_is_away(lab: Lab, server: StandIn) -> None:
    """Three edits, a deletion, an addition, a new process of ours: the final state is sent, once each."""
    for name in ("edited", "deleted", "kept"):
        lab.write(f"{name}.md", text(len(name)))
    changed(lab)
    server.fault = lambda method, path: "refuse"
    for n in range(3):
        lab.write("edited.md", text(100 + n))
        lab.commit()
        assert "does not answer" in str(lab.flush())  # each flush is another process, as far as the product knows
    (lab.root / "deleted.md").unlink()
    lab.write("added.md", text(200))
    lab.write("passing.md", text(300))
    lab.commit()
    (lab.root / "passing.md").unlink()
    server.taken.clear()
    server.fault = lambda method, path: None
    changed(lab)
    assert right(lab, server)
    assert sorted(name for name, _ in server.taken) == [remote_name(Key("kb", n)) for n in ("added.md", "edited.md")]
    assert set(server.taken.values()) == {1}


def test_sink_04_it_is_there_already_after_a_try_that_failed(lab: Lab, server: StandIn) -> None:
    """The answer to an upload was lost, and the document changed since: "already exists" means replace, by its id."""

    def lost(method: str, path: str) -> Any:
        return "drop" if path == "/documents/text" else None

    lab.write("a.md", text(1))
    lab.write("copy.md", text(9))
    lab.write("copy of it.md", text(9))
    lab.commit()
    server.fault = lost
    assert lab.flush() is not None
    server.fault = lambda method, path: None
    lab.write("a.md", text(2))
    changed(lab)
    assert right(lab, server)
    names = [d.name for d in server.docs.values() if not d.original]
    assert len(names) == len(set(names)) == 2


def test_sink_05_white_space_is_never_sent(lab: Lab, server: StandIn) -> None:
    """Blanks, tabs, ideographic spaces, empty lines: such a document jams the server's pipeline."""
    for n, blank in enumerate((" ", "\t", "\u3000", "\n", "\r\n \t\u3000\u00a0")):
        lab.write(f"blank{n}.txt", blank * 200)
    lab.write("a.md", text(1))
    changed(lab)
    assert [name for name, _ in server.taken] == list(server.content()) == [remote_name(Key("kb", "a.md"))]
    lab.write("a.md", "\u3000 \n" * 100)  # and one that becomes so is taken away there
    changed(lab)
    assert not server.content()
