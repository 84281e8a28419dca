"""The parts of the web service that decide without a server: keys, limits, origins, languages."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from indexer.core.errors import ConfigError, UsageError
from indexer.core.tables import ServeSettings
from indexer.web import sessions
from indexer.web.admission import check
from indexer.web.keys import Keys
from indexer.web.limits import Crowd, Rate, network
from indexer.web.origins import client_of, exposed, known_host
from indexer.web.problems import language_of


def test_a_key_is_kept_as_a_hash_alone(tmp_path: Path) -> None:
    """The file is for its owner alone and does not hold the key."""
    keys = Keys(tmp_path)
    key = keys.add("li.na", "write", "2026-11-30")
    assert stat.S_IMODE(os.stat(keys.path).st_mode) == 0o600
    assert key not in keys.path.read_text()
    assert key.removeprefix("idx_") not in keys.path.read_text()
    entry = keys.check(key)
    assert entry is not None
    assert (entry.name, entry.scope) == ("li.na", "write")
    assert keys.check(key[:-1]) is None
    assert keys.check("") is None


def test_another_process_sees_a_change_at_once(tmp_path: Path) -> None:
    """A key that was removed elsewhere is refused, one that was added is known."""
    here, there = Keys(tmp_path), Keys(tmp_path)
    key = here.add("a", "read", "2026-11-30")
    assert there.check(key) is not None
    here.remove("a")
    assert there.check(key) is None


@pytest.mark.parametrize("name", ["", "a b", "../x", "-x", "é", "x" * 65, "a~b", "a\n"])
def test_names_of_keys(tmp_path: Path, name: str) -> None:
    """Letters, digits and a few marks."""
    with pytest.raises(UsageError):
        Keys(tmp_path).add(name, "read", "2026-11-30")


def test_mistakes_with_keys(tmp_path: Path) -> None:
    """A name twice, a scope that is none, a key that is not there."""
    keys = Keys(tmp_path)
    keys.add("a", "read", "2026-11-30")
    for mistake in (lambda: keys.add("a", "read", ""), lambda: keys.add("b", "root", ""), lambda: keys.remove("c")):
        with pytest.raises(UsageError):
            mistake()


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"keys": [{}]}', json.dumps({"keys": [{"name": "a", "scope": "root", "salt": "00" * 16, "hash": "0" * 64, "created": ""}]})])  # fmt: skip
def test_a_damaged_file_of_keys(tmp_path: Path, text: str) -> None:
    """Nobody is let in, and whoever runs it is told."""
    keys = Keys(tmp_path)
    keys.path.write_text(text)
    with pytest.raises(ConfigError, match="indexer key add"):
        keys.check("x")


def test_the_rate_refills() -> None:
    """So many at once, then one for each part of a minute; another client has its own."""
    now = [0.0]
    rate = Rate(lambda: now[0])
    assert [rate.take("10.0.0.1", 3) for _ in range(4)] == [0, 0, 0, 20]
    assert rate.take("10.0.0.2", 3) == 0
    now[0] = 20.0
    assert [rate.take("10.0.0.1", 3) for _ in range(2)] == [0, 20]
    assert [rate.take("10.0.0.1", 0) for _ in range(9)] == [0] * 9


def test_the_rate_remembers_so_many_clients() -> None:
    """Whoever asks from a million addresses takes no memory for each."""
    rate = Rate(lambda: 0.0)
    for i in range(20_000):
        rate.take(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}", 3)
    assert len(rate._buckets) <= 10_000


def test_one_holder_of_ipv6_addresses_is_one_client() -> None:
    """A /64 belongs to one; an IPv4 address in IPv6 form is that address."""
    assert network("2001:db8::1") == network("2001:db8::ffff:2")
    assert network("2001:db8::1") != network("2001:db8:0:1::1")
    assert network("::ffff:10.0.0.1") == "10.0.0.1"


def test_a_crowd_has_room_for_so_many() -> None:
    """Whoever leaves makes room."""
    crowd = Crowd()
    assert [crowd.enter(2) for _ in range(3)] == [True, True, False]
    crowd.leave()
    assert crowd.enter(2)


@pytest.mark.parametrize(
    ("settings", "is_exposed"),
    [
        (ServeSettings(), False),
        (ServeSettings(listen="[::1]:1"), False),
        (ServeSettings(listen="localhost:1"), False),
        (ServeSettings(allowed_hosts=("localhost:99",)), False),
        (ServeSettings(listen="0.0.0.0:1"), True),
        (ServeSettings(listen="192.168.1.5:1"), True),
        (ServeSettings(listen="docs.example.com:1"), True),
        (ServeSettings(allowed_hosts=("docs.example.com",)), True),
        (ServeSettings(proxies=("127.0.0.1",)), True),
    ],
)
def test_whom_an_address_is_for(tmp_path: Path, settings: ServeSettings, is_exposed: bool) -> None:
    """What others reach does not begin without a key."""
    assert exposed(settings) == is_exposed
    if is_exposed:
        with pytest.raises(ConfigError, match="indexer key add"):
            check(settings, Keys(tmp_path))
    else:
        check(settings, Keys(tmp_path))
    Keys(tmp_path).add("a", "admin", "2026-11-30")
    check(settings, Keys(tmp_path))


@pytest.mark.parametrize(
    ("host", "settings", "known"),
    [
        ("127.0.0.1:8765", ServeSettings(), True),
        ("127.0.0.1:80", ServeSettings(), False),
        ("", ServeSettings(), False),
        ("docs.example.com", ServeSettings(allowed_hosts=("docs.example.com",)), True),
        ("docs.example.com:8443", ServeSettings(allowed_hosts=("docs.example.com",)), True),
        ("docs.example.com:1", ServeSettings(allowed_hosts=("docs.example.com:8443",)), False),
        ("docs.example.com.evil", ServeSettings(allowed_hosts=("docs.example.com",)), False),
        ("10.1.2.3:8765", ServeSettings(listen="0.0.0.0:8765"), True),
        ("evil.example:8765", ServeSettings(listen="0.0.0.0:8765"), False),
        ("localhost", ServeSettings(listen="10.1.2.3:8765"), False),
    ],
)
def test_which_names_are_ours(host: str, settings: ServeSettings, known: bool) -> None:
    """The address itself and what is listed; a port has to be the right one."""
    assert known_host(host, settings, 8765) == known


def test_whom_a_proxy_asks_for() -> None:
    """Only a proxy of ours is believed, and only the last address that is none of them."""
    proxied = ServeSettings(proxies=("10.0.0.0/8",))
    headers = {"x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.9.9.9", "x-forwarded-proto": "https"}
    assert client_of("10.0.0.1", headers, proxied) == ("1.2.3.4", True)
    assert client_of("8.8.8.8", headers, proxied) == ("8.8.8.8", False)
    assert client_of("10.0.0.1", headers, ServeSettings()) == ("10.0.0.1", False)
    assert client_of("10.0.0.1", {"x-forwarded-for": "<script>"}, proxied) == ("10.0.0.1", False)


@pytest.mark.parametrize(
    ("accept", "asked", "expected"),
    [
        ("", "", "en"),
        ("zh-Hans-CN", "", "zh"),
        ("en;q=0.5,zh;q=0.9", "", "zh"),
        ("zh;q=0, en", "", "en"),
        ("fr,de", "", "en"),
        ("zh", "en", "en"),
        ("zh", "xx", "zh"),
        (",;q=,,zh;q=2,\x00" + "a" * 5000, "", "en"),
    ],
)
def test_the_readers_language(accept: str, asked: str, expected: str) -> None:
    """What was asked for, then what the browser prefers, then what is configured."""
    assert language_of(accept, asked, "en") == expected


def test_a_forged_logout_is_not_remembered(tmp_path: Path) -> None:
    """Only what has the form of a session takes memory, and that until it would have ended."""
    keys, ended = Keys(tmp_path), {"old": 5.0}
    keys.add("a", "read", "2026-11-30")
    entry = keys.named("a")
    assert entry is not None
    cookie = sessions.begin(entry, 100.0, 1.0)
    assert sessions.whose(cookie, keys, 101.0, ended) == entry
    sessions.end(cookie, 101.0, ended)
    sessions.end("nonsense", 101.0, ended)
    assert list(ended.values()) == [3700.0]
    assert sessions.whose(cookie, keys, 101.0, ended) is None
