"""The sealed cache: equal to validation, never stale, never holds a secret, never needed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from indexer.config import cache, load_settings
from indexer.config.inputs import gather
from indexer.core.errors import ConfigError
from indexer.settings import Settings

Environ = Mapping[str, str]


def kb(home: Path, toml: str = "", *, folder: str = "metadata") -> Path:
    (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "indexer.toml").write_text(toml, "utf-8", newline="")
    return home


def cached(home: Path, flags: Mapping[str, object] | None = None, environ: Environ | None = None) -> Settings | None:
    """What the cache alone answers."""
    environ = environ or {}
    return cache.load(gather(str(home), flags or {}, environ), environ)


CONFIGURATIONS: list[tuple[str, dict[str, object], dict[str, str]]] = [
    ("", {}, {}),
    ("language = 'zh'\nhold_share = 0.1\nbatch_seconds = 2", {}, {}),
    ("[split]\nsize = 100\noverlap = 0", {"split.size": 77}, {"INDEXER_SPLIT__OVERLAP": "7"}),
    (
        "[[sources]]\nname = '甲'\npath = '文件'\ninclude = ['*.pdf']\n[[sources]]\npath = '/x/y'\nexclude=['a', 'b']",
        {},
        {},
    ),
    ("[loaders]\nhtml = 'a.b'\n'.x' = 'c:D'", {}, {"INDEXER_LOADERS__EML": "e:F"}),
    ("[embedding]\nmodel='python:a:B'\n[embedding.options]\na = 1\nb = [1.5, 'x', true]\nc = { d = 'é' }", {}, {}),
    ("[embedding]\nmodel='openai:m'\nbase_url='http://h/v1'\napi_key='sesame'", {}, {}),
    ("[embedding]\nmodel='openai:m'\nbase_url='http://h/v1'\napi_key_env='K'", {}, {"K": "sesame"}),
    ("[embedding]\nmodel='a/b'\napi_key='x'", {"embedding.api_key": "sesame"}, {"INDEXER_EMBEDDING__API_KEY": "y"}),
    ("[embedding]\nmodel='a/b'\nquery_prefix=''", {}, {"INDEXER_EMBEDDING__API_KEY": "sesame"}),
    ("[limits]\nmemory_mb = 64\ncpu_seconds = 1", {"language": None}, {"INDEXER_LANG": "zh", "INDEXER_HOME": "/x"}),
    ("", {}, {"INDEXER_VECTORSTORE": "\udcff"}),
]


@pytest.mark.parametrize(("toml", "flags", "environ"), CONFIGURATIONS)
def test_cached_equals_validated(tmp_path: Path, toml: str, flags: dict[str, object], environ: Environ) -> None:
    """The second answer comes from the cache and is the first, secrets included; none is on disk."""
    kb(tmp_path, toml)
    first = load_settings(tmp_path, flags, environ)
    again = cached(tmp_path, {k: v for k, v in flags.items() if v is not None}, environ)
    assert again == first
    assert again is not None
    assert (
        again.embedding.api_key
        == first.embedding.api_key
        == ("sesame" if "sesame" in str((toml, flags, environ)) else "")
    )
    assert b"sesame" not in (tmp_path / "metadata" / "config.cache").read_bytes()


KEYS = {
    "retention_days": st.integers(0, 9999),
    "hold_share": st.floats(0, 1),
    "batch_seconds": st.floats(0.001, 1e9),
    "language": st.sampled_from(["auto", "en", "zh"]),
    "split.size": st.integers(51, 9999),
    "limits.memory_mb": st.integers(64, 10**9),
    "embedding.query_prefix": st.text(),
    "embedding.options": st.dictionaries(st.text(max_size=3), st.integers() | st.booleans() | st.text(max_size=3)),
    "sources": st.lists(st.text("abcé文", min_size=1, max_size=4), min_size=1, max_size=3, unique_by=str.casefold).map(
        lambda names: [{"path": f"docs/{n}", "exclude": [n]} for n in names]
    ),
}


@hypothesis_settings(max_examples=60, deadline=None)
@given(flags=st.fixed_dictionaries({}, optional=KEYS))
def test_any_configuration_survives_the_cache(
    tmp_path_factory: pytest.TempPathFactory, flags: dict[str, object]
) -> None:
    """Whatever validates is the same out of the cache (or is not cached, for what may be a secret)."""
    home = kb(tmp_path_factory.mktemp("kb"))
    first = load_settings(home, flags, {})
    assert cached(home, flags) in (first, None)
    assert (cached(home, flags) is None) == (not cache.cacheable(first))


def test_any_change_of_the_inputs_is_seen(tmp_path: Path) -> None:
    """File, variables and flags decide; the test names one change of each."""
    kb(tmp_path, "language = 'en'\n")
    load_settings(tmp_path, {"attempts": 4}, {"INDEXER_SCRUB_DAYS": "3"})
    assert cached(tmp_path, {"attempts": 4}, {"INDEXER_SCRUB_DAYS": "3", "PATH": "/", "INDEXER_SHARED": "s"})
    assert not cached(tmp_path, {"attempts": 5}, {"INDEXER_SCRUB_DAYS": "3"})
    assert not cached(tmp_path, {}, {"INDEXER_SCRUB_DAYS": "3"})
    assert not cached(tmp_path, {"attempts": 4}, {"INDEXER_SCRUB_DAYS": "4"})
    assert not cached(tmp_path, {"attempts": 4}, {"INDEXER_SCRUB_DAYS": "3", "INDEXER_TYPO": ""})
    kb(tmp_path, "language = 'zh'\n")
    assert not cached(tmp_path, {"attempts": 4}, {"INDEXER_SCRUB_DAYS": "3"})


def test_a_moved_knowledge_base_is_validated_again(tmp_path: Path) -> None:
    """Paths are absolute, so a copy or a move must not answer with the old ones."""
    home = kb(tmp_path / "a")
    load_settings(home, {}, {})
    moved = home.rename(tmp_path / "b")
    assert cached(moved) is None
    assert load_settings(moved, {}, {}).metadata == str(moved / "metadata")


def test_a_turned_link_is_validated_again(tmp_path: Path) -> None:
    """A source that becomes a link into metadata/ is noticed with the file unchanged."""
    home = kb(tmp_path, "[[sources]]\npath = 'docs'")
    load_settings(home, {}, {})
    (home / "docs").symlink_to(home / "metadata")
    with pytest.raises(ConfigError, match="overlaps"):
        load_settings(home, {}, {})


def test_every_flipped_byte_is_a_miss(tmp_path: Path) -> None:
    """Damage is ignored, wherever it is, and mended by the next load."""
    path = kb(tmp_path) / "metadata" / "config.cache"
    first = load_settings(tmp_path, {}, {})
    good = path.read_bytes()
    for place in range(len(good)):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert cached(tmp_path) is None, place
    for torn in (b"", good[:64], good[:65], good[:-1], b"\xff" * 99):
        path.write_bytes(torn)
        assert cached(tmp_path) is None
    assert load_settings(tmp_path, {}, {}) == first
    assert path.read_bytes() == good


def test_only_the_owner_may_read_it_and_nothing_else_stays(tmp_path: Path) -> None:
    """Mode 0600, and the temporary file is gone."""
    load_settings(kb(tmp_path), {}, {})
    assert os.listdir(tmp_path / "metadata") == ["config.cache"]
    assert (tmp_path / "metadata" / "config.cache").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("obstacle", ["missing", "file", "folder in the way"])
def test_no_place_for_it_is_no_error(tmp_path: Path, obstacle: str) -> None:
    """A metadata folder that is missing or not writable costs time only."""
    (tmp_path / "indexer.toml").touch()
    if obstacle == "file":
        (tmp_path / "metadata").touch()
    elif obstacle == "folder in the way":
        (tmp_path / "metadata" / "config.cache").mkdir(parents=True)
    assert load_settings(tmp_path, {}, {}) == load_settings(tmp_path, {}, {}) == Settings(str(tmp_path))
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize("how", ["file", "environment", "flag"])
def test_it_follows_the_metadata_folder(tmp_path: Path, how: str) -> None:
    """It lies in the configured metadata folder and is found there without parsing."""
    kb(tmp_path, "metadata = 'm'  # here\n" if how == "file" else "", folder="m")
    flags, environ = (
        {"metadata": "m"} if how == "flag" else {},
        {"INDEXER_METADATA": "m"} if how == "environment" else {},
    )
    first = load_settings(tmp_path, flags, environ)
    assert (tmp_path / "m" / "config.cache").is_file()
    assert cached(tmp_path, flags, environ) == first


def test_possible_secrets_elsewhere_are_not_cached(tmp_path: Path) -> None:
    """Options that look like a key and addresses with a password keep the settings off the disk."""
    for toml in ("options = { my_token = 'x' }", "model='a/b'\nbase_url = 'https://me:pw@host'"):
        load_settings(kb(tmp_path, f"[embedding]\n{toml}"), {}, {})
        assert not (tmp_path / "metadata" / "config.cache").exists()


def test_a_new_key_needs_no_validation(tmp_path: Path) -> None:
    """Rotating the secret in its variable gives the new one out of the same cache."""
    kb(tmp_path, "[embedding]\nmodel='a/b'\napi_key_env='K'")
    load_settings(tmp_path, {}, {"K": "old"})
    found = cached(tmp_path, {}, {"K": "new"})
    assert found is not None
    assert found.embedding.api_key == "new"


def test_a_key_that_appears_is_validated(tmp_path: Path) -> None:
    """An empty api_key that becomes one may contradict api_key_env."""
    kb(tmp_path, "[embedding]\nmodel='a/b'\napi_key_env='K'")
    load_settings(tmp_path, {}, {"K": "k", "INDEXER_EMBEDDING__API_KEY": ""})
    with pytest.raises(ConfigError, match="not both"):
        load_settings(tmp_path, {}, {"K": "k", "INDEXER_EMBEDDING__API_KEY": "x"})


def test_fast_path_imports_no_pydantic(tmp_path: Path) -> None:
    """An unchanged configuration is answered without pydantic and tomllib, in a fresh process."""
    load_settings(kb(tmp_path, "[split]\nsize = 99\n"), {}, {})
    code = (
        "import sys; from indexer.config import load_settings\n"
        f"assert load_settings({str(tmp_path)!r}, {{}}, {{}}).split.size == 99\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in "
        "('pydantic', 'pydantic_core', 'pydantic_settings', 'tomllib', 'pathlib', 'tempfile', 'pathspec')))"
    )
    out = subprocess.run([sys.executable, "-I", "-c", _on_path(code)], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def _on_path(code: str) -> str:
    import indexer

    return f"import sys; sys.path.insert(0, {str(Path(indexer.__file__).parents[1])!r}); {code}"


def test_the_fast_path_is_fast(tmp_path: Path) -> None:
    """An unchanged configuration is answered from the cache: far below what validating costs (best of 20, CPU time)."""
    load_settings(kb(tmp_path), {}, {})

    def once() -> float:
        start = time.process_time()
        load_settings(tmp_path, {}, {})
        return time.process_time() - start

    assert min(once() for _ in range(20)) < 0.05
