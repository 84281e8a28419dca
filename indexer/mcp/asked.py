"""What the tools take, with the descriptions a model reads."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ..docid import MOST

PAGE, LONGEST_PAGE = 20_000, 50_000
"""Characters of a document given at once: as a rule, and at most."""

_SHORT = 1000


class Asked(BaseModel):
    """Arguments of a tool; an unknown one is a mistake and said so."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)


def _listed(value: Any) -> Any:
    """Several clients write a list as text: '[".pdf"]' or ".pdf, .docx"."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return [part.strip() for part in value.split(",") if part.strip()]


As_of = Annotated[
    str,
    Field(max_length=_SHORT, description="Answer from the state of an earlier moment: a commit number, or an ISO date or time "
          'such as "2026-03-31". Empty: now.'),
]  # fmt: skip
Inside = Annotated[
    str,
    Field(max_length=_SHORT, description='Only documents below a folder or matching a glob over "source/path", '
          'such as "knowledge_base/hr" or "**/*.pdf".'),
]  # fmt: skip


class Where(Asked):
    """Restrictions of a search; an empty one restricts nothing."""

    as_of: As_of = ""
    inside: Inside = Field("", alias="in")
    source: Annotated[str, Field(max_length=_SHORT, description="Only this source, by the name `status` gives.")] = ""
    type: Annotated[
        list[Annotated[str, Field(max_length=20)]],
        BeforeValidator(_listed),
        Field(max_length=50, description='Only files with these suffixes, such as [".pdf", ".docx"].'),
    ] = []
    after: Annotated[
        str, Field(max_length=_SHORT, description="Only what became visible at this ISO time or later.")
    ] = ""
    before: Annotated[str, Field(max_length=_SHORT, description="Only what became visible before this ISO time.")] = ""
    label: Annotated[
        str, Field(max_length=_SHORT, description='Only documents whose own version label is this, such as "v3.1".')
    ] = ""  # fmt: skip


class Search(Where):
    """Arguments of `search`."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=4000, description="What is looked for, in the words of the documents' language; a "
              "sentence works as well as a part number, a name or a clause."),
    ]  # fmt: skip
    k: Annotated[int, Field(ge=1, le=50, description="How many passages.")] = 8
    mode: Annotated[
        Literal["configured", "hybrid", "vector", "lexical"],
        Field(description="hybrid: by meaning and by words; vector: by meaning only; lexical: by exact words only."),
    ] = "configured"


class Ask(Where):
    """Arguments of `ask`."""

    question: Annotated[str, Field(min_length=1, max_length=4000, description="The question, in any language.")]
    k: Annotated[int, Field(ge=1, le=50, description="From how many passages it is answered.")] = 8


class Document(Asked):
    """Arguments of `document`."""

    document: Annotated[
        str,
        Field(min_length=1, max_length=MOST, description='Which document: the id that a result gives as "document", or its '
              '"source/path".'),
    ]  # fmt: skip
    start: Annotated[int, Field(ge=0, description="The first character; 0 is the beginning.")] = 0
    length: Annotated[
        int, Field(ge=1, le=LONGEST_PAGE, description="How many characters at most; the result says where the next page begins.")
    ] = PAGE  # fmt: skip
    as_of: As_of = ""


class Status(Asked):
    """`status` takes no arguments."""


class ChangesSince(Asked):
    """Arguments of `changes_since`."""

    since: Annotated[
        str,
        Field(min_length=1, max_length=_SHORT, description="A commit number (the one of an earlier result) or an ISO date or time. "
              '"0" lists every document.'),
    ]  # fmt: skip
    until: Annotated[
        str, Field(max_length=_SHORT, description="A commit number or time; empty: the newest commit.")
    ] = ""
    inside: Inside = Field("", alias="in")
    limit: Annotated[int, Field(ge=1, le=500, description="How many changes at once.")] = 100
    offset: Annotated[
        int, Field(ge=0, description='To go on: the "next" of the page before, with its "commit" as until.')
    ] = 0  # fmt: skip
