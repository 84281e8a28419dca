"""The content stream reader: tokens, brackets, damage."""

from __future__ import annotations

import time

import pytest

from indexer.parse.pdf_content import operations


def shown(data: bytes) -> list[object]:
    return [operand for operation in operations(data) for operand in operation.operands]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (rb"(plain)", b"plain"),
        (rb"(a(nested(deep(er(still)))))", b"a(nested(deep(er(still))))"),
        (rb"(\(\)\\\n\t)", b"()\\\n\t"),
        (rb"(\101\1012\7)", b"AA2\x07"),
        (b"(joined \\\nline)", b"joined line"),
        (b"(old\r\nline)", b"old\nline"),
        (rb"(\q)", b"q"),
        (rb"<48 65 6C6c6F>", b"Hello"),
        (rb"<4>", b"@"),
        (rb"()", b""),
    ],
)
def test_strings(written: bytes, meant: bytes) -> None:
    """Literal and hexadecimal strings mean what the format says."""
    assert shown(written + b" Tj") == [meant]


@pytest.mark.parametrize(
    ("written", "meant"),
    [(b"12", 12.0), (b"-.5", -0.5), (b"+3.", 3.0), (b"--5", -5.0), (b"1.2.3", 1.2), (b"12-34", 12.0), (b"0.-0", 0.0)],
)
def test_numbers(written: bytes, meant: float) -> None:
    """Numbers that producers get wrong are read as viewers read them."""
    assert shown(written + b" Tc") == [meant]


def test_arrays_and_dictionaries() -> None:
    """Arrays keep their order, dictionaries their keys; true and null hold their place."""
    data = b"[(a) -20 (b)] TJ /P <</ActualText (x) /On true /L [1 2]>> BDC"
    assert shown(data) == [[b"a", -20.0, b"b"], "/P", {"/ActualText": b"x", "/On": "/true", "/L": [1.0, 2.0]}]


def test_unclosed_bracket_ends_at_the_operator() -> None:
    """A missing bracket costs one operation only."""
    found = list(operations(b"[(a) TJ (b) Tj <</K (c) Tj (d) Tj"))
    assert [operation.operator for operation in found] == [b"TJ", b"Tj", b"Tj", b"Tj"]
    assert found[-1].operands == [b"d"]


def test_operators_inside_an_array() -> None:
    """Some producers write Tc into a TJ array; it is one array all the same."""
    (found,) = operations(b"[(Grandes) 0.0 Tc -250 (Clients)] TJ")
    assert found.operator == b"TJ"
    assert [item for item in found.operands[0] if isinstance(item, bytes)] == [b"Grandes", b"Clients"]  # type: ignore[union-attr]


def test_names_with_codes() -> None:
    """#xx in a name is the byte it stands for."""
    assert shown(b"/F#31 1 Tf") == ["/F1", 1.0]


def test_comments_and_inline_images() -> None:
    """Comments are nothing; an inline image is one operation."""
    data = b"% (no) Tj\nBI /W 2 /H 1 ID (x) Tj \x00\xff EI (yes) Tj"
    assert [operation.operator for operation in operations(data)] == [b"BI", b"Tj"]
    data = b"BI /W 30 /H 1 /BPC 8 /CS /G ID " + b" EI (a) Tj    EI (b) Tj       " + b"\nEI (yes) Tj"
    assert [operation.operands for operation in operations(data)][1:] == [[b"yes"]]


@pytest.mark.parametrize(
    "data", [b"(" * 200_000, b"[" * 200_000, b"<<" * 100_000, b"BI ID " * 50_000, b"\\" * 200_000, b"-" * 200_000]
)
def test_hostile_streams_take_linear_time(data: bytes) -> None:
    """Nothing that never closes takes more than moments."""
    start = time.process_time()
    list(operations(data + b" (end) Tj"))
    assert time.process_time() - start < 5
