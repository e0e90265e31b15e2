"""Watching a repetition: real processes of this machine, and texts as kernels give them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.host.validity import Surroundings, TargetDisks
from iogate.host.validity.base import Check, Reading, Seen
from iogate.host.validity.limits import host_limits, limits_of, place, usual, write_host_limits
from iogate.host.validity.processes import (
    Process,
    family_of,
    handed_on,
    io_counts,
    process_of,
    scan,
    serves_storage,
)
from iogate.host.validity.snapshot import (
    CpuTime,
    cpu_list,
    cpu_times,
    disk_bytes,
    memory_bytes,
    take,
)
from iogate.host.validity.watch import Watch
from iogate.model.validity import Validity
from iogate.sut.base import Found
from iogate.sut.local import LocalSut
from support.quiet import never_disturbed

BURN = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass\n"
USE = "import time\nwhile time.process_time() < {}: sum(range(20000))\n"
"""So much of a CPU, however long that takes on a busy machine."""


class Recorded(LocalSut):
    """This machine with some of its files as they were recorded elsewhere, and its clocks."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.set_by_ns = 0

    def read_text(self, path: str) -> str | None:
        return self.files[path] if path in self.files else super().read_text(path)

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        found = dict(super().read_many(paths, looks))
        for path in self.files.keys() & found.keys():
            found[path] = replace(found[path], data=self.files[path].encode())
        return found

    def clocks(self) -> tuple[int, int]:
        realtime_ns, monotonic_ns = super().clocks()
        return realtime_ns + self.set_by_ns, monotonic_ns


class Spy:
    """A check that keeps what it is shown."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def look(self, seen: Seen) -> Reading:
        self.seen.append(seen)
        return Reading(0.0, "")

    def watch(self, sut: LocalSut) -> Watch:
        check = Check("spy", "everything", self.look)
        return Surroundings(sut, Validity(), [check]).watch(TargetDisks())

    @property
    def others(self) -> dict[str, float]:
        (seen,) = self.seen
        return {one.name: one.cpu_s for one in seen.others}


def named(folder: Path, name: str) -> str:
    """Python under a name by which its processes are known."""
    link = folder / name
    if not link.exists():
        link.symlink_to(sys.executable)
    return str(link)


def burn(program: str, seconds: float) -> None:
    subprocess.run([program, "-c", BURN.format(seconds)], check=True)


STRANGER = """\
import sys, time
from pathlib import Path
ready, over = map(Path, sys.argv[1:])
end = time.monotonic() + 60
while not over.exists() and time.monotonic() < end:
    sum(range(20000))
    if time.process_time() > 0.3:
        ready.touch()
"""


def test_own_children_are_never_others(sut: LocalSut, tmp_path: Path) -> None:
    spy, own = Spy(), named(tmp_path, "ownhog")
    watch = spy.watch(sut)
    watch._next = 0.0
    burn(own, 0.5)
    child = subprocess.Popen([own, "-c", USE.format(1.0)])
    time.sleep(0.5)
    watch.tick()
    child.wait()
    watch.ended()
    assert "ownhog" not in spy.others
    (seen,) = spy.seen
    assert seen.after.own.user - seen.before.own.user >= 40  # ticks of both


def test_other_processes_are_named_though_they_are_gone(sut: LocalSut, tmp_path: Path) -> None:
    spy, own, strange = Spy(), named(tmp_path, "ownhog"), named(tmp_path, "strangehog")
    watch = spy.watch(sut)
    ready, over = tmp_path / "ready", tmp_path / "over"
    subprocess.run(["setsid", "-f", strange, "-c", STRANGER, str(ready), str(over)], check=True)
    while not ready.exists():
        burn(own, 0.2)
    watch._next = 0.0
    watch.tick()
    over.touch()
    burn(own, 1.0)
    watch.ended()
    assert spy.others["strangehog"] >= 0.1
    assert "ownhog" not in spy.others


def watched(sut: LocalSut) -> Watch:
    return Surroundings(sut, Validity()).watch(TargetDisks())


def test_a_clock_that_is_set_while_something_runs(sut: LocalSut) -> None:
    """No namespace has a time of day of its own, so it is the machine that is made up here."""
    recorded = Recorded({})
    watch = watched(recorded)
    recorded.set_by_ns = -2 * 10**9
    (one,) = [one for one in watch.ended().disturbances if one.kind == "clock"]
    assert one.text == "the clock was set by 2 s"
    assert one.counts


def test_a_look_costs_little_however_often_it_is_asked_for(sut: LocalSut) -> None:
    watch = watched(sut)
    for _ in range(50):
        watch.tick()
    assert len(watch._runnable) == 0  # none is due within a second
    watch._next = 0.0
    for _ in range(50):
        watch.tick()
    assert len(watch._runnable) == 1


# --- what the kernel says

STAT = (
    "4321 (a (b) c) R 77 4321 77 0 -1 4194304 999 0 12 0 250 31 7 8 20 0 1 0 123456 1000000 2048"
    " 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0"
)


def test_a_process_is_read_whatever_its_name() -> None:
    found = process_of(STAT)
    assert found == Process(
        4321, 77, "a (b) c", "R", False, 281, 250, 12, 2048, cpu=3, started=123456
    )
    named = process_of(STAT.replace("a (b) c", "\x1b[31m\n::err"))
    assert named is not None
    assert named.name == "?[31m?::err"
    for text in ("", "1 (x", STAT[:60], STAT.replace("4194304", "many"), "x (y) " + "1 " * 50):
        assert process_of(text) is None


def test_threads_of_the_kernel_are_known_and_looked_at_once(sut: LocalSut) -> None:
    kernels: set[int] = set()
    found = scan(sut, kernels)
    # In a PID namespace of one's own there are none to see.
    kthreadd = Path("/proc/2/comm").exists() and Path("/proc/2/comm").read_text() == "kthreadd\n"
    assert 2 in kernels or os.geteuid() or not kthreadd
    assert {one.pid for one in found.values()}.isdisjoint(kernels)
    assert any(one.pid == os.getpid() for one in found.values())


def test_a_family_is_a_process_and_all_that_descends_from_it() -> None:
    base = process_of(STAT)
    assert base is not None
    tree = [replace(base, pid=n, parent=parent) for n, parent in ((1, 0), (2, 1), (3, 2), (4, 1))]
    assert family_of(2, tree) == {tree[1].key, tree[2].key}


def test_what_a_child_moved_long_ago_is_not_its_parents_doing_now() -> None:
    base = process_of(STAT)
    assert base is not None
    shell, child, grandchild = (
        replace(base, pid=n, parent=n - 1, moved_bytes=n * 100) for n in (1, 2, 3)
    )
    latest = {one.key: one for one in (shell, child, grandchild)}
    assert handed_on(latest, {shell.key: shell}) == {1: 500}
    assert handed_on(latest, latest) == {}


def test_bytes_that_a_process_moved() -> None:
    text = "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 100\n"
    assert io_counts(text) == (4096, 8092)
    for broken in ("", "read_bytes: x\nwrite_bytes: 1\n", "read_bytes: 1\n"):
        assert io_counts(broken) is None


def test_times_of_cpus_and_bytes_of_disks() -> None:
    text = (
        "cpu  1 1 1 1 1 1 1 1 0 0\n"
        "cpu0 100 20 30 400 5 6 7 8 50 0\n"
        "cpu13 1 2 3 4 5 6 7 8\ncpu14 1 2\nbtime 5\n"
    )
    times = cpu_times(text)
    assert set(times) == {0, 13}
    assert times[0] == CpuTime(user=120, steal=8, total=576, busy=163)
    disks = disk_bytes(
        " 259 0 nvme0n1 10 0 2048 5 20 0 4096 6 0 7 8 9 9 9 9 1 2\n 7 0 short 1 2 3\n"
    )
    assert disks == {"nvme0n1": (1 << 20, 2 << 20)}


def test_lists_of_cpus() -> None:
    assert cpu_list("0,2-4\n") == {0, 2, 3, 4}
    assert cpu_list("") == cpu_list("none") == cpu_list("a-b") == frozenset()


def test_what_is_in_memory() -> None:
    text = "MemTotal:  1000 kB\nDirty:   3 kB\nWriteback:  1 kB\nHugePages_Total:  7\n\n"
    assert memory_bytes(text) == {"MemTotal": 1024000, "Dirty": 3072, "Writeback": 1024}


def test_what_this_machine_says(sut: LocalSut) -> None:
    found = take(sut)
    assert found.cpus
    assert found.own.pid == os.getpid()
    assert found.memory_bytes > 1 << 20
    assert found.unwritten_bytes is not None


def test_who_serves_a_filesystem_holds_its_device(sut: LocalSut, tmp_path: Path) -> None:
    inside, outside = os.pipe()  # leads to no place
    assert not serves_storage(sut, os.getpid())
    os.close(inside)
    os.close(outside)
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no /dev/fuse here")
    handle = os.open("/dev/fuse", os.O_RDWR)
    try:
        assert serves_storage(sut, os.getpid())
    finally:
        os.close(handle)


# --- limits of this host


def test_limits_are_the_specs_else_the_hosts_else_those_that_are_usual(sut: LocalSut) -> None:
    assert limits_of(sut, Validity())["cpu"] == 0.10
    write_host_limits(sut, {"cpu": 0.2, "steal": float("inf")}, "r1")
    assert host_limits(sut) == {"cpu": 0.2, "steal": float("inf")}
    found = limits_of(sut, Validity(limits={"steal": 0.3}))
    assert (found["cpu"], found["steal"], found["io"]) == (0.2, 0.3, 0.05)
    assert limits_of(sut, Validity(limits={"cpu": 0.3}, off=("cpu",)))["cpu"] == float("inf")


def test_what_somebody_turned_off_stays_off(sut: LocalSut) -> None:
    write_host_limits(sut, {"cpu": 0.2, "steal": float("inf")}, "r1")
    write_host_limits(sut, {"cpu": 0.1, "steal": 0.1}, "r2")
    assert host_limits(sut) == {"cpu": 0.1, "steal": float("inf")}


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"schema": "other/1", "limits": {"cpu": 9}}', "{" * 9999, "x" * 99999]
)
def test_a_file_that_is_none_of_ours_sets_no_limit(sut: LocalSut, text: str) -> None:
    Path(place(sut)).parent.mkdir(parents=True)
    Path(place(sut)).write_text(text)
    assert host_limits(sut) == {}


def test_limits_that_another_may_write_are_not_believed(sut: LocalSut) -> None:
    write_host_limits(sut, {"cpu": 9.0}, "r1")
    Path(place(sut)).chmod(0o666)
    assert host_limits(sut) == {}


def test_what_is_usual_leaves_room_and_has_an_end() -> None:
    calm = [{"cpu": 0.001, "io": 0.0, "steal": 0.0, "pressure-io": 0.9}] * 20
    assert usual(calm) == {"cpu": 0.05, "io": 0.025, "steal": 0.05}
    daemons = [{"cpu": 0.06}] * 20
    assert usual(daemons) == {"cpu": 0.18}
    disorder = [{"cpu": 0.9}] * 20
    assert usual(disorder) == {"cpu": 0.3}
    assert usual([{"cpu": 0.01}] * 3) == {}
    one_odd = [{"cpu": 0.01}] * 19 + [{"cpu": 0.9}]
    assert usual(one_odd) == {"cpu": 0.05}


def test_the_tests_own_machine_is_never_disturbed(sut: LocalSut, tmp_path: Path) -> None:
    never_disturbed(tmp_path / "state")
    limits = limits_of(sut, Validity())
    assert {limits[name] for name in ("cpu", "io", "memory", "steal", "clock")} == {float("inf")}
