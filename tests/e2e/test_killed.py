"""Killed at any moment of set-up, run and restore: the next command puts everything back."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from iogate.host.settings.journals import own_journals
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, mounted, needs_root, sh
from support.settings import HARMLESS, kept

from .conftest import Iogate, engines_of, wait_for

pytestmark = needs_root
KILLS = int(os.environ.get("IOGATE_KILLS", "8"))
SEED = int(os.environ.get("IOGATE_KILLS_SEED", "7"))
SPEC = """\
version: 1
name: killed
targets:
  raw: {{ device: {device}, destroy: {{ backing: {image} }} }}
  fs: {{ filesystem: {{ on: raw, type: ext4, mount: [noatime], recreate: per-case }} }}
  here: {{ directory: {folder} }}
environment:
  block: {{ scheduler: mq-deadline, read_ahead_kb: 64 }}
  sysctl: {{ vm.page-cluster: 6 }}
  drop_caches: before-case
workloads:
  made:
    target: fs
    repetitions: 2
    fio: {{ {io} }}
    thresholds: {{ write.iops: "vs baseline > -90%" }} # what ab compares by
  own: {{ target: here, repetitions: 1, fio: {{ {io} }} }}
compare:
  arms:
    plain: {{}}
    none: {{ environment: {{ block: {{ scheduler: none }} }}, mount: [lazytime] }}
"""
IO = "rw: write, bs: 4k, size: 1m, ioengine: psync, runtime: 100ms, time_based: true"


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with kept(HARMLESS), loop_device(tmp_path, 32) as made:
        queue(made, "scheduler").write_text("none")
        yield made


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own: that of the tests may be on none, as in a container."""
    with loop_device(tmp_path) as made, mounted(made, tmp_path / "disk") as point:
        yield point


def queue(device: str, name: str) -> Path:
    return Path("/sys/block") / Path(device).name / "queue" / name


def state(iogate: Iogate, device: str) -> dict[str, object]:
    """All that a run could leave behind."""
    loops = sh("losetup", "--noheadings", "--output", "BACK-FILE").splitlines()
    return {
        "page-cluster": Path(f"/proc/sys/vm/{HARMLESS[3:]}").read_text(),
        "scheduler": queue(device, "scheduler").read_text(),
        "read-ahead": queue(device, "read_ahead_kb").read_text(),
        "mounts": [each for each in mounts() if f"{iogate.folder}/" in each],
        "loops": sorted(each for each in loops if each.startswith(f"{iogate.folder}/")),
        "journals": own_journals(LocalSut()),
        "scratch": iogate.left_behind(),
        "engines": engines_of(iogate.folder),
    }


def mounts() -> list[str]:
    return Path("/proc/mounts").read_text().splitlines()


def test_killed_at_any_moment_and_put_back_by_the_next_command(
    iogate: Iogate, device: str, disk: Path
) -> None:
    """Every fourth moment is of the whole run; the others are of the part in which there is
    something to put back."""
    text = SPEC.format(device=device, image=image_of(device), folder=disk, io=IO)
    path, chance = iogate.spec(text), random.Random(SEED)
    before = state(iogate, device)
    whole, changed = durations(iogate, path)
    assert state(iogate, device) == before
    hit = 0
    for turn in range(KILLS):
        words = ("ab", path, "--candidate", "none") if turn % 4 == 3 else ("run", path)
        anywhere = turn % 4 == 0
        moment = (whole if anywhere else changed) * 1.1 * chance.random()
        kill_after(iogate, moment, *words, anywhere=anywhere)
        hit += state(iogate, device) != before
        done = iogate("run", path, "--trust") if turn % 4 == 1 else iogate("doctor")
        assert turn % 4 != 1 or done.code == 0, done.text
        told = f"kill {turn + 1} of {KILLS}, after {moment:.3f} s\n{done.text}"
        assert state(iogate, device) == before, told
    assert hit, "no kill came while there was something to put back"
    print(f"{KILLS} kills, {hit} of them with something to put back")


def durations(iogate: Iogate, path: Path) -> tuple[float, float]:
    """How long a run takes in s, and how long of that it has something to put back."""
    began = time.monotonic()
    running = iogate.start("run", path, "--trust")
    wait_for(lambda: own_journals(LocalSut()))
    changed = time.monotonic()
    assert iogate.end(running).code == 0
    return time.monotonic() - began, time.monotonic() - changed


def kill_after(iogate: Iogate, moment_s: float, *words: object, anywhere: bool) -> None:
    running = iogate.start(*words, "--trust")
    if not anywhere:
        wait_for(lambda: own_journals(LocalSut()))
    with suppress(subprocess.TimeoutExpired):
        running.wait(moment_s)
    running.kill()
    told = running.communicate()[1]
    assert running.returncode in (-signal.SIGKILL, 0, 1), told
