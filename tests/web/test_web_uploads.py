"""Files put into a source over HTTP: they land where they should and nowhere else."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from serving import Running, running

from indexer.core.errors import UsageError
from indexer.core.tables import Source
from indexer.sources import receiving
from indexer.web import upload_names
from indexer.web.problems import Problem

TEXT = b"# A title\n\nSome words about elephants.\n"


def files(web: Running) -> set[str]:
    """Everything below the home but the state, as paths."""
    found = (p.relative_to(web.home) for p in web.home.rglob("*") if p.is_file())
    return {str(p) for p in found if p.parts[0] not in ("metadata", "vectorstore")}


def test_an_upload_is_found(web: Running) -> None:
    """It lies in its folder as it was sent, and its words are found when the request is done."""
    answer = web.upload("报告 2026.md", TEXT, folder="a/b")
    told = answer.json()
    assert (web.home / "kb/a/b/报告 2026.md").read_bytes() == TEXT
    assert (told["path"], told["size"], len(told["sha256"])) == ("a/b/报告 2026.md", len(TEXT), 64)
    assert web.done(answer)["exit_code"] == 0
    hits = web.client.get("/api/v1/search", params={"q": "elephants", "mode": "lexical"}).json()["hits"]
    assert [hit["document"] for hit in hits] == [told["document"]]
    assert web.client.get(f"/api/v1/documents/{told['document']}/download").content == TEXT


def test_nobodys_file_is_replaced_unless_that_is_said(web: Running) -> None:
    """409 and the old bytes; with replace the new ones, as a new version."""
    web.done(web.upload("policy.md", TEXT))
    assert web.upload("policy.md", b"other").status_code == 409
    assert (web.home / "kb/policy.md").read_bytes() == TEXT
    answer = web.upload("policy.md", b"# New\n\nzebras\n", replace="true")
    web.done(answer)
    versions = web.client.get(f"/api/v1/documents/{answer.json()['document']}/versions").json()["versions"]
    assert [v["removed"] is None for v in versions] == [True, False]


def test_accents_in_another_form_are_the_same_name(web: Running) -> None:
    """A file that is there in decomposed form is taken for the same one."""
    (web.home / "kb" / "cafe\u0301.md").write_bytes(TEXT)
    assert web.upload("caf\u00e9.md", b"other").status_code == 409
    assert web.upload("caf\u00e9.md", b"# New\n", replace="true").status_code == 202
    assert [p.name for p in (web.home / "kb").glob("caf*")] == ["cafe\u0301.md"]


HOSTILE = (
    "../x.md", "..\\..\\x.md", "/etc/passwd.md", "C:\\x.md", "a/../../x.md", "....//x.md", "%2e%2e%2fx.md", "x\0.md", ".", "..", "",
    " ", ".indexerignore", "~$x.md", "x.part", "con.md", "NUL.txt", "com1.md", "aux", "x.md.", "\u202efdp.md", "x\u2028y.md", "a\nb.md",
    "a" * 300 + ".md", "好" * 90 + ".md", "-rf.md", "$(reboot).md", "`x`.md", "<img src=x onerror=alert(1)>.md", "'\"><script>.md",
    "{{7*7}}.md", "%s%n.md", "\ud800.md", "x.md/", "x.md\\", ".upload-x.part", "é.md", "\x7f.md", "\u00a0.md",
)  # fmt: skip


@pytest.fixture(scope="module")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source with a file beside it that nobody may touch."""
    home = tmp_path_factory.mktemp("inbox")
    (home / "kb").mkdir()
    (home / "outside.md").write_text("safe")
    return home


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.one_of(st.sampled_from(HOSTILE), st.text(max_size=300), st.text("./\\:~$%a\0\u202e 好", max_size=40)), folder=st.one_of(st.just(""), st.text("./\\:a \0好", max_size=30)))  # fmt: skip
@example(name="x.md", folder="../..")
def test_whatever_a_file_is_called(inbox: Path, name: str, folder: str) -> None:
    """It lies below its source under a name that holds, or is refused; nothing else changes."""
    source = Source("kb", str(inbox / "kb"))
    try:
        where, called = upload_names.folder_path(folder), upload_names.file_name(name)
    except Problem as e:
        status = e.status
    else:
        status = 0
    assert status in (0, 400)
    if status:
        return
    assert not set(called) & {"/", "\\", "\0"}
    refusals = (receiving.Taken, UsageError, OSError)  # a folder or a file of that name, or none this file system takes
    with contextlib.suppress(*refusals), receiving.opened(source, where, make=True) as at:
        incoming = receiving.Incoming(at)
        try:
            incoming.write(b"x")
            incoming.finish()
            incoming.place(called.encode(), replace=True)
        finally:
            incoming.close()
    assert sorted(p.name for p in inbox.iterdir()) == ["kb", "outside.md"]
    assert (inbox / "outside.md").read_text() == "safe"
    assert not list((inbox / "kb").rglob("*.part"))


@pytest.mark.parametrize("name", [n for n in HOSTILE if "\0" not in n and "\ud800" not in n])
def test_hostile_names_over_http(web: Running, name: str) -> None:
    """Stored inside the source, or a problem that says why; never an internal error."""
    before = files(web)
    answer = web.upload(name, TEXT, replace="true")
    assert answer.status_code in (202, 400, 415), answer.text
    assert all(path.startswith("kb/") for path in files(web) - before)
    if answer.status_code != 202:
        assert answer.json()["detail"]


def test_a_link_leads_nowhere(web: Running, tmp_path: Path) -> None:
    """Neither into a linked folder nor over a linked file; and no link is taken out or fetched."""
    (tmp_path / "secret.md").write_text("secret")
    (web.home / "kb" / "linked").symlink_to(tmp_path)
    (web.home / "kb" / "link.md").symlink_to(tmp_path / "secret.md")
    assert web.upload("new.md", TEXT, folder="linked").status_code == 400
    assert web.upload("link.md", TEXT, replace="true").status_code == 409
    from indexer.core.model import Key
    from indexer.docid import docid

    for path in ("link.md", "linked/secret.md", "../indexer.toml", "a/../../indexer.toml"):
        document = docid(Key("kb", path))
        assert web.client.get(f"/api/v1/documents/{document}/download").status_code in (400, 404)
        assert web.client.delete(f"/api/v1/documents/{document}").status_code in (400, 404)
    assert (tmp_path / "secret.md").read_text() == "secret"
    assert not (tmp_path / "new.md").exists()
    assert (web.home / "indexer.toml").exists()


def test_a_folder_that_becomes_a_link_meanwhile(tmp_path: Path) -> None:
    """The opened folder is written to, not what took its place."""
    (tmp_path / "kb" / "in").mkdir(parents=True)
    (tmp_path / "away").mkdir()
    with receiving.opened(Source("kb", str(tmp_path / "kb")), "in") as folder:
        incoming = receiving.Incoming(folder)
        incoming.write(b"x")
        incoming.finish()
        (tmp_path / "kb" / "in").rename(tmp_path / "kb" / "old")
        (tmp_path / "kb" / "in").symlink_to(tmp_path / "away")
        incoming.place(b"x.md", replace=False)
        incoming.close()
    assert list((tmp_path / "away").iterdir()) == []
    assert (tmp_path / "kb" / "old" / "x.md").read_bytes() == b"x"


def test_of_many_with_one_name_one_wins(web: Running) -> None:
    """Nobody's bytes are lost to somebody who was told that his lie there."""
    answers: dict[int, int] = {}

    def send(i: int) -> None:
        answers[i] = web.upload("race.md", b"number %d\n" % i).status_code

    threads = [threading.Thread(target=send, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [i for i, status in answers.items() if status == 202]
    assert len(winners) == 1
    assert sorted(answers.values()) == [202] + [409] * 7
    assert (web.home / "kb/race.md").read_bytes() == b"number %d\n" % winners[0]


def test_a_full_disk_leaves_nothing_behind(web: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """507, no half file, and the next one fits again."""
    before = files(web)

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(receiving.os, "write", full)
        assert web.upload("full.md", TEXT).status_code == 507
    assert files(web) == before
    assert web.upload("full.md", TEXT).status_code == 202


def test_who_hangs_up_leaves_nothing_behind(web: Running) -> None:
    """A form that ends in the middle of its file."""
    before = files(web)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="half.md"\r\n\r\n# Half'
    connection = web.raw(b"POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n" + head)  # fmt: skip
    web.until(lambda: any(".upload-" in path for path in files(web)))
    connection.close()
    web.until(lambda: files(web) == before)


def test_the_largest_file(tmp_path: Path) -> None:
    """What is larger than max_upload_mb is stopped on the way."""
    with running(tmp_path, "max_upload_mb = 1\n") as one:
        assert one.upload("fits.md", b"x" * 2**20).status_code == 202
        answer = one.upload("large.md", b"x" * (2**20 + 1))
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert not (one.home / "kb/large.md").exists()


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("program.exe", b"MZ", 415, "suffix"),
        ("no_suffix", TEXT, 415, "suffix"),
        ("lies.pdf", b"PK\x03\x04" + b"x" * 100, 415, "content"),
        ("program.txt", b"\x7fELF\x02\x01\x01" + b"\0" * 100, 415, "content"),
        ("empty.md", b"", 400, "empty"),
    ],
)
def test_what_nobody_reads_is_refused(web: Running, name: str, data: bytes, status: int, code: str) -> None:
    """By the ending, and by what the bytes say."""
    answer = web.upload(name, data)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not (web.home / "kb" / name).exists()


def test_what_a_rule_keeps_out_is_refused(web: Running) -> None:
    """An upload that no search would find is none."""
    (web.home / "kb" / ".indexerignore").write_text("private/\n")
    answer = web.upload("x.md", TEXT, folder="private")
    assert (answer.status_code, answer.json()["code"]) == (400, "ignored")
    assert not (web.home / "kb/private/x.md").exists()


def test_a_deleted_document_is_not_found(web: Running) -> None:
    """Its file is gone and so are its words; a second time there is nothing to delete."""
    document = web.upload("short-lived.md", b"# Gone\n\nan ephemeral mayfly\n").json()["document"]
    web.done(web.client.delete(f"/api/v1/documents/{document}"))
    assert not (web.home / "kb/short-lived.md").exists()
    assert web.client.get("/api/v1/search", params={"q": "mayfly", "mode": "lexical"}).json()["hits"] == []
    assert web.client.get(f"/api/v1/documents/{document}").status_code == 404
    assert web.client.delete(f"/api/v1/documents/{document}").status_code == 404


def test_the_trail_knows_who_and_from_where(web: Running) -> None:
    """The key's name and the client's address are on record."""
    key = web.key("write", "li.na")
    try:
        headers = {"Authorization": f"Bearer {key}"}
        answer = web.client.post("/api/v1/documents", files={"file": ("signed.md", TEXT)}, headers=headers)
        request = answer.json()["request"]
        facts = web.until(lambda: (f := web.client.get(f"/api/v1/requests/{request}", headers=headers).json())["state"] == "done" and f)  # fmt: skip
        commit = web.client.get(f"/api/v1/commits/{facts['commit']}", headers=headers).json()
    finally:
        web.no_keys()
    assert (commit["actor"], commit["client"], commit["trigger"]) == ("li.na", "127.0.0.1", "web")


def test_an_upload_does_not_wait_for_a_bulk_run(tmp_path: Path) -> None:
    """It is found while hundreds of other files are still being embedded."""
    with running(tmp_path, seconds=0.02) as one:
        for i in range(150):
            (one.home / "kb" / f"bulk{i}.md").write_text(f"# Bulk {i}\n\n" + f"words of number {i}\n" * 5)
        bulk = one.client.post("/api/v1/runs", json={}).json()["request"]
        one.until(lambda: one.client.get(f"/api/v1/requests/{bulk}").json()["state"] == "running")
        one.done(one.upload("urgent.md", b"# Urgent\n\nthe quick wombat\n"))
        hits = one.client.get("/api/v1/search", params={"q": "wombat", "mode": "lexical"}).json()["hits"]
        assert [hit["path"] for hit in hits] == ["urgent.md"]
        assert one.client.get(f"/api/v1/requests/{bulk}").json()["state"] == "running"


def test_names_of_folders_lead_into_their_source(tmp_path: Path) -> None:
    """Dots are no folder names here, whoever says them."""
    (tmp_path / "kb").mkdir()
    with pytest.raises(UsageError), receiving.opened(Source("kb", str(tmp_path / "kb")), ".."):
        pass
    assert os.listdir(tmp_path) == ["kb"]
