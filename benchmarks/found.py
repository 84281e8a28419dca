"""Is "nothing in the documents answers this" right? Both kinds of error, by the product's own search and judgement.

    python -m benchmarks.found [--sets DIR] [--only xquad_en,xquad_zh] [--half odd] [--limit 250] [--keep DIR]

Of each set every second document is indexed. Asked are questions whose passage is in it ("in"), questions
of the same set whose document was left out ("near": same kind, nothing to find), and questions of other
sets ("far"). ``stard_laws`` is its folder of laws, whole. The thresholds of ``indexer/ask/relevance.py`` were
chosen on the even halves; the odd ones are the proof.

false nothing: "nothing" said, of the questions with an answer in the first 8 passages; false found: the others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from indexer import KnowledgeBase
from indexer.ask import Question
from indexer.ask.answering import found
from indexer.ask.background import usual
from indexer.ask.relevance import DEPTH, relevant
from indexer.core.model import Hit
from indexer.core.tables import EmbeddingSettings, Source
from indexer.settings import Settings

from .retrieval import DEFAULT, rows
from .retrieval import relevant as right

FAR = {
    "xquad_en": ("cmrc2018_trial", "stard_laws"), "xquad_zh": ("cmrc2018_trial", "stard_laws"),
    "cmrc2018_trial": ("xquad_zh", "stard_laws"), "stard_laws": ("xquad_zh", "cmrc2018_trial"),
}  # fmt: skip
PASSAGES = 8


class Asked(NamedTuple):
    """A question, the kind of its error, and what its answer says (any of them)."""

    kind: str
    text: str
    answers: tuple[str, ...] = ()


def built(folder: Path, half: int, home: Path, model: str) -> KnowledgeBase:
    """A knowledge base of every second document; one made before is taken as it is."""
    source, laws, embedding = home / "knowledge_base", folder / "docs", EmbeddingSettings(model)
    if laws.is_dir():
        kb = KnowledgeBase(Settings(str(home), embedding=embedding, sources=(Source("laws", str(laws)),)))
    else:
        documents: dict[str, list[dict[str, Any]]] = {}
        for p in rows(folder / "passages.jsonl"):
            documents.setdefault(p["doc"], []).append(p)
        source.mkdir(parents=True, exist_ok=True)
        for i, name in enumerate(sorted(documents)):
            if i % 2 == half:
                head = f"# {documents[name][0].get('title') or name}\n\n"
                (source / f"{i:04}.md").write_text(head + "\n\n".join(p["text"] for p in documents[name]), "utf-8")
        kb = KnowledgeBase(Settings(str(home), embedding=embedding))
    kb.update()
    return kb


def questions(sets: Path, name: str, half: int, limit: int) -> list[Asked]:
    """What is asked of one set, always the same."""
    passages = {p["id"]: p for p in rows(sets / name / "passages.jsonl")}
    order = {doc: i for i, doc in enumerate(sorted({p["doc"] for p in passages.values()}))}
    gold, rng = right(sets / name / "qrels.tsv"), random.Random(5)  # noqa: S311 - a shuffle
    whole = name == "stard_laws"
    own = rows(sets / name / "queries.jsonl")
    rng.shuffle(own)
    if whole:  # every document is there, so it is the questions that are halved
        own = own[half::2]
    inside, near = [], []
    for q in own:
        texts = [passages[p] for p in gold.get(q["id"], ()) if p in passages]
        if any(whole or order[p["doc"]] % 2 == half for p in texts):
            answers = tuple(q.get("answers") or ()) or tuple(squeezed(p["text"])[:20] for p in texts)
            inside.append(Asked("in", q["text"], answers))
        elif texts:
            near.append(Asked("near", q["text"]))
    far = []
    for other in FAR[name]:
        foreign = rows(sets / other / "queries.jsonl")
        rng.shuffle(foreign)
        far += [Asked("far", q["text"]) for q in foreign[: limit // 2]]
    return inside[:limit] + near[:limit] + far


def squeezed(text: str) -> str:
    """Without white space."""
    return "".join(text.split())


def in_hand(asked: Asked, hits: list[Hit]) -> bool:
    """Whether one of the passages an answer would be made from has it."""
    texts = [squeezed(h.text) for h in hits[:PASSAGES]]
    return any(squeezed(a) in t for a in asked.answers for t in texts)


def measure(kb: KnowledgeBase, all_asked: list[Asked]) -> dict[str, float]:
    """The rates of one set."""
    counts: dict[str, list[int]] = {}
    for asked in all_asked:
        hits = found(kb, asked.text, DEPTH, Question(asked.text))
        answered = relevant(asked.text, hits, usual(kb, asked.text), kb.settings.embedding.model)
        kinds = [asked.kind]
        if asked.kind == "in":
            kinds = ["in"] + (["in hand"] if in_hand(asked, hits) else [])
        for kind in kinds:
            counts.setdefault(kind, []).append(answered)
    rates = {f"n {kind}": len(said) for kind, said in counts.items()}
    for kind, said in counts.items():
        rate = sum(said) / len(said)
        rates[("false nothing, " if kind.startswith("in") else "false found, ") + kind] = round(
            1 - rate if kind.startswith("in") else rate, 3
        )
    return rates


def main() -> None:
    """Print one line of rates a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=DEFAULT)
    parser.add_argument("--only", default=",".join(FAR))
    parser.add_argument("--half", choices=("even", "odd"), default="odd")
    parser.add_argument("--limit", type=int, default=250)
    parser.add_argument("--model", default="builtin:e5-small")
    parser.add_argument("--keep", type=Path, help="where the indexes are made, and found the next time")
    options = parser.parse_args()
    half = options.half == "odd"
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory() as temporary:
            home = (options.keep or Path(temporary)) / (name if name == "stard_laws" else f"{name}_{options.half}")
            os.makedirs(home, exist_ok=True)
            kb = built(options.sets / name, int(half), home, options.model)
            rates = measure(kb, questions(options.sets, name, int(half), options.limit))
            kb.close()
        print(json.dumps({"set": name, **rates}), flush=True)


if __name__ == "__main__":
    main()
