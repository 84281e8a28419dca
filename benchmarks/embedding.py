"""The default model beside stock ``HuggingFaceEmbeddings``, on the same texts: ``python -m benchmarks.embedding``.

Both run the same weights, each in a process of its own with an untouched environment
(OPENBLAS_*, OMP_* unset), taking turns round by round so that a busy machine slows both; the
best round of each counts. Needs ``langchain-huggingface`` and ``torch`` in the same
environment. What the ratio can be depends on the CPU: int8 products need VNNI (or AMX) to be
several times as fast as fp32 ones, without it they are 1.5 to 2 times as fast.

    python -m benchmarks.embedding [--texts N] [--rounds N] [--file TEXTS.json] [--json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from .measure import clean
from .trees import _EN, _ZH, rng

SHARED_TEXTS = Path(__file__).resolve().parents[2] / "shared" / "embedding" / "bench_texts.json"
LANGUAGES = ("zh", "en")
ENGINES = ("stock", "ours", "ours-fp32")
_SIZES = {"zh": (190, 256), "en": (560, 800)}
"""Characters of a generated chunk, as the splitter's default (zh) and a common setting (en) give them."""


def chunk(language: str, number: int) -> str:
    """A generated chunk, the same for its number."""
    draw = rng("embedding", language, number)
    size = draw.randint(*_SIZES[language])
    words = (_ZH if language == "zh" else _EN).split()
    text = ""
    while len(text) < size:
        sentence = draw.choices(words, k=draw.randint(6, 16))
        text += "".join(sentence) + "。" if language == "zh" else " ".join(sentence).capitalize() + ". "
    return text[:size]


def texts(file: Path | None, count: int) -> dict[str, list[str]]:
    """``count`` chunks a language, from a JSON file ``{"zh": [...], "en": [...]}`` or generated."""
    if file is None:
        return {language: [chunk(language, n) for n in range(count)] for language in LANGUAGES}
    found = json.loads(file.read_text(encoding="utf-8"))
    return {language: found[language][:count] for language in LANGUAGES}


# ---- the measured processes -----------------------------------------------------------


def engine(name: str, folder: str) -> Callable[[list[str]], Any]:
    """Loads an engine and returns its function from texts to rows."""
    if name == "stock":
        from langchain_huggingface import HuggingFaceEmbeddings

        stock = HuggingFaceEmbeddings(
            model_name=folder, encode_kwargs={"batch_size": 32, "normalize_embeddings": True, "prompt": "passage: "}
        )
        return stock.embed_documents
    from indexer import embed
    from indexer.core.tables import EmbeddingSettings

    ours = embed.load(EmbeddingSettings(precision="fp32" if name.endswith("fp32") else "int8"))
    return ours.embed_documents


def worker(name: str, folder: str) -> None:
    """Embeds each JSON list of texts that comes in on a line; answers with seconds and the first rows."""
    start = time.perf_counter()
    function = engine(name, folder)
    function(["warm"])
    print(json.dumps({"load_s": time.perf_counter() - start}), flush=True)
    for line in sys.stdin:
        batch = json.loads(line)
        start, cpu = time.perf_counter(), time.process_time()
        rows = function(batch)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        peak = peak_mb()
        first = [[float(x) for x in row] for row in rows[:20]]
        print(json.dumps({"wall_s": wall, "cpu_s": cpu, "rss_mb": peak, "rows": first}), flush=True)


def peak_mb() -> float:
    """Peak resident memory of this process in MB (Linux; ru_maxrss would count the parent's at the fork)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1000 for line in status.splitlines() if line.startswith("VmHWM"))


class Process:
    """A worker that is idle until asked."""

    def __init__(self, name: str, folder: Path) -> None:
        import os

        command = [sys.executable, "-m", "benchmarks.embedding", "--worker", name, "--folder", str(folder)]
        environment = {**clean(dict(os.environ)), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.load_s = float(self._read()["load_s"])

    def embed(self, batch: Sequence[str]) -> dict[str, Any]:
        """One round."""
        pipe: IO[str] | None = self._process.stdin
        assert pipe is not None
        pipe.write(json.dumps(list(batch)) + "\n")
        pipe.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the measured process ended; are torch and langchain-huggingface installed?")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """Ends the worker."""
        self._process.communicate()


# ---- the comparison -------------------------------------------------------------------


def cosine(a: list[list[float]], b: list[list[float]]) -> float:
    """The least cosine of corresponding rows of norm 1."""
    return min(sum(x * y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def compare(corpus: dict[str, list[str]], rounds: int, engines: Sequence[str], folder: Path) -> dict[str, Any]:
    """Rates (texts a second, best round), ratios to stock, least cosine to stock's rows."""
    processes = {name: Process(name, folder) for name in engines}
    table: dict[str, Any] = {name: {"load_s": round(p.load_s, 2)} for name, p in processes.items()}
    for language, batch in corpus.items():
        best: dict[str, dict[str, Any]] = {}
        for _ in range(rounds):
            for name, process in processes.items():
                answer = process.embed(batch)
                if name not in best or answer["wall_s"] < best[name]["wall_s"]:
                    best[name] = answer
        for name, answer in best.items():
            table[name][language] = {
                "per_s": round(len(batch) / answer["wall_s"], 1),
                "cpu_ms": round(1000 * answer["cpu_s"] / len(batch), 1),
                "ratio": round(best["stock"]["wall_s"] / answer["wall_s"], 2),
                "cosine": round(cosine(answer["rows"], best["stock"]["rows"]), 4),
            }
            table[name]["rss_mb"] = round(answer["rss_mb"])
    for process in processes.values():
        process.end()
    return table


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table, or JSON."""
    parser = argparse.ArgumentParser(description="stock HuggingFaceEmbeddings against the default model")
    parser.add_argument("--texts", type=int, default=96, help="texts a language (default 96)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, the best counts (default 3)")
    parser.add_argument("--file", type=Path, help='texts as JSON {"zh": [...], "en": [...]}; generated without it')
    parser.add_argument("--shared", action="store_true", help="take the shared real texts where they lie")
    parser.add_argument("--engines", default="stock,ours", help=f"of {', '.join(ENGINES)}; the first must be stock")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.worker:
        worker(args.worker, args.folder)
        return
    from indexer.embed.e5 import cpu_features

    from .e5_folder import write

    file = args.file or (SHARED_TEXTS if args.shared and SHARED_TEXTS.exists() else None)
    corpus = texts(file, args.texts)
    with tempfile.TemporaryDirectory() as temporary:
        table = compare(corpus, args.rounds, args.engines.split(","), write(Path(temporary) / "e5"))
    result = {"texts": args.texts, "source": str(file.name) if file else "generated", "cpu": cpu_features(), **table}
    print(json.dumps(result) if args.json else readable(result))


def readable(result: dict[str, Any]) -> str:
    """A table for people."""
    lines = [f"{result['texts']} texts a language ({result['source']}), CPU: {' '.join(result['cpu'])}"]
    for name in ENGINES:
        if name in result:
            row = result[name]
            rates = "   ".join(
                f"{lang} {row[lang]['per_s']:7.1f}/s {row[lang]['ratio']:5.2f}x {row[lang]['cpu_ms']:6.1f} CPU ms "
                f"cos {row[lang]['cosine']:.4f}"
                for lang in LANGUAGES
            )
            lines.append(f"{name:10} {rates}   load {row['load_s']:.2f} s, peak {row['rss_mb']} MB")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
