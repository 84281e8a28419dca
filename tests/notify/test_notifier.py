"""The notifier with a real receiver: once each, whatever fails, stops or starts anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from notify_scene import Scene, end
from outcomes import HOUR, MINUTE, NOON, done, failed
from receivers import Hooks, http, until


def subjects(hooks: Hooks) -> list[str]:
    """What has arrived, without the mark and the name."""
    return [got["title"].removeprefix("[indexer] kb: ") for got in hooks.got]


def test_a_web_hook_gets_the_news(scene: Scene) -> None:
    """Subject, body and mood, as JSON, once; the log names index and scheme."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}/hook-f00ba7")
        end(notifier, done(added=["制度.txt"]), done(), done())
        hooks.wait(1)
        notifier.stop()
    assert subjects(hooks) == ["added 1"]
    assert "kb/制度.txt" in hooks.got[0]["message"]
    assert hooks.got[0]["type"] == "info"
    assert hooks.paths == ["/hook-f00ba7"]
    assert "Notification sent to notify.urls[0] (json): [indexer] kb: added 1" in scene.said
    assert "f00ba7" not in scene.said + scene.state


def test_a_server_that_was_down_gets_it_once(scene: Scene) -> None:
    """It is tried again until it goes; then never again."""
    with http() as (hooks, port):
        hooks.status = 503
        notifier = scene.notifier(f"json://127.0.0.1:{port}/s3cr3t-path")
        end(notifier, done(added=["a"]))
        until(lambda: "could not be sent" in scene.said)
        hooks.status = 200
        hooks.wait(1)
        notifier.stop()
    assert subjects(hooks) == ["added 1"]
    assert "error=503" in scene.said
    assert "s3cr3t" not in scene.said + scene.state


def test_it_is_given_up_after_the_last_attempt(scene: Scene) -> None:
    """Four attempts, then a line in the log with what was lost; the next letter has its own attempts."""
    notifier = scene.notifier("json://127.0.0.1:1/s3cr3t-path", waits=(0.05, 0.05, 0.05))
    end(notifier, done(added=["a"]))
    until(lambda: "given up after 4 attempts" in scene.said)
    notifier.stop()
    assert scene.said.count("it is tried again in") == 3
    assert "Connection refused" in scene.said
    assert json.loads(scene.state)["letters"] == []
    assert "s3cr3t" not in scene.said


def test_one_address_out_of_order_keeps_no_other_waiting(scene: Scene) -> None:
    """The others get it, once."""
    with http() as (hooks, port):
        urls = ("nosuch://abcdef", f"json://127.0.0.1:{port}", "json://127.0.0.1:1")
        notifier = scene.notifier(*urls, waits=(0.05, 0.05, 0.05))
        end(notifier, done(added=["a"]))
        until(lambda: scene.said.count("given up") == 2)
        notifier.stop()
    assert subjects(hooks) == ["added 1"]
    assert "notify.urls[0] (nosuch) (the address is not one that apprise understands" in scene.said


def test_nothing_is_told_again_after_a_restart(scene: Scene) -> None:
    """A standing failure, failing files, held deletions: told, and known to the next process."""
    runs = [failed(), done(NOON + MINUTE, failed=["a"], held=["b"])]
    with http() as (hooks, port):
        url = f"json://127.0.0.1:{port}"
        for n in range(3):
            notifier = scene.notifier(url)
            end(notifier, *runs)
            hooks.wait(2)
            notifier.stop()
            runs = [done(NOON + (n + 2) * MINUTE, failed=["a"], held=["b"])]
        notifier = scene.notifier(url)
        end(notifier, done(NOON + HOUR))
        hooks.wait(3)
        notifier.stop()
    assert subjects(hooks) == [
        "the update failed", "updates work again, deletions held: 1, files failed: 1", "files fixed: 1, held deletions settled: 1",
    ]  # fmt: skip


def test_what_could_not_be_sent_is_sent_after_the_restart(scene: Scene) -> None:
    """Kept in the state, delivered once."""
    first = scene.notifier("json://127.0.0.1:1")
    with http() as (hooks, port):
        url = f"json://127.0.0.1:{port}"
        first.stop()
        hooks.status = 500
        second = scene.notifier(url, waits=(600.0, 600.0))
        end(second, failed())
        until(lambda: "could not be sent" in scene.said)
        second.stop()
        assert len(json.loads(scene.state)["letters"]) == 1
        state = json.loads(scene.state)
        state["letters"][0]["to"] = {channel: [1, 0] for channel in state["letters"][0]["to"]}
        (scene.metadata / "notify.json").write_text(json.dumps(state), "utf-8")
        hooks.status = 200
        third = scene.notifier(url)
        hooks.wait(1)
        third.stop()
        fourth = scene.notifier(url)
        fourth.stop()
    assert subjects(hooks) == ["the update failed"]


def test_a_letter_in_hand_is_not_in_the_file(scene: Scene) -> None:
    """A process killed while it sends does not send the same again: it is stored as gone before it goes."""
    with http() as (hooks, port):
        hooks.hold.clear()
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        end(notifier, done(added=["a"]))
        until(lambda: notifier.hand is not None and '"letters": []' in scene.state)
        hooks.hold.set()
        hooks.wait(1)
        notifier.stop()
    assert subjects(hooks) == ["added 1"]


def test_the_end_waits_a_little_and_no_longer(scene: Scene) -> None:
    """What is on its way is finished; a server that does not answer is left, and its letter kept."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}?rto=30")
        end(notifier, done(added=["a"]))
        notifier.stop(seconds=60)
        assert subjects(hooks) == ["added 1"]
        hooks.hold.clear()
        notifier = scene.notifier(f"json://127.0.0.1:{port}?rto=30")
        end(notifier, failed())
        until(lambda: notifier.hand is not None)
        notifier.stop(seconds=0.2)
        assert [letter["news"]["stopped"] for letter in json.loads(scene.state)["letters"]] == [True]


def test_gathered_changes_are_sent_at_the_end(scene: Scene) -> None:
    """Watched changes that wait for more do not wait for the next start."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        for n in range(5):
            end(
                notifier,
                done(NOON + n * MINUTE, modified=["a"], paths=["a"], trigger="watch", commit_before=n, commit=n + 1),
            )
            hooks.wait(1)
        notifier.stop(seconds=60)
    assert subjects(hooks) == ["modified 1", "modified 4"]
    assert "commit 1 → 5" in hooks.got[1]["message"]


def test_a_run_never_waits(scene: Scene) -> None:
    """While a server hangs, listeners return at once; what was missed meanwhile is told in the end, bounded."""
    with http() as (hooks, port):
        hooks.hold.clear()
        notifier = scene.notifier(f"json://127.0.0.1:{port}?rto=30")
        end(notifier, done(added=["a"]))
        until(lambda: notifier.hand is not None)
        for n in range(300):
            end(notifier, done(NOON + n, failed=[f"{n}"]))
        assert notifier.hand is not None
        thread = notifier.thread
        notifier.stop(seconds=0.1)
        assert "notifications were given up, since too many wait" in scene.said
        assert len(json.loads(scene.state)["letters"]) == 100
        hooks.hold.set()
        assert thread is not None
        thread.join(30)
    assert len(hooks.got) <= 1


def test_nothing_happens_without_addresses(scene: Scene) -> None:
    """No thread, no file."""
    before = set(threading.enumerate())
    notifier = scene.notifier()
    end(notifier, done(added=["a"]), failed())
    assert set(threading.enumerate()) <= before
    notifier.stop()
    assert scene.state == ""


def test_kinds_nobody_wants(scene: Scene) -> None:
    """on = ["failures"]: changes are not told, and not kept."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}", on=("failures",))
        end(notifier, done(added=["a"]), done(held=["x"]), failed(), done(NOON + MINUTE))
        hooks.wait(1)
        notifier.stop()
    assert subjects(hooks) == ["the update failed"]


def test_the_language_of_letters(scene: Scene) -> None:
    """notify.language first, else that of the daemon."""
    with http() as (hooks, port):
        url = f"json://127.0.0.1:{port}"
        for lang, language in (("en", "zh"), ("zh", "auto")):
            notifier = scene.notifier(url, lang=lang, language=language)
            end(notifier, done(added=["a"]))
            notifier.stop(seconds=60)
    assert [got["title"] for got in hooks.got] == ["[indexer] kb：新增 1"] * 2


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"format": 7}', "\x00" * 50])
def test_a_damaged_state_is_begun_anew(scene: Scene, content: str) -> None:
    """It is said, and what stands is told again."""
    scene.metadata.mkdir(parents=True, exist_ok=True)
    (scene.metadata / "notify.json").write_text(content, "utf-8")
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        end(notifier, done(failed=["a"]))
        hooks.wait(1)
        notifier.stop()
    assert "notify.json cannot be read" in scene.said
    assert json.loads(scene.state)["format"] == 1


def test_a_state_that_cannot_be_stored(scene: Scene) -> None:
    """Said once; letters go all the same."""
    (scene.metadata / "notify.json").mkdir(parents=True)
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        for n in range(3):
            end(notifier, done(NOON + n, failed=[f"{n}"]))
            hooks.wait(n + 1)
        notifier.stop()
    assert scene.said.count("What was told cannot be stored") == 1


def test_the_state_stays_small(scene: Scene) -> None:
    """10,000 failing files, 10,000 held deletions: under 600 KB, no name of a held one; empty again afterwards."""
    many = [f"folder/{'x' * 100}{n}.pdf" for n in range(10_000)]
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        end(notifier, done(failed=many, held=[f"held{n}" for n in range(10_000)]))
        hooks.wait(1)
        until(lambda: '"letters": []' in scene.state)
        assert len(scene.state) < 600_000
        assert "held1" not in scene.state
        end(notifier, done(NOON + HOUR))
        hooks.wait(2)
        notifier.stop()
    assert len(scene.state) < 2_000


def test_facts_it_does_not_understand(scene: Scene) -> None:
    """An internal error for the log; the service goes on."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        notifier("end", {"outcome": None})
        notifier("begin", {})
        until(lambda: "internal error" in scene.said)
        end(notifier, done(added=["a"]))
        hooks.wait(1)
        notifier.stop()
    assert scene.said.count("internal error: AttributeError") == 1


def test_a_reason_that_quotes_a_key(scene: Scene) -> None:
    """Secrets of the configuration are masked in letters too."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        end(notifier, failed(text="Bearer sk-s3cr3t was refused"))
        hooks.wait(1)
        notifier.stop()
    assert "Bearer *** was refused" in hooks.got[0]["message"]


def test_a_fault_of_ours_costs_one_letter(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread goes on with the next one; the log has the traceback."""
    with http() as (hooks, port):
        notifier = scene.notifier(f"json://127.0.0.1:{port}")
        sent, faults = notifier.send, iter([True, False])
        notifier.send = lambda url, write, mood: 1 / 0 if next(faults) else sent(url, write, mood)  # type: ignore[assignment,return-value]
        end(notifier, failed())
        until(lambda: "ZeroDivisionError" in scene.said)
        end(notifier, done(NOON + MINUTE))
        hooks.wait(1)
        notifier.stop()
    assert subjects(hooks) == ["updates work again"]


def test_redirects_are_not_followed(scene: Scene) -> None:
    """A token would go along to wherever the answer says."""
    with http() as (hooks, port):
        hooks.status = 302
        notifier = scene.notifier(f"json://127.0.0.1:{port}/t0ken-t0ken", waits=())
        end(notifier, done(added=["a"]))
        until(lambda: "given up after 1 attempts" in scene.said)
        notifier.stop()
    assert hooks.got == []
    assert "error=302" in scene.said


def test_nothing_heavy_is_loaded_before_something_is_sent(scene: Scene) -> None:
    """apprise takes half a second: not for a daemon that has nothing to tell."""
    code = (
        "import sys, indexer.notify, indexer.logs; from indexer.settings import Settings; "
        "from indexer.core.tables import LogSettings, NotifySettings; "
        f"s = Settings({str(scene.home)!r}, notify=NotifySettings(('json://127.0.0.1:1',))); "
        "log = indexer.logs.setup(LogSettings(), s.metadata, mask=indexer.logs.mask_of(s)); "
        "n = indexer.notify.Notifier(s, 'en', log); n.start(); n.stop(); log.close(); "
        "sys.exit('apprise' in sys.modules or 'requests' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ}).returncode == 0


def test_time_between_attempts_is_waited(scene: Scene) -> None:
    """Not sooner than the back-off says."""
    with http() as (hooks, port):
        hooks.status = 500
        notifier = scene.notifier(f"json://127.0.0.1:{port}", waits=(1.0,))
        end(notifier, done(added=["a"]))
        until(lambda: "could not be sent" in scene.said)
        at, hooks.status = time.monotonic(), 200
        hooks.wait(1)
        assert time.monotonic() - at > 0.8
        notifier.stop()
    assert subjects(hooks) == ["added 1"]
