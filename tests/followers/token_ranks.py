"""The token ranks that tiktoken would download, written from the npm package of the same name; proved by their SHA-256.

python token_ranks.py node_modules/tiktoken/encoders FOLDER      then TIKTOKEN_CACHE_DIR=FOLDER
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
DIGESTS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


def ranks(stored: str) -> bytes:
    """Lines of "mark offset token token …" as lines of "token rank"."""
    lines = []
    for line in filter(None, stored.split("\n")):
        _, first, *tokens = line.split(" ")
        lines += [f"{token} {int(first) + i}\n" for i, token in enumerate(tokens)]
    return "".join(lines).encode()


def main(encoders: Path, folder: Path) -> None:
    """Write both files under the names tiktoken looks for."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in DIGESTS.items():
        data = ranks(json.loads((encoders / f"{name}.json").read_text("utf-8"))["bpe_ranks"])
        if hashlib.sha256(data).hexdigest() != digest:
            raise SystemExit(f"{name}: this is another release of the npm package tiktoken")
        key = hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
        (folder / key).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
