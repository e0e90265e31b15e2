"""The journal of changed settings: written before, put back after, also by somebody else."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.host.settings.entries import Entry, Mounted, Setting
from iogate.host.settings.journal import Journal, is_left, restore_left, unrestored
from iogate.host.settings.journals import own_journals
from iogate.sut.base import Found
from iogate.sut.local import LocalSut
from support.devices import fill, loop_device, needs_root, sh
from support.own_locks import LOCKS, as_nobody
from support.settings import HARMLESS, kept

pytestmark = needs_root


def journal_path() -> str:
    """The one that is there."""
    (path,) = own_journals(LocalSut())
    return path


def lines() -> list[dict[str, str]]:
    return [json.loads(line) for line in Path(journal_path()).read_text().splitlines()]


def test_it_is_beside_the_lock_and_gone_when_all_is_put_back(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        before = path.read_text().strip()
        journal = Journal(sut, "run1")
        journal.note(Setting(str(path), before))
        assert is_left(sut)
        assert Path(journal_path()).parent == LOCKS
        assert oct(Path(journal_path()).stat().st_mode)[-3:] == "600"
        path.write_text("7")
        journal.undo()
        assert path.read_text().strip() == before
        assert not is_left(sut)
        journal.undo()


def test_what_a_killed_run_left_is_put_back_in_reverse(sut: LocalSut, tmp_path: Path) -> None:
    point = tmp_path / "iogate-0123456789ab-0/mnt"
    point.mkdir(parents=True)
    with kept(HARMLESS) as (path,), loop_device(tmp_path) as device:
        sh("mkfs.ext4", "-q", device)
        before = path.read_text().strip()
        journal = Journal(sut, "0123456789abcdef")
        journal.note(Setting(str(path), before))
        journal.note(Mounted(str(point)))
        sh("mount", device, str(point))
        path.write_text("7")
        journal.note(Setting(str(path), "7"))  # a second change of the same
        path.write_text("6")
        said = restore_left(LocalSut())
        assert path.read_text().strip() == before
        assert said == (
            f"run 0123456789ab was killed: {point} is unmounted",
            f"run 0123456789ab was killed: {path} is {before} again",
        )
        assert not os.path.ismount(point)
        assert restore_left(sut) == ()


def test_a_torn_last_line_is_of_a_change_that_was_not_made(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        before = path.read_text().strip()
        Journal(sut, "r").note(Setting(str(path), before))
        with Path(journal_path()).open("a") as out:
            out.write('{"set": "/proc/sys/vm/swapp')
        path.write_text("7")
        assert len(restore_left(sut)) == 1
        assert path.read_text().strip() == before


def test_one_of_another_boot_is_dropped(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        Journal(sut, "r").note(Setting(str(path), "7"))
        first, *rest = lines()
        first["boot"] = "another"
        text = "".join(json.dumps(line) + "\n" for line in (first, *rest))
        Path(journal_path()).write_text(text)
        (said,) = restore_left(sut)
        assert "reboot" in said
        assert path.read_text().strip() != "7"
        assert not is_left(sut)


@pytest.mark.parametrize(
    "line",
    [
        '{"set": "/etc/passwd", "before": "x"}',
        '{"set": "/proc/sys/../../etc/passwd", "before": "x"}',
        '{"set": "/sys/a"}',
        '{"set": "/sys/a", "before": "x"}',
        '{"set": "/proc/sys/kernel/core_pattern", "before": "|/tmp/x"}',
        '{"set": "/proc/sys/kernel/modprobe", "before": "/tmp/x"}',
        '{"set": "/proc/sys/fs/suid_dumpable", "before": "2"}',
        '{"set": "/proc/sys/vm/drop_caches", "before": "3"}',
        '{"set": "/sys/block/../queue/scheduler", "before": "none"}',
        '{"set": "/sys/block/sda/device/delete", "before": "1"}',
        '{"set": "/sys/block/../queue/iosched/x", "before": "1"}',
        '{"set": "/sys/devices/system/cpu/cpu0/uevent", "before": "1"}',
        '{"set": "/sys/kernel/uevent_helper", "before": "/tmp/x"}',
        '{"mounted": "/home"}',
        '{"mounted": "mnt"}',
        '{"mounted": "/tmp/iogate-0123456789ab-0/../../home"}',
        '{"mounted": "/tmp/iogate-0123456789ab-0/mnt/home"}',
        '{"array": "00000000-0000-4000-8000-000000000000", "members": ["/dev/sda"]}',
        "nonsense",
        '["mounted"]',
    ],
)
def test_a_damaged_one_is_not_followed(sut: LocalSut, line: str) -> None:
    Journal(sut, "r").note(Setting("/proc/sys/vm/nothing", "1"))
    with Path(journal_path()).open("a") as out:
        out.write(line + "\n")
    with pytest.raises(RefusedError, match="cannot be read"):
        restore_left(sut)
    assert is_left(sut)


def test_one_of_another_version_is_left_to_it(sut: LocalSut) -> None:
    Journal(sut, "r").note(Setting("/proc/sys/vm/nothing", "1"))
    Path(journal_path()).write_text('{"schema": "journal/2"}\n')
    with pytest.raises(RefusedError, match="another version"):
        restore_left(sut)


@pytest.mark.parametrize("how", ["owner", "hard link", "symlink", "fifo"])
def test_one_that_is_not_ours_alone_is_not_followed_and_in_nobodys_way(
    sut: LocalSut, tmp_path: Path, how: str
) -> None:
    with kept(HARMLESS) as (path,):
        Journal(sut, "r").note(Setting(str(path), "7"))
        file = Path(journal_path())
        if how == "owner":
            os.chown(file, 65534, 65534)
        elif how == "hard link":
            file.with_name("other").hardlink_to(file)
        else:
            shutil.move(file, tmp_path / "elsewhere")
            os.mkfifo(file) if how == "fifo" else file.symlink_to(tmp_path / "elsewhere")
        assert restore_left(sut) == ()
        assert path.read_text().strip() != "7"
        journal = Journal(sut, "next")
        journal.note(Setting(str(path), path.read_text().strip()))
        journal.undo()


def test_one_that_others_may_write_is_refused(sut: LocalSut) -> None:
    Journal(sut, "r").note(Setting("/proc/sys/vm/nothing", "7"))
    Path(journal_path()).chmod(0o666)
    with pytest.raises(RefusedError, match="may be written by others"):
        restore_left(sut)


@pytest.mark.parametrize("where", ["temporary folder", "beside a lock", "among locks"])
def test_one_where_a_spec_may_write_a_file_is_not_followed(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """A file: target has the contents that its spec says."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("IOGATE_LOCK", str(tmp_path / "old.lock"))
    names = {
        "temporary folder": tmp_path / f"iogate-{os.geteuid()}.journal",
        "beside a lock": tmp_path / "old.journal",
        "among locks": LOCKS / "iogate.journal",
    }
    with kept(HARMLESS) as (path,):
        Journal(sut, "r").note(Setting(str(path), "7"))
        shutil.move(journal_path(), names[where])
        assert not is_left(LocalSut())
        assert restore_left(LocalSut()) == ()
        assert path.read_text().strip() != "7"


def test_every_setting_that_a_spec_can_mean_is_put_back(sut: LocalSut) -> None:
    journal, cpu = Journal(sut, "r"), "/sys/devices/system/cpu"
    entries: list[Entry] = [
        Setting("/sys/block/nowhere!1/queue/scheduler", "none"),
        Setting(f"{cpu}/cpufreq/policy99999/scaling_governor", "powersave"),
        Setting("/proc/sys/net/ipv4/conf/none/forwarding", "0"),
        Setting("/proc/sys/kernel/sched_none", "0"),
        Mounted("/iogate-0123456789ab-12/mnt"),
        Mounted("/var/tmp/a b/iogate-run-0/mnt"),
    ]
    for entry in entries:
        journal.note(entry)
    assert len(lines()) == len(entries) + 1
    restore_left(sut)
    assert not is_left(sut)


def test_a_user_waits_for_what_only_root_can_put_back(sut: LocalSut) -> None:
    Journal(sut, "r").note(Setting("/proc/sys/vm/nothing", "7"))
    code = (
        "from iogate.host.settings.journal import restore_left\n"
        "from iogate.sut.local import LocalSut\n"
        "restore_left(LocalSut())"
    )
    done = as_nobody(code)
    assert "a run of root has changed this host" in done.stderr
    os.chown(journal_path(), 1, 1)
    assert as_nobody(code).returncode == 0


def test_nothing_is_changed_when_it_cannot_be_kept(sut: LocalSut) -> None:
    sh("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(LOCKS))
    try:
        fill(LOCKS)
        _cannot_be_kept(sut)
    finally:
        sh("umount", str(LOCKS))


def _cannot_be_kept(sut: LocalSut) -> None:
    journal = Journal(sut, "r")
    with pytest.raises(RunError):
        journal.note(Setting("/proc/sys/vm/x", "1"))
    assert journal.entries == []


def test_a_setting_that_is_gone_is_no_obstacle(sut: LocalSut) -> None:
    Journal(sut, "r").note(Setting("/sys/block/nowhere/queue/scheduler", "none"))
    (said,) = restore_left(sut)
    assert "is gone" in said
    assert not is_left(sut)


def test_one_that_cannot_be_put_back_keeps_the_journal_and_not_the_others(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        before = path.read_text().strip()
        journal = Journal(sut, "r")
        journal.note(Setting(str(path), before))
        journal.note(Setting("/proc/sys/fs/dentry-state", "1.0"))  # cannot be written
        path.write_text("7")
        left: list[str] = []
        assert restore_left(sut, left.append) == (f"run r was killed: {path} is {before} again",)
        assert path.read_text().strip() == before
        (told,) = left
        assert "/proc/sys/fs/dentry-state is " in told
        assert " and was 1.0 before" in told
        assert journal_path() in told
        assert is_left(sut)
        assert restore_left(sut, left.append) == ()
        assert len(left) == 2, "it is tried again, and told again"
        path.write_text("5")
        assert restore_left(sut) == (), "what was put back is not, once more"
        assert path.read_text().strip() == "5"
        assert [each.entry for each in unrestored(sut)] == [
            Setting("/proc/sys/fs/dentry-state", "1.0")
        ]


def test_another_run_has_a_journal_of_its_own_beside_what_is_left(sut: LocalSut) -> None:
    with kept(HARMLESS) as (path,):
        before = path.read_text().strip()
        Journal(sut, "r").note(Setting("/proc/sys/fs/dentry-state", "1.0"))
        second = Journal(sut, "next")
        second.note(Setting(str(path), before))
        path.write_text("7")
        second.undo()
        assert path.read_text().strip() == before
        assert len(unrestored(sut)) == 1


class Reads(LocalSut):
    """Counts what is read, and not only looked at."""

    read: tuple[str, ...] = ()

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        self.read = (*self.read, *paths)
        return super().read_many(paths, looks)


def test_what_lies_where_journals_lie_is_not_read_to_find_them() -> None:
    """Anybody may put files there, as large as they like."""
    sut, strange = Reads(), LOCKS / "iogate-journal.0.0123456789ab"
    strange.symlink_to("/etc/hostname")
    try:
        assert str(strange) not in own_journals(sut)
        assert not sut.read
    finally:
        strange.unlink()
