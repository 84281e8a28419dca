"""A language model with patience: tries again what may be mended, before its first word only."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from ..core.errors import Interrupted
from ..core.model import Message
from ..core.tables import LlmSettings
from ..logs.mask import Mask
from .calling import Call, Piece, Stop
from .failures import CutOff, Fault, ModelFailed, fault_of, note_of, place
from .prompt import Messages
from .thinking import Thinking


class Model(Protocol):
    """What writes answers. ``name`` is kept with each answer."""

    @property
    def name(self) -> str:
        """Provider and model."""

    def stream(self, messages: Messages, stop: Stop) -> Iterator[str]:
        """Its words as they come. Raises ModelFailed before the first, CutOff after it, Interrupted on ``stop``."""


class Patience(NamedTuple):
    """Seconds, and tries including the first; a person is waiting, so less than an update has."""

    tries: int = 4
    first: float = 0.5
    longest: float = 4.0
    longest_asked: float = 20.0


class Chat:
    """A LangChain chat model as :class:`Model`. Thread-safe. ``sleep`` and ``jitter`` are arguments for tests."""

    def __init__(
        self, model: Any, settings: LlmSettings, mask: Mask, patience: Patience = Patience(),  # noqa: B008 - immutable
        sleep: Callable[[float], None] = time.sleep, jitter: Callable[[], float] = random.random,
    ) -> None:  # fmt: skip
        self._model, self._settings, self._mask, self._patience = model, settings, mask, patience
        self._sleep, self._jitter = sleep, jitter
        self.name = f"{settings.provider}:{settings.model}"

    def stream(self, messages: Messages, stop: Stop) -> Iterator[str]:
        """See :class:`Model`; an empty answer is a failure."""
        for attempt in range(1, self._patience.tries + 1):
            heard = False
            last = Piece(last=True)
            for piece in self._visible(messages, stop):
                if piece.last:
                    last = piece
                elif piece.text:
                    heard = True
                    yield piece.text
            if heard:
                return self._ended(last)
            fault = self._fault(last)
            if not fault.again or attempt == self._patience.tries or self._wait(fault, attempt) is None:
                raise ModelFailed(note_of(fault, self._settings))
            self._rest(self._wait(fault, attempt) or 0.0, stop)
        return None

    def _visible(self, messages: Messages, stop: Stop) -> Iterator[Piece]:
        """Without what a reasoning model thinks aloud."""
        thinking = Thinking()
        for piece in Call(self._model, messages).pieces(stop, self._settings.timeout_seconds):
            if piece.last:
                yield Piece(thinking.end())
                yield piece
            else:
                yield Piece(thinking.feed(piece.text))

    def _ended(self, last: Piece) -> None:
        """Whether what was heard is whole; raises CutOff when it is not."""
        why: str | Message = Message("the stream has no end")
        if last.error is not None:
            why = fault_of(last.error, self._mask).reason
        elif last.finish == "length":
            tokens = {"tokens": self._settings.max_tokens}
            raise CutOff(Message("The answer ends where llm.max_tokens ({tokens}) ends it.", tokens), failed=False)
        elif last.finish or self._settings.provider != "openai":  # the end of its protocol has a reason
            return
        args = {"url": place(self._settings), "reason": why}
        raise CutOff(Message("The model server {url} broke off ({reason}): the answer is not complete.", args))

    def _fault(self, last: Piece) -> Fault:
        if last.error is None:
            return Fault(0, "an empty answer", True, None)
        if isinstance(last.error, (KeyboardInterrupt, Interrupted)):
            raise last.error
        return fault_of(last.error, self._mask)

    def _wait(self, fault: Fault, attempt: int) -> float | None:
        """Seconds until the next try; None where the server asks for more than a person waits."""
        patience = self._patience
        if fault.wait is None:
            return float(min(patience.longest, patience.first * 2 ** (attempt - 1)) * (0.5 + self._jitter() / 2))
        return fault.wait if fault.wait <= patience.longest_asked else None

    def _rest(self, seconds: float, stop: Stop) -> None:
        """Sleep in short pieces: a caller who goes away is heard."""
        while seconds > 0:
            if stop():
                raise Interrupted("The question was withdrawn.")
            self._sleep(min(seconds, 0.2))
            seconds -= 0.2
