"""Sending one message to one address, through apprise; nothing of the address comes back in a reason."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..config import channels
from ..core.model import Message
from ..logs.lines import printable
from ..logs.mask import mask_for

if TYPE_CHECKING:
    from apprise import NotifyBase
    from apprise.logger import NotifyLogEntry

TIMEOUT = 30.0
"""Seconds one message to one address may take."""

LARGEST = 8192
"""Bytes of a message, whatever the service would take: it is read on a telephone."""

_REASON = 300


class Written(NamedTuple):
    """A message as it is read."""

    subject: str
    body: str


Write = Callable[[int], Written]
"""Writes the message with so many names of each kind."""

NAMES_TRIED = (20, 10, 5, 2, 0)


def send(url: str, write: Write, mood: str = "info") -> Message | None:
    """Send to one address and wait for the answer; None if it took it, else why not.

    ``mood``: info, success, warning, failure.
    """
    from apprise import Apprise, NotifyFormat

    service = channels.channel(url)
    if service is None:
        return Message("the address is not one that apprise understands; `indexer config check` says more")
    _be_strict(service)
    written = fitting(service, write)
    sender = Apprise(asset=service.asset)
    sender.add(service)
    text = NotifyFormat.TEXT.value
    try:
        with _overheard():
            result = sender.notify(
                written.body, written.subject, mood, text, timeout=TIMEOUT, log_level=logging.DEBUG
            )  # fmt: skip
    except Exception as e:  # a fault of one service is no fault of the others
        return _reason(url, [f"{type(e).__name__}: {e}"])
    return None if result else _reason(url, [said for entry in result.logs() if (said := _telling(entry))])


@contextlib.contextmanager
def _overheard() -> Iterator[None]:
    """Why a connection failed apprise says at debug level only; its details hold secrets, so nobody else hears them."""
    logger = logging.getLogger("apprise")
    before = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    try:
        yield
    finally:
        logger.setLevel(before[0])
        logger.propagate = before[1]


def _telling(entry: NotifyLogEntry) -> str:
    """What helps of a line that apprise wrote: its warnings, and of the details why a connection failed or what was answered."""
    text: str = entry.message
    if entry.level in ("WARNING", "ERROR", "CRITICAL"):
        return text
    if "Exception: " in text:
        cause = re.search(r"\[Errno -?\d+\] ([^'\")]+)|(timed out|certificate verify failed[^)]*)", text)
        return cause[1] or cause[2] if cause else text.partition("Exception: ")[2]
    return re.sub(r"^Response Details:\s*b?", "", text) if text.startswith("Response Details:") else ""


def _reason(url: str, said: list[str]) -> Message:
    mask = mask_for(channels.secrets(url))
    text = "; ".join(dict.fromkeys(printable(mask(x)).rstrip(".") for x in said))
    if not text:
        return Message("no answer within {seconds} s", {"seconds": f"{TIMEOUT:g}"})
    return Message("{text}", {"text": text if len(text) <= _REASON else text[: _REASON - 1] + "…"})


def fitting(service: NotifyBase, write: Write) -> Written:
    """The message with as many names as the service has room for (WeCom takes 2,048 bytes), cut if need be."""
    limit = min(service.body_maxlen or LARGEST, LARGEST)
    for names in NAMES_TRIED:
        written = write(names)
        if len(f"{written.subject}\r\n{written.body}".encode()) <= limit:
            return written
    room = limit - len(f"{written.subject}\r\n…".encode())
    return Written(written.subject, written.body.encode()[: max(0, room)].decode(errors="ignore") + "…")


class _Strict:
    """``requests`` for a service that answers 200 and says in the body that it refused.

    apprise 2.3 takes every 200 of DingTalk and WeCom for sent (it looks into Feishu's). An answer
    with an error code is given to it as a 400.
    """

    def __init__(self, requests: Any, logger: Any) -> None:
        self.requests, self.logger = requests, logger

    def __getattr__(self, name: str) -> Any:
        return getattr(self.requests, name)

    def post(self, *args: Any, **options: Any) -> Any:
        """``requests.post``."""
        answer = self.requests.post(*args, **options)
        try:
            said = answer.json()
        except ValueError:
            return answer
        if answer.status_code == 200 and isinstance(said, dict) and said.get("errcode"):
            self.logger.warning("refused: %s %s", said["errcode"], said.get("errmsg", ""))
            answer.status_code = 400
        return answer


def _be_strict(service: NotifyBase) -> None:
    if type(service).__name__ in ("NotifyDingTalk", "NotifyWeComBot"):
        module: Any = import_module(type(service).__module__)
        if not isinstance(module.requests, _Strict):
            module.requests = _Strict(module.requests, service.logger)
