"""One knowledge base of mixed documents for the tests that only read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import search_scene

from indexer import KnowledgeBase

FILES = {
    "parts.md": "# Parts v2.1\n\nThe pump AB-1234/X needs seal no. 77-0042.\n\nOrder it from Müller & Söhne GmbH.",
    "other.md": "# Other\n\nThe pump AB-1235/X needs a valve.\n\nPrices rose by 3.14 percent in 2025.",
    "年假.md": "# 年假管理办法\n\n员工入职满一年享有年假五天。\n\n按照 GB/T 19001-2016 执行，编号 HR-2024-007。",
    "工伤/工伤.txt": "职工因工作遭受事故伤害的，享受工伤保险待遇。\n\n用人单位应当缴纳工伤保险费。",
    "marks.txt": "*** --- !!!",
    "long.txt": "\n\n".join(
        f"Paragraph {i} of the long report speaks of turbines and bearings. " * 3 for i in range(12)
    ),
    "turbine.txt": "A turbine in short.",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Everything in FILES."""
    made = search_scene.indexed(tmp_path_factory.mktemp("search"), FILES)
    yield made
    made.close()
