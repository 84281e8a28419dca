"""Documents nobody has seen before, of every length, that share paragraphs with others."""

from __future__ import annotations

import hashlib
import random

from docx_builder import docx, para

BROKEN = b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0"
_WORDS = [
    "leave",
    "policy",
    "badge",
    "server",
    "remote",
    "travel",
    "expense",
    "manual",
    "battery",
    "handbook",
    "office",
    "salary",
    "notice",
    "garden",
]
_HANZI = ("婚假十五天，须提前申请。", "出差报销需附发票原件。", "设备充电前请检查接口是否干燥。", "离岗时须锁定屏幕。")


class Texts:
    """``made``: SHA-256 of each Word document with a text that must be found in it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.number = rng, 0
        self.made: dict[str, str] = {}

    def token(self) -> str:
        """A word no other document holds."""
        self.number += 1
        return f"token{self.number:06d}x"

    def paragraph(self) -> str:
        """One of a small pool, so that passages are shared."""
        pool = random.Random(self.rng.randrange(40))  # noqa: S311
        return "".join(pool.choices(_HANZI, k=3)) if pool.random() < 0.3 else " ".join(pool.choices(_WORDS, k=14)) + "."

    def fresh(self, path: str) -> bytes:
        """Bytes for a document of this name."""
        return self.word() if path.lower().endswith(".docx") else self.plain()

    def plain(self) -> bytes:
        """Text or Markdown; no two in a row have one size, so no edit hides within one tick of the file system's clock."""
        parts = [self.paragraph() for _ in range(self.rng.randint(0, 4))]
        parts.insert(
            self.rng.randint(0, len(parts)), f"This is {self.token()}, {'so ' * self.rng.randrange(40)}it says."
        )
        if self.rng.random() < 0.4:
            parts.insert(0, f"# Part {self.rng.randrange(9)}")
        return ("\n\n".join(parts) + "\n" * (1 + self.number % 17)).encode()

    def word(self) -> bytes:
        """A small Word document."""
        token = self.token()
        data = docx(para(f"Here is {token}."), *(para(self.paragraph()) for _ in range(self.rng.randint(0, 3))))
        self.made[hashlib.sha256(data).hexdigest()] = token
        return data

    def appended(self) -> bytes:
        """A paragraph more."""
        return f"\n\nAppended {self.token()}: {self.paragraph()}\n".encode()
