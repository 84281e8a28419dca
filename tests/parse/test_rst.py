"""reStructuredText: titles as docutils sees them, blocks of code and tables, no character lost."""

from __future__ import annotations

import io
import time

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from indexer.core.model import Parsed
from indexer.core.tables import ParseLimits
from indexer.parse import rst

DOCUMENT = """========
部署手册
========

:Version: v3.1
:Author: 张三

Intro with :func:`x`.

Installing *fast*
=================

Run this::

    make
    Not a title
    -----------

    install

then look at

.. code-block:: python
   :linenos:

   print("# x")

.. note::

   Careful text.

Options
-------

+------+-------+
| Name | Value |
+======+=======+
| a    | 1     |
+------+-------+
| b    | 2     |
+------+-------+

=====  =====
Key    Value
=====  =====
x      1
y      2
=====  =====

.. list-table::
   :header-rows: 1

   * - A
     - B

The :class:`~a.Parser` class
============================

----

end
"""


def parse(text: str) -> Parsed:
    return rst.parse(text.encode(), ParseLimits())


def test_a_document_has_its_structure() -> None:
    """Marks get their level by the order of their first use; code and tables are sections, tables with their header."""
    parsed = parse(DOCUMENT)
    top, install = ("部署手册",), ("部署手册", "Installing fast")
    options = (*install, "Options")
    assert (parsed.title, parsed.label) == ("部署手册", "v3.1")
    assert [(s.kind, s.headings) for s in parsed.sections] == [
        ("text", top),
        ("text", install),
        ("code", install),
        ("text", install),
        ("code", install),
        ("text", install),
        ("text", options),
        ("table", options),
        ("table", options),
        ("table", options),
        ("text", ("部署手册", "The ~a.Parser class")),
    ]
    assert parsed.text == DOCUMENT
    assert parsed.sections[7].lead.count("\n") == 3
    assert parsed.sections[8].lead == "=====  =====\nKey    Value\n=====  =====\n"


def oracle(text: str) -> list[str]:
    """The titles docutils finds."""
    settings = {
        "report_level": 5,
        "halt_level": 6,
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "warning_stream": io.StringIO(),
        "doctitle_xform": False,
    }
    tree = publish_doctree(text, settings_overrides=settings)
    return [" ".join(t.astext().split()) for t in tree.findall(nodes.title) if isinstance(t.parent, nodes.section)]


def titles(text: str) -> list[str]:
    found: list[tuple[str, ...]] = [()]
    for section in parse(text).sections:
        if section.headings != found[-1]:
            found.append(section.headings)
    return [headings[-1] for headings in found if headings]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=====\n\ntext\n\nSub\n---\n\ntext\n\nNext\n====\n\ntext\n",
        "=====\nOver\n=====\n\nUnder\n=====\n\nx\n",
        "a paragraph\nof two lines\n============\n\nx\n",
        "x\n\n----\n\ny\n",
        "* item\n\n  Not\n  ---\n\nTrue\n----\n\nx\n",
        "中文标题\n========\n\n正文\n",
        "A\n=\n\ntext\n",
        "Short\n==\n\nx\n",
        "text::\n\n  Code\n  ====\n\nT\n=\n",
        "``code`` and **bold** `link <http://x>`_\n=========================================\n\nx\n",
        "===  ===\na    b\n===  ===\n1    2\n===  ===\n\nTrue\n====\n\nx\n",
        ".. comment\n   Not\n   ===\n\nTrue\n====\n\nx\n",
    ],
)
def test_titles_are_those_of_docutils(text: str) -> None:
    """The library is the oracle."""
    assert titles(text) == oracle(text)
    assert parse(text).text == text


def test_includes_are_not_followed() -> None:
    """A document names other files; they are documents of their own, or none of ours."""
    parsed = parse("T\n===\n\n.. include:: /etc/passwd\n.. raw:: html\n   :file: /etc/passwd\n")
    assert "root:" not in parsed.text
    assert "/etc/passwd" in parsed.text


@pytest.mark.parametrize(
    "text",
    [
        "=" * 300_000,
        "= " * 150_000 + "\n",
        "==  ==\n" * 30_000,
        "+--+\n" * 50_000,
        "+--+\n" + "|  |\n" * 50_000,
        "a::\n\n" * 50_000,
        "a::\n\n" + "\n" * 200_000,
        "==  ==\n\nx\n" * 20_000,
        ".. code::\n" * 50_000,
        "`a <" * 50_000 + "\n==========\n",
        "x\n==\n\n" * 30_000,
    ],
)
def test_hostile_files_are_read_in_linear_time(text: str) -> None:
    """Tables and blocks without an end are not looked for again and again."""
    start = time.process_time()
    assert parse(text).text == text
    assert time.process_time() - start < 5
