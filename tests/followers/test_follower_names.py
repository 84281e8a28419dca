"""Names over there: unique, not too long, and of nothing that a file system, a URL or the server reads as something else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.model import Key
from indexer.followers.remote_names import MOST_BYTES, remote_name

paths = st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=60), min_size=1, max_size=4).map("/".join)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("hr/policy.md", "kb%2Fhr%2Fpolicy.md"),
        ("人事/婚假管理办法 v3.1（试行）.md", "kb%2F人事%2F婚假管理办法 v3.1（试行）.md"),
        ("100%.txt", "kb%2F100%25.txt"),
        ("a.[b].txt", "kb%2Fa.%5Bb%5D.txt"),
        ("odd\udcff.txt", "kb%2Fodd%FF.txt"),
    ],
)
def test_names(path: str, name: str) -> None:
    """Folders are part of the name, letters stay."""
    assert remote_name(Key("kb", path)) == name


@given(paths, paths)
def test_unique_and_harmless(one: str, other: str) -> None:
    """Two documents never share a name, however long or odd theirs are."""
    a, b = remote_name(Key("kb", one)), remote_name(Key("kb", other))
    assert (a == b) == (one == other)
    assert len(a.encode()) <= MOST_BYTES
    assert not re.search(r"[/\\:*?\"<>|\x00-\x1f\x7f]|\.\[|^\.", a)


def test_long_names_keep_their_suffix() -> None:
    """A server chooses its parser by it."""
    names = {remote_name(Key("kb", "很长的名字" * 30 + f"{n}.pdf")) for n in range(5)}
    assert len(names) == 5
    assert all(name.endswith(".pdf") for name in names)
