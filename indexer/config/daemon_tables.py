"""The tables of ``indexer.toml`` that only the daemon reads."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ..core.model import Message
from ..core.tables import LogSettings, MetricsSettings, NotifySettings, ScheduleSettings, ServeSettings, WatchSettings
from .fields import Int, Real, Table, Text, defaults
from .problems import Wrong
from .schedules import DAY, check_cron, check_zone, parse_at, parse_every

_SCHEDULE, _WATCH, _LOG = (defaults(k) for k in (ScheduleSettings, WatchSettings, LogSettings))
_METRICS, _NOTIFY, _SERVE = (defaults(k) for k in (MetricsSettings, NotifySettings, ServeSettings))


class ScheduleTable(Table):
    """``[schedule]``: when the daemon updates by itself."""

    enabled: bool = _SCHEDULE["enabled"]
    at: str = _SCHEDULE["at"]
    cron: str = _SCHEDULE["cron"]
    every: str = _SCHEDULE["every"]
    time_zone: str = _SCHEDULE["time_zone"]
    catch_up: bool = _SCHEDULE["catch_up"]
    max_minutes: Real = Field(default=_SCHEDULE["max_minutes"], ge=0)
    max_passages: Int = Field(default=_SCHEDULE["max_passages"], ge=0)
    verify_content: bool = _SCHEDULE["verify_content"]

    @field_validator("at")
    @classmethod
    def _time_of_day(cls, value: str) -> str:
        return "{:02}:{:02}".format(*parse_at(value))

    @field_validator("cron", "every", "time_zone")
    @classmethod
    def _understood(cls, value: str, info: ValidationInfo) -> str:
        checks = {"cron": check_cron, "every": parse_every, "time_zone": check_zone}
        if value:
            checks[info.field_name or ""](value)
        return value

    @model_validator(mode="after")
    def _only_one(self) -> ScheduleTable:
        given = [key for key in ("at", "cron", "every") if key in self.model_fields_set and getattr(self, key)]
        anchored = given == ["at", "every"] and parse_every(self.every) % DAY == 0  # whole days are at a time of day
        if len(given) > 1 and not anchored:
            raise Wrong(Message("give one of at, cron and every"), given[1])
        return self


class WatchTable(Table):
    """``[watch]``: follow the folders while the daemon runs."""

    enabled: bool = _WATCH["enabled"]
    debounce: Real = Field(default=_WATCH["debounce"], ge=0, le=3600)
    max_wait: Real = Field(default=_WATCH["max_wait"], ge=0, le=86_400)
    mode: Literal["auto", "events", "polling"] = _WATCH["mode"]
    poll_seconds: Real = Field(default=_WATCH["poll_seconds"], ge=0.1)
    full_look_minutes: Real = Field(default=_WATCH["full_look_minutes"], gt=0)
    probe_minutes: Real = Field(default=_WATCH["probe_minutes"], ge=0)

    @model_validator(mode="after")
    def _longer(self) -> WatchTable:
        if self.max_wait < self.debounce:
            why = Message("max_wait must not be shorter than debounce ({debounce})", {"debounce": self.debounce})
            raise Wrong(why, "max_wait" if "max_wait" in self.model_fields_set else "debounce")
        return self


class LogTable(Table):
    """``[log]``: what the daemon writes down."""

    level: Literal["debug", "info", "warning", "error"] = _LOG["level"]
    format: Literal["auto", "text", "json"] = _LOG["format"]
    file: str = _LOG["file"]
    max_mb: Real = Field(default=_LOG["max_mb"], gt=0)
    backups: Int = Field(default=_LOG["backups"], ge=0, le=1000)


class MetricsTable(Table):
    """``[metrics]``: for Prometheus."""

    listen: str = _METRICS["listen"]

    @field_validator("listen")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and not _is_address(value):
            raise Wrong(Message("an address is written as 127.0.0.1:9464"))
        return value


def _is_address(value: str) -> bool:
    host, _, port = value.rpartition(":")
    return bool(host) and port.isdecimal() and port.isascii() and 0 <= int(port) < 65536


class ServeTable(Table):
    """``[serve]``: the web service."""

    enabled: bool = _SERVE["enabled"]
    listen: Text = _SERVE["listen"]
    allowed_hosts: list[Text] = Field(default_factory=list)
    proxies: list[Text] = Field(default_factory=list)
    max_upload_mb: Int = Field(default=_SERVE["max_upload_mb"], ge=1)
    rate_per_minute: Int = Field(default=_SERVE["rate_per_minute"], ge=0)
    concurrency: Int = Field(default=_SERVE["concurrency"], ge=1, le=1000)
    session_hours: Real = Field(default=_SERVE["session_hours"], gt=0)
    mcp: bool = _SERVE["mcp"]

    @field_validator("listen")
    @classmethod
    def _address(cls, value: str) -> str:
        if not _is_address(value):
            raise Wrong(Message("an address is written as 127.0.0.1:8765"))
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _host_names(cls, value: list[str]) -> list[str]:
        if any(re.search(r"[\s/@*]|://", name) for name in value):
            raise Wrong(Message("a host is written as docs.example.com or docs.example.com:8443"))
        return [name.casefold() for name in value]

    @field_validator("proxies")
    @classmethod
    def _addresses(cls, value: list[str]) -> list[str]:
        for address in value:
            try:
                ip_network(address)
            except ValueError:
                raise Wrong(Message("a proxy is an IP address or a network such as 10.0.0.0/8")) from None
        return value


class NotifyTable(Table):
    """``[notify]``: whom to tell what."""

    urls: list[Text] = Field(default_factory=list, repr=False)
    on: list[Literal["changes", "failures", "held", "recovery"]] = Field(default_factory=lambda: list(_NOTIFY["on"]))
    language: Literal["auto", "en", "zh"] = _NOTIFY["language"]
