"""Each check on numbers as the kernel gives them; what a test causes itself never disturbs it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from iogate.host.validity import Surroundings, TargetDisks
from iogate.host.validity.base import Foreign, Seen
from iogate.host.validity.checks import BY_NAME, CHECKS
from iogate.host.validity.snapshot import CpuTime, OwnTime, Snapshot
from iogate.model.measurement import Disturbance
from iogate.model.validity import Validity
from iogate.spec.build.validity import UNITS
from iogate.sut.local import LocalSut

TICKS = 100
MIB = 1 << 20
DISK = TargetDisks("sda", frozenset({"sdb"}), raw=True)


def host(
    at_s: float = 0.0,
    *,
    user: Sequence[float] = (0, 0),
    steal: float = 0.0,
    busy: float = 1.0,
    own: tuple[float, float] = (0, 0),
    moved: tuple[int, int] | None = (0, 0),
    **more: Any,
) -> Snapshot:
    """Two CPUs at a time: seconds that each spent in processes, that the first lost, and that
    the run used outside of and in the kernel; bytes that it read and wrote."""
    lost = (steal, 0.0)
    cpus = {
        n: CpuTime(*(int(s * TICKS) for s in (user[n], lost[n], at_s, at_s * busy))) for n in (0, 1)
    }
    own_time = OwnTime(7, int(own[0] * TICKS), int(own[1] * TICKS), moved)
    values: dict[str, Any] = {
        "realtime_ns": 10**18 + int(at_s * 1e9),
        "monotonic_ns": int(at_s * 1e9),
        "cpus": cpus,
        "own": own_time,
    }
    return Snapshot(**(values | more))


def seen(after: Snapshot, before: Snapshot | None = None, **more: Any) -> Seen:
    return Seen(before or host(), after, frozenset({0, 1}), **more)


def other(name: str = "dd", **did: Any) -> Foreign:
    usual: dict[str, Any] = {
        "cpu_s": 0.0,
        "io_bytes": 0,
        "grew_bytes": 0,
        "major_faults": 0,
        "here": True,
    }
    return Foreign(name, **(usual | did))


def read(check: str, found: Seen) -> float:
    reading = BY_NAME[check].look(found)
    assert reading is not None
    return reading.value


def found(sut: LocalSut, what: Seen, **validity: Any) -> tuple[Disturbance, ...]:
    return Surroundings(sut, Validity(**validity)).judge(what).disturbances


def counting(sut: LocalSut, what: Seen, **validity: Any) -> list[str]:
    return [one.kind for one in found(sut, what, **validity) if one.counts]


# --- CPU


def test_hogs_on_the_engines_cpus(sut: LocalSut) -> None:
    hogs = seen(host(10, user=(6, 6), own=(1, 1)), others=(other("hog", cpu_s=11),))
    (one,) = [one for one in found(sut, hogs) if one.kind == "cpu"]
    assert one.text == "other processes used 55 % of the engine's CPUs (hog 11.0 s)"
    assert one.counts


def test_hogs_that_came_and_went_unseen(sut: LocalSut) -> None:
    assert read("cpu", seen(host(10, user=(6, 6), own=(1, 1)))) == pytest.approx(0.55)


def test_a_candidate_that_burns_cpu_is_slow_and_not_disturbed(sut: LocalSut) -> None:
    burning = seen(host(10, user=(9, 9), own=(18, 2)))
    assert read("cpu", burning) == 0
    assert counting(sut, burning) == []
    (note,) = found(sut, burning)
    assert (note.kind, note.counts) == ("saturation", False)


def test_who_serves_the_target_works_for_the_test() -> None:
    served = seen(host(10, user=(5, 0), own=(1, 0)), serving_s=4.0)
    assert read("cpu", served) == 0


def test_what_runs_on_other_cpus_is_no_matter() -> None:
    pinned = replace(
        seen(host(10, user=(1, 9), own=(1, 0)), others=(other(cpu_s=9, here=False),)),
        cpus=frozenset({0}),
    )
    assert read("cpu", pinned) == 0


def test_who_was_seen_here_last_may_have_run_elsewhere() -> None:
    """The CPUs had no more time to give than they were busy, less what the run took."""
    after = host(10, user=(2, 2), own=(1, 4), busy=0.5)
    assert read("cpu", seen(after, others=(other(cpu_s=15),))) == pytest.approx(0.25)


def test_a_tenth_of_a_second_disturbs_nothing() -> None:
    assert read("cpu", seen(host(0.2, user=(0.05, 0.04)))) == 0


def test_a_part_of_one_cpu_has_room_where_cpus_are_idle(sut: LocalSut) -> None:
    """Two CPUs: others use a quarter of one, and the rest is idle, used, or there is no rest."""
    idle = seen(host(10, user=(3, 0.5), own=(1, 0), busy=0.3))
    assert read("cpu", idle) == pytest.approx(0.125)
    assert counting(sut, idle) == []
    assert counting(sut, idle, limits={"cpu": 0.1}) == ["cpu"]  # what the spec says goes first
    full = seen(host(10, user=(3, 0.5), own=(1, 0), busy=0.95))
    assert counting(sut, full) == ["cpu"]
    alone = replace(seen(host(10, user=(2.5, 0), own=(0, 0), busy=0.3)), cpus=frozenset({0}))
    assert counting(sut, alone) == ["cpu"]
    more = seen(host(10, user=(5, 0), own=(1, 0), busy=0.3))
    assert counting(sut, more) == ["cpu"]


# --- I/O


def moved(read_mib: float, written_mib: float, **others: float) -> dict[str, Any]:
    disks = {"sda": (int(read_mib * MIB), int(written_mib * MIB))}
    return {"disks": disks | {name: (0, int(mib * MIB)) for name, mib in others.items()}}


def on_disk(after: Snapshot, **more: Any) -> Seen:
    names = [name for name in after.disks if name != "sda"]
    before = host(disks=dict.fromkeys(["sda", *names], (0, 0)))
    return seen(after, before, **({"disks": DISK} | more))


def test_what_the_disk_moved_beyond_the_runs_own() -> None:
    alone = on_disk(host(10, moved=(100 * MIB, 100 * MIB), **moved(100, 100)))
    assert read("io", alone) == 0
    shared = on_disk(host(10, moved=(100 * MIB, 100 * MIB), **moved(100, 200)))
    assert read("io", shared) == pytest.approx(1 / 3)
    reader = on_disk(host(10, moved=(0, 100 * MIB), **moved(100, 100)))
    assert read("io", reader) == pytest.approx(1 / 2)


def test_writing_that_reaches_the_disk_later_is_still_the_runs() -> None:
    late = host(10, moved=(0, 0), **moved(0, 300))
    assert read("io", on_disk(late)) == 1
    assert read("io", on_disk(late, owed=300 * MIB)) == 0
    assert read("io", on_disk(late, owed=150 * MIB)) == pytest.approx(0.5)


def test_what_the_run_writes_is_owed_until_it_is_on_the_disk(sut: LocalSut) -> None:
    around = Surroundings(sut, Validity())
    looks = [((0, 0), 0), ((300, 100), 200), ((300, 250), 50), ((320, 250), 70), ((320, 900), 0)]
    for (own, disk), owed in looks:
        around.owe("sda", host(10, moved=(0, own * MIB), **moved(0, disk)))
        assert around.owed("sda") == owed * MIB
    assert around.owed("sdb") == 0


def test_no_more_is_owed_than_the_page_cache_holds(sut: LocalSut) -> None:
    """What was written to other disks, such as a run folder, never comes to this one."""
    around = Surroundings(sut, Validity())
    around.owe("sda", host(0, **moved(0, 0)))
    around.owe("sda", host(10, moved=(0, 300 * MIB), unwritten_bytes=MIB, **moved(0, 0)))
    assert around.owed("sda") == MIB


def test_a_filesystem_writes_more_than_it_was_given() -> None:
    on_files = replace(DISK, raw=False)
    journal = host(10, moved=(0, 10 * MIB), **moved(0, 100))
    assert read("io", on_disk(journal, disks=on_files)) == 0
    writer = other(io_bytes=60 * MIB)
    assert read("io", on_disk(journal, disks=on_files, others=(writer,))) == pytest.approx(0.6)


def test_a_writer_to_another_disk_is_no_matter() -> None:
    journal = host(10, moved=(0, 10 * MIB), **moved(0, 100, sdb=80))
    found = on_disk(journal, disks=replace(DISK, raw=False), others=(other(io_bytes=80 * MIB),))
    assert read("io", found) == 0


def test_a_little_of_a_slow_job_is_no_matter() -> None:
    little = host(10, moved=(0, MIB), **moved(0, 2))
    assert read("io", on_disk(little)) == 0


def test_without_a_disk_or_counts_of_the_kernel_nothing_is_known() -> None:
    look = BY_NAME["io"].look
    assert look(on_disk(host(10, **moved(0, 9)), disks=TargetDisks())) is None
    assert look(on_disk(host(10, moved=None, **moved(0, 9)))) is None
    assert look(on_disk(host(10, **moved(0, 9)), disks=TargetDisks("gone", raw=True))) is None


# --- memory, steal, clocks, heat


@pytest.mark.parametrize(
    ("grew", "faults", "value"), [(0, 0, 0.0), (64, 0, 0.5), (0, 2000, 0.5), (5, 10, 0.0)]
)
def test_memory_is_short_where_others_take_it(grew: int, faults: int, value: float) -> None:
    """A page cache that the test fills itself is its own pressure."""
    after = host(10, pressure={"memory": 5_000_000}, memory_bytes=1024 * MIB)
    others = (other(grew_bytes=grew * MIB, major_faults=faults),)
    before = host(pressure={"memory": 0})
    assert read("memory", seen(after, before, others=others)) == pytest.approx(value)


def test_pressure_alone_marks_nothing_unless_the_spec_asks(sut: LocalSut) -> None:
    pressed = {"cpu": 9_000_000, "io": 9_000_000, "memory": 9_000_000}
    before = host(pressure=dict.fromkeys(pressed, 0))
    full = seen(host(10, pressure=pressed), before)
    assert found(sut, full) == ()
    assert counting(sut, full, limits={"pressure-io": 0.5}) == ["pressure-io"]


def test_the_waiting_of_the_runs_own_group_is_its_own_doing(sut: LocalSut) -> None:
    after = host(10, own_pressure={"io": 9_000_000}, run_delays={0: 15 * 10**9, 1: 0, 7: 10**12})
    pressed = seen(after, host(own_pressure={"io": 0}, run_delays={0: 0, 1: 0}))
    assert read("own-pressure-io", pressed) == pytest.approx(0.9)
    assert BY_NAME["own-pressure-cpu"].look(pressed) is None
    assert read("run-delay", pressed) == pytest.approx(1.5)
    assert found(sut, pressed) == ()
    limits = {"own-pressure-io": 0.5, "run-delay": 1.0}
    assert counting(sut, pressed, limits=limits) == ["run-delay", "own-pressure-io"]


def test_the_hypervisor_takes_time(sut: LocalSut) -> None:
    assert read("steal", seen(host(10, steal=4))) == pytest.approx(0.2)
    assert counting(sut, seen(host(10, steal=4))) == ["steal"]
    assert read("steal", seen(host(0.1, steal=0.05))) == 0


@pytest.mark.parametrize(
    ("step_s", "marked"),
    [(0.0, False), (0.004, False), (-0.003, False), (1.5, True), (-60.0, True)],
)
def test_the_clock_is_set(sut: LocalSut, step_s: float, marked: bool) -> None:
    after = host(10)
    stepped = seen(replace(after, realtime_ns=after.realtime_ns + int(step_s * 1e9)))
    assert ("clock" in counting(sut, stepped)) is marked


def test_the_kernel_changes_its_clock(sut: LocalSut) -> None:
    before = host(clocksource="tsc")
    assert counting(sut, seen(host(10, clocksource="hpet"), before)) == ["clocksource"]
    assert counting(sut, seen(host(10, clocksource="tsc"), before)) == []
    assert BY_NAME["clocksource"].look(seen(host(10))) is None


@pytest.mark.parametrize(
    ("check", "limit", "what"),
    [
        ("throttling", 0, {}),
        ("drive", 0, {"drive": {"throttled": 3.0}}),
        ("temperature", 70, {"hottest": 81.0}),
        ("runnable", 1, {"runnable": (2, 4)}),
    ],
)
def test_what_a_test_may_cause_itself_is_told_and_counts_only_if_the_spec_says_so(
    sut: LocalSut, check: str, limit: float, what: dict[str, Any]
) -> None:
    hot = seen(host(10, throttled=4), host(throttled=1), **what)
    assert read(check, hot) == {"temperature": 81.0}.get(check, 3.0)
    assert counting(sut, hot) == []
    assert counting(sut, hot, limits={check: limit}) == [check]


def test_what_cannot_be_known_has_no_reading(sut: LocalSut) -> None:
    nothing = Snapshot(0, 0)
    after = replace(nothing, realtime_ns=10**9, monotonic_ns=10**9)
    judged = Surroundings(sut, Validity()).judge(Seen(nothing, after, frozenset()))
    assert judged.disturbances == ()
    assert set(judged.readings) == {"clock"}


# --- limits


def test_a_check_is_off_where_the_spec_says_so(sut: LocalSut) -> None:
    hogs = seen(host(10, user=(9, 9), steal=9))
    assert counting(sut, hogs) == ["cpu", "steal"]
    assert counting(sut, hogs, off=("cpu",)) == ["steal"]
    assert found(sut, hogs, off=("all",)) == ()
    assert counting(sut, hogs, limits={"cpu": 0.95}) == ["steal"]


def test_every_check_has_a_unit_that_a_spec_can_write() -> None:
    assert {check.name: check.unit for check in CHECKS} == UNITS
    assert all(check.limit >= 0 and not math.isnan(check.limit) for check in CHECKS)
    assert len(BY_NAME) == len(CHECKS)
