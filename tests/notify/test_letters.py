"""How news reads: English and Chinese, short whatever happened, and nothing in it can deceive."""

from __future__ import annotations

import re

import pytest
from outcomes import NOON, away, done, failed

from indexer.config.channels import channel
from indexer.core.model import Message
from indexer.notify.news import Named, News
from indexer.notify.post import LARGEST, NAMES_TRIED, Written, fitting
from indexer.notify.told import Told, tell
from indexer.notify.words import Place, command, mood, written
from indexer.notify.words import test_message as message_for_a_test
from indexer.report import Outcome

PLACE = Place("/srv/company handbook", "server1")
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d{4}"


def letter(outcome: Outcome, lang: str = "en", names: int = 20, told: Told = Told()) -> Written:  # noqa: B008
    """What is written about a run."""
    return written(tell(told, outcome)[1], PLACE, lang, names)


def test_changes_in_english() -> None:
    """Counts, names, run, commit, duration, host, folder."""
    subject, body = letter(done(added=["a.txt", "b.txt"], deleted=["c.txt"]))
    assert subject == "[indexer] company handbook: added 2, deleted 1"
    assert re.fullmatch(
        rf"Added \(2\):\n  kb/a.txt\n  kb/b.txt\n\nDeleted \(1\):\n  kb/c.txt\n\n"
        rf"Run 12 \(schedule\), {TIME}, 9.0 s, commit 41 → 42\nKnowledge base /srv/company handbook on server1\n",
        body,
    )


def test_changes_in_chinese() -> None:
    """The same in Chinese, with Chinese punctuation."""
    subject, body = letter(done(added=["制度.txt"], modified=["b.txt"]), "zh")
    assert subject == "[indexer] company handbook：新增 1、修改 1"
    assert "新增（1 个）：\n  kb/制度.txt\n" in body
    assert re.search(
        rf"更新 12（schedule），{TIME}，用时 9.0 秒，提交 41 → 42\n知识库 /srv/company handbook，主机 server1\n$", body
    )


@pytest.mark.parametrize(("lang", "says"), [("en", "the update failed"), ("zh", "更新失败")])
def test_a_run_that_could_not_go_on(lang: str, says: str) -> None:
    """The reason as the product says it, and that nothing is lost."""
    subject, body = letter(failed(), lang)
    assert subject.endswith(says)
    assert "openai:m" in body
    assert ("can still be found" in body) == (lang == "en")


def test_a_run_that_never_got_a_number() -> None:
    """It is told without one, and without commits."""
    _, body = letter(failed()._replace(run=0, commit_before=0, commit=0))
    assert re.search(rf"\nRun \(schedule\), {TIME}, 1.0 s\nKnowledge base", body)


def test_a_source_that_is_away() -> None:
    """Its own sentence, which has the remedy."""
    subject, body = letter(done(unavailable=[away()]))
    assert "a source is not available" in subject
    assert "Source share: the folder /mnt/share is empty" in body


@pytest.mark.parametrize(("lang", "says"), [("en", "confirm it: "), ("zh", "请运行：")])
def test_held_deletions_name_the_command(lang: str, says: str) -> None:
    """With the folder quoted for a shell."""
    _, body = letter(done(held=[f"{n}.txt" for n in range(12)]), lang, names=3)
    assert f"{says}indexer update --now --allow-deletions --home '/srv/company handbook'\n" in body
    assert body.count("kb/") == 3
    assert command("/srv/kb") == "indexer update --now --allow-deletions --home /srv/kb"


def test_failed_files_have_reason_and_remedy() -> None:
    """In the reader's language where there is a translation."""
    reason = "The file is larger than the limit of {limit} MB; split it, or raise file_mb"
    run = done(failed=["big.pdf"], reason=reason)
    problems = run.report.tally.problems  # type: ignore[union-attr]
    problems.update({k: p._replace(reason=Message(reason, {"limit": 200})) for k, p in problems.items()})
    assert "  kb/big.pdf: The file is larger than the limit of 200 MB; split it, or raise file_mb\n" in letter(run).body
    assert "  kb/big.pdf: 文件超过 200 MB 的上限，请拆分文件或调大 file_mb\n" in letter(run, "zh").body


def test_recovery() -> None:
    """Since when it had failed."""
    told, _ = tell(Told(), failed(NOON))
    subject, body = letter(done(NOON + 3600 * 10**9), told=told)
    assert subject == "[indexer] company handbook: updates work again"
    assert re.match(rf"Updates work again. They had failed since {TIME}.\n", body)


def test_ten_thousand_documents_are_a_short_message() -> None:
    """Number and first names; so are thousands of failures and of held deletions."""
    many = [f"folder {n % 7}/a rather long name of a document, number {n:05d}.docx" for n in range(10_000)]
    for run in (
        done(added=many, modified=many),
        done(failed=many),
        done(held=many),
        done(added=many, failed=many, held=many),
    ):
        for lang in ("en", "zh"):
            subject, body = letter(run, lang)
            assert "10000" in subject
            assert len(body.encode()) < 8_000
            assert body.count(".docx") <= 60
            assert len(letter(run, lang, names=0).body.encode()) < 1_000


def test_very_long_names_are_cut_in_the_middle() -> None:
    """The folder and the suffix stay."""
    _, body = letter(done(added=["folder/" + "x" * 250 + ".pdf"]))
    assert re.search(r"  kb/folder/x+…x+\.pdf\n", body)
    assert max(map(len, body.splitlines())) < 130


def test_names_and_reasons_cannot_forge_lines() -> None:
    """Line ends and escape sequences are shown escaped; so is the name of the folder."""
    hostile = "a\nRun 99 (schedule)\x1b[2J\u202e.txt"
    news = tell(Told(), done(added=[hostile], failed=[hostile], reason="bad\nRun 99 (x)"))[1]
    subject, body = written(news, Place("/srv/kb\nx", "h"), "en", 20)
    assert "\n" not in subject
    assert [line for line in body.splitlines() if line.startswith("Run ")] == [body.splitlines()[-2]]
    assert all(c.isprintable() or c == "\n" for c in body)


def test_runs_told_together() -> None:
    """How many, and from which commit to which."""
    first = News(runs=1, run=3, trigger="watch", added=Named(1, ("kb/a",)), commit_before=3, commit=4)
    _, body = written(News(run=4, trigger="watch", added=Named(1, ("kb/b",)), commit=5).after(first), PLACE, "en", 20)
    assert re.search(r"2 runs, the last is 4 \(watch\), .*, commit 3 → 5\n", body)


def test_what_a_limit_left() -> None:
    """A run that ended at its limit says how many files wait."""
    run = done(added=["a"])
    assert run.report is not None
    run.report.left = 7
    assert "7 files are left for the next run" in letter(run).body


def test_colours() -> None:
    """Failure, warning, success, information: what is worst decides."""
    told, trouble = tell(Told(), failed())
    runs = [done(failed=["a"], added=["b"]), done(held=["a"]), done(added=["a"])]
    assert [mood(trouble), *(mood(tell(Told(), run)[1]) for run in runs)] == ["failure", "warning", "warning", "info"]
    assert mood(tell(told, done())[1]) == "success"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "url",
    [
        "wecombot://key",
        "dingtalk://key",
        "discord://111/abc",
        "mailto://u:p@example.com",
        "tgram://123456789:abcdefg_hijklmnop/1",
    ],
)
def test_it_fits_each_service(url: str, lang: str) -> None:
    """With fewer names where there is less room: WeCom takes 2,048 bytes and drops what is longer."""
    many = [f"制度/第{n:05d}号 考勤与休假管理规定（修订版）.docx" for n in range(10_000)]
    news = tell(Told(), done(added=many, failed=many, held=many))[1]
    service = channel(url)
    assert service is not None
    subject, body = fitting(service, lambda names: written(news, PLACE, lang, names))
    limit = min(service.body_maxlen, LARGEST)
    assert limit // 4 < len(f"{subject}\r\n{body}".encode()) <= limit
    assert not body.endswith("…")


def test_a_service_for_very_short_messages() -> None:
    """A text message to a telephone is cut, not refused."""
    service = channel("d7sms://token@15551231234")
    assert service is not None
    news = tell(Told(), done(added=[f"{n}" for n in range(100)], held=["甲" * 30] * 20))[1]
    subject, body = fitting(service, lambda names: written(news, Place("/k", "h"), "zh", names))
    assert len(f"{subject}\r\n{body}".encode()) <= service.body_maxlen < 200
    assert body.endswith("…")


def test_names_are_dropped_step_by_step() -> None:
    """As many as there is room for."""
    assert sorted(NAMES_TRIED, reverse=True) == list(NAMES_TRIED)
    assert NAMES_TRIED[-1] == 0


@pytest.mark.parametrize(("lang", "subject"), [("en", "[indexer] kb: test message"), ("zh", "[indexer] kb：测试消息")])
def test_the_test_message(lang: str, subject: str) -> None:
    """It says whose news will come."""
    written_ = message_for_a_test(Place("/srv/kb", "server1"), lang)
    assert written_.subject == subject
    assert "/srv/kb" in written_.body
    assert "server1" in written_.body
