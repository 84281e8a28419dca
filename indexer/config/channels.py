"""Addresses of notification channels (``[notify] urls``): which apprise understands, and what of them is secret.

Any part of an address may be a token: in ``slack://A/B/C`` the host is one. So whatever is said about
an address names its index and its scheme, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ..core.model import Message

if TYPE_CHECKING:
    from apprise import AppriseAsset, NotifyBase

DOCUMENT = "docs/notifications.md"

_PASTED = (  # the addresses that DingTalk and Feishu show; those of Slack and WeCom apprise knows by itself
    (re.compile(r"https://oapi\.dingtalk\.com/robot/send\?access_token=(\w+)"), "dingtalk"),
    (re.compile(r"https://open\.feishu\.cn/open-apis/bot/v2/hook/([\w-]+)/?"), "feishu"),
    (re.compile(r"https://open\.larksuite\.com/open-apis/bot/v2/hook/([\w-]+)/?"), "lark"),
)
_PLAIN = frozenset(
    {"format", "overflow", "verify", "redirect", "rto", "cto", "mode", "smtp", "method", "image", "footer"}
)
"""Arguments of an address whose values are words like ``yes`` or ``text``: no secrets."""


def scheme(url: str) -> str:
    """What may be shown of an address: ``mailto``; "?" where it has none."""
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]{0,31})://", url)
    return found[1].lower() if found else "?"


def secrets(url: str) -> Iterator[str]:
    """Every part of an address that may be a secret, as written and as decoded, and the address itself."""
    yield url
    try:
        parts = urlsplit(url)
        found = [*re.split(r"[:@]", parts.netloc), parts.path, parts.fragment]
        found += [p for p in parts.path.split("/") if not re.fullmatch(r"[a-z]{1,8}|v\d", p)]  # "hook" is no token
        found += [value for key, value in parse_qsl(parts.query) if key not in _PLAIN]
    except ValueError:  # brackets that are no IPv6 address
        found = re.split(r"[:/@?&=#]+", url)[1:]
    for part in found:
        if len(part) > 3 and not re.fullmatch(r"localhost|[\d.]{1,15}", part):  # neither this machine nor a port
            yield part
            yield unquote(part)


def asset() -> AppriseAsset:
    """How apprise behaves for us: nothing on disk, no redirect followed (a token would go along), no pictures from elsewhere."""
    from apprise import AppriseAsset

    return AppriseAsset(
        app_id="indexer", app_desc="indexer", app_url="", storage_mode="memory", http_redirects=False, async_mode=False,
        image_url_mask="", image_url_logo="", interpret_emojis=False, pgp_autogen=False, pem_autogen=False,
    )  # fmt: skip


def channel(url: str) -> NotifyBase | None:
    """The service behind an address, None when apprise makes nothing of it; no connection is made.

    Addresses as DingTalk, Feishu, Slack and WeCom show them are understood too.
    """
    from apprise import Apprise

    url = url.strip()
    for pattern, name in _PASTED:
        if found := pattern.fullmatch(url):
            url = f"{name}://{found[1]}"
    made: NotifyBase | None = Apprise.instantiate(url, asset=asset())
    return made


def problems(urls: Sequence[str]) -> Iterator[Message]:
    """One sentence for each address that leads nowhere."""
    for index, url in enumerate(urls):
        if channel(url) is None:
            args = {"index": index, "scheme": scheme(url), "document": DOCUMENT}
            yield Message(_UNKNOWN if not _known(scheme(url)) else _INCOMPLETE, args)


_UNKNOWN = "notify.urls[{index}]: {scheme}:// is no channel that apprise knows; see {document} for what there is"
_INCOMPLETE = "notify.urls[{index}]: this {scheme}:// address is not complete, or a part of it is wrong; see {document} for its form"


def _known(name: str) -> bool:
    from apprise import manager_plugins

    manager: Any = manager_plugins  # has no types of its own
    return name in manager.NotificationManager()
