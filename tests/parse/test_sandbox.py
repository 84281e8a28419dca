"""The worker process: whatever a parser does, the main process gets an answer or a reason."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import misbehaving
import psutil
import pytest

from indexer.core.errors import FileProblem, ParserDied, ParseRefused
from indexer.core.model import Parsed, State
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers

LIMITS = ParseLimits(cpu_seconds=30, wall_seconds=60, memory_mb=512, inflated_mb=2, file_mb=4, output_chars=5_000_000)
BEHAVIOURS = tuple(
    name for name, value in vars(misbehaving).items() if isinstance(value, type) and hasattr(value, "lazy_load")
)
LOADERS = {f".{name.lower()}": f"misbehaving:{name}" for name in BEHAVIOURS}


@pytest.fixture(name="parsers", scope="module")
def fixture_parsers() -> Iterator[Parsers]:
    parsers = Parsers(LIMITS, LOADERS)
    yield parsers
    parsers.close()


def parsed(parsers: Parsers, name: str, data: bytes = b"text") -> Parsed:
    return parsers.parse(f"folder/file.{name}", data)


def refusal(parsers: Parsers, name: str, data: bytes = b"text") -> FileProblem:
    with pytest.raises(FileProblem) as caught:
        parsed(parsers, name, data)
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    return caught.value


def limited(**limits: float) -> Parsers:
    return Parsers(LIMITS._replace(**limits), LOADERS)  # type: ignore[arg-type]


def test_a_loader_reads_a_private_copy(parsers: Parsers) -> None:
    """A configured LangChain loader makes sections, pages from 1 and the title."""
    result = parsed(parsers, "well", "内容".encode())
    assert (result.text, result.title, result.sections[0].page) == ("内容", "T", 1)
    assert result.parser == "loader misbehaving:Well"
    pages = parsed(parsers, "pages", b"one\ntwo")
    assert [(s.text, s.page) for s in pages.sections] == [("one\n\n", 1), ("two", 2)]


def test_one_warm_worker_serves_many_files(parsers: Parsers) -> None:
    """The worker is started once; a second file costs no start."""
    first, second = (json.loads(parsed(parsers, "look").text)["status"] for _ in range(2))
    pid = next(line for line in first.split("\n") if line.startswith("Pid:"))
    assert pid in second.split("\n")


def test_cpu_time_is_counted_per_file() -> None:
    """A file that spins is ended by the CPU limit; earlier files' time does not count against it."""
    parsers = limited(cpu_seconds=2)
    for _ in range(3):
        assert parsed(parsers, "spin", b"1.2").text == "1.2"
    started = time.monotonic()
    died = refusal(parsers, "spin", b"inf")
    assert isinstance(died, ParserDied)
    assert "limit of 2 s of CPU time" in str(died)
    assert time.monotonic() - started < 30
    assert parsed(parsers, "well").text == "text"
    parsers.close()


def test_time_out_kills_the_worker_with_its_children() -> None:
    """The wall clock ends a sleeping parser and the process it started."""
    parsers = limited(wall_seconds=8)
    others = set(psutil.Process().children(recursive=True))
    with ThreadPoolExecutor(1) as pool:
        died = pool.submit(refusal, parsers, "sleep")
        started = descendants(2, os.getpid(), others)
        assert "longer than the limit of 8 s" in str(died.result())
    assert gone(started)
    parsers.close()


def descendants(number: int, pid: int, but: set[psutil.Process] = frozenset()) -> list[int]:  # type: ignore[assignment]
    """The processes below ``pid``, once there are so many."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = [p.pid for p in psutil.Process(pid).children(recursive=True) if p not in but]
        if len(found) >= number:
            return found
        time.sleep(0.02)
    raise AssertionError("no such processes were started")


def gone(pids: list[int]) -> bool:
    """Whether all of them end within 20 seconds."""
    deadline = time.monotonic() + 20
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(alive, pids))


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_memory_limit_is_named(parsers: Parsers) -> None:
    """A parser that takes all memory dies by its own limit."""
    assert "limit of 512 MB of memory" in str(refusal(parsers, "hog"))


@pytest.mark.parametrize(("name", "how"), [("segfault", "SIGSEGV"), ("exit", "exit code 7"), ("recurse", "too deeply")])
def test_crashes_are_deaths_with_a_reason(parsers: Parsers, name: str, how: str) -> None:
    """A signal, a silent exit, endless recursion: ParserDied, and the next file is served."""
    died = refusal(parsers, name)
    assert isinstance(died, ParserDied)
    assert how in str(died)
    assert parsed(parsers, "well").text == "text"


@pytest.mark.parametrize(("name", "detail"), [("raise", "first line"), ("leave", "SystemExit: bye")])
def test_exceptions_of_libraries_are_refusals_in_one_line(parsers: Parsers, name: str, detail: str) -> None:
    """Any exception is the file's fault, told in one printable line."""
    refused = refusal(parsers, name)
    assert isinstance(refused, ParseRefused)
    assert detail in str(refused)
    assert "\x1b" not in str(refused)


def test_a_file_is_blamed_only_by_a_fresh_worker(parsers: Parsers) -> None:
    """A crash in a worker with a past is tried again in a new one."""
    for _ in range(3):
        assert parsed(parsers, "once").text == "text"


def test_prints_of_libraries_cannot_corrupt_the_answer(parsers: Parsers) -> None:
    """Standard input is empty and output goes nowhere, by Python and by descriptor."""
    assert parsed(parsers, "chatter").text == "''"


def test_threads_are_allowed_where_loaders_are_configured(parsers: Parsers) -> None:
    """Loaders may work in threads."""
    assert parsed(parsers, "thread").text == "text"


def test_the_worker_sees_nothing_of_the_user(parsers: Parsers, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys in the environment, no inherited descriptor, an empty folder, no new privileges."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    leaked = os.open(__file__, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    try:
        parsers.close()
        seen = json.loads(parsed(parsers, "look").text)
    finally:
        os.close(leaked)
    assert not [name for name in seen["environment"] if "KEY" in name or "PROXY" in name.upper()]
    assert all(name.startswith("copy-") for name in seen["files"])
    assert len(seen["descriptors"]) <= 7  # 0, 1, 2, two pipes, the listing, the open file
    assert "NoNewPrivs:\t1" in seen["status"]
    assert (seen["core"], seen["session"]) == (0, True)


def test_output_is_capped(parsers: Parsers) -> None:
    """A loader that never stops giving text is refused at the limit."""
    assert "limit of 5000000 characters" in str(refusal(parsers, "flood"))


def test_written_files_are_capped(parsers: Parsers) -> None:
    """A loader that fills the disk is stopped by the file size limit."""
    assert "File too large" in str(refusal(parsers, "fill"))


def test_texts_are_cleaned(parsers: Parsers) -> None:
    """No lone surrogate, NUL or BOM leaves the worker; pairs are joined."""
    assert parsed(parsers, "lone").text == "a\ufffdbc\U0001f600\nd"


@pytest.mark.parametrize(
    "forged",
    [
        b"garbage that is no frame",
        b"\0\0\0\2" + bytes(8) + b"[]",
        b"\0\0\0\2" + bytes(8) + b"{}",
        b"\xff\xff\xff\xff" + b"\xff" * 8,
        b"\0\1\0\0" + bytes(8) + b"[" * 65536,
        b"\0\0\0\x45"
        + bytes(8)
        + b'{"answer":"refused","message":["{a.__class__.__mro__}",{"a":"value"}]}'.ljust(0x45),
    ],
)
def test_a_forged_answer_is_a_death_not_a_crash(parsers: Parsers, forged: bytes) -> None:
    """What comes out of a parser that was taken over is checked like any input."""
    died = refusal(parsers, "forge", forged)
    assert isinstance(died, ParserDied)
    assert "class" not in str(died)
    assert parsed(parsers, "well").text == "text"


def test_a_loader_that_cannot_be_imported_may_be_installed_later() -> None:
    """A missing loader is no verdict on the file."""
    parsers = Parsers(LIMITS, {"rst": "no_such_package.loaders:Loader"})
    with pytest.raises(ParserDied, match="cannot be imported"):
        parsers.parse("a.rst", b"x")
    parsers.close()


def test_a_worker_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is named, not retried in silence."""
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    parsers = Parsers(LIMITS, LOADERS)
    with pytest.raises(ParserDied, match="did not start"):
        parsers.parse("a.well", b"x")


def test_threads_share_the_parsers() -> None:
    """parse may be called from many threads, also from threads that end before the next file."""
    parsers = Parsers(LIMITS, LOADERS, workers=2)
    texts: list[str] = []

    def work(number: int) -> None:
        texts.extend(parsed(parsers, "well", f"{number}-{turn}".encode()).text for turn in range(3))

    for _ in range(2):
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(texts) == sorted(2 * [f"{number}-{turn}" for number in range(4) for turn in range(3)])
    parsers.close()


def test_close_ends_the_worker_and_removes_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left behind, and a closed Parsers can be used again."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    parsers = Parsers(LIMITS, LOADERS)
    others = set(psutil.Process().children())
    for _ in range(2):
        parsed(parsers, "well")
        children = set(psutil.Process().children()) - others
        assert len(children) == 1
        assert len(list(tmp_path.iterdir())) == 1
        parsers.close()
        assert list(tmp_path.iterdir()) == []
        assert not any(child.is_running() for child in children)


SCRIPT = """
import os, sys, time
sys.path[:0] = {path!r}
from indexer.core.tables import ParseLimits
from indexer.parse import Parsers
parsers = Parsers(ParseLimits(), {{"well": "misbehaving:Well", "sleep": "misbehaving:Sleep"}})
{body}
"""


def run(body: str, **kwargs: object) -> subprocess.Popen[bytes]:
    script = SCRIPT.format(path=[str(Path(__file__).parent), *sys.path], body=body)
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, **kwargs)  # type: ignore[call-overload,no-any-return]


def test_works_with_closed_standard_streams() -> None:
    """A service without stdin, stdout and stderr can parse all the same."""
    body = """
out = os.dup(1)
for descriptor in (0, 1, 2):
    os.close(descriptor)
os.write(out, parsers.parse("a.well", b"fine").text.encode())
parsers.close()
"""
    with run(body) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"fine"


def test_the_worker_dies_with_its_parent() -> None:
    """SIGKILL of the main process in the middle of a file leaves no process behind."""
    body = "import threading; threading.Thread(target=parsers.parse, args=('a.sleep', b'x')).start()"
    with run(body) as process:
        started = descendants(2, process.pid)
        assert all(map(alive, started))
        process.send_signal(signal.SIGKILL)
    assert gone(started)


def test_text_and_markdown_start_no_process() -> None:
    """Plain text costs no worker."""
    parsers = Parsers(LIMITS, LOADERS)
    before = set(psutil.Process().children())
    assert parsers.parse("a.txt", b"text").state is State.INDEXED
    assert parsers.parse("a.md", b"# text").state is State.INDEXED
    assert set(psutil.Process().children()) == before
    assert parsers._pool == {}
    parsers.close()
