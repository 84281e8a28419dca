"""An independent mock of OpenAI's server (npm, @copilotkit/aimock) in good and in bad moods.

The stand-in of `model_server.py` is ours, and could share a misunderstanding with the code it tests;
this one is nobody's here. `make aimock` installs it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from indexer import KnowledgeBase
from indexer.ask import Answer, Question, ask
from indexer.ask.answering import Means
from indexer.ask.chat import Chat, Patience
from indexer.ask.loading import load
from indexer.core.tables import LlmSettings
from indexer.logs.mask import mask_of

VERSION = "1.43.0"
FOLDER = Path(__file__).parent / ".aimock"
CLI = FOLDER / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
FIXTURES = {
    "fixtures": [
        {
            "match": {"userMessage": "until when"},
            "response": {"content": "Backups are kept for 35 days [1] and then they are overwritten."},
            "truncateAfterChunks": 6,
        },
        {
            "match": {"userMessage": "backups"},
            "response": {"content": "Backups are kept for 35 days [1], not 42 [42]."},
        },
    ]
}


def installed() -> bool:
    """Whether it is there, or could be put there."""
    if CLI.exists():
        return True
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        return False
    command = [npm, "install", "--prefix", str(FOLDER), "--no-audit", "--no-fund", f"@copilotkit/aimock@{VERSION}"]
    done = subprocess.run(command, capture_output=True, timeout=300)
    if done.returncode and os.environ.get("INDEXER_TEST_AIMOCK"):
        pytest.fail(done.stderr.decode())
    return CLI.exists()


@pytest.fixture(scope="module")
def mock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address."""
    if not installed():
        pytest.skip("npm is not here, or cannot install")
    fixtures = tmp_path_factory.mktemp("fixtures")
    (fixtures / "chat.json").write_text(json.dumps(FIXTURES))
    command = [
        "node",
        str(CLI),
        "--port",
        "0",
        "--fixtures",
        str(fixtures),
        "--strict",
        "--chunk-size",
        "6",
        "--latency",
        "5",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        address = next((m[0] for line in process.stdout if (m := re.search(r"http://[\d.]+:\d+", line))), "")
        assert address, "it did not start"
        yield address
        process.kill()


@pytest.fixture
def url(mock: str) -> str:
    """Its address, in a good mood and with an empty journal."""
    httpx.delete(f"{mock}/__aimock/chaos")
    httpx.post(f"{mock}/__aimock/reset/journal")
    return mock


def chaos(url: str, **rates: float) -> None:
    """From now on."""
    httpx.post(f"{url}/__aimock/chaos", json=rates).raise_for_status()


def asked(kb: KnowledgeBase, url: str, question: str, heals: bool = False, timeout_seconds: float = 20.0) -> Answer:
    """An answer; ``heals``: the mood is better after the first wait."""

    def sleep(seconds: float) -> None:
        if heals:
            httpx.delete(f"{url}/__aimock/chaos")

    llm = LlmSettings(model="gpt-mock", base_url=f"{url}/v1", api_key="k", timeout_seconds=timeout_seconds)
    model = load(llm, mask_of(kb.settings))._model
    return ask(kb, Question(question), Means(Chat(model, llm, str, Patience(tries=3), sleep)))


def test_a_real_protocol(shared: KnowledgeBase, url: str) -> None:
    """Streamed by somebody else's server: text, and only citations that exist."""
    answer = asked(shared, url, "How long are backups kept?")
    assert answer.text == "Backups are kept for 35 days[1], not 42.", answer.notes
    assert (answer.grounded, answer.failed, answer.notes) == ("llm", False, ())
    [entry] = httpx.get(f"{url}/__aimock/journal").json()
    assert entry["body"]["stream"] is True
    assert "tools" not in entry["body"]


@pytest.mark.parametrize("mood", ["rateLimitRate", "dropRate", "disconnectRate", "malformedRate"])
def test_a_bad_mood_that_passes(shared: KnowledgeBase, url: str, mood: str) -> None:
    """429, 500, a destroyed connection, malformed JSON: the second try answers."""
    chaos(url, **{mood: 1})
    answer = asked(shared, url, "How long are backups kept?", heals=True)
    assert (answer.grounded, answer.failed) == ("llm", False)
    assert len(httpx.get(f"{url}/__aimock/journal").json()) == 2


@pytest.mark.parametrize(
    ("mood", "said"),
    [
        ("rateLimitRate", "HTTP 429: Chaos: rate limit exceeded"),
        ("dropRate", "HTTP 500"),
        ("disconnectRate", "gave no answer"),
        ("malformedRate", "gave no answer"),
    ],
)
def test_a_bad_mood_that_stays(shared: KnowledgeBase, url: str, mood: str, said: str) -> None:
    """After three tries the best sentences stand in, with the reason."""
    chaos(url, **{mood: 1})
    answer = asked(shared, url, "How long are backups kept?")
    assert (answer.grounded, answer.failed) == ("extractive", True)
    assert answer.text.startswith("Backups of all servers are kept for 35 days. [1]")
    assert said in str(answer.notes[0])
    assert len(httpx.get(f"{url}/__aimock/journal").json()) == 3


def test_a_stream_that_is_cut(shared: KnowledgeBase, url: str) -> None:
    """What arrived stands and is said to be incomplete."""
    answer = asked(shared, url, "How long are backups kept, until when?")
    assert "Backups are kept for 35 days".startswith(answer.text[:20])
    assert 0 < len(answer.text) < 45
    assert (answer.grounded, answer.failed) == ("llm", True)
    assert "not complete" in str(answer.notes[0])


def test_a_slow_server(shared: KnowledgeBase, url: str) -> None:
    """Slower than llm.timeout_seconds is away; slower than a person likes is an answer."""
    chaos(url, latencyMs=1500)
    assert asked(shared, url, "How long are backups kept?").grounded == "llm"
    answer = asked(shared, url, "How long are backups kept?", timeout_seconds=0.5)
    assert answer.grounded == "extractive"
