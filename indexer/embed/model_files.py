"""Which weights a sentence-transformers model really has: a content hash, or the hub's commit."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from .names import is_folder

_IRRELEVANT = {".md", ".gitattributes", ".png"}


def revision(name: str, model: Any) -> str:
    """``sha256:...`` of a folder's files; of a published model ``commit:...``, else its parameters' ``sha256:...``."""
    if is_folder(name):
        return "sha256:" + folder_hash(Path(name).expanduser())
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    commit = getattr(config, "_commit_hash", None)
    return f"commit:{commit}" if commit else "sha256:" + _parameters_hash(model)


def folder_hash(folder: Path) -> str:
    """SHA-256 over names and contents of the files that can decide a vector.

    A file is read once a process as long as its stat stays the same.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if hidden or path.suffix.lower() in _IRRELEVANT or not path.is_file():
            continue
        stat = path.stat()
        content = _file_hash(path, stat.st_size, stat.st_mtime_ns, stat.st_ino)
        digest.update(f"{inside.as_posix()}\0{content}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


@lru_cache(maxsize=1024)
def _file_hash(path: Path, _size: int, _mtime_ns: int, _inode: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _parameters_hash(model: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().float().cpu().numpy().tobytes())
    return digest.hexdigest()
