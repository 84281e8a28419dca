"""How soon the pages are painted and whether anything jumps: a real browser, a real service, on loopback.

    python -m benchmarks.pages [--documents 1000] [--json FILE]

Each page is opened five times with an empty cache in a new window, whose process the browser has to start, and then once
more in the same window, as a person does who goes on from page to page. The figures are the browser's own (PerformanceObserver).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "e2e"))

from browsing import CHROMIUM, FLAGS, HASHING, Served

TIMES = 5
CONTROL = "/api/v1/health/live"
"""A line of text: what the browser and this machine take for nothing at all."""

PAGES = (
    CONTROL,
    "/",
    "/search",
    "/search?q=number+seven",
    "/ask",
    "/documents",
    "/documents/{document}",
    "/runs",
    "/history",
)
_OBSERVE = """
window.jumps = 0;
new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.jumps += e.value; })
  .observe({type: "layout-shift", buffered: true});
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_ANSWERED = "performance.getEntriesByType('navigation')[0].responseStart"
_BYTES = "performance.getEntries().reduce((sum, e) => sum + (e.transferSize || 0), 0)"


class Visit(NamedTuple):
    """Milliseconds to the answer's first byte, to the first contentful paint, and to that of the next visit.

    ``jumps``: the layout shift of the first visit (a score without unit); ``bytes``: what it took over the network.
    """

    answered: float
    painted: float
    again: float
    jumps: float
    bytes: int


def opened(browser: Any, url: str) -> Visit:
    """One visit with an empty cache and the next one."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(_OBSERVE)
    first = painted(page, url)
    jumps, size, answered = page.evaluate("window.jumps"), page.evaluate(_BYTES), page.evaluate(_ANSWERED)
    again = painted(page, url)
    context.close()
    return Visit(answered, first, again, jumps, size)


def painted(page: Any, url: str) -> float:
    """Milliseconds to the first contentful paint."""
    page.goto(url, wait_until="load")
    page.wait_for_timeout(300)
    while page.evaluate(_PAINT) is None:  # the pages' policy allows no wait_for_function: it evaluates text
        page.wait_for_timeout(50)
    return float(page.evaluate(_PAINT))


def measured(served: Served) -> list[dict[str, Any]]:
    """Figures of every page."""
    from playwright.sync_api import sync_playwright

    document = served.api("/documents?limit=1")["documents"][0]["document"]
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for path in PAGES:
            visits = [opened(browser, served.url + path.format(document=document)) for _ in range(TIMES)]
            rows.append({
                "page": path, "first_paint_ms": round(statistics.median(visit.painted for visit in visits)),
                "worst_ms": round(max(visit.painted for visit in visits)),
                "again_ms": round(statistics.median(visit.again for visit in visits)),
                "answered_ms": round(statistics.median(visit.answered for visit in visits)),
                "layout_shift": round(max(visit.jumps for visit in visits), 4), "bytes": visits[-1].bytes,
            })  # fmt: skip
        browser.close()
    return rows


def main() -> None:
    """Build a knowledge base, serve it, visit its pages, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if CHROMIUM is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as home:
        served = Served(Path(home), HASHING)
        for number in range(options.documents):
            served.put(
                f"texts/text {number:05}.md", f"# Text {number}\n\nThis is text number {number}, seven of it too.\n" * 5
            )
        served.run("update", "--now")
        served.start()
        try:
            rows = measured(served)
        finally:
            served.stop()
    print(f"{'page':<28}{'answered':>11}{'first paint':>14}{'worst':>10}{'again':>10}{'shift':>10}{'bytes':>10}")
    for r in rows:
        times = f"{r['answered_ms']:>8} ms{r['first_paint_ms']:>11} ms{r['worst_ms']:>7} ms{r['again_ms']:>7} ms"
        print(f"{r['page']:<28}{times}{r['layout_shift']:>10}{r['bytes']:>10}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
