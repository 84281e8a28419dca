"""What an answer costs over its search: time to the first word, beside a bare search and a bare request.

    python -m benchmarks.asking [--rounds 5]

The shipped documents and questions; a model server on this machine that says its first word at once, so
what is measured is ours. CPU time of the process, which other programs do not lengthen (the model server
of both requests is in it); ratios, since seconds differ between machines:

- first word: until the first token is told, over (search of the same depth + bare streamed request)
- no model: the whole extractive answer, kept, over the search
- keeping: writing the answer down, on the clock: it waits for the disk
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from indexer import KnowledgeBase
from indexer.ask import Question, ask
from indexer.ask.answering import Means
from indexer.ask.relevance import DEPTH
from indexer.ask.session import means_of
from indexer.core.tables import LlmSettings
from indexer.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
_EVENT = 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[%s]}\n\n'
_WORDS = _EVENT % '{"index":0,"delta":{"content":"It is so [1]. "},"finish_reason":null}'
_END = _EVENT % '{"index":0,"delta":{},"finish_reason":"stop"}' + "data: [DONE]\n\n"


class Instant(BaseHTTPRequestHandler):
    """A model that needs no time."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Ten times the same words."""
        self.rfile.read(int(self.headers["Content-Length"]))
        data = (_WORDS * 10 + _END).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


Clock = Callable[[], float]


def timed(work: Callable[[], Any], clock: Clock = time.process_time) -> float:
    """Milliseconds."""
    began = clock()
    work()
    return (clock() - began) * 1000


def best(values: list[float], rounds: int) -> list[float]:
    """The least of each question's rounds: what other programs take is not ours."""
    return [min(values[i : i + rounds]) for i in range(0, len(values), rounds)]


def first_word(kb: KnowledgeBase, question: str, means: Means) -> float:
    """Milliseconds until the first token is told."""
    at: list[float] = []
    began = time.process_time()

    def tell(kind: str, facts: Any) -> None:
        if kind == "token" and not at:
            at.append(time.process_time())

    ask(kb, Question(question), means, tell=tell)
    return (at[0] - began) * 1000


def bare(client: httpx.Client, url: str) -> None:
    """A streamed request as thin as it can be, to its first line."""
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x" * 3000}]}
    with client.stream("POST", f"{url}/chat/completions", json=body) as answer:
        for _ in answer.iter_lines():
            pass


def measure(home: Path, url: str, rounds: int) -> dict[str, float]:
    """Medians of the best rounds in milliseconds, and what they are over each other."""
    settings = Settings(str(home), llm=LlmSettings(model="m", base_url=url, timeout_seconds=30.0))
    kb = KnowledgeBase(settings)
    kb.update()
    client = httpx.Client()
    questions = [q["q"] for q in json.loads((ROOT / "tests" / "shipped_questions.json").read_text("utf-8"))]
    means = means_of(kb)
    rows: dict[str, list[float]] = {"search": [], "bare": [], "first": [], "none": [], "keep": []}
    loading = timed(lambda: ask(kb, Question(questions[0]), means), time.perf_counter)
    kept = ask(kb, Question(questions[0]), means)
    assert means.answers is not None
    keep = means.answers.put
    works: dict[str, Callable[[str], float]] = {
        "search": lambda q: timed(lambda: kb.search(q, DEPTH)),
        "bare": lambda q: timed(lambda: bare(client, url)),
        "first": lambda q: first_word(kb, q, means),
        "none": lambda q: timed(lambda: ask(kb, Question(q), Means(answers=means.answers))),
        "keep": lambda q: timed(lambda: keep(kept), time.perf_counter),
    }
    for question in [q for q in questions for _ in range(rounds)]:
        for name, work in works.items():
            kb.search("another question", 1)  # a vector that is remembered from the last one would count for nothing
            rows[name].append(work(question))
    client.close()
    kb.close()
    ms = {name: statistics.median(best(values, rounds)) for name, values in rows.items()}
    return {
        "questions": len(questions) * rounds, **{f"{name} ms": round(value, 1) for name, value in ms.items()},
        "first word / (search + bare request)": round(ms["first"] / (ms["search"] + ms["bare"]), 2),
        "first word - search - bare request, ms": round(ms["first"] - ms["search"] - ms["bare"], 1),
        "no model / search": round(ms["none"] / ms["search"], 2),
        "very first question (models loaded), ms on the clock": round(loading),
    }  # fmt: skip


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    server = ThreadingHTTPServer(("127.0.0.1", 0), Instant)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "knowledge_base", Path(folder) / "knowledge_base")
        print(json.dumps(measure(Path(folder), f"http://127.0.0.1:{server.server_address[1]}/v1", rounds), indent=1))
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
