"""``indexer init``: a folder that is a knowledge base, without touching what is already there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from .config import FILE, load_settings
from .core.errors import ConfigError, UsageError
from .core.tables import Source
from .settings import DEFAULT_SOURCE

IGNORE = ".indexerignore"
README = "README.md"
_TEMPLATES = Path(__file__).with_name("locale") / "init"


def init(
    directory: str | os.PathLike[str],
    *,
    model: str = "builtin:e5-small",
    environ: Mapping[str, str] = os.environ,
) -> list[Path]:
    """Makes what is missing and returns the paths made, in order; never overwrites.

    In a folder that has an ``indexer.toml`` already, the folders *it* names are made.
    UsageError where something is in the way or may not be written, ConfigError for a
    ``model`` that is none or an existing ``indexer.toml`` that does not hold.
    """
    home = Path(os.path.abspath(directory))
    made: list[Path] = []
    _folder(home, made)
    _file(home / FILE, template(FILE).replace("@MODEL@", json.dumps(model, ensure_ascii=False)), made)
    try:
        settings = load_settings(home, environ=environ)
    except ConfigError:
        if home / FILE in made:  # nothing half-made stays behind
            (home / FILE).unlink()
        raise
    for source in settings.sources:
        if Path(source.path).is_relative_to(home):  # elsewhere it may be a mount that is not there yet
            _source(source, made)
    for name in ("metadata", "vectorstore"):
        folder = Path(getattr(settings, name))
        _folder(folder, made)
        _file(folder / README, template(f"{name}.md"), made)
    return made


def template(name: str) -> str:
    """The text of one generated file, before the model is filled in."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def ignore_rules(*, readme_is_ours: bool) -> str:
    """The generated ``.indexerignore``; a README.md that is the user's own document stays indexed."""
    rules = template("indexerignore")
    return rules if readme_is_ours else rules.replace(f"\n/{README}", f"\n#/{README}")


def _source(source: Source, made: list[Path]) -> None:
    folder = Path(source.path)
    _folder(folder, made)
    readme = folder / README
    if source.name == DEFAULT_SOURCE:
        _file(readme, template("knowledge_base.md"), made)
    _file(folder / IGNORE, ignore_rules(readme_is_ours=readme in made), made)


def _folder(path: Path, made: list[Path]) -> None:
    if path.is_dir():
        return
    try:
        path.mkdir(parents=True)
    except FileExistsError:
        raise UsageError("{path} is a file, but a folder is needed there; move it away", path=path) from None
    except OSError as error:
        raise _not_written(path, error) from None
    made.append(path)


def _file(path: Path, text: str, made: list[Path]) -> None:
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return
    except OSError as error:
        raise _not_written(path, error) from None
    made.append(path)


def _not_written(path: Path, error: OSError) -> UsageError:
    return UsageError("{path} cannot be made: {error}", path=path, error=error.strerror or error)
