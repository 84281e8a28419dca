"""Which mounts are polled, decided from their list alone."""

from __future__ import annotations

import pytest

from indexer.triggers.watch.mounts import Mount, elsewhere, foreign, foreign_mount, parse_mount, parse_mountinfo

LINUX = rb"""24 30 0:22 / /proc rw,nosuid - proc proc rw
30 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
40 30 0:40 / /home/u/share rw,relatime shared:2 - nfs4 server:/export rw,vers=4.2
41 30 0:41 / /mnt/my\040drive rw - fuse.rclone remote: rw
42 30 0:42 / /mnt/win rw - cifs //server/share rw
43 30 0:43 / /mnt/local rw - btrfs /dev/sdb rw
44 43 0:44 /sub /mnt/local/host rw master:5 - 9p hostshare rw
45 30 0:45 / /mnt/over rw - nfs server:/old rw
46 45 0:46 / /mnt/over rw - ext4 /dev/sdc rw
47 30 0:47 / /mnt/under rw - ext4 /dev/sdd rw
48 47 0:48 / /mnt/under rw - nfs server:/new rw
49 30 0:49 / /mnt/over\134lay rw - overlay overlay rw
50 30 0:50 / /docker rw - fuse.grpcfuse osxfs rw
"""


@pytest.mark.parametrize(
    ("root", "type_"),
    [
        (b"/home/u/docs", None),
        (b"/home/u/share", "nfs4"),
        (b"/home/u/share/deep/er", "nfs4"),
        (b"/home/u/shared", None),
        (b"/home/u", "nfs4"),
        (b"/mnt/my drive/x", "fuse.rclone"),
        (b"/mnt/win", "cifs"),
        (b"/mnt/local/docs", None),
        (b"/mnt/local", "9p"),
        (b"/mnt/local/host/x", "9p"),
        (b"/mnt/over/x", None),
        (b"/mnt/under/x", "nfs"),
        (b"/mnt/over\\lay/x", None),
        (b"/docker/volume", "fuse.grpcfuse"),
    ],
)
def test_where_others_write(root: bytes, type_: str | None) -> None:
    """The file system a root lies on, the last of several at one place, and any that lies in the root."""
    found = foreign(root, parse_mountinfo(LINUX))
    assert (found.type if found else None) == type_


def test_the_words_of_mount() -> None:
    """macOS says it otherwise."""
    said = "/dev/disk3s1s1 on / (apfs, sealed, local)\n//u@host/share on /Volumes/My share (smbfs, nodev, mounted by u)\nmap auto_home on /System/Volumes/Data/home (autofs, automounted)\n"
    assert parse_mount(said) == [
        Mount(b"/", "apfs"),
        Mount(b"/Volumes/My share", "smbfs"),
        Mount(b"/System/Volumes/Data/home", "autofs"),
    ]
    assert foreign(b"/Volumes/My share/x", parse_mount(said)) == Mount(b"/Volumes/My share", "smbfs")
    assert foreign(b"/Users/u", parse_mount(said)) is None


@pytest.mark.parametrize(
    "type_", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "vfat", "exfat", "ntfs3", "f2fs", "bcachefs"]
)
def test_local_file_systems_are_watched(type_: str) -> None:
    """Only this kernel changes them."""
    assert not elsewhere(type_)


def test_this_machine(tmp_path: object) -> None:
    """A temporary folder is on a disk of our own."""
    assert foreign_mount(str(tmp_path).encode()) is None


def test_lines_that_are_none() -> None:
    """What cannot be read says nothing."""
    assert parse_mountinfo(b"\nodd\n1 2 3\n") == []
    assert parse_mount("odd\n\n") == []
