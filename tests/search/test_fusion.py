"""Laws of fusing, spreading and quoting."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.fusion import IN_A_ROW, fuse, mixed, quoted, spread

RANKS = st.lists(st.integers(0, 40), unique=True, max_size=30)
DOCUMENTS = st.lists(st.integers(0, 4), max_size=40)


@settings(deadline=None)
@given(RANKS, RANKS)
def test_nothing_is_lost_or_invented(vector: list[int], lexical: list[int]) -> None:
    """Everything either found, once; who found it is said; the cosine is of all."""
    near = [(1 - r / 100, p) for r, p in enumerate(vector)]
    worded = [(50.0 - r, p) for r, p in enumerate(lexical)]
    found = fuse(near, worded, lambda passages: dict.fromkeys(passages, -1.0))
    assert sorted(f.passage for f in found) == sorted({*vector, *lexical})
    assert [f.fused for f in found] == sorted((f.fused for f in found), reverse=True)
    for f in found:
        assert f.found_by == tuple(n for n, o in (("vector", vector), ("lexical", lexical)) if f.passage in o)
        assert (f.score == -1.0) == (f.passage not in vector)


def test_a_rare_code_outweighs_a_neighbour() -> None:
    """One passage far above all others by its words comes first, wherever its meaning stands."""
    near = [(0.9 - i / 1000, i) for i in range(50)]
    found = fuse(near, [(30.0, 45), (1.0, 0)], lambda passages: {})
    assert found[0].passage in (0, 45)
    assert {f.passage for f in found[:2]} == {0, 45}


@settings(deadline=None)
@given(DOCUMENTS, st.integers(1, 4))
def test_so_many_of_each_first(documents: list[int], most: int) -> None:
    """All stay, each document's in their order."""
    items = list(enumerate(documents))
    made = spread(items, lambda item: item[1], most)
    assert sorted(made) == items
    first = made[: sum(min(documents.count(d), most) for d in set(documents))]
    assert all(sum(1 for _, d in first if d == x) <= most for x in set(documents))
    assert spread(items, lambda item: item[1], 0) == items


@settings(deadline=None)
@given(DOCUMENTS)
def test_no_more_in_a_row(documents: list[int]) -> None:
    """While another document is left; each document's stay in their order."""
    items = list(enumerate(documents))
    made = mixed(items, lambda item: item[1])
    assert sorted(made) == items
    for d in set(documents):
        own = [i for i, x in made if x == d]
        assert own == sorted(own)
    for i in range(len(made) - IN_A_ROW):
        row = {d for _, d in made[i : i + IN_A_ROW + 1]}
        assert len(row) > 1 or {d for _, d in made[i:]} == row


def test_what_is_quoted() -> None:
    """Straight marks around what says something; inches open and close nothing."""
    assert quoted('find "Annual  Leave" and "年假"') == ("annual  leave", "年假")
    assert quoted('查"工伤保险"条例') == ("工伤保险",)
    assert quoted('a 5" pipe and a 6" pipe') == quoted('"" "!" “年假” "open') == ()
