"""How much one client, and all together, may ask: token buckets and a count of what is at work. The clock is an argument."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv6Address, ip_address

_MANY = 10_000
"""Clients remembered at once; of more, those that have been quiet the longest are forgotten."""


class Rate:
    """At most ``per_minute`` requests of one client, in bursts of that many; 0: no limit."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, client: str, per_minute: int) -> int:
        """0 when this request may pass, else the whole seconds to wait."""
        if not per_minute:
            return 0
        now, who = self._clock(), network(client)
        with self._lock:
            left, at = self._buckets.pop(who, (float(per_minute), now))
            left = min(float(per_minute), left + (now - at) * per_minute / 60)
            wait = 0 if left >= 1 else max(1, math.ceil((1 - left) * 60 / per_minute))
            self._buckets[who] = (left if wait else left - 1, now)
            if len(self._buckets) > _MANY:
                del self._buckets[next(iter(self._buckets))]
        return wait


class Crowd:
    """How many are at work: ``enter`` says whether there was room."""

    def __init__(self) -> None:
        self._lock, self.inside = threading.Lock(), 0

    def enter(self, most: int) -> bool:
        """Come in if there are fewer than ``most``; who came in leaves again."""
        with self._lock:
            if self.inside >= most:
                return False
            self.inside += 1
            return True

    def leave(self) -> None:
        """Make room."""
        with self._lock:
            self.inside -= 1


def network(client: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 that one holder of IPv6 addresses has."""
    with suppress(ValueError):
        address = ip_address(client)
        if isinstance(address, IPv6Address):
            if address.ipv4_mapped:
                return str(address.ipv4_mapped)
            return str(IPv6Address(int(address) >> 64 << 64))
    return client
