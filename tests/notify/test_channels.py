"""Addresses: those that are documented are understood, wrong ones are named without being shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from receivers import http

from indexer.config import check, load_settings, show
from indexer.config.channels import channel, problems, scheme, secrets
from indexer.notify import Written, send

PAGE = (Path(__file__).parents[2] / "docs" / "notifications.md").read_text("utf-8")
DOCUMENTED = sorted(set(re.findall(r"`([a-z]+://[^`\s]+)`", PAGE)))
SERVICES = {
    "mailto": "NotifyEmail", "mailtos": "NotifyEmail", "slack": "NotifySlack", "dingtalk": "NotifyDingTalk",
    "wecombot": "NotifyWeComBot", "feishu": "NotifyFeishu", "lark": "NotifyLark", "json": "NotifyJSON", "jsons": "NotifyJSON",
    "ntfy": "NotifyNtfy", "tgram": "NotifyTelegram", "discord": "NotifyDiscord", "schan": "NotifyServerChan",
}  # fmt: skip
PASTED = {
    "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ": "NotifySlack",
    "https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef": "NotifyDingTalk",
    "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aaa-4bc4-97a0-0ec2sifa5aaa": "NotifyWeComBot",
    "https://open.feishu.cn/open-apis/bot/v2/hook/1f2e3d4c-aaaa-bbbb": "NotifyFeishu",
    "https://open.larksuite.com/open-apis/bot/v2/hook/1f2e3d4c-aaaa-bbbb": "NotifyLark",
}


@pytest.mark.parametrize("url", DOCUMENTED)
def test_documented_addresses_are_understood(url: str) -> None:
    """Each form on the page leads to its service; nothing is sent."""
    made = channel(url)
    assert type(made).__name__ == (PASTED.get(url) or SERVICES[scheme(url)])


def test_the_page_has_them_all() -> None:
    """Every service this test knows is on the page, and the addresses that services show for pasting."""
    assert {scheme(url) for url in DOCUMENTED} >= set(SERVICES)
    assert {re.sub(r"(?<=[=/])[^=/]+$", "", url) for url in PASTED} <= {
        re.sub(r"(?<=[=/])[^=/]+$", "", url) for url in DOCUMENTED
    }


@pytest.mark.parametrize(("url", "service"), PASTED.items())
def test_pasted_addresses_are_understood(url: str, service: str) -> None:
    """As the service shows them."""
    assert type(channel(url)).__name__ == service


@pytest.mark.parametrize(
    ("url", "shown", "why"),
    [
        ("nosuch://s3cr3t", "nosuch", "no channel that apprise knows"),
        ("slack://s3cr3t", "slack", "not complete"),
        ("mailto://", "mailto", "not complete"),
        ("s3cr3t", "?", "no channel"),
        ("https://s3cr3t.example.com/hook", "https", "no channel"),
        ("mailtos://u:s3cr3t@[::1", "mailtos", "not complete"),
    ],
)
def test_wrong_addresses(url: str, shown: str, why: str) -> None:
    """Index and scheme, never the address."""
    (problem,) = problems([url])
    assert f"notify.urls[0]: {'this ' if why == 'not complete' else ''}{shown}://" in str(problem)
    assert why in str(problem)
    assert "s3cr3t" not in str(problem)
    assert url in set(secrets(url))


def test_config_check_and_show(tmp_path: Path) -> None:
    """`config check` names the wrong one; `config show` shows schemes only, whatever is written there."""
    toml = '[notify]\nurls = ["json://127.0.0.1/a", "slack://s3cr3t", "s3cr3t-too"]\n'
    (tmp_path / "knowledge_base").mkdir()
    (tmp_path / "indexer.toml").write_text(toml, "utf-8")
    settings = load_settings(tmp_path, {}, {})
    said = [str(m) for m in check(settings, {}) if "notify" in str(m)]
    assert [re.findall(r"notify.urls\[\d\]", m) for m in said] == [["notify.urls[1]"], ["notify.urls[2]"]]
    shown = show(settings, {}, {})
    assert 'urls = ["json://***", "slack://***", "?://***"]' in shown
    assert "s3cr3t" not in shown + "".join(said) + repr(settings)


@pytest.mark.parametrize(("url", "form"), [("dingtalk://s3cr3ttoken", "{token}"), ("wecombot://s3cr3t-token", "{key}")])
def test_a_chat_that_answers_200_and_refuses(url: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DingTalk and WeCom say in the body that they did not take it; that is no success, and the reason is passed on."""
    message = Written("[indexer] kb: test", "text")
    with http() as (hooks, port):
        monkeypatch.setattr(type(channel(url)), "notify_url", f"http://127.0.0.1:{port}/send?key={form}")
        hooks.answer = {"errcode": 310000, "errmsg": "keywords not in content s3cr3ttoken s3cr3t-token"}
        why = str(send(url, lambda names: message))
        assert "310000 keywords not in content" in why
        assert url.partition("://")[2] not in why
        hooks.answer = {"errcode": 0, "errmsg": "ok"}
        assert send(url, lambda names: message) is None
    assert len(hooks.got) == 2


def test_feishu_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """apprise looks into its answer by itself; it stays so."""
    url = "feishu://s3cr3t-token"
    with http() as (hooks, port):
        monkeypatch.setattr(type(channel(url)), "notify_url", f"http://127.0.0.1:{port}/{{token}}/")
        hooks.answer = {"code": 9499, "msg": "Bad Request"}
        assert "9499" in str(send(url, lambda names: Written("a", "b")))
        hooks.answer = {"code": 0}
        assert send(url, lambda names: Written("a", "b")) is None


def test_chinese_chats_get_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Subject and body of a Chinese letter, as text."""
    with http() as (hooks, port):
        for url, form in (("dingtalk://abc", "{token}"), ("wecombot://abc", "{key}"), ("feishu://abc", "{token}")):
            monkeypatch.setattr(type(channel(url)), "notify_url", f"http://127.0.0.1:{port}/{form}")
            assert send(url, lambda names: Written("[indexer] 知识库：新增 1", "新增（1 个）：\n  制度.txt\n")) is None
    texts = [str(got.get("text", got.get("content", {}))) for got in hooks.got]
    assert all("[indexer] 知识库：新增 1" in text and "制度.txt" in text for text in texts)
    assert len(texts) == 3


def test_reasons_show_no_secret() -> None:
    """What a server answers, and what an exception quotes, is masked."""
    with http() as (hooks, port):
        hooks.status, hooks.answer = 403, {"error": "token hook-t0ken is unknown"}
        why = str(send(f"json://me:pa55word@127.0.0.1:{port}/hook-t0ken", lambda names: Written("a", "b")))
    assert "error=403" in why
    assert "is unknown" in why
    assert "t0ken" not in why
    assert "pa55word" not in why
    assert "me" not in why.split()
