"""``[[followers]]``: systems that are told of every change."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from ..core.following import FollowerSettings
from ..core.model import Message
from .fields import Int, Real, Table, Text, defaults, dotted, json_able, pattern, web_address
from .problems import Wrong

_F = defaults(FollowerSettings)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_NEEDS = {"lightrag": "url", "webhook": "url", "vectorstore": "store"}

Pattern = Annotated[str, AfterValidator(pattern)]


class FollowerTable(Table):
    """The keys of one follower."""

    name: Text
    kind: Literal["lightrag", "webhook", "vectorstore"]
    enabled: bool = _F["enabled"]
    url: str = ""
    api_key: str = Field(default="", repr=False)
    api_key_env: str = ""
    username: str = ""
    password: str = Field(default="", repr=False)
    password_env: str = ""
    workspace: str = ""
    include: list[Pattern] = Field(default_factory=list)
    exclude: list[Pattern] = Field(default_factory=list)
    send: Literal["text", "file"] = _F["send"]
    min_chars: Int | None = Field(default=None, ge=0)
    max_kb: Real | None = Field(default=None, ge=0)
    batch: Int = Field(default=_F["batch"], ge=1, le=1000)
    with_text: bool = _F["with_text"]
    store: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    timeout_seconds: Real = Field(default=_F["timeout_seconds"], gt=0)
    probe_seconds: Real = Field(default=_F["probe_seconds"], ge=1)
    probe_down_seconds: Real = Field(default=_F["probe_down_seconds"], ge=1)

    @field_validator("name")
    @classmethod
    def _short(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise Wrong(Message("a follower's name is made of letters, digits, - and _, 32 at most"))
        return value

    @field_validator("url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        return web_address(value).rstrip("/")

    @field_validator("store")
    @classmethod
    def _a_class(cls, value: str) -> str:
        return dotted(value.removeprefix("python:")) if value else value

    @field_validator("options")
    @classmethod
    def _json_able(cls, value: dict[str, Any]) -> dict[str, Any]:
        return json_able(value)

    @model_validator(mode="after")
    def _belong_together(self) -> FollowerTable:
        needed = _NEEDS[self.kind]
        if not getattr(self, needed):
            raise Wrong(Message("a follower of the kind {kind} needs it", {"kind": self.kind}), needed)
        for secret in ("api_key", "password"):
            if getattr(self, secret) and getattr(self, secret + "_env"):
                why = Message("give {one} or {other}, not both", {"one": secret, "other": secret + "_env"})
                raise Wrong(why, secret + "_env")
        if self.username and not (self.password or self.password_env):
            raise Wrong(Message("a username needs a password"), "username")
        return self

    def settings(self, secret: Any) -> FollowerSettings:
        """As the followers have it; ``secret(name)`` is a variable of the environment."""
        values = self.model_dump(exclude={"api_key_env", "password_env"})
        graph = self.kind == "lightrag"  # what a graph is not worth, or cannot digest, a webhook may well hear of
        for name, own in (("min_chars", _F["min_chars"]), ("max_kb", _F["max_kb"])):
            if values[name] is None:
                values[name] = own if graph else type(own)(0)
        for name in ("api_key", "password"):
            if variable := getattr(self, name + "_env"):
                values[name] = secret(variable)
        return FollowerSettings(**values | {"include": tuple(self.include), "exclude": tuple(self.exclude)})
