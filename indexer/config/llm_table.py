"""``[llm]``: the language model that answers questions."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, field_validator, model_validator

from ..core.model import Message
from ..core.tables import LlmSettings
from .fields import Int, Real, Table, Text, defaults, dotted, json_able, web_address
from .problems import Wrong

_LLM = defaults(LlmSettings)


class LlmTable(Table):
    """The keys of ``[llm]``."""

    model: str = _LLM["model"]
    provider: Text = _LLM["provider"]
    base_url: str = _LLM["base_url"]
    api_key: str = Field(default="", repr=False)
    api_key_env: str = ""
    temperature: Real = Field(default=_LLM["temperature"], ge=-1, le=2)
    timeout_seconds: Real = Field(default=_LLM["timeout_seconds"], gt=0)
    max_tokens: Int = Field(default=_LLM["max_tokens"], ge=0)
    options: dict[str, Any] = Field(default_factory=dict)
    rerank: str = _LLM["rerank"]
    rerank_options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("provider")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
            raise Wrong(Message('a provider is written as LangChain names it, such as "openai" or "anthropic"'))
        return value

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        return web_address(value)

    @field_validator("rerank")
    @classmethod
    def _a_class(cls, value: str) -> str:
        return "python:" + dotted(value.removeprefix("python:")) if value.startswith("python:") else value

    @field_validator("options", "rerank_options")
    @classmethod
    def _json_able(cls, value: dict[str, Any]) -> dict[str, Any]:
        return json_able(value)

    @model_validator(mode="after")
    def _one_key(self) -> LlmTable:
        if self.api_key and self.api_key_env:
            raise Wrong(Message("give api_key or api_key_env, not both"), "api_key_env")
        return self
