"""What a monitoring system needs to know of the daemon: alert rules, a dashboard, a scrape example.

The files are shipped as they are; only the address of the daemon is put into the example.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..core.errors import UsageError
from ..store import disk

HERE = Path(__file__).parent
FILES = ("alerts.yml", "grafana.json", "prometheus.yml")
LISTEN = "127.0.0.1:9464"
"""The address in the example, and where no other is configured."""

_ANYWHERE = ("0.0.0.0:", "[::]:")


def contents(listen: str) -> dict[str, bytes]:
    """File names to what they hold for a daemon that listens there."""
    for anywhere in _ANYWHERE:
        if listen.startswith(anywhere):
            listen = "127.0.0.1:" + listen.removeprefix(anywhere)
    files = {name: (HERE / name).read_bytes() for name in FILES}
    files["prometheus.yml"] = files["prometheus.yml"].replace(LISTEN.encode(), (listen or LISTEN).encode())
    return files


def write(directory: str | os.PathLike[str], listen: str) -> list[Path]:
    """Put the files into a folder, which may hold others; returns those that were not there yet.

    A file of the same name that says something else is never replaced: it may have been
    adapted. Raises UsageError before anything is written.
    """
    folder, files = Path(directory), contents(listen)
    if folder.exists() and not folder.is_dir():
        raise UsageError("{path} is no folder; name one that is empty or does not exist.", path=str(folder))
    there = {name: (folder / name).read_bytes() for name in files if (folder / name).exists()}
    for name, held in there.items():
        if held != files[name]:
            raise UsageError(
                "{path} is there already and says something else; name another folder and compare the two.",
                path=str(folder / name),
            )
    disk.make_folder(folder)
    fresh = [folder / name for name in files if name not in there]
    for path in fresh:
        disk.write_new(path, files[path.name])
    return fresh
