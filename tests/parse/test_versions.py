"""The parsers' versions as the profile sees them."""

from importlib import import_module

import pytest

from indexer.parse import VERSIONS


@pytest.mark.parametrize("name", VERSIONS)
def test_version_is_the_parsers_own(name: str) -> None:
    """The table that spares the import says what the module says."""
    assert VERSIONS[name] == import_module(f"indexer.parse.{name.partition(':')[0]}").VERSION
