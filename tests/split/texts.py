"""Random texts as documents have them: Chinese, English, emoji, marks, tables, hostile runs."""

from __future__ import annotations

from hypothesis import strategies as st

from indexer.core.model import Kind, Parsed, Section

SNIPPETS = (
    "员工年假十天", "。", "！", "？", "；", "，", "、", "：", "……", "”", "“", "》", "《", "）", "（", "——", "\n",
    "\n\n", "\n \n", " ", "  ", "\t", "\u3000",
    "The leave policy", " applies. ", "See 3.14", ". ", "! ", "e.g.", "; ", ", ",
    "-", "https://example.org/a?b=c&d=%20", "👨‍👩‍👧‍👦", "🇨🇳", "🇩🇪", "👍🏽", "e\u0301", "ก็",
    "\U00020bb7", "한국어", "かな", "| a | b |\n", "#",
    "```\n", "x" * 40, "长" * 40, "\x0c", "\u2028", "\x85", "12,345.67", "「", "」", "'", '"', "a", "的",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=120).map("".join) | st.text(max_size=400)
SIZES = st.sampled_from((16, 17, 32, 50, 64, 100, 256))


@st.composite
def settings(draw: st.DrawFn) -> tuple[int, int]:
    """(size, overlap) with overlap below size."""
    size = draw(SIZES)
    return size, draw(st.integers(0, size - 1))


@st.composite
def documents(draw: st.DrawFn) -> Parsed:
    """Sections of all kinds, under changing headings and pages."""
    kinds: tuple[Kind, ...] = ("text", "text", "table", "code")
    paths = ((), ("A",), ("A", "B"), ("A", "B", "C"), ("D",))
    count = draw(st.integers(0, 8))
    return Parsed(
        tuple(
            Section(
                draw(TEXTS),
                draw(st.sampled_from(paths)),
                draw(st.sampled_from((None, 1, 2))),
                draw(st.sampled_from(kinds)),
            )
            for _ in range(count)
        )
    )
