"""One stand-in for a model's server, and one small knowledge base of real documents with the bundled model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model_server import CONFIG, Scripted, served

from indexer import KnowledgeBase

DOCUMENTS = {
    "hr/婚假管理办法 v3.1.md": "# 婚假管理办法\n\n## 第五章 假期\n\n员工依法登记结婚的，享受婚假十天，须在登记之日起一年内休完。\n",
    "hr/handbook.md": "# Employee Handbook v2.0\n\n## Remote work\n\nEmployees may work remotely up to two days a week after "
    "probation.\n\n## Salaries\n\nSalaries are paid on the 10th of each month.\n",
    "it/安全.md": "# 信息安全制度\n\n密码每 90 天更换一次。办公电脑默认禁用 U 盘。\n",
    "it/backup.txt": "Backups of all servers are kept for 35 days. Restores are tested every quarter.\n",
    "travel.md": "# 差旅\n\n出差住宿标准为每晚 500 元。返回后 30 天内提交报销单。\n",
    "canteen.md": "# Canteen\n\nLunch is served from 11:30 to 13:00. The shuttle bus leaves at 7:40.\n",
}


@pytest.fixture(scope="session")
def server() -> Iterator[Scripted]:
    """The model's server."""
    with served() as scripted:
        yield scripted


@pytest.fixture
def llm(server: Scripted) -> Scripted:
    """The model's server, as new."""
    server.reset()
    return server


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The indexed knowledge base, to be copied."""
    home = tmp_path_factory.mktemp("asked") / "kb"
    for name, text in DOCUMENTS.items():
        (home / "knowledge_base" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "knowledge_base" / name).write_text(text, "utf-8")
    (home / "indexer.toml").write_text("")
    kb = KnowledgeBase(home)
    kb.update()
    kb.close()
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Path:
    """A copy of one's own, without a model configured."""
    return Path(shutil.copytree(built, tmp_path / "kb"))


@pytest.fixture(scope="session")
def shared(built: Path, server: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """A knowledge base whose documents no test changes, with the stand-in configured."""
    home = Path(shutil.copytree(built, tmp_path_factory.mktemp("shared") / "kb"))
    (home / "indexer.toml").write_text(CONFIG.format(url=server.url))
    kb = KnowledgeBase(home)
    yield kb
    kb.close()
