"""What happens to many files at once: folders, storms of saves, slow copies, the whole source."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from soak_edits import FOLDERS, RULES, Edits
from soak_folder import OUTSIDE


class Scenes(Edits):
    """All edits."""

    def _folder(self) -> Path:
        """One that exists; raises FileNotFoundError."""
        found = [f for f in FOLDERS if (self.root / f).is_dir()]
        if not found:
            raise FileNotFoundError("no folder there")
        return self.root / self.rng.choice(found)

    def _free(self) -> Path:
        found = [f for f in FOLDERS if not (self.root / f).exists()] or [f"more{self.rng.randrange(100)}"]
        path = self.root / self.rng.choice(found)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def folder_moved(self) -> None:
        """A folder gets another name."""
        old, new = self._folder(), self._free()
        if not new.is_relative_to(old):
            self.say(f"folder_moved {self._rel(old, new)}")
            os.rename(old, new)

    def folder_copied(self) -> None:
        """A folder is copied, file by file."""
        old, new = self._folder(), self._free()
        if not new.is_relative_to(old):
            self.say(f"folder_copied {self._rel(old, new)}")
            shutil.copytree(old, new, symlinks=True)

    def folder_deleted(self) -> None:
        """A folder with all in it."""
        path = self._folder()
        self.say(f"folder_deleted {self._rel(path)}")
        shutil.rmtree(path)

    def folder_out(self) -> None:
        """A folder is moved out of the source."""
        path, gone = self._folder(), self.outside / "folder"
        self.say(f"folder_out {self._rel(path)}")
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(path, gone)

    def folder_in(self) -> None:
        """A tree is made elsewhere, moved in, and written to at once."""
        made, new = self.outside / "made", self._free()
        shutil.rmtree(made, ignore_errors=True)
        for i in range(self.rng.randint(1, 8)):
            self._put(made / ("in/ner" if i % 3 else "") / f"{i}.md", self.texts.plain())
        self.say(f"folder_in {self._rel(new)}")
        os.rename(made, new)
        self._put(new / "late" / "late.txt", self.texts.plain())

    def folder_closed(self) -> None:
        """A folder that may not be listed."""
        path = self._folder()
        self.say(f"folder_closed {self._rel(path)}")
        path.chmod(0)

    def storm(self) -> None:
        """One file saved again and again."""
        path = self._name().with_suffix(".txt")
        count = self.rng.randint(20, 120)
        self.say(f"storm {self._rel(path)}, {count} saves")
        for _ in range(count):
            self._put(path, self.texts.plain())
            self.truth.note()

    def slow_copy(self) -> None:
        """A file that arrives piece by piece."""
        path = self._name().with_suffix(".txt")
        self.say(f"slow_copy {self._rel(path)}")
        self._put(path, b"")
        with open(path, "ab", buffering=0) as file:
            for _ in range(self.rng.randint(3, 12)):
                self.truth.note()
                file.write(self.texts.appended())
                time.sleep(self.rng.random() * 0.15)

    def many(self) -> None:
        """A folder full of new documents."""
        path, count = self._free(), self.rng.randint(12, 30)
        self.say(f"many {self._rel(path)}, {count}")
        for i in range(count):
            self._put(path / f"{i:02d}.txt", self.texts.plain())

    def few(self) -> None:
        """Somebody tidies up: a third of everything goes at once."""
        self.say("few")
        found = [p for p in sorted(self.root.rglob("*")) if p.is_file() and not p.is_symlink() and p.name != "keep.txt"]
        for path in found[self.rng.randrange(3) :: 3]:
            path.unlink()

    def rules(self) -> None:
        """Another ``.indexerignore``."""
        rule, path = self.rng.choice(RULES), self.root / ".indexerignore"
        self.say(f"rules {rule!r}")
        path.write_text(rule, "utf-8") if rule else path.unlink(missing_ok=True)

    def root_away(self) -> None:
        """The source is not there for a while."""
        away = self.root.with_name("away")
        self.say("root_away")
        os.rename(self.root, away)
        self.truth.note()
        time.sleep(self.rng.random() * 3)
        os.rename(away, self.root)

    def root_emptied(self) -> None:
        """An empty folder lies where the source was, as when a mount is missing; then all is back."""
        away = self.root.with_name("away")
        self.say("root_emptied")
        os.rename(self.root, away)
        self.root.mkdir()
        time.sleep(self.rng.random() * 3)
        self.root.rmdir()
        os.rename(away, self.root)

    def outside_rules(self) -> None:
        """Files in a folder that nobody enters; none of them is a document."""
        folder = self.root / self.rng.choice(OUTSIDE)
        self.say(f"outside_rules {self._rel(folder)}")
        self._put(folder / "config", self.texts.plain())
