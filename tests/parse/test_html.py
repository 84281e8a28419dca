"""Web pages: what a reader sees is in the text once, in order; nothing else is."""

from __future__ import annotations

import time

import pytest

from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import html

LIMITS = ParseLimits()


def parse(page: str | bytes) -> Parsed:
    return html.parse(page if isinstance(page, bytes) else page.encode(), LIMITS)


def text(page: str) -> str:
    return parse(f"<body>{page}").text


def lines(page: str) -> list[str]:
    return [line for line in text(page).splitlines() if line.strip()]


def test_a_page_has_its_structure() -> None:
    """Headings make the path; tables and code are sections of their own."""
    parsed = parse(
        "<title>手册</title><h1>安装</h1><p>先读。</p><h2>步骤</h2><pre>make\n  install</pre>"
        "<table><tr><th>参数</th><th>值</th></tr><tr><td>a</td><td>1</td></tr></table><h1>附录</h1>完"
    )
    assert [(s.kind, s.headings) for s in parsed.sections] == [
        ("text", ()),
        ("text", ("安装",)),
        ("text", ("安装", "步骤")),
        ("code", ("安装", "步骤")),
        ("table", ("安装", "步骤")),
        ("text", ("附录",)),
    ]
    assert parsed.title == "手册"
    assert parsed.text == "手册\n\n安装\n\n先读。\n\n步骤\n\nmake\n  install\n\n参数\t值\na\t1\n\n附录\n\n完\n"
    assert parsed.sections[4].lead == "参数\t值\n"


def test_the_title_stands_once() -> None:
    """A heading that says the title, or the title with the site's name, is enough."""
    assert parse("<title>Leave policy - Intranet</title><h1>Leave policy</h1>x").text == "Leave policy\n\nx\n"
    assert parse("<title>Leave</title><p>x").text == "Leave\n\nx\n\n"
    assert parse("<h2>Second</h2><h1>First</h1>").title == "First"


@pytest.mark.parametrize(
    "page",
    [
        "<script>GONE</script>",
        "<style>.GONE{}</style>",
        "<template><p>GONE</template>",
        "<noscript>GONE</noscript>",
        "<!-- GONE -->",
        "<!--[if gte mso 9]><xml>GONE</xml><![endif]-->",
        "<p hidden>GONE</p>",
        "<div style='color:red; display : none'><p>GONE</div>",
        "<span style='visibility:hidden'>GONE</span>",
        "<input type=hidden value=GONE>",
        "<input type=password value=GONE>",
        "<svg><title>GONE</title><style>GONE</style></svg>",
        "<math><semantics><mi>x</mi><annotation>GONE</annotation></semantics></math>",
        "<iframe>GONE</iframe><video>GONE</video>",
        "<img src='data:image/png;base64,GONE'>",
        "<a href='http://GONE/'>link</a>",
        "<p title=GONE>tip</p>",
    ],
)
def test_what_nobody_sees_is_out(page: str) -> None:
    """Scripts, styles, hidden text, addresses and data of pictures are no text."""
    found = text(f"<p>before it</p>{page}<p>after it</p>")
    assert "GONE" not in found
    assert "before it\n" in found
    assert "after it\n" in found


def test_a_page_whose_text_waits_for_a_script_keeps_it() -> None:
    """Saved articles are hidden until a script shows them: mostly hidden text is kept and said."""
    parsed = parse("<h1>公告</h1><div style='visibility: hidden'><p>正文第一段，很长很长的内容。</p></div>")
    assert "正文第一段" in parsed.text
    assert parsed.state is State.WARNED


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<div>a</div><div>b</div>", ["a", "b"]),
        ("<p>a<p>b", ["a", "b"]),
        ("a<br>b<br/>c", ["a", "b", "c"]),
        ("<ul><li>a<li>b</ul>", ["- a", "- b"]),
        ("<h2>a</h2>b<section>c</section>d", ["a", "b", "c", "d"]),
        ("<dl><dt>term<dd>meaning</dl>", ["term", "  meaning"]),
        ("<span style='display:block'>a</span><span style='display: flex'>b</span>", ["a", "b"]),
        ("<details><summary>more</summary>inside</details>", ["more", "inside"]),
        ("<figure><img alt='A duck'><figcaption>Fig. 1</figcaption></figure>", ["A duck", "Fig. 1"]),
        ("<svg><text>one</text><text>two</text></svg>", ["one", "two"]),
        ("<nav><a href=x>Home</a><a href=y>About</a></nav>", ["Home About"]),
    ],
)
def test_blocks_never_run_together(page: str, expected: list[str]) -> None:
    """What stands on lines of its own on the screen does so in the text."""
    assert lines(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<b>f</b>oo<i>bar</i>", "foobar\n"),
        ("a\n   b&nbsp;&nbsp;c", "a b c\n"),
        ("自定\n  义词", "自定义词\n"),
        ("中文\nabc", "中文 abc\n"),
        ("1 &lt; 2 &amp;&copy;&#20013;&#x6587;", "1 < 2 &©中文\n"),
        ("soft&shy;hyphen zero&#8203;width", "softhyphen zerowidth\n"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>を", "漢字(かんじ)を\n"),
        ("he said <q>yes</q>", "he said “yes”\n"),
        ("a<br><br>b", "a\n\nb\n"),
        ("<div style='white-space:pre-wrap'>a\nb</div>", "a\nb\n"),
    ],
)
def test_inline_text_is_as_on_the_screen(page: str, expected: str) -> None:
    """Words are not cut by formatting; white space collapses; readings follow their word."""
    assert text(page) == expected


def test_lists_carry_the_numbers_a_browser_shows() -> None:
    """The numbers are generated on the screen, so they are written into the text."""
    page = "<ol start=3><li>a<ul><li>b<ol type=a><li>c</ol></ul><li value=9>d</ol><ol type=I><li>e<li>f<li>g<li>h</ol>"
    assert lines(page) == ["3. a", "  - b", "    a. c", "9. d", "I. e", "II. f", "III. g", "IV. h"]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<label>Name</label><input value='Zhang San'>", "Name Zhang San"),
        ("<input placeholder='your name'>", "your name"),
        ("<input type=checkbox checked> agree <input type=radio> no", "[x] agree [ ] no"),
        ("<select><option>red<option selected>green</select>", "red green"),
        ("<textarea>one\ntwo</textarea>", "one two"),
        ("<button>Send</button><button>Cancel</button>", "Send Cancel"),
        ("<input type=submit value=Go>", "Go"),
    ],
)
def test_forms_show_labels_and_values(page: str, expected: str) -> None:
    """What a person reads in a form is text."""
    assert " ".join(text(page).split()) == expected


@pytest.mark.parametrize("alt", ["IMG_1234.jpg", "image", "图片1", "", "http://x/y", "***", "logo"])
def test_an_alt_that_says_nothing_is_left_out(alt: str) -> None:
    """File names and placeholders are no text."""
    assert text(f"a<img alt='{alt}'>b") == "ab\n"


def test_a_table_is_rows_with_its_header() -> None:
    """Cells keep their columns under spans; line ends in a cell become blanks."""
    parsed = parse(
        "<table><caption>Rates</caption><thead><tr><th rowspan=2>Name<th colspan=2>Rate<tr><th>2024<th>2025</thead>"
        "<tr><td>A<td>1<br>a<td>2<tr><td rowspan=2>B<td>3<td>4<tr><td>5<td><ul><li>x<li>y</ul></table>"
    )
    table = parsed.sections[1]
    assert table.text == "Name\tRate\n\t2024\t2025\nA\t1 a\t2\nB\t3\t4\n\t5\t- x - y\n\n"
    assert table.lead == "Name\tRate\n\t2024\t2025\n"
    assert parsed.sections[0].text == "Rates\n"


def test_a_full_first_row_of_data_serves_as_header() -> None:
    """Tables from office programs have no header cells."""
    rows = "<tr><td>姓名<td>部门<td>电话" + "<tr><td>张三<td>财务<td>123" * 2
    assert parse(f"<table>{rows}</table>").sections[0].lead == "姓名\t部门\t电话\n"
    assert parse("<table><tr><td>姓名<td>张三<tr><td>部门<td>财务<tr><td>a<td>b</table>").sections[0].lead == ""


def test_a_layout_is_read_cell_by_cell() -> None:
    """A table that holds the page keeps the headings, paragraphs and tables inside."""
    parsed = parse(
        "<table><tr><td>logo<td>menu<tr><td><a href=x>nav</a><td><h1>Title</h1><p>one</p><p>two</p>"
        "<table><tr><th>k<th>v<tr><td>1<td>2</table><p>three</p></table>"
    )
    assert parsed.text.split("\n") == [
        *("logo\tmenu", "", "nav", "", "Title", "", "one", "", "two", "", "k\tv", "1\t2", "", "three", "", ""),
    ]
    assert parsed.sections[-1].headings == ("Title",)


def test_code_keeps_its_lines() -> None:
    """Preformatted text is taken as it stands, whatever is marked up inside."""
    parsed = parse("<pre><span>def</span> f():\n\treturn 1<br>    # end\n</pre>after")
    assert parsed.sections[0].text == "def f():\n        return 1\n    # end\n\n"
    assert parsed.sections[0].kind == "code"
    assert parse("<pre>a<table><tr><td>b</table>c</pre>").text.split() == ["a", "b", "c"]


def test_navigation_stands_outside_of_the_headings() -> None:
    """Menus and footers keep their text but do not count to the chapter above them."""
    parsed = parse("<h1>Title</h1>text<nav>menu</nav><p>more<footer>imprint</footer>")
    assert [(s.text.strip(), s.headings) for s in parsed.sections] == [
        ("Title\n\ntext", ("Title",)),
        ("menu", ()),
        ("more", ("Title",)),
        ("imprint", ()),
    ]


@pytest.mark.parametrize(
    ("data", "expected", "encoding"),
    [
        ("<meta charset=gb2312><p>镕基同志，联通".encode("gb18030"), "镕基同志，联通", "gb18030"),
        ("<meta http-equiv=Content-Type content='text/html; charset=gb2312'>联通".encode("gbk"), "联通", "gb18030"),
        ("<meta charset=gb2312><p>其实是万国码的页面".encode(), "其实是万国码的页面", "utf-8"),
        (
            "<meta charset=iso-8859-1><p>年假管理办法和加班费的规定，从今天起执行。".encode("gbk"),
            "年假管理办法",
            "gb18030",
        ),
        ("<meta charset=iso-8859-1><p>d\u00e9j\u00e0 vu".encode(), "déjà vu", "utf-8"),
        ("<meta charset=windows-1252><p>“quoted” – €".encode("cp1252"), "“quoted” – €", "cp1252"),
        ("<meta charset=Shift_JIS><p>日本語のページ①".encode("cp932"), "日本語のページ①", "cp932"),
        ("<meta charset=big5><p>繁體中文頁面".encode("big5"), "繁體中文頁面", "big5hkscs"),
        ("<meta charset=euc-jp><p>日本語".encode("euc_jp"), "日本語", "euc_jp"),
        ("<meta charset=windows-1251><p>Привет".encode("cp1251"), "Привет", "cp1251"),
        ("<html><p>中文".encode("utf-16"), "中文", "utf-16-le"),
        ("\ufeff<meta charset=gbk><p>中文".encode(), "中文", "utf-8"),
        ("<meta charset=utf-16><p>中文内容在此".encode(), "中文内容在此", "utf-8"),
        ("<meta charset=nonsense><p>中文内容在此".encode(), "中文内容在此", "utf-8"),
        ("<?xml version='1.0' encoding='gbk'?><html><p>中文内容在此".encode("gbk"), "中文内容在此", "gb18030"),
    ],
)
def test_the_encoding_is_the_true_one(data: bytes, expected: str, encoding: str) -> None:
    """A statement is believed where it holds, read as the larger set it means, and overruled where it is wrong."""
    parsed = parse(data)
    assert expected in parsed.text
    assert parsed.details["encoding"] == encoding
    assert "\ufffd" not in parsed.text


def test_xhtml_is_read_as_such() -> None:
    """Self-closed elements close, CDATA is text."""
    page = '<?xml version="1.0"?><html><head><title/></head><body><a id="x"/><div class="a"/><p>a<![CDATA[ <b> ]]></p></body>'
    assert parse(page).text == "a <b>\n\n"


def test_a_page_filled_by_scripts_has_no_text() -> None:
    """The reason says so."""
    parsed = parse("<title></title><div id=root></div><script>app()</script><noscript>Enable JavaScript</noscript>")
    assert parsed.state is State.NO_TEXT
    assert "script" in str(parsed.notes[0])


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "KEEP" + "</div>" * 100_000,
        "<b>" * 50_000 + "KEEP",
        "<table><tr><td>" * 30_000 + "KEEP",
        "<ul><li>" * 50_000 + "KEEP",
        "".join(f"<p><font color={i}>x" for i in range(20_000)) + "KEEP",
        "<a href='" * 50_000 + "'>KEEP</a>",
        "<" * 500_000 + " KEEP",
        "KEEP<!--" * 50_000,
        "KEEP <script>" * 50_000,
        "<?xml version='1.0'?>" + "<a b='" * 50_000 + " KEEP",
        "KEEP" + "&" * 500_000,
        "<table>" + "<td rowspan=1000 colspan=1000>" * 20_000 + "KEEP",
        "KEEP " + "<select><option>" * 50_000,
        "KEEP" + "<ruby><rt>" * 20_000,
        "<svg>" * 50_000 + "KEEP",
        "<nav>" * 900 + "KEEP",
    ],
)
def test_hostile_pages_cost_no_more_than_their_length(page: str) -> None:
    """Depth, unclosed elements and unfinished tags neither crash nor hang."""
    start = time.process_time()
    parsed = parse(page)
    assert time.process_time() - start < 8
    assert "KEEP" in parsed.text or "'" in page


def test_binary_data_is_refused() -> None:
    """A picture named .html is no page."""
    from indexer.core.errors import ParseRefused

    with pytest.raises(ParseRefused):
        parse(bytes(range(256)) * 20)


def test_the_same_bytes_give_the_same_text() -> None:
    """Reading twice makes equal values."""
    page = "<h1>a</h1><table><tr><th>b<tr><td>c</table><ul><li>d</ul>"
    assert parse(page) == parse(page)
