"""What a spec may give to mkfs and mount, and what it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.model.filesystem import (
    JOURNAL,
    LOG,
    MAKERS,
    MEMBER,
    REALTIME,
    BadArgumentError,
    check_beside,
    journal_argv,
    mkfs_argv,
    mkfs_words,
    mount_argv,
    mount_words,
)


@pytest.mark.parametrize(
    ("fs_type", "asked", "words"),
    [
        ("ext4", ("-O", "^has_journal"), ("-O", "^has_journal")),
        ("ext4", ("-b 4096", "-E", "stride=4"), ("-b", "4096", "-E", "stride=4")),
        ("xfs", ("-m", "reflink=1,rmapbt=0", "-K"), ("-m", "reflink=1,rmapbt=0", "-K")),
        ("btrfs", ("--csum=xxhash", "--mixed"), ("--csum", "xxhash", "--mixed")),
        ("ext4", (), ()),
    ],
)
def test_arguments_that_tune_are_given(
    fs_type: str, asked: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert mkfs_words(fs_type, asked) == words


@pytest.mark.parametrize(
    ("fs_type", "asked"),
    [
        ("ext4", ("/dev/sda",)),
        ("ext4", ("sda",)),
        ("ext4", ("-n",)),  # a dry run: nothing would be made
        ("ext4", ("-S",)),
        ("ext4", ("-d", "/root")),
        ("ext4", ("-l", "/etc/shadow")),
        ("ext4", ("-J", "device=UUID=1")),
        ("ext4", ("-J", "size=4,device=LABEL=x")),
        ("ext4", ("-O", "../x")),
        ("ext4", ("-b",)),
        ("ext4", ("-b", "-n")),
        ("ext4", ("-b4096",)),
        ("xfs", ("-N",)),
        ("xfs", ("-d", "file,name=x,size=1g")),
        ("xfs", ("-l", "logdev=sda")),
        ("xfs", ("-r", "rtdev=sda")),
        ("xfs", ("-r", "extsize=64k,rtdev=sda")),
        ("f2fs", ("-c", "sda")),
        ("f2fs", ("sda",)),
        ("xfs", ("-p", "proto")),
        ("xfs", ("-c", "options=conf")),
        ("btrfs", ("--rootdir=/root",)),
        ("btrfs", ("-r", "root")),
        ("btrfs", ("--csum", "a b", "sdb")),
    ],
)
def test_what_names_something_else_or_makes_nothing_is_refused(
    fs_type: str, asked: tuple[str, ...]
) -> None:
    with pytest.raises(BadArgumentError) as caught:
        mkfs_words(fs_type, asked)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("fs_type", "asked"),
    [("ext4", ("-e panic",)), ("ext2", ("-e", "panic")), ("ext4", ("-E errors=panic",))],
)
def test_a_filesystem_that_takes_the_host_down_is_not_made(
    fs_type: str, asked: tuple[str, ...]
) -> None:
    with pytest.raises(BadArgumentError, match="take this host down") as caught:
        mkfs_words(fs_type, asked)
    assert "leave it out" in caught.value.remedy


@pytest.mark.parametrize("option", ["errors=panic", "noatime,fatal_errors=panic", "panic"])
def test_a_filesystem_that_takes_the_host_down_is_not_mounted(option: str) -> None:
    with pytest.raises(BadArgumentError, match="take this host down"):
        mount_words((option,))


def test_other_answers_to_errors_and_a_label_are_let_through() -> None:
    assert mkfs_words("ext4", ("-e remount-ro", "-L panic")) == ("-e", "remount-ro", "-L", "panic")
    assert mount_words(("errors=remount-ro",)) == ("errors=remount-ro",)


@given(st.sampled_from(sorted(MAKERS)), st.lists(st.text("-bdElLmOKn/=., 4size:devic", max_size=9)))
def test_whatever_is_let_through_names_one_device(fs_type: str, arguments: list[str]) -> None:
    try:
        argv = mkfs_argv(fs_type, arguments, "/dev/loop9", keep_blocks=True)
    except BadArgumentError:
        return
    maker = MAKERS[fs_type]
    assert argv[-1] == "/dev/loop9"
    assert not any("/" in word for word in argv[:-1])
    rest = list(argv[1 + len(maker.always) : -1])
    while rest:
        flag = rest.pop(0)
        assert flag in maker.flags or (flag in maker.values and rest.pop(0) is not None)


@pytest.mark.parametrize(
    ("fs_type", "asked", "argv"),
    [
        ("ext4", (), ("mkfs.ext4", "-q", "-F", "-E", "nodiscard", "/dev/x")),
        (
            "ext4",
            ("-E", "stride=4"),
            ("mkfs.ext4", "-q", "-F", "-E", "stride=4,nodiscard", "/dev/x"),
        ),
        ("xfs", ("-K",), ("mkfs.xfs", "-q", "-f", "-K", "/dev/x")),
        ("btrfs", (), ("mkfs.btrfs", "-q", "-f", "-K", "/dev/x")),
        ("f2fs", (), ("mkfs.f2fs", "-q", "-f", "-t", "0", "/dev/x")),
        ("f2fs", ("-t", "1"), ("mkfs.f2fs", "-q", "-f", "-t", "0", "/dev/x")),
    ],
)
def test_a_preconditioned_device_is_not_discarded(
    fs_type: str, asked: tuple[str, ...], argv: tuple[str, ...]
) -> None:
    assert mkfs_argv(fs_type, asked, "/dev/x", keep_blocks=True) == argv
    assert "nodiscard" not in " ".join(mkfs_argv(fs_type, (), "/dev/x", keep_blocks=False))


def test_a_mount_holds_no_devices_and_no_set_user_id_programs() -> None:
    argv = mount_argv("xfs", ("noatime", "logbsize=256k,inode64"), "/dev/x", "/mnt")
    assert argv == (
        "mount", "--internal-only", "-t", "xfs", "-o",
        "nosuid,nodev,noatime,logbsize=256k,inode64", "/dev/x", "/mnt",
    )  # fmt: skip


@pytest.mark.parametrize(
    "option",
    ["suid", "dev", "loop", "bind", "remount", "logdev=sda", "device=sdb", "journal_path=/x",
     "noatime,suid", "", "x-systemd.automount", "X-mount.mkdir", "subvol=/a", "user", "-o", "a b",
     "verity.roothash=1", "ro"],
)  # fmt: skip
def test_mount_options_that_lead_elsewhere_are_refused(option: str) -> None:
    with pytest.raises(BadArgumentError):
        mount_words((option,))


@pytest.mark.parametrize(
    ("fs_type", "roles", "made", "mounted"),
    [
        ("ext4", (JOURNAL,), "-b 4096 -J device=/dev/y /dev/x", ""),
        ("xfs", (LOG, REALTIME), "-l logdev=/dev/y -r rtdev=/dev/z /dev/x",
         ",logdev=/dev/y,rtdev=/dev/z"),
        ("btrfs", (MEMBER, MEMBER), "/dev/x /dev/y /dev/z", ",device=/dev/y,device=/dev/z"),
        ("f2fs", (MEMBER, MEMBER), "-c /dev/y -c /dev/z /dev/x", ""),
    ],
)  # fmt: skip
def test_devices_beside_the_first_are_named_to_mkfs_and_mount(
    fs_type: str, roles: tuple[str, ...], made: str, mounted: str
) -> None:
    beside = list(zip(roles, ("/dev/y", "/dev/z"), strict=False))
    argv = mkfs_argv(fs_type, (), "/dev/x", keep_blocks=False, beside=beside)
    assert argv[3:] == tuple(made.split())
    argv = mount_argv(fs_type, (), "/dev/x", "/mnt", beside)
    assert argv[5] == f"nosuid,nodev{mounted}"


def test_a_journal_has_blocks_of_the_size_of_its_filesystems() -> None:
    def said(*arguments: str) -> list[str]:
        made = mkfs_argv(
            "ext4", arguments, "/dev/x", keep_blocks=False, beside=[(JOURNAL, "/dev/y")]
        )
        journal = journal_argv("ext4", arguments, "/dev/y", keep_blocks=True, uuid="u")
        assert journal[-5:] == ("-E", "nodiscard", "-U", "u", "/dev/y")
        return [argv[argv.index("-b") + 1] for argv in (made, journal)]

    assert said() == ["4096", "4096"]
    assert said("-b 1024") == ["1024", "1024"]


@pytest.mark.parametrize(
    ("fs_type", "arguments", "roles"),
    [
        ("ext2", (), (JOURNAL,)),
        ("ext4", (), (LOG,)),
        ("ext4", (), (MEMBER,)),
        ("xfs", (), (JOURNAL,)),
        ("btrfs", (), (MEMBER, LOG)),
        ("ext4", ("-J", "size=8"), (JOURNAL,)),
        ("ext4", ("-O", "extent,^has_journal"), (JOURNAL,)),
    ],
)
def test_devices_that_a_filesystem_does_not_take(
    fs_type: str, arguments: tuple[str, ...], roles: tuple[str, ...]
) -> None:
    with pytest.raises(BadArgumentError) as caught:
        check_beside(fs_type, arguments, roles)
    assert caught.value.remedy
