"""Reading, merging and validating the configuration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer.config import find_home, load_settings, resolve_home
from indexer.core.errors import ConfigError
from indexer.core.tables import Source
from indexer.settings import Settings


def make(home: Path, toml: str | bytes = "") -> Path:
    home.mkdir(exist_ok=True)
    (home / "indexer.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    return home


def refused(home: Path, toml: str | bytes = "", flags: dict[str, object] | None = None, **environ: str) -> str:
    """What the ConfigError says."""
    make(home, toml)
    with pytest.raises(ConfigError) as caught:
        load_settings(home, flags or {}, environ)
    assert caught.value.exit_code == 2
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_empty_file_is_the_defaults(tmp_path: Path) -> None:
    """An empty indexer.toml gives exactly the defaults of Settings."""
    assert load_settings(make(tmp_path), {}, {}) == Settings(str(tmp_path))


def test_settings_alone_have_the_standard_layout() -> None:
    """Settings(home) names the three folders inside home."""
    settings = Settings("/kb")
    assert settings.metadata == os.path.join("/kb", "metadata")
    assert settings.vectorstore == os.path.join("/kb", "vectorstore")
    assert settings.sources == (Source("knowledge_base", os.path.join("/kb", "knowledge_base")),)


def test_flags_over_environment_over_file(tmp_path: Path) -> None:
    """A later layer wins key by key; keys it does not name stay."""
    make(tmp_path, "language = 'en'\n[split]\nsize = 100\noverlap = 10\n[embedding]\nmodel = 'a/b'\n")
    environ = {"INDEXER_SPLIT__SIZE": "200", "INDEXER_EMBEDDING__MODEL": "c/d", "PATH": "/bin"}
    settings = load_settings(tmp_path, {"split.size": 300, "language": None}, environ)
    assert (settings.split.size, settings.split.overlap) == (300, 10)
    assert (settings.embedding.model, settings.language) == ("c/d", "en")


def test_every_kind_of_value_comes_through_the_environment(tmp_path: Path) -> None:
    """Numbers, texts, lists, tables and nested options, names in any case."""
    environ = {
        "INDEXER_HOLD_SHARE": "0.5",
        "indexer_attempts": "5",
        "INDEXER_SOURCES": '[{"path": "docs", "include": ["*.pdf"]}]',
        "INDEXER_LOADERS": '{".html": "a.b:C"}',
        "INDEXER_EMBEDDING__OPTIONS__NAME": "x",
        "INDEXER_EMBEDDING__OPTIONS__DEEP__SIZE": "8",
        "INDEXER_EMBEDDING__QUERY_PREFIX": "",
        "INDEXER_SPLIT": '{"size": 99}',
    }
    settings = load_settings(make(tmp_path), {}, environ)
    assert (settings.hold_share, settings.attempts, settings.split.size) == (0.5, 5, 99)
    assert settings.sources == (Source("docs", str(tmp_path / "docs"), ("*.pdf",)),)
    assert settings.loaders == ((".html", "a.b:C"),)
    assert settings.embedding.options == {"name": "x", "deep": {"size": 8}}
    assert (settings.embedding.query_prefix, settings.embedding.passage_prefix) == ("", None)


def test_flags_from_a_shell(tmp_path: Path) -> None:
    """--set gives texts: lists, tables and options among them are JSON, other keys are converted."""
    flags = {
        "split.size": "300",
        "sources": '[{"path": "docs"}]',
        "loaders.html": "a.B",
        "embedding.options.size": "8",
        "embedding.options.name": "x",
        "embedding.query_prefix": "8",
    }
    settings = load_settings(make(tmp_path), flags, {})
    assert (settings.split.size, settings.sources[0].name, settings.loaders) == (300, "docs", ((".html", "a:B"),))
    assert settings.embedding.options == {"size": 8, "name": "x"}
    assert settings.embedding.query_prefix == "8"
    assert "split = 3" not in refused(tmp_path, "", {"split": 3, "split.size": "x"})


def test_short_language_variable(tmp_path: Path) -> None:
    """INDEXER_LANG sets the language, INDEXER_LANGUAGE and a flag win over it."""
    make(tmp_path, "language = 'en'")
    assert load_settings(tmp_path, {}, {"INDEXER_LANG": "zh_CN.UTF-8"}).language == "zh"
    assert load_settings(tmp_path, {}, {"INDEXER_LANG": "zh", "INDEXER_LANGUAGE": "auto"}).language == "auto"
    assert load_settings(tmp_path, {"language": "en"}, {"INDEXER_LANG": "zh"}).language == "en"
    assert load_settings(tmp_path, {}, {"INDEXER_LANG": ""}).language == "en"


def test_paths_are_absolute_and_relative_to_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths, ~ and dots, wherever the process stands; Chinese names too."""
    monkeypatch.chdir("/")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    home = make(
        tmp_path / "kb", "metadata = '../m'\nvectorstore = '~/v'\n[[sources]]\nname='甲'\npath = './制度/./文件/'\n"
    )
    settings = load_settings(home, {}, {})
    assert settings.metadata == str(tmp_path / "m")
    assert settings.vectorstore == str(tmp_path / "me" / "v")
    assert settings.sources == (Source("甲", str(home / "制度" / "文件")),)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("builtin:e5-small", "builtin:e5-small"),
        ("BAAI/bge-base-zh-v1.5", "BAAI/bge-base-zh-v1.5"),
        ("./models/m", "{home}/models/m"),
        ("/models/m", "/models/m"),
        ("C:\\models\\m", "C:\\models\\m"),
        ("python:a.b.Class", "python:a.b:Class"),
        ("python:a.b:Class", "python:a.b:Class"),
    ],
)
def test_model_names(tmp_path: Path, given: str, meant: str) -> None:
    """Built-in, hub names, folders (relative to home only with ./) and classes are models."""
    settings = load_settings(make(tmp_path, f"[embedding]\nmodel = '{given}'"), {}, {})
    assert settings.embedding.model == meant.format(home=tmp_path)


def test_loaders_are_normalised(tmp_path: Path) -> None:
    """A suffix gets its dot and lower case, a dotted path its colon; sorted by suffix."""
    settings = load_settings(make(tmp_path, "[loaders]\nXML = 'p.q.R'\n'.eml' = 'a:B'"), {}, {})
    assert settings.loaders == ((".eml", "a:B"), (".xml", "p.q:R"))


def test_api_key_from_its_variable(tmp_path: Path) -> None:
    """api_key_env names the variable; unset is empty, never an error; no repr shows the key."""
    make(tmp_path, "[embedding]\napi_key_env = 'MY_KEY'")
    settings = load_settings(tmp_path, {}, {"MY_KEY": "s3cr3t"})
    assert settings.embedding.api_key == "s3cr3t"
    assert "s3cr3t" not in repr(settings)
    assert load_settings(tmp_path, {}, {}).embedding.api_key == ""


def test_own_key_variable_may_start_with_indexer(tmp_path: Path) -> None:
    """The variable named in api_key_env is known even if it begins with INDEXER_."""
    make(tmp_path, "[embedding]\napi_key_env = 'INDEXER_MY_KEY'")
    assert load_settings(tmp_path, {}, {"INDEXER_MY_KEY": "k"}).embedding.api_key == "k"


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    """A file saved by Notepad reads like any other."""
    settings = load_settings(make(tmp_path, b"\xef\xbb\xbflanguage = 'zh'\r\n[split]\r\nsize = 99\r\n"), {}, {})
    assert (settings.language, settings.split.size) == ("zh", 99)


def test_home_is_found_upwards(tmp_path: Path) -> None:
    """The nearest folder at or above that holds indexer.toml, as git does it."""
    make(tmp_path / "a")
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    assert find_home(deep) == find_home(tmp_path / "a") == tmp_path / "a"
    make(tmp_path / "a" / "b")
    assert find_home(deep) == tmp_path / "a" / "b"
    (tmp_path / "d" / "indexer.toml").mkdir(parents=True)
    assert find_home(tmp_path / "d") is None


def test_home_by_flag_variable_and_place(tmp_path: Path) -> None:
    """--home before INDEXER_HOME before the folder one stands in; the file itself may be named."""
    one, two = str(make(tmp_path / "1")), str(make(tmp_path / "2"))
    assert resolve_home(one, {"INDEXER_HOME": two}, start="/") == one
    assert resolve_home(None, {"INDEXER_HOME": two}, start=one) == two
    assert resolve_home(None, {}, start=one) == one
    assert resolve_home(os.path.join(one, "indexer.toml"), {}) == one


def test_no_home_says_what_to_do(tmp_path: Path) -> None:
    """Without indexer.toml the error names `indexer init`."""
    for flag, environ in ((str(tmp_path), {}), (None, {"INDEXER_HOME": str(tmp_path)}), (None, {})):
        with pytest.raises(ConfigError, match="indexer init"):
            resolve_home(flag, environ, start=str(tmp_path))
    with pytest.raises(ConfigError, match="indexer init"):
        load_settings(tmp_path, {}, {})


WRONG = [
    ("[split]\n\nsiez = 1", "indexer.toml, line 3: there is no setting split.siez; did you mean split.size?"),
    ("chunk_size = 1", "line 1: there is no setting chunk_size; did you mean split.size?"),
    ("model = 'x'", "did you mean embedding.model?"),
    ("zzz = 1", "possible here: language, metadata"),
    ("[embeding]\nmodel = 'x'", "line 1: there is no setting embeding; did you mean embedding?"),
    ("[[sources]]\npath='a'\n[[sources]]\npath='b'\npat = 1", "line 5: there is no setting sources[1].pat"),
    ("[split]\nsize = 'x'", 'line 2: split.size = "x": a whole number is expected'),
    ("split.size = true", "line 1: split.size = true: a number is expected"),
    ("[split]\nsize = 2.5", "a whole number is expected"),
    ("[split]\noverlap = 256", "line 2: split.overlap = 256: overlap must be smaller than size (256)"),
    ("[split]\nsize = 20", "line 2: split.size = 20: overlap is 50"),
    ("split = { size = -1 }", "line 1: split.size = -1: it must be 1 or more"),
    ("hold_share = 20", "hold_share = 20: it must be 1 or less"),
    ("batch_seconds = nan", "batch_seconds = NaN"),
    ("language = 'chinese'", "did you mean zh? Possible: auto, en, zh"),
    ("language = 'english'", "did you mean en?"),
    ("metadata = ''", 'metadata = "": it must not be empty'),
    ("split = 3", "a table of keys and values is expected"),
    ("sources = []", "at least one is needed"),
    ("sources = ['docs']", "[[sources]]"),
    ("[sources]\npath = 'docs'", "[[sources]]"),
    ("[[sources]]\nname = 'a'", "line 1: sources[0].path: this key is needed"),
    ("[[sources]]\npath = 'a'\ninclude = '*.pdf'", 'line 3: sources[0].include = "*.pdf": a list is expected'),
    ("[[sources]]\npath = 'a'\nexclude = ['x', '!']", 'sources[0].exclude[1] = "!": this is not a pattern'),
    ("[[sources]]\nname = 'a/b'\npath = 'a'", "a name has 64"),
    ("[[sources]]\npath = '/'", "a name has 64"),
    ("[embedding]\nmodel = 'builtin:e5-smal'", "did you mean builtin:e5-small?"),
    ("[embedding]\nmodel = 'e5-small'", "did you mean builtin:e5-small?"),
    ("[embedding]\nmodel = 'buitlin:e5-small'", "did you mean builtin:e5-small?"),
    ("[embedding]\nmodel = 'opneai:bge'", "did you mean openai:bge?"),
    ("[embedding]\nmodel = 'openai:bge'", "embedding.base_url"),
    ("[embedding]\nmodel = 'openai:'\nbase_url = 'http://h'", "the name of the model is missing"),
    ("[embedding]\nmodel = 'python:x'", "package.module:Class"),
    ("[embedding]\ndevice = 'cdua'", "did you mean cuda?"),
    ("[embedding]\nprecision = 'fp8'", "possible: auto, int8, fp32, fp16, bf16"),
    ("[embedding]\nprecision = 'bf16'", "built-in models run in int8 or fp32"),
    ("[embedding]\nbase_url = 'localhost:80'", "starts with http:// or https://"),
    ("[embedding]\noptions = { a = 2020-01-01 }", "only texts, numbers"),
    ("[embedding]\nmodel = 'a/b'\napi_key = 'x'\napi_key_env = 'X'", "not both"),
    ("[loaders]\n'.html' = 'x'", 'loaders.".html" = "x": a class is named as package.module:Class'),
    ("[loaders]\n'a b' = 'x.y'", "no file name suffix"),
    ("[loaders]\nhtml = 'x.y'\n'.HTML' = 'x.y'", "a suffix is named twice"),
    ("x = ", "indexer.toml, line 1, column 5: Invalid value"),
    ("a = 1\na = 2", "indexer.toml, line 2"),
    ("a = '''\nb", "indexer.toml, line 2, column 2"),
    ('[[sources]]\npath = "C:\\Users"', "single quotes"),
    ("[[sources]]\nname = 'metadata'\npath = '.'", "it overlaps with metadata"),
    ("metadata = 'vectorstore/m'", "it overlaps with metadata"),
    ("vectorstore = 'metadata'", "it overlaps with metadata"),
    ("[[sources]]\npath = 'metadata/in'", "line 2: sources[0].path"),
    ("[[sources]]\npath = 'x'\n[[sources]]\npath = 'x/y'", "line 4: sources[1].path"),
    ("[[sources]]\npath = 'x/y'\n[[sources]]\npath = 'x'", "it overlaps with y"),
    ("[[sources]]\npath = 'a/x'\n[[sources]]\npath = 'b/x'", "two sources have this name"),
    ("[[sources]]\nname='É'\npath = 'a'\n[[sources]]\nname='e\u0301'\npath = 'b'", "two sources have this name"),
]


@pytest.mark.parametrize(("toml", "said"), WRONG)
def test_wrong_file_names_itself_and_the_right_one(tmp_path: Path, toml: str, said: str) -> None:
    """Each problem says file, line, key, what was given, what is possible."""
    text = refused(tmp_path, toml)
    assert said in text
    assert text.startswith("indexer.toml")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("INDEXER_SPLIT__SIZE", "", 'INDEXER_SPLIT__SIZE: split.size = "": a whole number is expected'),
        ("INDEXER_SPLIT__SIEZ", "1", "INDEXER_SPLIT__SIEZ: there is no setting split.siez; did you mean split.size?"),
        ("INDEXER_SPLITT__SIZE", "1", "did you mean INDEXER_SPLIT__SIZE?"),
        ("INDEXER_HOEM", "/x", "did you mean INDEXER_HOME?"),
        ("INDEXER_QQQQ", "1", "INDEXER_QQQQ: no such setting; unset it"),
        ("INDEXER_SOURCES", "docs", 'JSON is expected here, such as [{"path": "FOLDER"}]'),
        ("INDEXER_LOADERS", "{", "JSON is expected here"),
    ],
)
def test_wrong_variable_names_itself(tmp_path: Path, name: str, value: str, said: str) -> None:
    """A variable that is no setting or does not hold is an error, never silently ignored."""
    assert said in refused(tmp_path, "", None, **{name: value})


def test_test_switches_and_documented_variables_are_allowed(tmp_path: Path) -> None:
    """The variables that are no settings do not disturb."""
    environ = {"INDEXER_HOME": "/x", "INDEXER_SHARED": "/y", "INDEXER_LANG": "en", "INDEXER_TEST_FAULT": "1"}
    assert load_settings(make(tmp_path), {}, environ).language == "en"


def test_wrong_flag_names_itself(tmp_path: Path) -> None:
    """A wrong --option is reported under its dotted name."""
    text = refused(tmp_path, "", {"split.overlapp": 1, "language": "fr"})
    assert "option split.overlapp: there is no setting split.overlapp; did you mean split.overlap?" in text
    assert 'option language: language = "fr": possible: auto, en, zh' in text


def test_all_problems_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    """One look is enough to mend everything."""
    text = refused(tmp_path, "a = 1\n[limits]\nmemory_mb = 1\n[split]\nsize = 'x'\nb = 2\n", None, INDEXER_X="1")
    rows = text.splitlines()
    assert [r.split(":")[0] for r in rows[1:]] == [f"indexer.toml, line {n}" for n in (1, 3, 5, 6)]
    assert rows[0].startswith("environment variable INDEXER_X")


def test_not_utf8(tmp_path: Path) -> None:
    """A file in another encoding is named as such, with the line."""
    assert "line 2: the file is not UTF-8" in refused(tmp_path, b"# x\n# " + "中文".encode("gb18030"))


@pytest.mark.parametrize(
    "toml",
    [
        "[embedding]\nmodel = 'a/b'\napi_key = ['SESAME']",
        "[embedding]\nmodel = 'a/b'\napi_key = 'SESAME",
        "[embedding]\nbase_url = 'me:SESAME@host'",
        "[embedding]\napi_key = 'SESAME'\napi_key_env = 'X'\noptions = { api_key = 'SESAME', a = 2020-01-01 }",
    ],
)
def test_no_message_shows_a_secret(tmp_path: Path, toml: str) -> None:
    """Errors about secrets name the key only."""
    assert "SESAME" not in refused(tmp_path, toml)
    assert "SESAME" not in refused(tmp_path, "", None, INDEXER_EMBEDDING='{"api_key": "SESAME"')


def test_links_do_not_hide_an_overlap(tmp_path: Path) -> None:
    """A source that is a link into metadata/ is one inside it."""
    (tmp_path / "metadata").mkdir()
    (tmp_path / "docs").symlink_to(tmp_path / "metadata")
    assert "overlaps with metadata" in refused(tmp_path, "[[sources]]\npath = 'docs'")


def test_neighbours_with_a_common_beginning_are_no_overlap(tmp_path: Path) -> None:
    """docs and docs2 lie beside each other."""
    settings = load_settings(make(tmp_path, "[[sources]]\npath='docs'\n[[sources]]\npath='docs2'"), {}, {})
    assert [s.name for s in settings.sources] == ["docs", "docs2"]


def test_line_numbers_survive_texts_of_several_lines(tmp_path: Path) -> None:
    """Keys inside a multi-line text are no keys."""
    toml = (
        'language = "en"\n[embedding]\nmodel = "a/b"\nquery_prefix = """\nsize = 1\n[split]\n"""\n[split]\nsize = "x"\n'
    )
    assert "indexer.toml, line 9: split.size" in refused(tmp_path, toml)


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    """A folder whose name is any bytes can be configured by the environment."""
    settings = load_settings(make(tmp_path), {}, {"INDEXER_METADATA": "\udcff"})
    assert settings.metadata == str(tmp_path / "\udcff")


def test_unreadable_file(tmp_path: Path) -> None:
    """indexer.toml that cannot be read says why."""
    (tmp_path / "indexer.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path, {}, {})


def test_reserved_source_name(tmp_path: Path) -> None:
    """The name of the source for documents added in Python is taken."""
    (tmp_path / "indexer.toml").write_text('[[sources]]\nname = "LangChain"\npath = "docs"\n', "utf-8")
    with pytest.raises(ConfigError, match="reserved"):
        load_settings(tmp_path, environ={})
