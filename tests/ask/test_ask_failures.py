"""A model's server that fails: tried again where that helps, and there is an answer whatever happens."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from model_server import CONFIG, Fault, Handler, Scripted, extractive

from indexer import KnowledgeBase
from indexer.ask import Answer, Question, ask
from indexer.ask.answering import Means
from indexer.ask.chat import Chat, Patience
from indexer.ask.loading import load
from indexer.ask.session import answers_of
from indexer.core.errors import ConfigError
from indexer.core.tables import LlmSettings
from indexer.logs.mask import mask_of

KEY = "sesame-open-4711"
QUESTION = "How long are backups kept?"
QUICK = Patience(first=0.0)


def refuse(status: int, message: str = "no", **headers: str) -> Fault:
    """An error as OpenAI's server words it."""
    return lambda h: h.json(status, {"error": {"message": message, "type": "x", "code": None}}, **headers)


def hang_up(handler: Handler) -> None:
    """No answer at all."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def after(text: str, then: Callable[[Handler], None]) -> Fault:
    """Some text, then something else."""

    def fault(handler: Handler) -> None:
        handler.begin()
        handler.piece(text)
        then(handler)

    return fault


def asked(kb: KnowledgeBase, slept: list[float] | None = None, **settings: object) -> Answer:
    """An answer with these settings and hardly a wait."""
    llm = kb.settings.llm._replace(**settings)  # type: ignore[arg-type]
    chat = load(llm, mask_of(kb.settings))
    sleep = (slept if slept is not None else []).append
    quick = Chat(chat._model, llm, mask_of(kb.settings), QUICK if slept is None else Patience(), sleep, lambda: 1.0)
    return ask(kb, Question(QUESTION), Means(quick, answers=answers_of(kb)))


@pytest.mark.parametrize(
    "faults",
    [
        [refuse(429), refuse(503)],
        [refuse(500), hang_up],
        [lambda h: h.say("")],
        [lambda h: (h.begin(), h.raw("data: {not json\n\n"), h.done())],
        [lambda h: (h.begin(), h.raw('data: {"error": {"message": "overloaded"}}\n\n'), h.done())],
    ],
)
def test_tried_again_before_the_first_word(shared: KnowledgeBase, llm: Scripted, faults: list[Fault]) -> None:
    """429, 5xx, a dropped connection, an empty or broken stream: the next try answers, and nobody notices."""
    llm.faults = list(faults)
    answer = asked(shared)
    assert "35 days" in answer.text
    assert (answer.grounded, answer.failed, answer.notes) == ("llm", False, ())
    assert len(llm.seen) == len(faults) + 1


def test_retry_after_is_kept(shared: KnowledgeBase, llm: Scripted) -> None:
    """The server's own wait counts; without one it doubles."""
    llm.faults = [refuse(429, Retry_After="3"), refuse(500), refuse(500)]
    slept: list[float] = []
    assert asked(shared, slept).grounded == "llm"
    assert sum(slept) == pytest.approx(3 + 1 + 2)


def test_a_wait_no_person_has(shared: KnowledgeBase, llm: Scripted) -> None:
    """ "Come back in ten minutes" is a failure now."""
    llm.faults = [refuse(429, "quota", Retry_After="600")]
    answer = asked(shared, [])
    assert answer.grounded == "extractive"
    assert "quota" in str(answer.notes[0])
    assert len(llm.seen) == 1


@pytest.mark.parametrize(
    ("fault", "said", "tries"),
    [
        (refuse(401, "bad key " + KEY), "refuses the key (HTTP 401: bad key ***). Set llm.api_key", 1),
        (refuse(404, "no such model"), "no such model or path (HTTP 404: no such model). Check llm.model", 1),
        (refuse(400, "too long"), "refuses the request for stand-in (HTTP 400: too long)", 1),
        (refuse(503, "starting"), "overloaded or failing (HTTP 503: starting)", 4),
        (hang_up, "gave no answer", 4),
        (lambda h: h.say(""), "an empty answer", 4),
    ],
)
def test_what_does_not_mend(shared: KnowledgeBase, llm: Scripted, fault: Fault, said: str, tries: int) -> None:
    """The best sentences stand in for the model, with the reason and the remedy; what cannot mend is not repeated."""
    llm.always = fault
    answer = asked(shared)
    assert answer.text.startswith("Backups of all servers are kept for 35 days. [1]")
    assert (answer.grounded, answer.model, answer.failed) == ("extractive", "", True)
    assert said in str(answer.notes[0])
    assert "Instead" in str(answer.notes[1])
    assert KEY not in repr(answer)
    assert len(llm.seen) == tries


def test_an_empty_account_is_not_asked_again(shared: KnowledgeBase, llm: Scripted) -> None:
    """A 429 that no waiting mends."""
    llm.always = lambda h: h.json(429, {"error": {"message": "pay first", "code": "insufficient_quota"}})
    assert "pay first" in str(asked(shared).notes[0])
    assert len(llm.seen) == 1


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (hang_up, "broke off"),
        (lambda h: (h.raw("data: {oops\n\n"), h.done()), "broke off"),
        (lambda h: h.done(), "broke off (the stream has no end)"),
        (lambda h: (h.raw('data: {"error": {"message": "GPU lost"}}\n\n'), h.done()), "broke off (GPU lost)"),
    ],
)
def test_a_cut_stream(shared: KnowledgeBase, llm: Scripted, then: Callable[[Handler], None], said: str) -> None:
    """What arrived stands, the citation in it too, and it is said that there is more; it is not asked again."""
    llm.always = after("Backups are kept for 35 days [1] and", then)
    answer = asked(shared)
    assert answer.text == "Backups are kept for 35 days[1] and"
    assert (answer.grounded, answer.failed) == ("llm", True)
    assert said in str(answer.notes[0])
    assert len(llm.seen) == 1


def test_an_answer_as_long_as_allowed(shared: KnowledgeBase, llm: Scripted) -> None:
    """The limit of the configuration is sent, and an answer that meets it is no failure."""
    llm.faults = [lambda h: h.say("Backups [1] are", finish="length")]
    answer = asked(shared, max_tokens=9)
    assert llm.seen[-1]["max_tokens"] == 9
    assert not answer.failed
    assert "llm.max_tokens (9)" in str(answer.notes[0])


def test_silence_ends_a_call(shared: KnowledgeBase, llm: Scripted) -> None:
    """A server that keeps the line open and says nothing is given up, once; what it had said stands."""
    left = threading.Event()

    def keep_alive(handler: Handler) -> None:
        while not left.wait(0.05):
            handler.raw(": still here\n\n")

    llm.always = lambda h: (h.begin(), keep_alive(h))
    answer = asked(shared, timeout_seconds=0.5)
    assert answer.grounded == "extractive"
    assert "silent for 0.5 s" in str(answer.notes[0])
    llm.always = after("Backups are kept", keep_alive)
    assert asked(shared, timeout_seconds=0.5).text == "Backups are kept"
    left.set()
    assert len(llm.seen) == 2


def test_no_redirect_is_followed(shared: KnowledgeBase, llm: Scripted) -> None:
    """Neither passages nor key go where the configuration does not send them."""
    seen: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)

    other = HTTPServer(("127.0.0.1", 0), Elsewhere)
    target = f"http://127.0.0.1:{other.server_address[1]}/v1/chat/completions"
    llm.always = lambda h: h.json(307, {}, Location=target)
    answer = asked(shared)
    other.server_close()
    assert seen == []
    assert "redirects to" in str(answer.notes[0])
    assert len(llm.seen) == 1


def test_the_key_goes_only_to_its_server(shared: KnowledgeBase, llm: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configured key is sent; OPENAI_API_KEY and friends never reach a configured address."""
    assert asked(shared).grounded == "llm"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-house")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
    assert asked(shared, api_key="").grounded == "llm"
    assert llm.keys == [f"Bearer {KEY}", ""]


def test_no_secret_is_shown(shared: KnowledgeBase, llm: Scripted, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Not in a repr, an error, a log line at its most talkative, or the kept answer."""
    caplog.set_level(logging.DEBUG)
    llm.always = refuse(500, f"key {KEY} of user")
    answer = asked(shared)
    loaded = load(shared.settings.llm, mask_of(shared.settings))
    shown = [repr(shared.settings), repr(answer), repr(loaded._model), str(vars(loaded)["_settings"]), caplog.text]
    data = (Path(shared.settings.metadata) / "answers.db").read_bytes()
    assert not [text for text in shown if KEY in text]
    assert KEY.encode() not in data
    assert "***" in str(answer.notes[0])
    (home / "indexer.toml").write_text(CONFIG.format(url="http://me:hunter2@127.0.0.1:9/v1"))
    other = KnowledgeBase(home)
    note = str(asked(other, timeout_seconds=2).notes[0])
    assert "http://***@127.0.0.1:9/v1" in note
    assert "hunter2" not in note
    other.close()


def test_a_missing_package_says_what_to_install(home: Path) -> None:
    """A provider of LangChain whose package is not there, and one that does not exist."""
    (home / "indexer.toml").write_text('[llm]\nmodel = "m"\nprovider = "mistralai"\n')
    with pytest.raises(ConfigError, match=r'provider = "mistralai".*pip install langchain-mistralai'):
        KnowledgeBase(home).ask(QUESTION)
    (home / "indexer.toml").write_text('[llm]\nmodel = "m"\nprovider = "openia"\n')
    with pytest.raises(ConfigError, match="openia"):
        KnowledgeBase(home).ask(QUESTION)


def test_options_reach_the_request_and_thoughts_do_not_reach_the_answer(shared: KnowledgeBase, llm: Scripted) -> None:
    """llm.options and temperature are sent; what a model thinks aloud is left out."""
    llm.faults = [lambda h: h.say("<think>\nshall I cite [7]?\n</think>\n\n" + extractive(h.body["messages"]))]
    answer = asked(shared, options={"seed": 7}, temperature=0.3)
    assert answer.text.startswith("Backups of all servers")
    assert (llm.seen[-1]["seed"], llm.seen[-1]["temperature"], llm.seen[-1]["stream"]) == (7, 0.3, True)
    assert asked(shared, temperature=-1.0).grounded == "llm"
    assert "temperature" not in llm.seen[-1]
    assert LlmSettings(options={"api_token": KEY}, api_key=KEY).__repr__().count(KEY) == 0
