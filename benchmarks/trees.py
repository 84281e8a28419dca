"""Generated folders of text, and the things people do to them.

A tree is a function of (files, seed): 20 top folders of exactly 5 % of the files each, nested
folders with at most 25 files, mixed Chinese and English paragraphs parted by blank lines,
2 to 8 KB a file. Cut at 256/50 characters a file makes about 22.5 chunks.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

TOPS = 20
LEAF = 25
BORN = 1_700_000_000.0  # seconds; far enough in the past that no look calls a file too young
QUIET = 2.5  # seconds; a stat younger than 2 s is not trusted by the product (DESIGN 4)

_ZH = (
    "合同 审批 报销 年假 设备 机房 门禁 工单 客户 报价 发票 仓库 物料 质检 班次 培训 绩效 预算 采购 供应商 验收 归档 "
    "密级 备案 值班 巡检 告警 升级 回退 备份 演练 应急 通告 附件 条款 细则 办法 流程 负责人 部门 季度 月底 当天 之前 "
    "之后 以内 超过 不得 应当 可以 需要 提交 填写 核对 确认 通知 保存 更换 登记 领取 说明 完成 参加 检查 安排 调整 "
    "恢复 停用"
)
_EN = (
    "contract approval refund leave device server badge ticket client quote invoice store material check shift "
    "course score budget order vendor record secret backup drill urgent notice annex clause rule method process "
    "owner team quarter month today before after within above never should may needs submit fill compare confirm "
    "inform keep replace register collect explain finish join inspect arrange adjust restore disable the a of to "
    "in for with on by from this that each its and or"
)


def rng(*key: object) -> random.Random:
    """A generator that depends on its key alone."""
    return random.Random(":".join(map(str, key)))  # noqa: S311 - test data, not secrets


def _sentence(r: random.Random) -> str:
    if r.random() < 0.5:
        words = r.choices(_ZH.split(), k=r.randint(5, 13))
        half = len(words) // 2
        return "".join(words[:half]) + "，" + "".join(words[half:]) + "。"
    return " ".join(r.choices(_EN.split(), k=r.randint(8, 18))).capitalize() + ". "


class Prose:
    """Draws documents from a fixed stock of sentences (20,000 for a seed)."""

    def __init__(self, seed: int = 7, stock: int = 20_000) -> None:
        r = rng("stock", seed)
        self.seed = seed
        self._sentences = [_sentence(r) for _ in range(stock)]

    def document(self, number: int, low: int = 2048, high: int = 8192) -> str:
        """Text number ``number`` of between ``low`` and about ``high`` bytes of UTF-8."""
        r = rng(self.seed, number)
        target = r.randint(low, high)
        parts = [f"文件 Document {number:07d}"]
        size = len(parts[0].encode())
        while size < target:
            paragraph = "".join(r.choices(self._sentences, k=r.randint(2, 9))).strip()
            parts.append(paragraph)
            size += len(paragraph.encode()) + 2
        return "\n\n".join(parts) + "\n"


def place(number: int) -> str:
    """POSIX path of file ``number``: every top folder gets one file in twenty."""
    top, j = number % TOPS, number // TOPS
    return f"area{top:02d}/组{j // LEAF % 10:02d}/set{j // (10 * LEAF):03d}/doc{number:07d}.txt"


def make(root: Path, files: int, *, seed: int = 7, low: int = 2048, high: int = 8192) -> None:
    """Write a tree of ``files`` texts under ``root``; ``files`` is a multiple of 20."""
    if files < TOPS or files % TOPS:
        raise ValueError(f"files must be a multiple of {TOPS}, so that each top folder holds exactly 5 %; got {files}")
    prose = Prose(seed)
    for number in range(files):
        write(root / place(number), prose.document(number, low, high), BORN + number)


def write(path: Path, text: str, mtime: float) -> None:
    """Write one file with a modification time in the past."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    os.utime(path, (mtime, mtime))


def files_of(root: Path) -> list[Path]:
    """Every file below ``root`` in byte order of the path."""
    return sorted(Path(d, name) for d, _, names in os.walk(root) for name in names)


def settle(quiet: float = QUIET) -> None:
    """Wait ``quiet`` seconds, until everything written so far is old enough to be trusted by its stat.

    Also flushes the disk's queue, or one system's fsync would wait for another's writes.
    With 0 it does neither: figures of such a run say little.
    """
    if quiet:
        os.sync()
        time.sleep(quiet)


def insert_sentence(path: Path, tag: str) -> None:
    """Insert one sentence after the first sentence of the first paragraph under the title."""
    title, paragraph, rest = path.read_text(encoding="utf-8").split("\n\n", 2)
    ends = [at for at in (paragraph.find("。"), paragraph.find(". ")) if at >= 0]
    at = min(ends) + 1 if ends else 0
    paragraph = f"{paragraph[:at]} 新增一句 One sentence added {tag}.{paragraph[at:]}"
    path.write_text("\n\n".join((title, paragraph, rest)), encoding="utf-8", newline="")


# ---- what people do to a folder; each returns how many files it concerns ------------------


def _nothing(root: Path, turn: int) -> int:
    return 0


def _edit(root: Path, turn: int) -> int:
    found = files_of(root)
    insert_sentence(found[(len(found) // 3 + turn) % len(found)], f"edit{turn}")
    return 1


def _delete(root: Path, turn: int) -> int:
    found = files_of(root)
    found[len(found) // 2 + 1].unlink()
    return 1


def _edit_one_percent(root: Path, turn: int) -> int:
    found = files_of(root)
    chosen = rng("edit1pct", turn).sample(found, max(1, len(found) // 100))
    for number, path in enumerate(chosen):
        insert_sentence(path, f"percent{turn}.{number}")
    return len(chosen)


def _rename(root: Path, turn: int) -> int:
    top = (7 + turn) % TOPS
    moved = root / f"moved{top:02d}"
    (root / f"area{top:02d}").rename(moved)
    return len(files_of(moved))


def _touch(root: Path, turn: int) -> int:
    found, then = files_of(root), time.time() - 2 * 86_400 + turn
    for path in found:
        os.utime(path, (then, then))
    return len(found)


WORKLOADS: dict[str, Callable[[Path, int], int]] = {
    "build": _nothing,
    "noop": _nothing,
    "edit": _edit,
    "delete": _delete,
    "edit1pct": _edit_one_percent,
    "rename": _rename,
    "touch": _touch,
}
"""In this order; the second argument is the turn (0, 1, ...), so that a workload can be repeated."""
