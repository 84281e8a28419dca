"""The lexical index through the life of a store: history, older formats, damage."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from struct import Struct

import pytest
from search_scene import indexed, opened, paths, put

from indexer import KnowledgeBase
from indexer.care.verify import verify
from indexer.store.local import Store
from indexer.store.seal import seal
from indexer.store.texts import Texts

FILES = {
    f"{i}.txt": f"Document {i} speaks of {word} and of the canteen."
    for i, word in enumerate(["tea", "rice", "soup", "茶水"])
}
HEAD = Struct("<8sQ")


def catalog(kb: KnowledgeBase) -> Path:
    """The served catalog."""
    return kb.layout.metadata / str(kb.layout.served()) / "catalog.db"


def as_format_2(kb: KnowledgeBase) -> None:
    """Make the state one of format 2: text files that end with their texts."""
    kb.close()
    with closing(sqlite3.connect(catalog(kb))) as con:
        for path in catalog(kb).parent.glob("texts/*.texts"):
            texts = Texts(path)
            n, end = len(texts), texts.start + texts.offsets[len(texts)]
            texts.close()
            data = HEAD.pack(b"idxtext1", n) + path.read_bytes()[HEAD.size : end]
            path.unlink()  # snapshots keep theirs
            path.write_bytes(data)
            st = path.stat()
            from hashlib import sha256

            con.execute(
                "UPDATE segment SET texts_sha=?,texts_stamp=? WHERE id=?",
                (sha256(data).digest(), f"{st.st_size} {st.st_mtime_ns}", int(path.stem)),
            )
        con.execute("UPDATE meta SET value=2 WHERE key='format'")
        con.execute(
            "UPDATE meta SET value=? WHERE key='seal'", (seal(dict(con.execute("SELECT key,value FROM meta"))),)
        )
        con.commit()


def damage(kb: KnowledgeBase) -> Path:
    """Turn the last byte of a text file over; its time changes, as when a file was copied badly."""
    path = max(catalog(kb).parent.glob("texts/*.texts"))
    data = bytearray(path.read_bytes())
    data[-8] ^= 1
    path.unlink()
    path.write_bytes(data)
    return path


def findings(kb: KnowledgeBase) -> list[str]:
    """What verify says of the store itself."""
    store = Store.open(kb.layout, str(kb.layout.served()))
    try:
        return [f.what for f in verify(store) if f.what != "snapshot"]
    finally:
        store.close()


def test_the_order_does_not_depend_on_history(tmp_path: Path) -> None:
    """Edits, deletions and many small commits leave the same order and the same figures as one build."""
    kb = indexed(tmp_path / "long", {"old.txt": "the canteen of old, tea tea tea"})
    for name, text in FILES.items():
        put(tmp_path / "long", {name: text.replace("canteen", "kitchen")})
        kb.update()
        put(tmp_path / "long", {name: text})
        kb.update()
    (tmp_path / "long/knowledge_base/old.txt").unlink()
    kb.update()
    once = indexed(tmp_path / "once", FILES)
    for mode in ("lexical", "hybrid"):
        for query in ("tea in the canteen", "茶水 soup", "kitchen"):
            long, short = ([(h.key.path, h.text, h.fused) for h in x.search(query, 20, mode=mode)] for x in (kb, once))
            assert long == short
    kb.close()
    once.close()


def test_an_older_catalog(tmp_path: Path) -> None:
    """Is searched by its vectors as it is; the next update gives it its lexical index, without the model."""
    kb = indexed(tmp_path, FILES)
    as_format_2(kb)
    before = catalog(kb).read_bytes()
    assert kb.search("茶水", 9, mode="lexical") == []
    assert len(kb.search('"茶水"', 9, mode="hybrid")) == 1
    assert len(kb.search("茶水", 9)) == len(FILES)
    assert catalog(kb).read_bytes() == before
    report = kb.update()
    assert (report.tally.embedded, report.healed) == (0, [])
    assert paths(kb.search("茶水", 9, mode="lexical")) == ["3.txt"]
    assert findings(kb) == []
    kb.close()


def test_a_filling_that_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Goes on with the next update, one segment after the other."""
    from indexer.care import upkeep

    kb = indexed(tmp_path, FILES)
    put(tmp_path, {"more.txt": "some more coffee"})
    kb.update()
    as_format_2(kb)
    rewrite, calls = upkeep.rewrite, list[object]()

    def once(store: Store, segments: list[int]) -> None:
        if calls:
            raise KeyboardInterrupt
        calls.append(segments)
        rewrite(store, segments)

    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "rewrite", once)
        with pytest.raises(KeyboardInterrupt):
            kb.update()
    kb = opened(tmp_path)
    assert len(kb.search("canteen coffee", 9, mode="lexical")) == 4
    kb.update()
    assert len(kb.search("canteen coffee", 9, mode="lexical")) == 5
    kb.close()


def test_damage_to_it_is_found_and_mended_from_the_texts(tmp_path: Path) -> None:
    """Verify names it; the next update writes the file as it was, without the model."""
    kb = indexed(tmp_path, FILES)
    whole = max(catalog(kb).parent.glob("texts/*.texts")).read_bytes()
    path = damage(kb)
    kb.close()
    assert findings(kb) == ["vectors"]
    report = kb.update()
    assert report.tally.embedded == 0
    assert [str(m) for m in report.healed] == [f"The lexical index of a damaged segment was made again ({path})."]
    assert path.read_bytes() == whole
    assert findings(kb) == []
    kb.close()


def test_a_bit_nobody_noticed(tmp_path: Path) -> None:
    """No flipped bit makes a search fail."""
    kb = indexed(tmp_path, FILES)
    path = max(catalog(kb).parent.glob("texts/*.texts"))
    texts = Texts(path)
    start = texts.start + texts.offsets[len(texts)]
    texts.close()
    whole, st = path.read_bytes(), path.stat()
    for at in range(start, len(whole), 5):
        kb.close()
        data = bytearray(whole)
        data[at] ^= 255
        path.write_bytes(data)
        os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))
        assert isinstance(kb.search("tea canteen 茶水", 9, mode="lexical"), list)
    kb.close()
