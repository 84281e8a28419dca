"""Mail, through a real SMTP server on this machine."""

from __future__ import annotations

import json

import pytest
from notify_scene import Scene, end
from outcomes import NOON, done, failed
from receivers import Mailbox, free_port, smtp, until


def address(port: int, more: str = "") -> str:
    """As documented for a server without a password."""
    return f"mailto://127.0.0.1:{port}/boss@example.com?from=indexer@example.com{more}"


def text(box: Mailbox, index: int = 0) -> tuple[str, str]:
    """Subject and body, decoded as a mail program does."""
    mail = box.mails[index]
    body = mail.get_body(preferencelist=("plain",))
    assert body is not None
    return str(mail["Subject"]), body.get_content()


@pytest.mark.parametrize(
    ("lang", "subject", "says"),
    [
        ("en", "[indexer] kb: added 1, deleted 1", "Added (1):\n  kb/制度/休假 & <报告>.txt\n"),
        ("zh", "[indexer] kb：新增 1、删除 1", "新增（1 个）：\n  kb/制度/休假 & <报告>.txt\n"),
    ],
)
def test_mail_in_both_languages(scene: Scene, lang: str, subject: str, says: str) -> None:
    """Right subject, plain text with its lines, right characters, sender and recipient."""
    with smtp() as (box, port):
        notifier = scene.notifier(address(port), lang=lang)
        end(notifier, done(added=["制度/休假 & <报告>.txt"], deleted=["b.txt"]))
        until(lambda: bool(box.mails))
        notifier.stop()
    got, body = text(box)
    assert got == subject
    assert says in body.replace("\r\n", "\n")
    (mail,) = box.mails
    assert "indexer@example.com" in mail["From"]
    assert mail["To"] == "boss@example.com"
    assert mail["Date"]
    assert mail.get_body(preferencelist=("html",)) is None
    raw = mail.as_bytes()
    assert raw.isascii(), "7-bit on the wire: no server has to know UTF-8"


def test_failure_and_recovery(scene: Scene) -> None:
    """Two mails, in this order; the address is in no log and no state."""
    with smtp() as (box, port):
        notifier = scene.notifier(address(port))
        end(notifier, failed(), failed(NOON + 10**9), done(NOON + 2 * 10**9))
        until(lambda: len(box.mails) == 2)
        notifier.stop()
    assert [text(box, n)[0] for n in (0, 1)] == ["[indexer] kb: the update failed", "[indexer] kb: updates work again"]
    assert "boss@example.com" not in scene.said + scene.state


def test_held_deletions_by_mail(scene: Scene) -> None:
    """The list and the command."""
    with smtp() as (box, port):
        notifier = scene.notifier(address(port))
        end(notifier, done(held=[f"{n:02d}.txt" for n in range(30)]))
        until(lambda: bool(box.mails))
        notifier.stop()
    subject, body = text(box)
    assert subject == "[indexer] kb: deletions held: 30"
    assert "  kb/19.txt\r\n  … and 10 more" in body.replace("\n", "\r\n").replace("\r\r", "\r")
    assert f"indexer update --now --allow-deletions --home {scene.home}" in body


def test_a_mail_server_that_was_down(scene: Scene) -> None:
    """Down, then up: delivered once, with nothing in between."""
    port = free_port()
    notifier = scene.notifier(address(port))
    end(notifier, done(added=["a"]))
    until(lambda: "could not be sent" in scene.said)
    with smtp(port) as (box, _):
        until(lambda: bool(box.mails))
        notifier.stop()
    assert [text(box, n)[0] for n in range(len(box.mails))] == ["[indexer] kb: added 1"]
    assert json.loads(scene.state)["letters"] == []


def test_ten_thousand_documents_by_mail(scene: Scene) -> None:
    """A mail of a few kilobytes."""
    with smtp() as (box, port):
        notifier = scene.notifier(address(port))
        end(notifier, done(added=[f"folder/document {n}.txt" for n in range(10_000)]))
        until(lambda: bool(box.mails))
        notifier.stop()
    subject, body = text(box)
    assert subject == "[indexer] kb: added 10000"
    assert len(body) < 2_000
