"""Where a request says it comes from and goes to: against other sites that use a browser, and names that are turned on us.

A page of another site can make a browser send requests here, and a name of its own can be made to lead to
127.0.0.1 (DNS rebinding). So ``Host`` must be a name of ours, and what changes something must come from a page of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address, ip_network

from ..core.tables import ServeSettings

LOCAL = ("localhost", "127.0.0.1", "[::1]")
_SAFE = ("GET", "HEAD", "OPTIONS")
_EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 - compared with, not listened on


def is_loopback(listen: str) -> bool:
    """Whether only this machine reaches the address."""
    host = listen.rpartition(":")[0].strip("[]")
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def exposed(settings: ServeSettings) -> bool:
    """Whether others than this machine are meant to reach it: another address, another name, a reverse proxy."""
    names = {name.rpartition(":")[0] or name for name in settings.allowed_hosts}
    return not is_loopback(settings.listen) or bool(settings.proxies) or bool(names - {*LOCAL})


def known_host(host: str, settings: ServeSettings, port: int) -> bool:
    """Whether ``Host`` names us. A listed name without a port stands for every port."""
    name, given = _split(host.casefold())
    if {name, f"{name}:{given}"} & set(settings.allowed_hosts):
        return True
    own = settings.listen.rpartition(":")[0].casefold()
    names = {own, *(LOCAL if is_loopback(settings.listen) or own in _EVERYWHERE else ())}
    if own in _EVERYWHERE and _is_address(name):  # an address cannot be made to lead elsewhere
        return given in ("", str(port))
    return name in names and given in ("", str(port))


def _split(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, _, rest = host.partition("]")
        return name + "]", rest.removeprefix(":")
    name, _, port = host.partition(":")
    return name, port


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name.strip("[]")))
    return False


def ours(method: str, headers: Mapping[str, str], api: bool) -> bool:
    """Whether a browser may have sent this for a page of ours; programs send none of these headers.

    What changes something must come from our own pages. What only reads may be a link on any page, but
    no script of another site.
    """
    site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
    if method in _SAFE:
        linked = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return not api or site in ("", "same-origin", "none") or linked
    if site not in ("", "same-origin", "none"):
        return False
    return not origin or origin.partition("://")[2].casefold() == headers.get("host", "").casefold()


def client_of(peer: str, headers: Mapping[str, str], settings: ServeSettings) -> tuple[str, bool]:
    """(address of who asks, whether over TLS): as a reverse proxy of ours says, else the peer itself.

    Of several addresses the last that is no proxy of ours counts: those before it anybody may have written.
    """
    if not _is_proxy(peer, settings):
        return peer, False
    secure = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().casefold() == "https"
    for address in reversed([a.strip() for a in headers.get("x-forwarded-for", "").split(",") if a.strip()]):
        if not _is_address(address):
            break
        if not _is_proxy(address, settings):
            return address, secure
    return peer, secure


def _is_proxy(address: str, settings: ServeSettings) -> bool:
    with suppress(ValueError):
        found = ip_address(address.strip("[]"))
        return any(found in ip_network(proxy) for proxy in settings.proxies)
    return False
