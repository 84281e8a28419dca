"""What ``indexer.toml`` may say: the pydantic models (slow to import, so only on the slow path).

Field names are the keys, defaults come from :mod:`indexer.settings` and
:mod:`indexer.core.tables`, so there is one place for each. Checks that need the disk or
several keys of different tables live in :mod:`indexer.config.places`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from ..core.model import Message
from ..core.tables import EmbeddingSettings, ParseLimits, SearchSettings, SplitSettings
from ..settings import Settings
from .daemon_tables import LogTable, MetricsTable, NotifyTable, ScheduleTable, ServeTable, WatchTable
from .fields import Int, Real, Table, Text, defaults, dotted, json_able, pattern, web_address
from .followers_table import FollowerTable
from .llm_table import LlmTable
from .problems import Wrong, nearest

BUILTIN_MODELS = ("builtin:e5-small", "builtin:use-multilingual")
SCHEMES = ("builtin:", "openai:", "python:")
DEVICES = ("cpu", "cuda", "mps", "npu", "xpu")
NAME = re.compile(r"(?![. ])[^/\\:*?\x00-\x1f\x7f]{1,64}(?<! )")
NAME_RULE = Message("a name has 64 characters at most, none of / \\ : * ? and no dot in front")


def suffix(key: str) -> str:
    """``html``, ``.HTML`` → ``.html``."""
    return ("" if key.startswith(".") else ".") + key.casefold()


Pattern = Annotated[str, AfterValidator(pattern)]


_SPLIT, _LIMITS, _EMBED, _SEARCH, _TOP = (
    defaults(k) for k in (SplitSettings, ParseLimits, EmbeddingSettings, SearchSettings, Settings)
)


class SourceTable(Table):
    """``[[sources]]``: one folder of documents."""

    name: str = ""
    path: Text
    include: list[Pattern] = Field(default_factory=list)
    exclude: list[Pattern] = Field(default_factory=list)

    @field_validator("name")
    @classmethod
    def _valid_name(cls, value: str) -> str:
        value = unicodedata.normalize("NFC", value)
        if value and not NAME.fullmatch(value):
            raise Wrong(NAME_RULE)
        return value


class SplitTable(Table):
    """``[split]``: sizes in characters."""

    size: Int = Field(default=_SPLIT["size"], ge=1, le=1_000_000)
    overlap: Int = Field(default=_SPLIT["overlap"], ge=0)
    provisions_factor: Int = Field(default=_SPLIT["provisions_factor"], ge=1, le=16)

    @model_validator(mode="after")
    def _smaller(self) -> SplitTable:
        if self.overlap >= self.size and "overlap" in self.model_fields_set:
            raise Wrong(Message("overlap must be smaller than size ({size})", {"size": self.size}), "overlap")
        if self.overlap >= self.size:
            why = Message("overlap is {overlap} unless you set it too: it must be smaller", {"overlap": self.overlap})
            raise Wrong(why, "size")
        return self


class LimitsTable(Table):
    """``[limits]``: what one file may cost."""

    cpu_seconds: Real = Field(default=_LIMITS["cpu_seconds"], gt=0)
    wall_seconds: Real = Field(default=_LIMITS["wall_seconds"], gt=0)
    memory_mb: Int = Field(default=_LIMITS["memory_mb"], ge=64)
    inflated_mb: Int = Field(default=_LIMITS["inflated_mb"], ge=1)
    file_mb: Int = Field(default=_LIMITS["file_mb"], ge=1)
    output_chars: Int = Field(default=_LIMITS["output_chars"], ge=1)
    page_seconds: Real = Field(default=_LIMITS["page_seconds"], gt=0)
    pages: Int = Field(default=_LIMITS["pages"], ge=0)
    extra_memory_mb: Int = Field(default=_LIMITS["extra_memory_mb"], ge=0)


class EmbeddingTable(Table):
    """``[embedding]``: which model makes the vectors."""

    model: Text = _EMBED["model"]
    precision: Literal["auto", "int8", "fp32", "fp16", "bf16"] = _EMBED["precision"]
    device: str = _EMBED["device"]
    threads: Int = Field(default=_EMBED["threads"], ge=0, le=1024)
    base_url: str = _EMBED["base_url"]
    api_key: str = Field(default="", repr=False)
    api_key_env: str = ""
    query_prefix: str | None = None
    passage_prefix: str | None = None
    batch_size: Int = Field(default=_EMBED["batch_size"], ge=0)
    timeout_seconds: Real = Field(default=_EMBED["timeout_seconds"], gt=0)
    options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("model")
    @classmethod
    def _known_model(cls, value: str) -> str:
        scheme, colon, rest = value.partition(":")
        short = f"builtin:{value}" in BUILTIN_MODELS
        if short or (value.startswith("builtin:") and value not in BUILTIN_MODELS):
            raise Wrong(nearest(value, BUILTIN_MODELS))
        if value.startswith("python:"):
            return "python:" + dotted(rest)
        if colon and len(scheme) > 1 and scheme + ":" not in SCHEMES:  # "C:\models" is a folder
            raise Wrong(nearest(value, (*BUILTIN_MODELS, f"openai:{rest}", f"python:{rest}")))
        if colon and not rest:
            raise Wrong(Message("the name of the model is missing after the colon"))
        return value

    @field_validator("device")
    @classmethod
    def _known_device(cls, value: str) -> str:
        if not re.fullmatch(rf"({'|'.join(DEVICES)})(:\d+)?", value):
            raise Wrong(nearest(value, DEVICES))
        return value

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        return web_address(value)

    @field_validator("options")
    @classmethod
    def _json_able(cls, value: dict[str, Any]) -> dict[str, Any]:
        return json_able(value)

    @model_validator(mode="after")
    def _belong_together(self) -> EmbeddingTable:
        if self.model.startswith("openai:") and not self.base_url:
            raise Wrong(Message("models named openai:… need the address of their server"), "base_url")
        if self.model.startswith("builtin:") and self.precision not in ("auto", "int8", "fp32"):
            raise Wrong(Message("built-in models run in int8 or fp32"), "precision")
        if self.api_key and self.api_key_env:
            raise Wrong(Message("give api_key or api_key_env, not both"), "api_key_env")
        return self


class SearchTable(Table):
    """``[search]``: how questions are answered."""

    mode: Literal["hybrid", "vector", "lexical"] = _SEARCH["mode"]
    per_document: Int = Field(default=_SEARCH["per_document"], ge=0)


class ConfigFile(BaseSettings):
    """The whole of ``indexer.toml``, environment and flags already merged."""

    model_config = SettingsConfigDict(extra="forbid", env_prefix="INDEXER_", env_nested_delimiter="__")

    language: Literal["auto", "en", "zh"] = _TOP["language"]
    metadata: Text = "metadata"
    vectorstore: Text = "vectorstore"
    retention_days: Int = Field(default=_TOP["retention_days"], ge=0)
    audit_days: Int = Field(default=_TOP["audit_days"], ge=0)
    answers_days: Int = Field(default=_TOP["answers_days"], ge=0)
    snapshots_kept: Int = Field(default=_TOP["snapshots_kept"], ge=0)
    snapshot_every_hours: Int = Field(default=_TOP["snapshot_every_hours"], ge=0)
    scrub_days: Int = Field(default=_TOP["scrub_days"], ge=1)
    hold_min_documents: Int = Field(default=_TOP["hold_min_documents"], ge=0)
    hold_share: Real = Field(default=_TOP["hold_share"], ge=0, le=1)
    attempts: Int = Field(default=_TOP["attempts"], ge=1, le=100)
    loaders_network: Literal["refused", "allowed"] = _TOP["loaders_network"]
    workers: Int = Field(default=_TOP["workers"], ge=0, le=64)
    batch_passages: Int = Field(default=_TOP["batch_passages"], ge=1)
    batch_seconds: Real = Field(default=_TOP["batch_seconds"], gt=0)
    min_free_mb: Int = Field(default=_TOP["min_free_mb"], ge=0)
    sources: list[SourceTable] = Field(
        default_factory=lambda: [SourceTable(name="knowledge_base", path="knowledge_base")], min_length=1
    )
    split: SplitTable = Field(default_factory=lambda: SplitTable())
    limits: LimitsTable = Field(default_factory=lambda: LimitsTable())
    embedding: EmbeddingTable = Field(default_factory=lambda: EmbeddingTable())
    loaders: dict[str, Annotated[str, AfterValidator(dotted)]] = Field(default_factory=dict)
    search: SearchTable = Field(default_factory=lambda: SearchTable())
    schedule: ScheduleTable = Field(default_factory=lambda: ScheduleTable())
    watch: WatchTable = Field(default_factory=lambda: WatchTable())
    log: LogTable = Field(default_factory=lambda: LogTable())
    metrics: MetricsTable = Field(default_factory=lambda: MetricsTable())
    llm: LlmTable = Field(default_factory=lambda: LlmTable())
    serve: ServeTable = Field(default_factory=lambda: ServeTable())
    notify: NotifyTable = Field(default_factory=lambda: NotifyTable())
    followers: list[FollowerTable] = Field(default_factory=list)

    @field_validator("loaders")
    @classmethod
    def _suffixes(cls, value: dict[str, str]) -> dict[str, str]:
        found = {suffix(key): path for key, path in value.items()}
        if bad := [key for key in found if not re.fullmatch(r"\.[^\s./\\]+", key)]:
            raise Wrong(Message("{suffix} is no file name suffix such as .html", {"suffix": bad[0]}))
        if len(found) < len(value):
            raise Wrong(Message("a suffix is named twice"))
        return found

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what :mod:`indexer.config.layers` has merged: nothing is read behind our back."""
        return (init_settings,)
