"""Ids of documents in URLs."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.core.errors import UsageError
from indexer.core.model import Key, unraw
from indexer.docid import docid, key_of

_BYTES = st.binary(min_size=1, max_size=300).filter(lambda b: b"\0" not in b)
_SOURCES = st.binary(min_size=1, max_size=30).filter(lambda b: b"\0" not in b and b"/" not in b)


@given(source=_SOURCES, path=_BYTES)
@example(source=b"kb", path=b"\xff\xfe/caf\xe9.txt")
@example(source="知识库".encode(), path="报告 2026.docx".encode())
def test_an_id_leads_back_to_its_document(source: bytes, path: bytes) -> None:
    """Whatever bytes a name holds."""
    key = Key(unraw(source), unraw(path))
    assert key_of(docid(key)) == key
    assert docid(key).isascii()
    assert not set(docid(key)) & set("+/=")


@pytest.mark.parametrize(
    "text", ["", "a", "kb", "====", "a2I", "a2Iv", "L2E", "a2IvYQ==", "a2IvYR", "ä", "a b", "a" * 10_000, "a2IvAA"]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    """Neither half an id nor another spelling of one names a document."""
    with pytest.raises(UsageError):
        key_of(text)


@given(st.text(max_size=50))
def test_no_text_breaks_it(text: str) -> None:
    """Any text is an id or refused."""
    with contextlib.suppress(UsageError):
        assert docid(key_of(text)) == text
