"""/metrics over HTTP: the two formats, one path, one address, and no port is no reason to stop."""

from __future__ import annotations

import http.client
import socket
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from monitored import values
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from indexer.i18n import translate
from indexer.metrics import Metrics, Served, serve

Told = list[tuple[str, Mapping[str, Any]]]


@pytest.fixture
def heard() -> Told:
    """What the server told."""
    return []


@pytest.fixture
def served(everything: Metrics, heard: Told) -> Iterator[Served]:
    """Every metric, on a free port."""
    served = serve("127.0.0.1:0", everything, lambda kind, facts: heard.append((kind, facts)))
    assert served.address is not None
    yield served
    served.close()


def get(served: Served, path: str = "/metrics", *, method: str = "GET", accept: str = "") -> tuple[int, str, bytes]:
    """(status, content type, body)."""
    assert served.address is not None
    connection = http.client.HTTPConnection(*served.address, timeout=120)
    connection.request(method, path, headers={"Accept": accept} if accept else {})
    response = connection.getresponse()
    found = response.status, response.getheader("Content-Type", ""), response.read()
    connection.close()
    return found


def test_plain_text(served: Served) -> None:
    """What a browser and an old Prometheus get."""
    status, content_type, body = get(served)
    assert status == 200
    assert content_type.startswith("text/plain; version=0.0.4")
    assert values(body)[("indexer_catalog_readable", ())] == 1


def test_openmetrics(served: Served, everything: Metrics) -> None:
    """What Prometheus asks for: valid by its own parser, with the same samples."""
    accept = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    status, content_type, body = get(served, accept=accept)
    assert status == 200
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    assert body.endswith(b"# EOF\n")
    families = list(text_string_to_metric_families(body.decode()))
    names = {s.name for f in families for s in f.samples}
    assert names == {name for name, _ in values(everything)}
    assert not [f.name for f in families if f.type == "unknown"]


@pytest.mark.parametrize(
    "accept", ["application/openmetrics-text;version=abc", "text/plain;version=x.y", ";;;", "application/json", "*/*"]
)
def test_any_other_wish_gets_text(served: Served, accept: str) -> None:
    """Never an error: a scrape that fails for its headers is a scrape lost."""
    status, content_type, body = get(served, accept=accept)
    assert (status, content_type.split(";")[0]) == (200, "text/plain")
    assert b"indexer_commit 1.0\n" in body


@pytest.mark.parametrize("path", ["/", "/metrics/", "/metrics/../etc/passwd", "/favicon.ico", "/METRICS"])
def test_nothing_else_is_served(served: Served, path: str) -> None:
    """One path."""
    status, _, body = get(served, path)
    assert status == 404
    assert b"indexer_" not in body


def test_head_and_parameters(served: Served) -> None:
    """HEAD has no body; what stands behind a question mark is Prometheus's own affair."""
    status, _, body = get(served, method="HEAD")
    assert (status, body) == (200, b"")
    assert get(served, "/metrics?collect[]=x")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"])
def test_nothing_can_be_changed(served: Served, method: str) -> None:
    """Only GET and HEAD are understood."""
    assert get(served, method=method)[0] == 501


def test_the_server_does_not_say_what_it_is_made_of(served: Served) -> None:
    """No version of Python in the headers."""
    assert served.address is not None
    connection = http.client.HTTPConnection(*served.address, timeout=120)
    connection.request("GET", "/metrics")
    assert connection.getresponse().headers["Server"].strip() == "indexer"
    connection.close()


def test_only_the_configured_address_is_listened_on(served: Served) -> None:
    """Not the other addresses of this machine."""
    assert served.address is not None
    if sys.platform == "linux":  # elsewhere 127.0.0.2 is no address of the machine
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", served.address[1]), 60)


def test_clients_that_say_nothing_do_not_keep_others_waiting(served: Served) -> None:
    """Each has a thread of its own."""
    assert served.address is not None
    silent = [socket.create_connection(served.address, 60) for _ in range(20)]
    assert get(served)[0] == 200
    for client in silent:
        client.close()


def test_many_at_once(served: Served) -> None:
    """All get the whole."""
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(get(served)[0])) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 16


def test_a_taken_port_is_told_and_the_daemon_goes_on(everything: Metrics, served: Served, heard: Told) -> None:
    """The message names the key and the remedy, in both languages."""
    assert served.address is not None
    listen = "{}:{}".format(*served.address)
    second = serve(listen, everything, lambda kind, facts: heard.append((kind, facts)))
    assert second.address is None
    [(kind, facts)] = heard
    assert (kind, facts["level"]) == ("log", "error")
    english, chinese = str(facts["message"]), translate(facts["message"], "zh")
    assert "metrics.listen" in english
    assert listen in english
    assert "another address" in english
    assert "metrics.listen" in chinese
    assert chinese != english
    second.close()
    assert get(served)[0] == 200


@pytest.mark.parametrize("listen", ["192.0.2.1:9464", "nowhere.invalid:9464", "127.0.0.1:99999", "::::", "x"])
def test_an_address_that_is_none_of_ours(metrics: Metrics, heard: Told, listen: str) -> None:
    """Is told too, never raised."""
    served = serve(listen, metrics, lambda kind, facts: heard.append((kind, facts)))
    assert served.address is None
    assert listen in str(heard[0][1]["message"])
    served.close()


def test_closing_gives_the_port_back(metrics: Metrics, heard: Told) -> None:
    """At once, as often as one likes: the daemon reloads its configuration."""
    served = serve("127.0.0.1:0", metrics, lambda kind, facts: heard.append((kind, facts)))
    assert served.address is not None
    listen = "{}:{}".format(*served.address)
    for _ in range(3):
        assert get(served)[0] == 200
        served.close()
        served = serve(listen, metrics, lambda kind, facts: heard.append((kind, facts)))
    served.close()
    served.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://{listen}/metrics", timeout=60)
    assert not heard


def test_version_six(metrics: Metrics, heard: Told) -> None:
    """In brackets, as in a browser."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    served = serve("[::1]:0", metrics, lambda kind, facts: heard.append((kind, facts)))
    assert served.address is not None
    assert get(served)[0] == 200
    served.close()
