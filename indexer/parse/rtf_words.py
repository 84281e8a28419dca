"""The control words of RTF that matter for its text. Everything else is layout."""

from __future__ import annotations

# Groups that are no text: tables, pictures, instructions, comments, copies for old readers.
SILENT = frozenset(
    b"""colortbl objdata objname objalias objsect objtime annotation atnid atnauthor atntime atnref atrfstart
    atrfend atndate atnicn atnparent bkmkstart bkmkend listtable listoverridetable listpicture generator rsidtbl
    themedata colorschememapping datastore xmlnstbl latentstyles filetbl revtbl nonshppict mmathPr tc tcn xe rxe
    pn pnseclvl ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn shprslt template htmltag mhtmltag passwordhash fontemb
    fontfile keycode falt panose fname formfield datafield docvar blipuid picprop nonesttables pgptbl
    background listname listlevel levelnumbers leveltext mvfmf wgrffmtfilter fldtype""".split()
)
# Groups marked as optional ("\\*") which hold text all the same.
SHOWN = frozenset(
    b"""shpinst ud shppict do nesttableprops field fldrslt pntext listtext shpgrp cs ts ds moMath moMathPara userprops
    objclass fldinst""".split()
)
# Other stories than the body: where their text goes.
STORIES = {
    **dict.fromkeys((b"header", b"headerl", b"headerr", b"headerf"), "header"),
    **dict.fromkeys((b"footer", b"footerl", b"footerr", b"footerf"), "footer"),
    b"footnote": "footnote",
    **dict.fromkeys((b"shptxt", b"dptxbxtext"), "box"),
}
# Groups whose plain characters are a value to keep, not text.
VALUES = {
    **{b"fonttbl": "font", b"stylesheet": "style", b"fldinst": "instruction", b"info": "", b"userprops": ""},
    **{b"title": "title", b"propname": "property", b"staticval": "value", b"objclass": "object"},
    **{b"sp": "", b"sn": "shape name", b"sv": "shape value", b"listtext": "number", b"pntext": "number"},
}
CHARACTERS = {
    **{
        b"tab": "\t",
        b"line": "\n",
        b"lbr": "\n",
        b"page": "\n",
        b"column": "\n",
        b"emdash": "—",
        b"endash": "–",
        b"bullet": "•",
    },
    **{
        b"lquote": "‘",
        b"rquote": "’",
        b"ldblquote": "“",
        b"rdblquote": "”",
        b"emspace": "\u2003",
        b"enspace": "\u2002",
    },
    **{
        b"qmspace": "\u2005",
        b"zwj": "\u200d",
        b"zwnj": "\u200c",
        b"zwbo": "",
        b"zwnbo": "",
        b"ltrmark": "",
        b"rtlmark": "",
    },
}
