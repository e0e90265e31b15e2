"""Comparisons of kernels, on a machine whose boots are made up: which boots there are, and what
becomes of a kernel that does not come up, or goes down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from iogate.engine.base import Stop
from iogate.errors import ExitCode, RefusedError, RunError, UsageError
from iogate.exits import of_run
from iogate.model.measurement import Disturbance, undisturbed
from iogate.model.run import Run, RunStatus
from iogate.run import boots
from iogate.run.blocks import measure_arm
from iogate.run.comparison import execute_comparison, make_comparison
from iogate.run.measure import measure_once
from iogate.run.more import goes_on, make_more
from iogate.run.request import Request
from iogate.spec.arms import Sides
from iogate.sut.base import Sut
from iogate.vm.kernels import Kernel
from support.devices import needs_root
from support.elsewhere import DISK, elsewhere

pytestmark = needs_root
SPEC = f"""\
version: 1
name: kernels
targets:
  file: {{ directory: {DISK} }}
workloads:
  one: {{ target: file, fio: {{ rw: randwrite, size: 1m, ioengine: psync }},
         thresholds: {{ write.iops: "vs baseline > -5%" }} }}
  two: {{ target: file, fio: {{ rw: randwrite, size: 1m, bs: 8k, ioengine: psync }},
         thresholds: {{ write.iops: "vs baseline > -5%" }} }}
compare:
  arms: {{ old: {{ kernel: "1.0" }}, new: {{ kernel: "2.0" }} }}
  base: old
  candidate: new
"""


class Booting:
    """A machine with boots that are only counted; ``console`` says which."""

    is_virtual = True

    def __init__(self, machine: Sut, folder: Path) -> None:
        self._machine = machine
        self.console = folder / "console"
        self.boots: list[str] = []
        self.settled: list[str] = []
        self.up = True
        self.comes_up: Callable[[int], bool] = lambda _boot: True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def kernel(self, text: str) -> Kernel:
        return Kernel(Path(text), text, None, None, text)

    def wake(self, kernel: Kernel) -> None:
        """It is always up."""

    def settle(self, kernel: Kernel) -> None:
        self.settled.append(kernel.release)

    def boot(self, kernel: Kernel) -> None:
        self.boots.append(kernel.release)
        self.console.write_text(f"boot {len(self.boots)}: {kernel.release}\n")
        if not self.comes_up(len(self.boots)):
            raise RunError(f"kernel {kernel.release} ended: Kernel panic", remedy="its console")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Booting]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with elsewhere(tmp_path) as there:
        yield Booting(there, tmp_path)


def asked(machine: Booting, folder: Path, text: str = SPEC) -> tuple[Request, Sides]:
    spec = folder / "spec.yaml"
    spec.write_text(text)
    store, output = str(folder / "history.sqlite"), folder / "run"
    request = Request(spec=spec, sut=cast("Sut", machine), store=store, output=output)
    return request, make_comparison(request, "", "", seed=1, most_blocks=5)


def compared(machine: Booting, folder: Path, observer: Mock | None = None) -> Run:
    request, sides = asked(machine, folder)
    watching = observer or Mock()
    finished = execute_comparison(request, sides, watching, Stop(), budget_of(3))
    return finished.run


def budget_of(blocks: int) -> Callable[[str], None]:
    """Announced to: ends a comparison of which no more is to be seen."""

    def announce(text: str) -> None:
        if text.startswith(f"block {blocks} "):
            raise KeyboardInterrupt

    return announce


def test_each_run_of_an_arm_has_a_boot_and_pairs_of_blocks_are_turned(
    machine: Booting, tmp_path: Path
) -> None:
    run = compared(machine, tmp_path)
    look, blocks = machine.boots[:2], machine.boots[2:]
    assert look == ["2.0", "1.0"]
    assert machine.settled == ["1.0"]
    assert len(blocks) == 6
    assert blocks[0:2] == blocks[3:1:-1]
    assert set(blocks[4:6]) == {"1.0", "2.0"}
    kept = {path.name: path.read_text() for path in (tmp_path / "run/consoles").iterdir()}
    assert len(kept) == 7
    assert kept["block-1-base.log"].endswith("1.0\n")
    assert kept["block-3-candidate.log"].endswith("2.0\n")
    measured = {(m.case_id, m.block, m.arm) for m in run.measurements}
    ids = [case.id for case in run.plan.cases]
    arms = ("old", "new")
    assert measured == {(case, n, arm) for case in ids for n in (1, 2, 3) for arm in arms}


def test_of_a_kernel_that_says_very_much_the_end_is_kept(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boots, "LOG_BYTES", 8)
    run = compared(machine, tmp_path)
    assert len(run.measurements) == 12
    said = (tmp_path / "run/consoles/block-1-base.log").read_text()
    assert said.startswith("(4 bytes before this are left out)\n")
    assert said.endswith(": 1.0\n")


def test_the_facts_of_both_kernels_are_kept(machine: Booting, tmp_path: Path) -> None:
    facts = compared(machine, tmp_path).environment
    own = {name for name in facts if name.startswith("kernel.")}
    assert own
    assert {f"candidate.{name}" for name in own} <= set(facts)
    assert not [name for name in facts if name.startswith("candidate.cpu")]


def test_who_interrupts_a_boot_waits_for_no_other(machine: Booting, tmp_path: Path) -> None:
    """What was measured is kept, and a machine that is off stays so."""
    stop = Stop()

    def interrupted(boot: int) -> bool:
        if boot < 5:
            return True
        stop.requested, machine.up = True, False
        raise KeyboardInterrupt

    machine.comes_up = interrupted
    finished = execute_comparison(*asked(machine, tmp_path), Mock(), stop, Mock())
    assert finished.run.status is RunStatus.INTERRUPTED
    assert finished.exit_code is ExitCode.RUN_FAILED
    assert {m.block for m in finished.run.measurements} == {1}
    assert len(machine.boots) == 5
    assert not machine.settled


def test_a_kernel_that_does_not_come_up_fails_every_case(machine: Booting, tmp_path: Path) -> None:
    machine.comes_up = lambda boot: boot < 5  # the first two look, the next two are a block
    run = compared(machine, tmp_path)
    assert run.status is RunStatus.FAILED
    assert {failure.case_id for failure in run.failures} == {case.id for case in run.plan.cases}
    assert all("ended: Kernel panic" in failure.reason for failure in run.failures)
    assert len(run.measurements) == 4
    assert of_run(run.verdict) == 4
    assert len(machine.boots) == 5


def test_a_machine_that_does_not_go_back_is_a_fault(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stays(_kernel: Kernel) -> None:
        raise RunError("lab went back to kernel 3.0")

    monkeypatch.setattr(machine, "settle", stays)
    run = compared(machine, tmp_path)
    assert run.measurements
    assert run.verdict
    assert "lab went back to kernel 3.0" in run.verdict.fault
    assert of_run(run.verdict) == 4


def test_one_that_never_comes_up_begins_no_run(machine: Booting, tmp_path: Path) -> None:
    machine.comes_up = lambda _boot: False
    with pytest.raises(RunError, match=r"kernel 2\.0 ended"):
        compared(machine, tmp_path)
    assert not (tmp_path / "run").exists()


def test_a_case_under_which_the_kernel_goes_down_fails_alone(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(case: Any, repetition: int, *words: Any, **named: Any) -> Any:
        if case.name.startswith("one") and repetition > 2:
            raise RunError("kernel 2.0 ended: BUG: it is broken", remedy="its console")
        return measure_once(case, repetition, *words, **named)

    monkeypatch.setattr("iogate.run.blocks.measure_once", dies)
    run = compared(machine, tmp_path)
    (failure,) = run.failures
    one, two = run.plan.cases
    assert failure.case_id == one.id
    assert "BUG: it is broken" in failure.reason
    assert {m.block for m in run.measurements if m.case_id == two.id} == {1, 2, 3}


def test_a_spec_that_nobody_has_read_reboots_no_host(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands on the command line is whoever calls it."""
    monkeypatch.setattr(machine, "is_virtual", False)
    spec = tmp_path / "spec.yaml"
    spec.write_text(SPEC)
    request = Request(spec=spec, sut=cast("Sut", machine))
    with pytest.raises(RefusedError, match=r"spec.yaml reboots .* into a kernel") as told:
        make_comparison(request, "", "", seed=1)
    assert "--trust" in told.value.remedy
    make_comparison(replace(request, trusted=True), "", "", seed=1)
    make_comparison(request, "kernel=1.0", "kernel=2.0", seed=1)
    monkeypatch.setattr(machine, "is_virtual", True)
    make_comparison(request, "", "", seed=1)


def test_an_arm_with_what_only_the_controller_has_is_refused(
    machine: Booting, tmp_path: Path
) -> None:
    text = SPEC.replace('kernel: "2.0"', 'kernel: "2.0", prepare: "true"')
    spec = tmp_path / "spec.yaml"
    spec.write_text(text)
    request = Request(spec=spec, sut=cast("Sut", machine), trusted=True)
    sides = make_comparison(replace(request), "", "", seed=1)
    with pytest.raises(RefusedError, match="an arm is booted"):
        execute_comparison(request, sides, Mock(), Stop())
    assert machine.boots == []


SEVERAL = SPEC + "  per_boot: 3\n"


class Counting(Mock):
    """An observer that ends the run at once after so many repetitions, as a kill would."""

    def repetition_ended(self, _case: Any, _measurement: Any) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def several(
    machine: Booting, folder: Path, *, blocks: int = 2, observer: Any = None
) -> tuple[Request, Run]:
    request, sides = asked(machine, folder, SEVERAL)
    watching = observer or Mock()
    return request, execute_comparison(request, sides, watching, Stop(), budget_of(blocks)).run


def kept_places(run: Run) -> list[tuple[str, str]]:
    """Case and place of every repetition, in the order they ran."""
    rule, names = run.plan.comparison, run.plan.names
    assert rule
    ran = sorted(run.measurements, key=lambda m: m.started_ns)
    return [(names[m.case_id], str(rule.place_of(m.repetition))) for m in ran]


def test_a_boot_measures_every_case_several_times_in_turn(machine: Booting, tmp_path: Path) -> None:
    _, run = several(machine, tmp_path)
    assert len(machine.boots) == 2 + 4, "no more boots than with one repetition in each"
    first = {"1.0": "old", "2.0": "new"}[machine.boots[2]]
    assert kept_places(run)[:6] == [
        (case, f"block 1, {first}, repetition {n} of 3")
        for n in (1, 2, 3)
        for case in ("one", "two")
    ]
    assert len(run.measurements) == 24
    assert len({(m.case_id, m.repetition) for m in run.measurements}) == 24
    raw = {path.name for path in (tmp_path / "run/raw").glob("*.json")}
    assert {f"{m.case_id}-{m.repetition}.json" for m in run.measurements} <= raw
    assert run.verdict
    for limit in run.verdict.thresholds:
        assert limit.blocks == 2
        assert [len(each) for each in limit.repetitions] == [3, 3]
        assert limit.samples == pytest.approx([sum(each) / 3 for each in limit.repetitions])


def test_one_that_is_killed_in_a_boot_goes_on_with_that_block_anew(
    machine: Booting, tmp_path: Path
) -> None:
    request, killed = several(machine, tmp_path, observer=Counting(left=16))
    assert killed.status is RunStatus.INTERRUPTED
    assert len(killed.measurements) == 16, "block 2 has 4 of its 12"
    first = machine.boots[4]
    rule = goes_on(killed)
    assert rule is not None
    again = replace(request, output=tmp_path / "rest")
    more = make_more(again, killed, rule, budget_s=None)
    finished = execute_comparison(
        again, more.sides, Mock(), Stop(), budget_of(3), begun_with=more.taken_over
    )
    assert finished.run.verdict
    assert [limit.blocks for limit in finished.run.verdict.thresholds] == [2, 2]
    assert len(finished.run.measurements) == 16 + 12, "what was measured is kept"
    assert {m.block for m in undisturbed(finished.run.measurements)} == {1, 3}
    looks_again = 2
    assert machine.boots[5 + looks_again] == first, "the order that was drawn for the block"


def test_a_kernel_that_goes_down_in_its_second_repetition(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(which: Any, side: Any, place: int, *words: Any, turn: int) -> bool:
        _, case, block = which
        if (case.name, block, place, turn) == ("one", 1, 1, 2):
            raise RunError("kernel 2.0 ended: Kernel panic", remedy="its console")
        return measure_arm(which, side, place, *words, turn=turn)

    monkeypatch.setattr("iogate.run.boots.measure_arm", dies)
    _, run = several(machine, tmp_path)
    (failure,) = run.failures
    one, two = run.plan.cases
    assert failure.case_id == one.id
    assert run.verdict
    assert "repetition 2 of 3 in block 1 of one: arm new: kernel 2.0 ended" in run.verdict.sentence
    assert of_run(run.verdict) == 4
    counted = undisturbed(run.measurements)
    assert {m.block for m in counted if m.case_id == one.id} == set()
    assert {m.block for m in counted if m.case_id == two.id} == {2}


def test_a_disturbed_repetition_of_a_boot_makes_its_block_be_measured_again(
    machine: Booting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def disturbed(case: Any, repetition: int, *words: Any, **named: Any) -> Any:
        measured = measure_once(case, repetition, *words, **named)
        hogs = Disturbance("cpu", 0.6, 0.1, "", "other processes used 60 %")
        spoiled = case.name == "one" and repetition in (2, 5)
        return replace(measured, disturbances=(hogs,) if spoiled else ())

    monkeypatch.setattr("iogate.run.blocks.measure_once", disturbed)
    _, run = several(machine, tmp_path, blocks=2)
    one, two = run.plan.cases
    own = [m.repetition for m in run.measurements if m.case_id == one.id and m.block == 1]
    assert own in ([1, 2], [4, 5]), "what cannot count any more is not measured"
    assert {m.block for m in undisturbed(run.measurements) if m.case_id == one.id} == {2}
    assert {m.block for m in undisturbed(run.measurements) if m.case_id == two.id} == {1, 2}


def test_arms_that_do_not_boot_have_no_repetitions_a_boot(machine: Booting, tmp_path: Path) -> None:
    request, _ = asked(machine, tmp_path)
    with pytest.raises(UsageError, match="neither arm is a kernel or a module") as told:
        make_comparison(request, "spec", "iodepth=2", seed=1, per_boot=3)
    assert "--per-boot 1" in told.value.remedy
    assert make_comparison(request, "spec", "iodepth=2", seed=1).plan.comparison
