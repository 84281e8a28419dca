"""Source code: a section for each definition, with its qualified name and its lines."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from python_oracle import disagreements

from indexer.core.errors import ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers, code, code_tree
from indexer.parse.code_languages import LANGUAGES

LIMITS = ParseLimits()
ROOT = Path(__file__).resolve().parents[2]

# One small file for each language, and the definitions it must give: names, first and last line.
SOURCES: dict[str, tuple[str, list[str]]] = {
    "python": (
        "import os\n\n\n# note\n@dec(\n    1,\n)\ndef outer(a):\n    def inner():\n        return 1\n    return inner\n\n\n"
        "class A(B):\n    '''doc'''\n\n    x = 1\n\n    @property\n    def y(self):\n        return 1\n\n"
        "    class In:\n        async def z(self):\n            pass\n\n\nif True:\n    def cond():\n        return 2\n",
        ["outer L4-L11", "A L14-L17", "A.y L19-L21", "A.In.z L24-L25", "cond L29-L30"],
    ),
    "go": (
        "package x\n\ntype (\n\t// A is a.\n\tA struct {\n\t\tx int\n\t}\n\tB interface {\n\t\tM()\n\t}\n)\n\n"
        "// Get gets.\nfunc (c *Cache[K, V]) Get(k K) (V, bool) {\n\treturn c.m[k]\n}\n\nfunc (A) Len() int { return 1 }\n",
        ["A L4-L7", "B L8-L10", "Cache.Get L13-L16", "A.Len L18"],
    ),
    "rust": (
        "/// Doc\n#[derive(Debug)]\npub struct S<T> {\n    a: T,\n}\n\nimpl<T: Clone> fmt::Display for S<T> {\n"
        "    /// writes\n    fn fmt(&self) {\n        1\n    }\n}\n\nimpl<T> S<T> {\n    #[inline]\n"
        "    pub fn new() -> Self {\n        S\n    }\n}\n\nmod inner {\n    pub fn z() {\n    }\n}\n",
        ["S L1-L5", "impl fmt::Display for S<T>.fmt L8-L11", "S.new L15-L18", "inner.z L22-L23"],
    ),
    "c": (
        "#include <a.h>\n\n/* doc */\nstatic int *\nf(int a)\n{\n  return 0;\n}\n\ntypedef struct node {\n  int a;\n} node_t;\n\n"
        "/** documented */\nint g(void);\nint h(void);\n\n#define M(a) \\\n  do { a; \\\n  } while (0)\n",
        ["f L3-L8", "node_t L10-L12", "g L14-L15", "M L18-L20"],
    ),
    "cpp": (
        "namespace a { namespace b {\n\n/// doc\ntemplate <class T>\nclass X : public Y {\npublic:\n    X();\n    ~X() {\n"
        "        free();\n    }\n    bool operator==(const X& o) const {\n        return true;\n    }\n"
        "    int size() { return 1; }\nprivate:\n    int a;\n};\n\ntemplate <class T>\nvoid X<T>::run(F<void(int)> f) {\n"
        "    std::lock_guard<std::mutex> lock(m);\n}\n\n}}\n\nint *ns::C::g() {\n}\n",
        ["a.b.X L3-L7", "a.b.X.~X L8-L10", "a.b.X.operator== L11-L13", "a.b.X.run L19-L22", "ns.C.g L26-L27"],
    ),
    "csharp": (
        "using System;\n\nnamespace A.B;\n\n/// <summary>doc</summary>\n[Serializable]\npublic class C<T> : D\n{\n"
        "    public int P { get; set; }\n\n    public C()\n    {\n    }\n\n    public static C operator +(C a, C b)\n    {\n"
        "        return a;\n    }\n\n    class Inner\n    {\n        void Z()\n        {\n        }\n    }\n}\n",
        ["A.B.C L5-L9", "A.B.C.C L11-L13", "A.B.C.operator + L15-L18", "A.B.C.Inner.Z L22-L24"],
    ),
    "java": (
        "package a.b;\n\n/** doc */\n@A\npublic class C {\n    private int x;\n\n    @Override\n    public String toString() {\n"
        '        return "";\n    }\n\n    interface I {\n        /** documented */\n        void k();\n        void z();\n'
        "        default void d() {\n        }\n    }\n}\n",
        ["C L3-L6", "C.toString L8-L11", "C.I.k L14-L15", "C.I.d L17-L18"],
    ),
    "javascript": (
        "const api = {\n  get() {\n    return 1;\n  },\n  set: function (a) {\n    return a;\n  },\n};\n\nclass A extends B {\n"
        "  state = 1;\n  handle = () => {\n    go();\n  };\n  static async run() {\n    go();\n  }\n}\n\n"
        "/** doc */\nexport const f = async (x) => {\n  return x;\n};\n\nconst Card = memo(() => {\n  return 1;\n});\n\n"
        "module.exports.go = function () {\n  return 1;\n};\n\nA.prototype.walk = function () {\n  return 1;\n};\n\n"
        "export default () => {\n  return 2;\n};\n",
        ["api.get L2-L4", "api.set L5-L7", "A.handle L12-L14", "A.run L15-L17", "f L20-L23", "Card L25-L27", "go L29-L31"],
    ),
    "typescript": (
        "export interface I<T> {\n  a: T;\n  m(): void;\n}\n\nexport type T = {\n  a: 1;\n};\n\n@Injectable()\n"
        "export abstract class D<T> implements I<T> {\n  private x = 1;\n  on = (e: Event): void => {\n    go();\n  };\n"
        "  abstract q(): void;\n}\n\nnamespace N.M {\n  export function f(): void {\n    go();\n  }\n}\n",
        ["I L1-L4", "T L6-L8", "D.on L13-L15", "N.M.f L20-L22"],
    ),
    "tsx": ("export const App: FC<P> = ({ a }) => {\n  return <div>{a}</div>;\n};\n", ["App L1-L3"]),
    "ruby": (
        "module A\n  # doc\n  class B::C < D\n    attr_reader :x\n\n    def m\n      1\n    end\n\n    def self.n\n      2\n    end\n"
        "  end\nend\n",
        ["A.B.C L2-L4", "A.B.C.m L6-L8", "A.B.C.n L10-L12"],
    ),
    "php": (
        "<?php\nnamespace A\\B;\n\n/** doc */\nclass C extends D\n{\n    private $a;\n\n    public function m(): int\n    {\n"
        "        return 1;\n    }\n}\n\nfunction f()\n{\n    return 1;\n}\n",
        ["A\\B.C L4-L7", "A\\B.C.m L9-L12", "A\\B.f L15-L18"],
    ),
    "bash": ("#!/bin/bash\nset -e\n\n# does it\nf() {\n  echo 1\n}\n\nfunction g {\n  echo 2\n}\n", ["f L4-L7", "g L9-L11"]),
    "kotlin": (
        "package a.b\n\n/** doc */\n@S\ndata class C(val a: Int) : D() {\n    val x = 1\n\n    fun m(): Int {\n        return 1\n    }\n\n"
        "    companion object {\n        fun make() =\n            C(1)\n    }\n}\n",
        ["C L3-L6", "C.m L8-L10", "C.Companion.make L13-L14"],
    ),
    "swift": (
        "/// doc\n@objc class C: D {\n    var x: Int = 1\n\n    init(a: Int) {\n        x = a\n    }\n}\n\n"
        "extension C: P {\n    func k() {\n    }\n}\n",
        ["C L1-L3", "C.init L5-L7", "C.k L11-L12"],
    ),
    "scala": (
        "package a.b\n\n/** doc */\nobject O {\n  def m(x: Int): Int = {\n    x\n  }\n}\n",
        ["O L3-L4", "O.m L5-L7"],
    ),
    "lua": (
        "local M = {}\n\n--- doc\nfunction M.f(a)\n  return a\nend\n\nfunction M:g()\n  return 1\nend\n\n"
        "M.k = function()\n  return 2\nend\n",
        ["M.f L3-L6", "M.g L8-L10", "M.k L12-L14"],
    ),
}  # fmt: skip


def parse(source: str, language: str = "python") -> Parsed:
    parsed = code.parse(source.encode(), LIMITS, language)
    assert parsed.text == source
    return parsed


def named(parsed: Parsed) -> list[str]:
    return [f"{'.'.join(s.headings)} {s.place}" for s in parsed.sections]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_lines(language: str) -> None:
    """Each definition has its qualified name, its doc comment and decorators, and the lines of them all."""
    source, expected = SOURCES[language]
    parsed = parse(source, language)
    assert [e for e in expected if e not in named(parsed)] == []
    assert {s.kind for s in parsed.sections} == {"code"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_section_ends_a_line_and_has_its_lines(language: str) -> None:
    """A place names lines that the section has; nothing is lost or moved."""
    parsed = parse(SOURCES[language][0], language)
    at = 1
    for section in parsed.sections:
        assert section.text.endswith("\n")
        assert not section.text.isspace()
        first, *last = map(int, re.findall(r"\d+", section.place))
        assert at <= first <= [*last, first][0] < at + section.text.count("\n")
        at += section.text.count("\n")


def test_the_projects_own_sources_agree_with_ast() -> None:
    """Names and lines are those of Python's own parser."""
    files = sorted((ROOT / "indexer").rglob("*.py"))[::3] + sorted((ROOT / "tests").rglob("*.py"))[::5]
    assert len(files) > 20
    for file in files:
        source = file.read_text("utf-8")
        assert (file.name, disagreements(source, parse(source).sections)) == (file.name, [])


def test_the_standard_library_agrees_with_ast() -> None:
    """A few hundred files of many hands (all 1,784 agree but one, which nests garbage in strings)."""
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted([*stdlib.glob("*.py"), *stdlib.glob("asyncio/*.py"), *stdlib.glob("email/*.py")])[::4]:
        parsed = code.parse(file.read_bytes(), LIMITS, "python")
        assert (file.name, disagreements(parsed.text, parsed.sections)) == (file.name, [])


def test_long_functions_are_parted_by_the_functions_within() -> None:
    """A function longer than a screen gives its inner functions their own sections; its last line goes with them."""
    body = "".join(f"    x{i} = {i}\n" for i in range(120))
    parsed = parse(f"def outer():\n{body}\n    def inner():\n        return 1\n\n    return inner\n")
    assert named(parsed) == ["outer L1-L121", "outer.inner L123-L124"]
    assert named(parse("def outer():\n    def inner():\n        return 1\n\n    return inner\n")) == ["outer L1-L5"]


def test_members_of_one_line_stay_with_their_holder() -> None:
    """A chunk of one signature says nothing; one with a comment of its own does."""
    parsed = parse("interface I {\n    int a();\n    int b();\n    // why\n    int c();\n}\n", "java")
    assert named(parsed) == ["I L1-L3", "I.c L4-L5"]


def test_a_comment_that_announces_goes_with_what_it_announces() -> None:
    """A banner alone is no passage."""
    assert named(parse("import a\n\n\n# ---- reading ----\n\n\ndef f():\n    return 1\n")) == [" L1", "f L7-L8"]


def test_constants_between_functions_are_sections_of_their_own() -> None:
    """What stands between definitions has lines and no name."""
    parsed = parse("def f():\n    return 1\n\n\nMOST = 5\n\n\ndef g():\n    return 1\n")
    assert named(parsed) == ["f L1-L2", " L5", "g L8-L9"]


def test_broken_code_keeps_its_names() -> None:
    """A missing bracket spoils at most its neighbourhood."""
    parsed = parse("def f():\n    return 1\n\n\nx = (\n\n\nclass A:\n    def g(self):\n        return 2\n")
    assert "f L1-L2" in named(parsed)
    assert any(s.headings[-1:] == ("g",) for s in parsed.sections)


def test_a_header_is_cpp_when_it_says_so() -> None:
    """.h is C or C++; a class decides."""
    assert named(parse("class A {\n  void f() {\n    g();\n  }\n};\n", "c")) == ["A.f L2-L4"]


def test_encodings_and_line_ends() -> None:
    """GBK, CRLF: names are text, lines are those of an editor."""
    source = "def 年假():\r\n    '''员工每年享有五天带薪年假，按司龄递增。'''\r\n    return 5\r\n\r\n\r\ndef g():\r\n    return 1\r\n"
    parsed = code.parse(source.encode("gb18030"), LIMITS, "python")
    assert named(parsed) == ["年假 L1-L3", "g L6-L7"]


def test_without_the_grammar_the_lines_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language whose package is absent is indexed by groups of lines."""
    monkeypatch.setattr(code_tree, "grammar_missing", lambda language: True)
    source = "def f():\n    return 1\n\n\n" * 200
    parsed = parse(source)
    assert {s.headings for s in parsed.sections} == {()}
    assert max(len(s.text) for s in parsed.sections) < 400


def test_the_fingerprint_names_the_grammar() -> None:
    """Installing a grammar is a new parser for its files, and only for them."""
    facts = Parsers(LIMITS).fingerprint()
    assert "tree-sitter-go " in facts["code:go"]
    assert "tree-sitter " in facts["code:go"]
    assert "python" not in facts["code:go"]


HOSTILE = {
    "minified": ("javascript", "function a(b){return b+1}var c=function(){return{d:1}};" * 20_000),
    "nested functions": ("javascript", "function a(){\n" * 3_000 + "}\n" * 3_000),
    "nested classes": ("python", "".join(" " * i + "class A:\n" for i in range(400))),
    "open brackets": ("c", "(" * 100_000),
    "open types": ("typescript", "type A = " + "A<" * 20_000),
    "pointers": ("c", "int " + "*" * 50_000 + "f(void) {}\n"),
    "garbage": ("csharp", "class { ( ; ] < ) @ \n" * 3_000),
    "one long string": ("python", "x = '" + "a" * 500_000 + "'\n"),
    "attributes": ("rust", "#[a]\n" * 5_000),
    "quotes": ("bash", "$(( $( " * 20_000),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.timeout(60)
def test_hostile_sources_are_indexed_in_bounded_time(kind: str) -> None:
    """Nothing is refused for being odd, nothing is lost, nothing hangs."""
    language, source = HOSTILE[kind]
    parse(source, language)


def test_what_is_quadratic_for_a_grammar_ends() -> None:
    """The parser is stopped by its limits, and the lines remain."""
    source = "function < class { ( ; ] ) @ \n" * 2_000
    parsed = code.parse(source.encode(), LIMITS._replace(cpu_seconds=2), "lua")
    assert parsed.text == source
    assert {s.headings for s in parsed.sections} == {()}


def test_binary_data_is_refused_and_blank_files_have_no_text() -> None:
    """As for any text."""
    with pytest.raises(ParseRefused):
        code.parse(bytes(range(256)) * 40, LIMITS, "python")
    assert code.parse(b"\n \n", LIMITS, "python").state is State.NO_TEXT


PIECES = st.sampled_from(
    ["def f():\n", "    pass\n", "class A:\n", "\n", "# c\n", "@d\n", "x = (\n", ")\n", "'''\n", "\t", "}", "年", "\f", "\\\n", "{", "\r"]
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=40), st.sampled_from(sorted(LANGUAGES)))
def test_whatever_the_source_the_sections_joined_are_the_text(pieces: list[str], language: str) -> None:
    """Lossless for every language and every garbage."""
    source = "".join(pieces)
    parsed = code.parse(source.encode(), LIMITS, language)
    expected = source.replace("\r\n", "\n").replace("\r", "\n")
    assert parsed.text == ("" if parsed.state is State.NO_TEXT else expected)
