"""The configured language model, through LangChain's ``init_chat_model``; loaded by the first question that needs it."""

from __future__ import annotations

import os
import re
import weakref
from typing import Any

from ..core.errors import ConfigError
from ..core.tables import LlmSettings
from ..logs.mask import Mask
from .chat import Chat

_OPENAI = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0
_NO_KEY = "none"  # the client wants one; the hook takes it away again


def load(settings: LlmSettings, mask: Mask) -> Chat:
    """The model of these settings. Raises ConfigError where its package is missing or its options do not hold."""
    from langchain.chat_models import init_chat_model

    own = _openai(settings) if settings.provider == "openai" else _other(settings)
    try:
        model = init_chat_model(settings.model, model_provider=settings.provider, **{**own, **settings.options})
    except ImportError as error:
        raise ConfigError(
            'llm.provider = "{provider}" needs a package that is not there; run: pip install {package}',
            provider=settings.provider,
            package=_package(settings.provider, str(error)),
        ) from None
    except Exception as error:  # a foreign constructor may raise anything, and quote the key while it does
        raise ConfigError(
            'llm: "{model}" of provider "{provider}" cannot be made: {kind}: {reason}',
            model=settings.model,
            provider=settings.provider,
            kind=type(error).__name__,
            reason=mask(" ".join(str(error).split())[:300]),
        ) from None
    if (http := own.get("http_client")) is not None:
        weakref.finalize(model, http.close)
    return Chat(model, settings, mask)


def _openai(settings: LlmSettings) -> dict[str, Any]:
    """Every value is given, so that no variable of the environment redirects passages or key."""
    # the key in the environment is meant for its own server, not for whatever base_url names
    key = settings.api_key or ("" if settings.base_url else os.environ.get("OPENAI_API_KEY", ""))
    http = _http(settings, bool(key))
    limit: dict[str, Any] = {}
    if settings.max_tokens:  # OpenAI renamed it, others know the old name
        limit = {"extra_body": {"max_tokens": settings.max_tokens}} if settings.base_url else {"max_tokens": settings.max_tokens}  # fmt: skip
    return {
        "base_url": settings.base_url or _OPENAI, "api_key": key or _NO_KEY, "timeout": settings.timeout_seconds,
        "max_retries": 0, "use_responses_api": False, "http_client": http, "openai_proxy": "", **limit,
        **_temperature(settings),
    }  # fmt: skip


def _http(settings: LlmSettings, has_key: bool) -> Any:
    """Our own client: no redirects, and its connections can be cut while they are read."""
    import httpx

    from .calling import remember_connection

    def without_key(request: httpx.Request) -> None:
        request.headers.pop("Authorization", None)

    return httpx.Client(
        timeout=httpx.Timeout(settings.timeout_seconds, connect=min(_CONNECT_SECONDS, settings.timeout_seconds)),
        follow_redirects=False,
        event_hooks={"request": [] if has_key else [without_key], "response": [remember_connection]},
    )


def _other(settings: LlmSettings) -> dict[str, Any]:
    """What every chat model of LangChain understands; the rest is ``llm.options``."""
    given = {"base_url": settings.base_url, "api_key": settings.api_key, "max_tokens": settings.max_tokens}
    return {**{name: value for name, value in given.items() if value}, **_temperature(settings)}


def _temperature(settings: LlmSettings) -> dict[str, Any]:
    return {"temperature": settings.temperature} if settings.temperature >= 0 else {}


def _package(provider: str, said: str) -> str:
    named = re.search(r"pip install (?:-U )?([\w.-]+)", said)
    return named[1] if named else f"langchain-{provider.replace('_', '-')}"
