"""What a spec sets up: settings, filesystems and preconditions of whole runs and comparisons,
on devices that the test makes, and everything as it was afterwards."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.engine.fio import last_document
from iogate.host.settings.journals import own_journals
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, needs_root, sh, zram_device
from support.settings import HARMLESS, kept

from .conftest import Iogate, engines_of, kill, wait_for

pytestmark = needs_root
SPEC = """\
version: 1
name: setup
targets:
  raw: { device: %(device)s, destroy: { backing: %(image)s } }
  fs: { filesystem: { on: raw, type: %(type)s, mount: [noatime], recreate: per-repetition } }
environment:
  block: { scheduler: mq-deadline, read_ahead_kb: 64 }
  sysctl: { vm.page-cluster: 6 }
  drop_caches: before-case
workloads:
  syncs:
    target: fs
    fio: { ioengine: psync, rw: randwrite, bs: 4k, size: 1m, fsync: 16, %(more)s }
    repetitions: 2
    thresholds: { write.iops: "> 1", sync.lat.mean: "vs baseline < +100%%" }
compare:
  arms:
    bare: { mount: [noatime, nobarrier], mkfs: [-O, ^has_journal] }
    none: { environment: { block: { scheduler: none } } }
    shell: { prepare: "%(look)s" }
    both: { environment: { block: { scheduler: none } }, mount: [lazytime], prepare: "%(look)s" }
"""
LONG = "runtime: 60s, time_based: true"


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with kept(HARMLESS), loop_device(tmp_path, 320) as made:
        scheduler(made).write_text("none")
        yield made


def scheduler(device: str) -> Path:
    return Path("/sys/block") / Path(device).name / "queue/scheduler"


def spec(iogate: Iogate, device: str, fs_type: str = "ext4", more: str = "", end: str = "") -> Path:
    look = f"cat {scheduler(device)} >> {iogate.folder}/log; "
    look += f"findmnt -no OPTIONS -T $IOGATE_TARGET >> {iogate.folder}/log"
    values = {
        "image": image_of(device),
        "device": device,
        "type": fs_type,
        "more": more or "numjobs: 1",
        "look": look,
    }
    return iogate.spec(SPEC % values + end)


def as_before(iogate: Iogate, device: str, before: str) -> None:
    assert Path(f"/proc/sys/vm/{HARMLESS[3:]}").read_text() == before
    assert "[none]" in scheduler(device).read_text()
    assert not any(os.path.ismount(path) for path in iogate.folder.rglob("mnt"))
    assert iogate.left_behind() == []
    assert own_journals(LocalSut()) == ()


def page_cluster() -> str:
    return Path("/proc/sys/vm/page-cluster").read_text()


@pytest.mark.parametrize("fs_type", ["ext4", "xfs", "btrfs"])
def test_a_run_on_a_filesystem_of_its_own(iogate: Iogate, device: str, fs_type: str) -> None:
    before = page_cluster()
    done = iogate("run", spec(iogate, device, fs_type), "--trust")
    assert done.code == 0, done.text
    facts = iogate.run_document()["environment"]
    assert facts["target.fs.filesystem"] == fs_type
    assert "noatime" in facts["target.fs.mount_options"]
    assert facts["target.fs.scheduler"] == "mq-deadline"
    assert facts["target.fs.read_ahead_kb"] == 64
    assert len(iogate.run_document()["measurements"]) == 2
    as_before(iogate, device, before)


@pytest.mark.parametrize("fs_type", ["ext4", "xfs", "btrfs"])
def test_what_the_last_run_left_is_expected_and_what_somebody_made_since_is_not(
    iogate: Iogate, device: str, fs_type: str
) -> None:
    path = spec(iogate, device, fs_type)
    for _ in range(2):
        assert iogate("run", path, "--trust").code == 0
    sh(f"mkfs.{fs_type}", "-q", "-F" if fs_type == "ext4" else "-f", device)
    content = Path(device).read_bytes()
    done = iogate("run", path, "--trust")
    assert done.code == 3, done.text
    assert f"{device} holds {fs_type} (" in done.err
    assert Path(device).read_bytes() == content


def test_a_mkfs_that_is_killed_ends_its_repetition_and_not_the_run(
    iogate: Iogate, device: str
) -> None:
    before, real, calls = page_cluster(), shutil.which("mkfs.ext4"), iogate.folder / "calls"
    (iogate.folder / "bin").mkdir()
    program = iogate.folder / "bin/mkfs.ext4"
    program.write_text(
        f'#!/bin/sh\necho >> {calls}\n[ $(wc -l < {calls}) = 3 ] && kill -9 $$\nexec {real} "$@"\n'
    )
    program.chmod(0o755)
    path = spec(iogate, device)
    head, one, end = path.read_text().partition("  syncs:\n")
    text = f"{one}{end.partition('compare:')[0]}"
    path.write_text(f"{head}{text}{text.replace('syncs', 'more').replace('bs: 4k', 'bs: 8k')}")
    done = iogate("run", path, "--trust", PATH=f"{program.parent}:{os.environ['PATH']}")
    assert done.code == 4, done.text
    run = iogate.run_document()
    assert [each["repetition"] for each in run["failures"]] == [2]
    assert "mkfs.ext4" in run["failures"][0]["reason"]
    assert len(run["measurements"]) == 3
    as_before(iogate, device, before)


def test_without_trust_nothing_is_touched(iogate: Iogate, device: str) -> None:
    before, content = page_cluster(), Path(device).read_bytes()
    path = spec(iogate, device)
    done = iogate("run", path)
    assert done.code == 3
    assert "--trust" in done.err
    assert "environment.sysctl.vm.page-cluster" in done.err
    assert "targets.fs.filesystem" in done.err
    assert f"{path}:7:3" in done.err
    for command in ("canary", "ab"):
        words = ("--candidate", "none") if command == "ab" else ()
        assert iogate(command, path, *words).code == 3
    dry = iogate("run", path, "--dry-run")
    assert (dry.code, dry.err) == (done.code, done.err)
    assert "MAKES a filesystem" in dry.out
    assert Path(device).read_bytes() == content
    as_before(iogate, device, before)
    assert not (iogate.folder / "iogate-runs").exists()


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (("destroy: { backing:", "destroy: { size: 321m, backing:"), 3, "destroy: says"),
        (("destroy: { backing:", "x-destroy: { backing:"), 3, "does not allow it"),
        (("type: ext4", "type: ext4, mkfs: [-J, device=LABEL=root]"), 2, "beside the device"),
        (("mount: [noatime]", "mount: [suid]"), 2, "is not mounted with 'suid'"),
        (("type: ext4", "type: vfat"), 2, "does not make a filesystem of type 'vfat'"),
        (("vm.page-cluster: 6", "kernel.core_pattern: core"), 2, "is not set by a spec"),
        (("vm.page-cluster: 6", "vm.no_such: 6"), 3, "has no /proc/sys/vm/no_such"),
        (("scheduler: mq-deadline", "scheduler: fast"), 3, "and not fast"),
        (("scheduler: mq-deadline", "../../x: 1"), 2, "no attribute of a request queue"),
        (("drop_caches: before-case", "cpu: { governor: fast }"), 3, "cpu.governor"),
        (("drop_caches: before-case", "require: { max_temperature: 0C }"), 3, "the spec allows 0"),
        (("mount: [noatime]", "mount: [nosuchoption]"), 4, "nosuchoption"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_stays(
    iogate: Iogate, device: str, change: tuple[str, str], code: int, says: str
) -> None:
    before = page_cluster()
    path = spec(iogate, device)
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    if code != 4:  # that is found out when the run has begun
        dry = iogate("run", path, "--trust", "--dry-run")
        assert (dry.code, says in dry.err) == (code, True), dry.text
    done = iogate("run", path, "--trust")
    assert (done.code, says in done.err) == (code, True), done.text
    as_before(iogate, device, before)


def test_killed_in_the_middle_and_put_back_by_the_next(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    running = iogate.start("run", spec(iogate, device, more=LONG), "--trust")
    wait_for(lambda: engines_of(iogate.folder))
    assert page_cluster() != before
    held = json.loads(iogate("doctor", "--json").out)
    (check,) = [one for one in held["checks"] if one["id"] == "leftovers"]
    assert "a run measures now" in check["found"]
    kill(running.pid)
    running.communicate()
    assert page_cluster() != before
    assert own_journals(LocalSut())
    done = iogate("run", spec(iogate, device), "--trust")
    assert done.code == 0, done.text
    assert f"was killed: /proc/sys/vm/page-cluster is {before.strip()} again" in done.err
    assert "is unmounted" in done.err
    as_before(iogate, device, before)


def test_doctor_puts_back_and_says_so(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    running = iogate.start("run", spec(iogate, device, more=LONG), "--trust")
    wait_for(lambda: engines_of(iogate.folder))
    kill(running.pid)
    running.communicate()
    said = iogate("doctor").out
    assert "settings left by a killed run" in said
    assert f"/proc/sys/vm/page-cluster is {before.strip()} again" in said
    assert "[none]" in scheduler(device).read_text()
    assert page_cluster() == before
    assert own_journals(LocalSut()) == ()
    assert "killed run" not in iogate("doctor").out


def test_ctrl_c_puts_back(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    running = iogate.start("run", spec(iogate, device, more=LONG), "--trust")
    wait_for(lambda: engines_of(iogate.folder))
    running.send_signal(2)
    assert iogate.end(running).code == 4
    as_before(iogate, device, before)


def test_arms_that_differ_in_settings_and_mount_options(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    words = ("--base", "shell", "--candidate", "both", "--blocks", 5, "--trust")
    done = iogate("ab", spec(iogate, device), *words)
    assert done.code in {0, 1}, done.text
    lines = (iogate.folder / "log").read_text().splitlines()
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert len(pairs) >= 8
    for queue, options in pairs:
        assert ("[none]" in queue) == ("lazytime" in options.split(","))
        assert ("[mq-deadline]" in queue) == ("noatime" in options.split(","))
    assert {"[none]" in queue for queue, _ in pairs} == {True, False}
    as_before(iogate, device, before)


def test_arms_that_differ_in_mkfs(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    done = iogate("ab", spec(iogate, device), "--candidate", "bare", "--blocks", 5, "--trust")
    assert done.code in {0, 1}, done.text
    run = iogate.run_document()
    facts = run["environment"]
    assert "has_journal" in facts["target.fs.mkfs"]
    assert "has_journal" not in facts["target.fs@bare.mkfs"]
    assert "nobarrier" in facts["target.fs@bare.mount_options"]
    assert run["plan"]["comparison"]["candidate"]["mkfs"] == ["-O", "^has_journal"]
    as_before(iogate, device, before)


def test_each_run_of_an_arm_begins_on_a_fresh_filesystem(iogate: Iogate, device: str) -> None:
    path = spec(iogate, device)
    look = f"ls $IOGATE_TARGET >> {iogate.folder}/log; echo end >> {iogate.folder}/log"
    text = path.read_text().replace(", recreate: per-repetition", "").partition("compare:")[0]
    arms = f'{{ a: {{ prepare: "{look}" }}, b: {{ prepare: "{look}", set: {{ bs: 8k }} }} }}'
    path.write_text(f"{text}compare: {{ base: a, candidate: b, arms: {arms} }}\n")
    done = iogate("ab", path, "--blocks", 5, "--trust")
    assert done.code in {0, 1}, done.text
    lines = (iogate.folder / "log").read_text().splitlines()
    assert lines[0] == "lost+found"
    assert set(lines) == {"lost+found", "end"}
    assert len(lines) >= 16


def test_a_filesystem_and_its_device_in_one_spec_on_zram(iogate: Iogate) -> None:
    text = """\
version: 1
name: both
targets:
  raw: {{ device: {device}, destroy: {{ size: 53m }} }}
  fs: {{ filesystem: {{ on: raw, type: ext4 }} }}
workloads:
  one: {{ target: fs, fio: {{ rw: write, bs: 4k, size: 1m }}, repetitions: 2 }}
  two: {{ target: raw, fio: {{ rw: randwrite, bs: 4k, size: 1m }}, repetitions: 2 }}
"""
    with zram_device(53) as device:
        done = iogate("run", iogate.spec(text.format(device=device)), "--trust")
        assert done.code == 0, done.text
        assert len(iogate.run_document()["measurements"]) == 4


PRECONDITION = """\
precondition:
  fill: { bs: 1m }
  steady_state: { bs: 64k, steadystate: "iops:%s%%", ss_dur: 3s, timeout: %s }
"""


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_device_is_filled_and_written_until_steady(
    iogate: Iogate, device: str, engine: str
) -> None:
    path = spec(iogate, device, end=PRECONDITION % (90, "60s"))
    done = iogate("run", path, "--trust", "--engine", engine)
    assert done.code == 0, done.text
    fill, steady = (
        last_document((iogate.latest / f"raw/precondition-{step}-1-1.json").read_text())
        for step in ("fill", "steady-state")
    )
    assert fill is not None
    assert steady is not None
    assert fill["jobs"][0]["write"]["io_bytes"] == 320 << 20
    assert 2 <= steady["jobs"][0]["job_runtime"] / 1000 < 50
    assert steady["jobs"][0]["write"]["io_bytes"] > 0
    assert f"filename={device}" in (iogate.latest / "jobs/precondition-fill-1.fio").read_text()


def test_a_device_that_does_not_become_steady_is_not_measured(iogate: Iogate, device: str) -> None:
    before = page_cluster()
    path = spec(iogate, device, end=PRECONDITION % ("0.0001", "5s"))
    done = iogate("run", path, "--trust")
    assert done.code == 4
    assert "not steady within 5s: iops deviation" in done.err
    assert not list((iogate.latest / "raw").glob("[0-9a-f]*-1.json"))
    as_before(iogate, device, before)


def test_the_engine_runs_on_the_cpus_of_the_spec(iogate: Iogate) -> None:
    text = (
        "version: 1\ntargets: { d: { directory: auto } }\n"
        "environment: { cpu: { cpus_allowed: 0 } }\nworkloads:\n"
        "  w: { fio: { rw: read, size: 1m, runtime: 60s, time_based: true } }\n"
    )
    running = iogate.start("run", iogate.spec(text))
    wait_for(lambda: engines_of(iogate.folder))
    (pid, *_) = engines_of(iogate.folder)
    assert os.sched_getaffinity(pid) == {0}
    running.send_signal(2)
    iogate.end(running)
