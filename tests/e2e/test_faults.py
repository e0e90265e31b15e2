"""Faults on purpose: whatever happens once a run has begun, it tells what it measured, and what
failed counts."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.devices import (
    KERNEL_LOG,
    fill,
    identity_of,
    image_of,
    kernel_tells_of_io,
    loop_device,
    mounted,
    needs_kernel_log,
    needs_root,
    sh,
    tmpfs,
)

from .conftest import Done, Iogate, engines_of, kill, wait_for

SPEC = """\
version: 1
name: faults
targets: { disk: { %s } }
workloads:
  io:
    target: disk
    fio: { %s }
    repetitions: %d
    thresholds: { %s }
"""
LIMIT = "read.iops: '> 1'"
ERRORS = "errors: '< 1', read.iops: '> 1'"
READING = "rw: randread, bs: 4k, size: 4m, ioengine: psync, direct: 1, time_based: 1, runtime: %s"


def verdict_of(iogate: Iogate) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((iogate.latest / "verdict.json").read_text())
    return found


def judged(iogate: Iogate, metric: str) -> dict[str, Any]:
    """The verdict on the only limit on a metric."""
    (found,) = (
        each for each in verdict_of(iogate)["thresholds"] if each["threshold"]["metric"] == metric
    )
    return dict(found)


def tells_all(iogate: Iogate, done: Done, *words: str) -> None:
    """Every document is there, and says these words as the terminal does."""
    for name in ("report.html", "junit.xml", "summary.md", "verdict.json", "run.json"):
        text = html.unescape((iogate.latest / name).read_text())
        for word in words:
            assert word in text, f"{name} does not say {word}"
    assert all(word in done.text for word in words), done.text
    assert verdict_of(iogate)["exit_code"] == done.code


def cut_off(device: str) -> None:
    """From now on a loop device answers with I/O errors: every sector is past its file's end."""
    os.truncate(Path(f"/sys/block/{Path(device).name}/loop/backing_file").read_text().strip(), 0)


@needs_root
@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_repetition_that_ends_in_eio_counts_as_errors(iogate: Iogate, engine: str) -> None:
    """It comes back each time: it is measured again so often, and no more."""
    with loop_device(iogate.folder, 8) as device:
        text = SPEC % (f"device: {device}", READING % "2s", 2, ERRORS)
        spec = iogate.spec(f"{text}validity: {{ again: 2 }}\n")
        wait_for(kernel_tells_of_io)
        process = iogate.start("run", spec, "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        cut_off(device)
        done = iogate.end(process)
    assert done.code == 4, done.text
    assert judged(iogate, "errors")["outcome"] == "fail"
    assert judged(iogate, "errors")["value"] >= 1
    tells_all(iogate, done, "errors")
    failures = iogate.run_document()["failures"]
    assert all(each["errors"]["io"]["EIO"] >= 1 for each in failures)
    if os.access(KERNEL_LOG, os.R_OK | os.W_OK):
        assert [each["again"] for each in failures] == [True, True, False]
        tells_all(iogate, done, "measured again at most 2 times (validity.again)")


@needs_root
@needs_kernel_log
@pytest.mark.parametrize("engine", ["native", "fio"])
def test_eio_that_goes_by_takes_no_other_limit_along(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        done = hit_once(iogate, device, ERRORS, "--engine", engine)
    assert done.code == 1, done.text
    outcomes = {name: judged(iogate, name)["outcome"] for name in ("errors", "kernel_errors")}
    assert outcomes == {"errors": "fail", "kernel_errors": "fail"}
    found = judged(iogate, "read.iops")
    assert (found["outcome"], len(found["samples"])) == ("pass", 2)
    tells_all(iogate, done, "errors")
    assert "the disk failed in " in verdict_of(iogate)["sentence"]
    run = iogate.run_document()
    assert run["status"] == "complete"
    assert all(each["again"] for each in run["failures"])
    assert "measured again" in run["failures"][0]["reason"]
    assert run["verdict"]["failed_cases"] == []


@needs_root
@needs_kernel_log
def test_eio_that_the_spec_allows_does_not_fail_a_run(iogate: Iogate) -> None:
    limits = "kernel_errors: '< 1000', read.iops: '> 1'"
    with loop_device(iogate.folder, 8) as device:
        done = hit_once(iogate, device, limits)
    assert done.code == 0, done.text
    assert judged(iogate, "kernel_errors")["value"] >= 1
    assert len(judged(iogate, "read.iops")["samples"]) == 2
    assert 'errors="0"' in (iogate.latest / "junit.xml").read_text()


@needs_root
@needs_kernel_log
def test_eio_in_one_arm_takes_its_block_from_both(iogate: Iogate) -> None:
    limits = "read.iops: ['> 1', 'vs baseline > -90%']"
    with loop_device(iogate.folder, 8) as device:
        done = hit_once(iogate, device, limits, "--candidate", "bs=8k", command="ab")
    assert done.code == 1, done.text
    assert "kernel_errors" in done.text
    run = iogate.run_document()
    broken = {(each["repetition"] + 1) // 2 for each in run["failures"]}
    assert run["status"] == "complete"
    whole = [m["block"] for m in run["measurements"] if m["block"] not in broken]
    assert sorted(whole) == sorted([*set(whole), *set(whole)]), "both arms"
    absolute, relative = (
        one for one in run["verdict"]["thresholds"] if one["threshold"]["metric"] == "read.iops"
    )
    assert (absolute["outcome"], relative["outcome"]) == ("pass", "pass")
    assert relative["blocks"] == len(absolute["samples"]) == len(whole) / 2


def hit_once(iogate: Iogate, device: str, limits: str, *words: str, command: str = "run") -> Done:
    """Two repetitions on a disk that answers with errors until one has failed of them."""
    text = SPEC % (f"device: {device}", READING % "2s", 2, limits)
    spec = iogate.spec(f"{text}validity: {{ again: 20 }}\n")
    size = Path(image_of(device)).stat().st_size
    wait_for(kernel_tells_of_io)
    process = iogate.start(command, spec, *words)
    wait_for(lambda: engines_of(iogate.folder))
    image = image_of(device)
    cut_off(device)
    assert process.stderr is not None
    while "FAILED" not in (line := process.stderr.readline()):
        assert line, "it ended without a failure"
    os.truncate(image, size)
    return iogate.end(process)


def test_a_repetition_whose_engine_was_killed_counts_as_an_error(iogate: Iogate) -> None:
    limits = "errors: '< 1'"
    spec = iogate.spec(SPEC % ("directory: auto", READING % "60s", 2, limits))
    process = iogate.start("run", spec)
    kill(wait_for(lambda: engines_of(iogate.folder))[0])
    done = iogate.end(process)
    assert done.code == 4, done.text
    assert (judged(iogate, "errors")["outcome"], judged(iogate, "errors")["value"]) == ("fail", 1)
    tells_all(iogate, done, "errors")


def measuring(iogate: Iogate, place: Path, what: str = READING % "3s", limits: str = "") -> Any:
    """A run with one case in a folder, two repetitions, that has begun to measure."""
    limits = limits or "read.iops: '> 1'"
    process = iogate.start("run", iogate.spec(SPEC % (f"directory: {place}", what, 2, limits)))
    wait_for(lambda: engines_of(iogate.folder))
    return process


@needs_root
@needs_kernel_log
def test_an_error_of_the_targets_filesystem_fails_a_run_that_read_well(iogate: Iogate) -> None:
    """errors=continue: the filesystem goes on, and every read succeeds."""
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        sh("mount", "-o", "remount,errors=continue", str(point))
        process = measuring(iogate, point)
        fault = Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error")
        fault.write_text("made by a test")
        done = iogate.end(process)
    assert done.code == 1, done.text
    found = judged(iogate, "kernel_errors")
    assert (found["outcome"], found["threshold"]["limit"]["text"]) == ("fail", "< 1 (iogate's own)")
    assert f"device {Path(device).name}" in found["reason"]
    tells_all(iogate, done, "kernel_errors", f"device {Path(device).name}")
    hit, *others = iogate.run_document()["measurements"]
    assert [each["kind"] for each in hit["disturbances"]] == ["kernel_errors"]
    assert [each["disturbances"] for each in others] == [[], []], "measured again"


@needs_root
@needs_kernel_log
def test_the_spec_may_allow_what_the_kernel_tells(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        sh("mount", "-o", "remount,errors=continue", str(point))
        process = measuring(iogate, point, limits="kernel_errors: '< 100'")
        Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("made by a test")
        done = iogate.end(process)
    assert done.code == 0, done.text
    assert judged(iogate, "kernel_errors")["value"] >= 1


@needs_root
def test_a_filesystem_that_went_read_only_fails_what_only_reads(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        process = measuring(iogate, point)
        _force_read_only(device)
        done = iogate.end(process)
    assert done.code in (1, 4), done.text
    assert judged(iogate, "kernel_errors")["outcome"] == "fail"
    tells_all(iogate, done, "kernel_errors")


@needs_root
def test_an_xfs_that_was_shut_down_tells_so(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 320) as device, mounted(device, point, "xfs"):
        process = measuring(iogate, point, READING.replace("direct: 1", "direct: 0") % "3s")
        sh("xfs_io", "-x", "-c", "shutdown -f", str(point))
        done = iogate.end(process)
    assert done.code in (1, 3, 4), done.text  # 3: the sandbox finds no target any more
    assert judged(iogate, "kernel_errors")["outcome"] == "fail"
    tells_all(iogate, done, "kernel_errors")


def _force_read_only(device: str) -> None:
    """What ext4 does by itself with errors=remount-ro, its default here."""
    sh("mount", "-o", "remount,errors=remount-ro", device)
    Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("made by a test")


def test_a_history_that_fails_in_the_middle_takes_no_document_along(iogate: Iogate) -> None:
    limits = "read.iops: '> 1'"
    spec = iogate.spec(SPEC % ("directory: auto", READING % "2s", 2, limits))
    process = iogate.start("run", spec)
    wait_for(lambda: engines_of(iogate.folder))
    for file in iogate.store.parent.glob("history.sqlite*"):
        file.write_bytes(b"no database any more" * 5000)
    done = iogate.end(process)
    assert done.code == 4, done.text
    tells_all(iogate, done, "read.iops")
    assert "history" in verdict_of(iogate)["fault"]
    assert "read.iops" in done.out, "the table"
    assert len(iogate.run_document()["measurements"]) >= 1


@needs_root
def test_a_run_folder_without_room_has_what_there_is_room_for(iogate: Iogate) -> None:
    """The documents have their room kept for them."""
    room = iogate.folder / "room"
    spec = iogate.spec(SPEC % ("directory: auto", READING % "2s", 2, "read.iops: '> 1'"))
    with tmpfs(room, "8m"):
        process = iogate.start("run", spec, "--output", room / "run")
        wait_for(lambda: engines_of(iogate.folder))
        fill(room)
        done = iogate.end(process)
        assert done.code == 4, done.text
        names = {path.name for path in (room / "run").iterdir()}
        verdict = json.loads((room / "run/verdict.json").read_text())
    assert {"verdict.json", "junit.xml", "summary.md", "report.html", "run.json"} <= names
    assert verdict["exit_code"] == 4
    assert "No space left" in done.err + done.out
    assert "read.iops" in done.out, "the table"


def test_a_target_that_is_another_one_in_the_middle_ends_with_3(iogate: Iogate) -> None:
    """What was measured until then is judged, kept and told, and nothing more is touched."""
    data = iogate.folder / "data.bin"
    data.write_bytes(bytes(4 << 20))
    spec = iogate.spec(SPEC % (f"file: {data}", READING % "2s", 3, "read.iops: '> 1'"))
    process = iogate.start("run", spec)
    wait_for(lambda: engines_of(iogate.folder))
    other = iogate.folder / "other.bin"
    other.write_bytes(bytes(4 << 20))
    other.replace(data)
    done = iogate.end(process)
    assert done.code == 3, done.text
    tells_all(iogate, done, "read.iops", "data.bin")
    document = iogate.run_document()
    assert document["status"] == "failed"
    assert [one["faultless"] for one in document["failures"]] == [True]
    assert data.read_bytes() == bytes(4 << 20)


def test_two_arms_end_as_one_run_does(iogate: Iogate) -> None:
    limits = "read.iops: ['> 1', 'vs baseline > -50%']"
    spec = iogate.spec(SPEC % ("directory: auto", READING % "1s", 2, limits))
    process = iogate.start("ab", spec, "--candidate", "iodepth=2", "--blocks", "5")
    wait_for(lambda: engines_of(iogate.folder))
    for file in iogate.store.parent.glob("history.sqlite*"):
        file.write_bytes(b"no database any more" * 5000)
    done = iogate.end(process)
    assert done.code == 4, done.text
    tells_all(iogate, done, "read.iops")


def test_ended_at_once_it_still_tells_what_it_has(iogate: Iogate) -> None:
    spec = iogate.spec(SPEC % ("directory: auto", READING % "60s", 1, "read.iops: '> 1'"))
    process = iogate.start("run", spec)
    engines = wait_for(lambda: engines_of(iogate.folder))
    os.kill(engines[0], signal.SIGSTOP)  # it cannot answer the first
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "stopping" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    done = iogate.end(process)
    assert done.code == 4, done.text
    tells_all(iogate, done, "read.iops")
    wait_for(lambda: not engines_of(iogate.folder))  # the kernel may take a moment


@needs_root
def test_a_folder_that_cannot_be_removed_is_in_nobodys_way(iogate: Iogate) -> None:
    """It is told of, with what to do, tried again by each command, and gone when it can be."""
    point = iogate.folder / "mnt"
    other = iogate.spec(SPEC % ("directory: auto", READING % "1s", 1, "read.iops: '> 1'"), "o.yaml")
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        process = measuring(iogate, point)
        sh("sync", "--file-system", str(point))  # so that it is there after the repair, too
        _force_read_only(device)
        first = iogate.end(process)
        (left,) = point.glob("iogate-*")
        assert f"cannot remove {left}" in first.err
        assert f"rm -rf --one-file-system -- {left}" in first.err
        second = iogate("run", other)
        assert second.code == 0, second.text
        assert f"cannot remove {left}" in second.err
        assert f"cannot remove {left}" in iogate("doctor").out
        _repair(device, point)
        assert f"{left} of a killed run is removed" in iogate("doctor").out
        assert list(point.glob("iogate-*")) == []
        assert "killed run" not in iogate("doctor").out


@needs_root
def test_a_setting_that_cannot_be_put_back_is_in_the_way_of_its_own_disk_alone(
    iogate: Iogate,
) -> None:
    """A killed run has left a disk's setting changed, and nothing can write it."""
    with loop_device(iogate.folder, 32) as device, loop_device(iogate.folder, 32) as free:
        knob = f"/sys/block/{Path(device).name}/queue/max_hw_sectors_kb"
        assert Path(knob).read_text().strip() != "7"
        note = (
            "from iogate.host.settings.entries import Setting;"
            "from iogate.host.settings.journal import Journal;"
            "from iogate.sut.local import LocalSut;"
            f"Journal(LocalSut(), 'dead').note(Setting({knob!r}, '7'))"
        )
        subprocess.run([sys.executable, "-c", note], check=True, env=iogate.env)
        fine = iogate("run", iogate.spec(SPEC % (f"device: {free}", READING % "1s", 1, LIMIT)))
        assert fine.code == 0, fine.text
        assert knob in fine.err
        own = iogate("run", iogate.spec(SPEC % (f"device: {device}", READING % "1s", 1, LIMIT)))
        assert own.code == 3, own.text
        assert f"{knob} is not what it was" in own.err
        said = iogate("doctor")
        assert knob in said.out
        journal = next(word for word in said.out.split() if "iogate-journal" in word)
        Path(journal.rstrip(";,")).unlink()


@pytest.mark.parametrize("words", [(), ("--unconfined",)])
def test_an_engine_that_outlives_a_killed_run_is_ended(
    iogate: Iogate, words: tuple[str, ...]
) -> None:
    spec = iogate.spec(SPEC % ("directory: auto", READING % "60s", 1, LIMIT))
    process = iogate.start("run", spec, *words)
    wait_for(lambda: engines_of(iogate.folder))
    for pid in engines_of(iogate.folder):
        os.kill(pid, signal.SIGSTOP)
    kill(process.pid)
    process.communicate()
    iogate("doctor")
    wait_for(lambda: not engines_of(iogate.folder))
    assert iogate.left_behind() == []


def _repair(device: str, point: Path) -> None:
    """As an administrator does with a filesystem that has had errors."""
    sh("umount", str(point))
    subprocess.run(["e2fsck", "-fy", device], check=False, capture_output=True)
    sh("mount", device, str(point))


SET_UP = """\
version: 1
name: faults
targets:
  raw: { device: %s, destroy: { %s } }
  fs: { filesystem: { on: raw, type: ext4 } }
workloads:
  io:
    target: fs
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync }
    repetitions: 1
    thresholds: { read.iops: "> 1" }
"""
FILLED = """\
version: 1
name: faults
targets: { raw: { device: %s, destroy: { %s } } }
precondition: { fill: { bs: 4k } }
workloads:
  io:
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync, direct: 1 }
    repetitions: 1
    thresholds: { errors: "< 1" }
"""


@needs_root
def test_a_host_that_cannot_be_put_back_takes_no_document_along(iogate: Iogate) -> None:
    """Somebody sits in the filesystem that the run has made, so that it stays mounted."""
    with loop_device(iogate.folder, 64) as device:
        spec = iogate.spec(SET_UP % (device, identity_of(device)))
        process = iogate.start("run", spec, "--trust")
        wait_for(lambda: list(iogate.folder.glob("iogate-*/mnt/lost+found")))
        (inside,) = iogate.folder.glob("iogate-*/mnt/lost+found")
        with subprocess.Popen(["sleep", "60"], cwd=inside) as sitting:
            done = iogate.end(process)
            sitting.kill()
        assert done.code == 4, done.text
        tells_all(iogate, done, "read.iops", "cannot unmount")
        assert iogate.run_document()["status"] == "complete"
        assert "is unmounted" in iogate("doctor").out
    assert iogate.left_behind() == []


@needs_root
def test_a_precondition_that_fails_is_told_in_every_document(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 512) as device:
        spec = iogate.spec(FILLED % (device, identity_of(device)))
        process = iogate.start("run", spec, "--trust")
        kill(wait_for(lambda: engines_of(iogate.folder))[-1])
        done = iogate.end(process)
    assert done.code == 4, done.text
    tells_all(iogate, done, "errors")
    assert verdict_of(iogate)["fault"]
