"""Which parser reads which suffix, and what decides the text each parser makes. Data only, cheap to import."""

from __future__ import annotations

from collections.abc import Mapping

_BY_PARSER: Mapping[str, str] = {
    "text": "txt text log",
    "markdown": "md markdown",
    "pdf": "pdf",
    "docx": "docx docm dotx dotm",
    "pptx": "pptx pptm ppsx ppsm potx potm",
    "odf": "odt ott odp otp odg otg",
    "rtf": "rtf",
    "eml": "eml",
    "msg": "msg oft",
    "html": "html htm xhtml xht shtml",
    "mhtml": "mht mhtml",
    "xml": "xml rss atom opml xlf xliff tmx dita ditamap dbk plist kml gpx wsdl xsd resx",
    "rst": "rst rest",
    "epub": "epub",
    "ipynb": "ipynb",
    "subtitles": "srt vtt",
    "json": "json jsonl ndjson geojson jsonc json5",
    "image": "png jpg jpeg jpe jfif tif tiff bmp webp gif",
    "legacy:doc": "doc dot wps",
    "legacy:xls": "xls xlt et",
    "legacy:ppt": "ppt pps pot dps",
    "code:python": "py pyi pyw",
    "code:javascript": "js mjs cjs jsx",
    "code:typescript": "ts mts cts",
    "code:tsx": "tsx",
    "code:go": "go",
    "code:java": "java",
    "code:rust": "rs",
    "code:c": "c h",
    "code:cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp",
    "code:csharp": "cs",
    "code:ruby": "rb rake gemspec",
    "code:php": "php phtml",
    "code:bash": "sh bash zsh ksh",
    "code:kotlin": "kt kts",
    "code:swift": "swift",
    "code:scala": "scala sc",
    "code:lua": "lua",
    "lines:tables": "toml ini cfg conf cnf inf reg editorconfig",
    "lines:yaml": "yaml yml",
    "lines:sql": "sql ddl",
    "lines:powershell": "ps1 psm1",
    "lines:r": "r",
    "lines:perl": "pl pm",
    "lines:schema": "proto thrift graphql gql",
    "lines:basic": "bas vb vbs",
    "lines:blocks": "tf tfvars hcl",
    "lines:component": "vue svelte",
    "lines": (
        "properties bat cmd css scss sass less dockerfile mk mak cmake gradle groovy dart jl m mm hs ex exs erl clj"
        " pas asm s f90 f for cob cbl vhd v sv awk tcl el lisp ml fs fsx nim zig cu cl glsl hlsl wxml wxss ets diff patch"
    ),
    "csv": "csv tsv",
    "xlsx": "xlsx xlsm xltx xltm",
    "ods": "ods ots",
}
SUFFIXES: Mapping[str, str] = {f".{suffix}": name for name, all_ in _BY_PARSER.items() for suffix in all_.split()}
"""Suffix, lower case, with its dot, to parser."""

_CODE = tuple(name for name in _BY_PARSER if name.startswith("code:"))
_LINES = tuple(name for name in _BY_PARSER if name.startswith("lines"))

IN_PROCESS = frozenset({"text", "markdown", *_LINES})
"""Parsers that only decode; all others run in the worker process."""

PROGRAMS: Mapping[str, str] = {"legacy:doc": "docx", "legacy:xls": "xlsx", "legacy:ppt": "pptx"}
"""Parsers that run an installed program, to the one that reads what it makes: only their worker process may
have children (see `netblock`)."""

VERSIONS: Mapping[str, str] = {
    "text": "1",
    "markdown": "2",
    "pdf": "2",
    "docx": "2",
    "pptx": "1",
    "odf": "1",
    "rtf": "1",
    "eml": "1",
    "msg": "1",
    "html": "1",
    "mhtml": "1",
    "xml": "1",
    "rst": "1",
    "epub": "1",
    "ipynb": "1",
    "subtitles": "1",
    "json": "1",
    "image": "1",
    **dict.fromkeys(PROGRAMS, "1"),
    **dict.fromkeys((*_CODE, *_LINES), "1"),
    "csv": "1",
    "xlsx": "1",
    "ods": "1",
}
"""Each parser's VERSION, repeated here so that comparing profiles imports no parser (a test holds them equal)."""

LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "text": ("chardet",),
    "markdown": ("chardet",),
    "pdf": ("pypdf", "pypdfium2", "fonttools", "rapidocr"),
    "docx": ("lxml",),
    "pptx": ("lxml",),
    "odf": ("lxml",),
    "rtf": (),
    "eml": ("chardet", "selectolax"),
    "msg": ("chardet", "olefile", "selectolax"),
    "html": ("chardet", "selectolax"),
    "mhtml": ("chardet", "selectolax"),
    "xml": ("chardet",),
    "rst": ("chardet",),
    "epub": ("chardet", "lxml", "selectolax"),
    "ipynb": ("chardet", "selectolax"),
    "subtitles": ("chardet",),
    "json": ("chardet",),
    "image": ("rapidocr",),
    **dict.fromkeys(PROGRAMS, ()),
    **{name: ("chardet", "tree-sitter", f"tree-sitter-{name[len('code:') :]}") for name in _CODE},
    "code:c": ("chardet", "tree-sitter", "tree-sitter-c", "tree-sitter-cpp"),
    "code:csharp": ("chardet", "tree-sitter", "tree-sitter-c-sharp"),
    "code:tsx": ("chardet", "tree-sitter", "tree-sitter-typescript"),
    **dict.fromkeys(_LINES, ("chardet",)),
    "csv": ("chardet",),
    "xlsx": ("lxml",),
    "ods": ("lxml",),
}
"""Libraries whose minor release may change what a parser makes of the same bytes."""

CONTENT: Mapping[str, str] = {
    "PDF document": "pdf",
    "Word document (.docx)": "docx",
    "PowerPoint presentation (.pptx)": "pptx",
    **dict.fromkeys((f"OpenDocument {k}" for k in ("text (.odt)", "presentation (.odp)", "drawing (.odg)")), "odf"),
    "RTF document": "rtf",
    "Outlook message (.msg)": "msg",
    "e-mail message": "eml",
    "HTML page": "html",
    "web archive (MHTML)": "mhtml",
    "XML file": "xml",
    "EPUB book (.epub)": "epub",
    "legacy Word 97-2003 document (.doc)": "legacy:doc",
    "legacy Excel 97-2003 workbook (.xls)": "legacy:xls",
    "legacy Excel 5 workbook (.xls)": "legacy:xls",
    "legacy PowerPoint 97-2003 presentation (.ppt)": "legacy:ppt",
    **dict.fromkeys((f"{name} image" for name in ("PNG", "JPEG", "GIF", "TIFF", "WebP", "BMP")), "image"),
    "Excel workbook (.xlsx)": "xlsx",
    "OpenDocument spreadsheet (.ods)": "ods",
}
"""What `sniff.identify` recognises, to the parser that reads it: for files whose suffix lies."""

TEXTUAL = frozenset(
    {"text", "markdown", "eml", "html", "mhtml", "xml", "rst", "ipynb", "subtitles", "json", *_CODE, *_LINES, "csv"}
)
"""Parsers whose files are text of any kind: only clear marks of another format overrule the suffix."""
