"""XML: words beside the names of their elements; entities, depth and damage are no danger."""

from __future__ import annotations

import time

import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import xml

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE catalog [<!ENTITY who "SECRET"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<catalog xmlns="urn:x" version="3">
  <title>商品目录</title>
  <!-- nobody reads this -->
  <item id="7" note='a &amp; b'/>
  <p>Some <b>bold</b> words &lt;here&gt; &who;</p>
  <script><![CDATA[if (a < b) go();]]></script>
</catalog>
"""


def parse(text: str | bytes) -> Parsed:
    return xml.parse(text if isinstance(text, bytes) else text.encode(), ParseLimits())


def test_words_stand_beside_their_elements() -> None:
    """Attributes and texts keep their names; comments and declarations are out; entities stay closed."""
    parsed = parse(PAGE)
    assert parsed.title == "商品目录"
    assert parsed.state is State.INDEXED
    assert parsed.text.splitlines() == [
        "catalog version: 3",
        "title: 商品目录",
        "item id: 7, note: a & b",
        "p: Some",
        "b: bold",
        "p: words <here> &who;",
        "script: if (a < b) go();",
    ]
    assert parsed.sections[0].place == "L3-L8"


def test_the_stated_encoding_is_read_as_its_superset() -> None:
    """GB 2312 is GB 18030."""
    parsed = parse("<?xml version='1.0' encoding='gb2312'?><a>镕基同志</a>".encode("gbk"))
    assert parsed.text == "a: 镕基同志\n"


@pytest.mark.parametrize("text", ["<a><b>KEEP</a>", "<a>KEEP", "<a>x</a></b>KEEP", "KEEP <a", "<a b='1>KEEP</a>"])
def test_damaged_files_keep_their_words(text: str) -> None:
    """What does not close is said."""
    parsed = parse(text)
    assert "KEEP" in parsed.text
    assert parsed.state is State.WARNED


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 100_000 + "KEEP",
        "KEEP" + "<!--" * 50_000,
        "KEEP" + "<![CDATA[" * 30_000,
        "KEEP" + "<a b='" * 50_000,
        "KEEP" + "<?" * 100_000,
        "KEEP" + "<!DOCTYPE a [" * 30_000,
        "KEEP" + "<" * 300_000,
        "<!DOCTYPE a [" + "]" * 100_000 + "<b>KEEP",
    ],
)
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    """Depth and marks without an end."""
    start = time.process_time()
    assert "KEEP" in parse(text).text
    assert time.process_time() - start < 5
