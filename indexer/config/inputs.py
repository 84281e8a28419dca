"""All that the configuration is made from, gathered once: file, environment, flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from ..core.errors import ConfigError

FILE = "indexer.toml"
PREFIX = "INDEXER_"
TEST_PREFIX = "INDEXER_TEST_"  # switches of the test suite: fault hooks and the like
SECRET_WORDS = "key|token|secret|passw|credential"  # noqa: S105 - names of options that may hold one
KEYED = ("embedding", "llm")  # tables with an api_key

OTHER_VARIABLES = frozenset(
    {
        "INDEXER_HOME",  # the folder that holds indexer.toml, as --home
        "INDEXER_LANG",  # language of messages, also where there is no indexer.toml
        "INDEXER_DEBUG",  # a traceback instead of one line for an internal error
        "INDEXER_SHARED",  # where the shared test cases lie
    }
)
"""Variables that are no settings; every other ``INDEXER_…`` must be one, or a typo would be silent."""


class Inputs(NamedTuple):  # made at every start: a frozen dataclass takes 1.5 ms to define
    """``environ`` has the ``INDEXER_…`` variables only, ``flags`` dotted keys; None is "not given"."""

    home: str
    data: bytes
    environ: Mapping[str, str]
    flags: Mapping[str, object]

    @property
    def text(self) -> str:
        """``indexer.toml`` decoded (a byte order mark is dropped); ConfigError if it is not UTF-8."""
        try:
            return self.data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise ConfigError(
                "{file}, line {line}: the file is not UTF-8; save it as UTF-8", file=FILE, line=line
            ) from None


def gather(home: str, flags: Mapping[str, object], environ: Mapping[str, str]) -> Inputs:
    """Reads ``indexer.toml`` of ``home``; ConfigError if there is none or it cannot be read."""
    path = os.path.join(home, FILE)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        raise no_file(home) from None
    except OSError as error:
        raise ConfigError("{path} cannot be read: {error}", path=path, error=error.strerror or error) from None
    ours = {name: value for name, value in environ.items() if name.upper().startswith(PREFIX)}
    return Inputs(home, data, ours, flags)


def no_file(home: str) -> ConfigError:
    """What to do in a folder that is no knowledge base."""
    return ConfigError(
        "There is no {file} in {folder}. `indexer init` makes one there; "
        "--home FOLDER or INDEXER_HOME names another folder.",
        file=FILE,
        folder=home,
    )


def walk_up(start: str) -> str | None:
    """The nearest folder at or above ``start`` that holds ``indexer.toml``, as git finds ``.git``."""
    folder = os.path.abspath(start)
    while not os.path.isfile(os.path.join(folder, FILE)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder
