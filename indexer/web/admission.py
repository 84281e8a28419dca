"""Whether the web service may begin at all."""

from __future__ import annotations

from ..core.errors import ConfigError
from ..core.tables import ServeSettings
from .keys import Keys
from .origins import exposed, is_loopback


def check(settings: ServeSettings, keys: Keys) -> None:
    """Refuse to be reachable from elsewhere without a key; raises ConfigError."""
    if keys.entries() or not exposed(settings):
        return
    if not is_loopback(settings.listen):
        raise ConfigError(
            "serve.listen is {listen}, which others can reach, and there is no key: make one with "
            "`indexer key add NAME --scope admin`, or listen on 127.0.0.1.",
            listen=settings.listen,
        )
    raise ConfigError(
        "serve.allowed_hosts or serve.proxies lets others in, and there is no key: make one with "
        "`indexer key add NAME --scope admin`, or take them out."
    )
