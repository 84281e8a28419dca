"""Why a file is, or is not, in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.model import Key, Message, State, display
from ...docid import docid
from ...i18n import translate
from ...sources.explain import explain
from ..problems import NotFound
from . import documents, plain

if TYPE_CHECKING:
    from ..site import Site


def told(site: Site, key: Key, lang: str) -> dict[str, Any]:
    """The rule, the state, and both in sentences; raises NotFound for a source that is not configured."""
    source = next((s for s in site.settings.sources if s.name == key.source), None)
    if source is None:
        raise NotFound(Message("There is no document {path} in the index.", {"path": str(key)}))
    rule = explain(source, key.path, site.suffixes)
    known = _known(site, key, lang)
    sentences = list(_sentences(key, rule, known))
    return {
        "document": docid(key), "source": display(key.source), "path": display(key.path),
        "rule": plain(translate(rule, lang)) if rule else None, "indexed": bool(known and known["version"]),
        "state": known["state"] if known else None, "reasons": known["reasons"] if known else [],
        "remedy": known["remedy"] if known else "", "sentences": [plain(translate(s, lang)) for s in sentences],
    }  # fmt: skip


def _known(site: Site, key: Key, lang: str) -> dict[str, Any] | None:
    if site.kb.layout.served() is None:
        return None
    with site.catalog() as catalog:
        try:
            return documents.one(catalog, key, lang, writable=False)
        except NotFound:
            return None


def _sentences(key: Key, rule: Message | None, known: dict[str, Any] | None) -> list[Message]:
    name = str(key)
    if known is None:
        if rule is not None:
            return [Message("{path} is not indexed: {why}.", {"path": name, "why": rule})]
        return [Message("{path} is not indexed yet: no update has looked at it.", {"path": name})]
    found = []
    if known["version"]:
        words = {"path": name, "chunks": known["chunks"], "commit": known["version"], "since": known["changed"]}
        found.append(
            Message("{path} is indexed: {chunks} chunks, in this version since commit {commit} ({since}).", words)
        )
        if known["actor"]:
            who = {"actor": known["actor"], "trigger": known["trigger"]}
            found.append(Message("Brought in by {actor}, trigger {trigger}", who))
    else:
        found.append(Message("{path} is not indexed.", {"path": name}))
    found.append(Message("State: {state}", {"state": Message(known["state"])}))
    if rule is not None and known["state"] != State.HELD:
        found.append(Message("The next update takes it out: {why}.", {"why": rule}))
    return found
