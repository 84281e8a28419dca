"""A multipart form, read as it comes in: nothing is kept but the piece at hand."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from typing import Any

import python_multipart
from python_multipart.multipart import parse_options_header

from ..core.model import Message
from .problems import Problem

_HEADERS = 16 * 1024
_PARTS = 20


class Form:
    """``async for part in form.parts()``: each part is read, or skipped, before the next one comes."""

    def __init__(self, stream: AsyncIterator[bytes], content_type: str) -> None:
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if kind != b"multipart/form-data" or not 1 <= len(boundary) <= 200:
            raise Problem(415, "form", Message("Send the file as multipart/form-data, in the part named `file`."))
        self._stream = stream.__aiter__()
        self._events: deque[tuple[str, bytes]] = deque()
        names = ("part_begin", "part_end", "headers_finished", "end")
        calls: Any = {f"on_{n}": self._hear(n) for n in names}
        calls |= {f"on_{n}": self._hear_data(n) for n in ("part_data", "header_field", "header_value")}
        self._parser = python_multipart.MultipartParser(boundary, calls)
        self._ended = False

    def _hear(self, name: str) -> Any:
        return lambda: self._events.append((name, b""))

    def _hear_data(self, name: str) -> Any:
        return lambda data, start, end: self._events.append((name, data[start:end]))

    async def event(self) -> tuple[str, bytes] | None:
        """What comes next; None at the end. Raises Problem (400)."""
        while not self._events:
            if self._ended:
                return None
            try:
                data = await anext(self._stream, None)
                if data is None:
                    self._ended = True
                    self._parser.finalize()
                elif data:
                    self._parser.write(data)
            except python_multipart.exceptions.FormParserError as e:
                raise _broken() from e
        return self._events.popleft()

    async def parts(self) -> AsyncIterator[Part]:
        """The parts in their order."""
        count = 0
        while (event := await self.event()) is not None:
            if event[0] == "part_begin":
                count += 1
                if count > _PARTS:
                    raise _broken()
                part = Part(self, await self._headers())
                yield part
                await part.skip()
            elif event[0] == "end":
                return
        raise _broken()  # it ended before its last boundary

    async def _headers(self) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        field = value = b""
        size = 0
        while (event := await self.event()) is not None and event[0] != "headers_finished":
            size += len(event[1])
            if event[0] not in ("header_field", "header_value") or size > _HEADERS:
                raise _broken()
            if event[0] == "header_field" and value:
                found[field.lower()] = value
                field = value = b""
            field, value = (field + event[1], value) if event[0] == "header_field" else (field, value + event[1])
        found[field.lower()] = value
        return found


class Part:
    """One part: a field, or a file."""

    def __init__(self, form: Form, headers: dict[bytes, bytes]) -> None:
        self._form, self._over = form, False
        _, options = parse_options_header(headers.get(b"content-disposition", b""))
        self.name = options.get(b"name", b"").decode("utf-8", "replace")
        self.filename = options.get(b"filename", b"").decode("utf-8", "surrogateescape")

    async def data(self) -> AsyncIterator[bytes]:
        """Its bytes as they come."""
        while not self._over:
            event = await self._form.event()
            if event is None:
                raise _broken()
            if event[0] == "part_end":
                self._over = True
            elif event[0] == "part_data":
                yield event[1]

    async def text(self, most: int) -> str:
        """A field's value; raises Problem when it is longer than ``most`` bytes, or no UTF-8."""
        got = b""
        async for data in self.data():
            got += data
            if len(got) > most:
                raise _broken()
        try:
            return got.decode()
        except UnicodeDecodeError as e:
            raise _broken() from e

    async def skip(self) -> None:
        """What is left of it is not wanted."""
        async for _ in self.data():
            pass


def _broken() -> Problem:
    return Problem(400, "form", Message("The form in the request cannot be read."))
