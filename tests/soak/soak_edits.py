"""Everything people and programs do to single files, at random; each edit is kept in a log."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from soak_texts import BROKEN, Texts
from soak_truth import Truth

NAMES = (
    "a.txt", "b.txt", "A.txt", "c.md", "手册/请假.txt", "手册/安全.md", "deep/er/x.txt", "deep/y.TXT", "caf\u00e9.txt",
    "cafe\u0301.txt", "\udcff\udcfe.txt", "with space.md", "new/a.txt", "w.docx", "deep/v.docx", "deep/er/est/z.md",
    *(f"n{i:02d}.txt" for i in range(24)), *(f"team{i % 4}/m{i:02d}.md" for i in range(32)),
)  # fmt: skip
FOLDERS = ("手册", "deep", "deep/er", "new", "team0", "team1", "team2", "team3", "moved/to", "moved")
JUNK = ("~$report.txt", "notes.txt~", ".x.txt.swp", "film.part", "a.tmp", "page.crdownload", "b.xyz", "noname")
RULES = ("*.md\n", "deep/\n", "/a.txt\n", "team1/\n*.TXT\n", "n0*.txt\n!n03.txt\n", "")


class Edits:
    """Edits below ``root``; ``outside`` is a folder on the same disk that nobody watches."""

    def __init__(self, root: Path, outside: Path, rng: random.Random, truth: Truth, log: Callable[[str], None]) -> None:
        self.root, self.outside, self.rng, self.truth, self._log = root, outside, rng, truth, log
        self.texts = Texts(rng)
        truth.made = self.texts.made
        self.done: Counter[str] = Counter()

    # ---- doing -----------------------------------------------------------------------------

    def one(self) -> None:
        """One edit at random; what is not possible now is not done."""
        name = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        self.do(name)

    def do(self, name: str) -> None:
        """One edit of a kind."""
        try:
            getattr(self, name)()
            self.done[name] += 1
        except OSError as e:
            self.say(f"{name}: {e}")
        self.truth.note()

    def say(self, what: str) -> None:
        """A line for whoever must find out what happened."""
        self._log(what)

    def _name(self) -> Path:
        return self.root / self.rng.choice(NAMES)

    def _there(self, *endings: str) -> Path:
        """A document that exists; raises FileNotFoundError."""
        found = [p for p in self.root.rglob("*") if p.is_file() and not p.is_symlink() and p.name != "keep.txt"]
        found = [p for p in found if p.suffix.lower() in (endings or (".txt", ".md", ".docx"))]
        if not found:
            raise FileNotFoundError("nothing there")
        return self.rng.choice(sorted(found))

    def _put(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_fifo() or path.is_symlink():
            path.unlink()
        path.write_bytes(data)

    def _rel(self, *paths: Path) -> str:
        return " → ".join(repr(str(p.relative_to(self.root.parent))) for p in paths)

    # ---- kinds -----------------------------------------------------------------------------

    def write(self) -> None:
        """New bytes in place, or a new file."""
        path = self._name()
        self.say(f"write {self._rel(path)}")
        self._put(path, self.texts.fresh(path.name))

    def within(self) -> None:
        """A file in any folder there is, however it came."""
        folders = sorted(p for p in self.root.rglob("*") if p.is_dir() and not p.is_symlink())
        path = self.rng.choice(folders or [self.root]) / f"in{self.rng.randrange(3)}.txt"
        self.say(f"within {self._rel(path)}")
        self._put(path, self.texts.plain())

    def save(self) -> None:
        """As editors do: another file renamed over it; now and then the old one is moved away first."""
        path = self._name()
        path.parent.mkdir(parents=True, exist_ok=True)
        part, old = path.with_name(path.name + ".tmp"), path.with_name(path.name + "~")
        part.write_bytes(self.texts.fresh(path.name))
        if away := path.is_file() and self.rng.random() < 0.4:
            os.rename(path, old)
            self.truth.note()
        os.replace(part, path)
        if away:
            old.unlink()
        self.say(f"save {self._rel(path)}, {away=}")

    def append(self) -> None:
        """One more paragraph."""
        path = self._there(".txt", ".md")
        self.say(f"append {self._rel(path)}")
        with open(path, "ab") as file:
            file.write(self.texts.appended())

    def same_stat(self) -> None:
        """Other bytes of the same size, the mtime put back."""
        path = self._there(".txt", ".md")
        self.say(f"same_stat {self._rel(path)}")
        time.sleep(0.02)  # the change time of the write before is another one
        data, was = path.read_bytes(), path.stat()
        path.write_bytes(data.replace(b"token", b"Token") if b"token" in data else data.replace(b"Token", b"token"))
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))

    def touch(self) -> None:
        """Another mtime: now, long ago, or in the future."""
        path = self._there()
        at = time.time_ns() + self.rng.choice((0, -(10**16), 10**16))
        self.say(f"touch {self._rel(path)}")
        os.utime(path, ns=(at, at))

    def delete(self) -> None:
        """Gone."""
        path = self._there()
        self.say(f"delete {self._rel(path)}")
        path.unlink()

    def again(self) -> None:
        """Deleted and made anew at once."""
        path = self._there()
        self.say(f"again {self._rel(path)}")
        path.unlink()
        self.truth.note()
        self._put(path, self.texts.fresh(path.name))

    def move(self) -> None:
        """Another name, perhaps one that is taken."""
        old = self._there()
        new = self._name().with_suffix(old.suffix)
        self.say(f"move {self._rel(old, new)}")
        new.parent.mkdir(parents=True, exist_ok=True)
        os.replace(old, new)

    def swap(self) -> None:
        """Two files change names."""
        a, b = self._there(".txt", ".md"), self._there(".txt", ".md")
        self.say(f"swap {self._rel(a, b)}")
        if a != b:
            between = self.root / "swap.tmp"
            for old, new in ((a, between), (b, a), (between, b)):
                os.rename(old, new)
                self.truth.note()

    def copy(self) -> None:
        """The same bytes again."""
        old = self._there()
        new = self._name().with_suffix(old.suffix)
        self.say(f"copy {self._rel(old, new)}")
        self._put(new, old.read_bytes())

    def in_and_out(self) -> None:
        """A file leaves the source, another one comes."""
        old, came = self._there(), self.outside / "came.txt"
        self.say(f"in_and_out {self._rel(old)}")
        os.replace(old, self.outside / ("left" + old.suffix))
        self.truth.note()
        came.write_bytes(self.texts.plain())
        os.replace(came, self.root / f"n{self.rng.randrange(24):02d}.txt")

    def broken(self) -> None:
        """Bytes that nobody can read."""
        path = self._name()
        self.say(f"broken {self._rel(path)}")
        self._put(path, BROKEN + self.texts.token().encode())

    def empty(self) -> None:
        """Nothing in it."""
        path = self._name()
        self.say(f"empty {self._rel(path)}")
        self._put(path, b"")

    def junk(self) -> None:
        """A name that is no document, or a document's name that is no file."""
        path = self._name().parent / self.rng.choice(JUNK)
        self.say(f"junk {self._rel(path)}")
        self._put(path, self.texts.plain())
        odd = self.root / f"odd{self.rng.randrange(3)}.txt"
        if not os.path.lexists(odd):
            os.mkfifo(odd) if self.rng.random() < 0.5 else odd.symlink_to(self._there())

    def forbid(self) -> None:
        """A file that may not be read."""
        path = self._there()
        self.say(f"forbid {self._rel(path)}")
        path.chmod(0)

    def allow(self) -> None:
        """Everything may be read again."""
        self.say("allow")
        for path in [self.root, *self.root.rglob("*")]:
            if not path.is_symlink() and not path.stat().st_mode & 0o400:
                path.chmod(0o755 if path.is_dir() else 0o644)

    def to_folder(self) -> None:
        """A file becomes a folder of the same name."""
        path = self._there(".txt")
        self.say(f"to_folder {self._rel(path)}")
        path.unlink()
        self.truth.note()
        self._put(path / "inside.txt", self.texts.plain())

    def to_file(self) -> None:
        """A folder with a document's name becomes a file."""
        for path in [p for p in sorted(self.root.rglob("*.txt")) if p.is_dir()][:1]:
            self.say(f"to_file {self._rel(path)}")
            shutil.rmtree(path)
            self.truth.note()
            self._put(path, self.texts.plain())


WEIGHTS = {
    "write": 8, "within": 8, "save": 8, "append": 6, "same_stat": 3, "touch": 3, "delete": 7, "again": 3, "move": 8, "swap": 3,
    "copy": 4, "in_and_out": 3, "broken": 3, "empty": 1, "junk": 4, "forbid": 1, "allow": 1, "to_folder": 1, "to_file": 1,
    "folder_moved": 3, "folder_copied": 2, "folder_deleted": 1, "folder_out": 1, "folder_in": 2, "folder_closed": 1,
    "storm": 1, "slow_copy": 1, "many": 1, "few": 1, "rules": 1, "root_away": 0.3, "root_emptied": 0.3, "outside_rules": 1,
}  # fmt: skip
"""How often each kind comes; the kinds that are not here are in :mod:`soak_scenes`."""
