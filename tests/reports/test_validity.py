"""What the strip of the first screen says of the kernel's log."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.measurement import KernelTrouble, Whose
from iogate.model.run import CaseFailure, Run
from iogate_reports import render_report, validity
from support.html_tree import read_html

Regressed = tuple[Run, tuple[Run, ...]]
IO_ERROR = "I/O error, dev nvme0n1, sector 8 op 0x0:(READ) <b>"


def with_kernel_log(run: Run, *logs: tuple[KernelTrouble, ...] | None) -> validity.Check:
    """What the strip says of a run whose first repetitions have these."""
    first = [replace(m, kernel_log=log) for m, log in zip(run.measurements, logs, strict=False)]
    now = replace(run, measurements=(*first, *run.measurements[len(first) :]))
    return next(check for check in validity.checks(now) if check.label == "kernel log")


def test_what_the_kernel_told_of_is_counted_and_shown(regressed: Regressed) -> None:
    now, _ = regressed
    disk = KernelTrouble("I/O error", 57, (IO_ERROR, "Buffer I/O error on dev nvme0n1"))
    hung = KernelTrouble("hung task", 1, ("INFO: task fio:7 blocked for more than 120 seconds.",))
    found = with_kernel_log(now, (disk,), (hung, KernelTrouble("I/O error", 3, (IO_ERROR,))))
    case_name = now.plan.cases[0].name
    assert found.key == "warn"
    assert found.text == f"60 × I/O error, 1 × hung task, in {case_name}"
    assert found.lines == (
        f"{IO_ERROR} ({case_name}, repetition 1)",
        f"Buffer I/O error on dev nvme0n1 ({case_name}, repetition 1)",
        f"{hung.lines[0]} ({case_name}, repetition 2)",
    )
    first = replace(now.measurements[0], kernel_log=(disk,))
    spoilt = replace(now, measurements=(first, *now.measurements[1:]))
    strip = read_html(render_report(spoilt)).all("ul", "checks")[0]
    assert "2 lines" in strip.text
    assert IO_ERROR in strip.text, "as text, whatever is in it"


def test_of_many_lines_the_strip_shows_some(regressed: Regressed) -> None:
    now, _ = regressed
    many = tuple(
        KernelTrouble(f"kind {n}", 1, tuple(f"line {n} {i}" for i in range(3))) for n in range(20)
    )
    assert len(with_kernel_log(now, many).lines) == validity.MOST_LINES
    assert with_kernel_log(now, many).text.count("×") == validity.MOST_KINDS


def test_a_kernel_log_that_nobody_read_is_not_a_clean_one(regressed: Regressed) -> None:
    now, _ = regressed
    nothing = (None,) * len(now.measurements)
    assert with_kernel_log(now, *nothing).key == "missing"
    assert "not known" in with_kernel_log(now, *nothing).text
    some = with_kernel_log(now, None)
    assert some.key == "missing"
    assert f"only {len(now.measurements) - 1} of" in some.text


def test_errors_of_another_disk_are_not_the_runs(regressed: Regressed) -> None:
    now, _ = regressed
    other = KernelTrouble("I/O error", 2, (IO_ERROR,), Whose.ELSEWHERE)
    found = with_kernel_log(now, (other,))
    assert found.key == "pass"
    assert found.text.startswith("no errors of the target; elsewhere on the host 2 × I/O error")
    assert IO_ERROR in found.lines[0]
    own = KernelTrouble("device reset", 1, ("nvme nvme0: resetting",), Whose.TARGET)
    found = with_kernel_log(now, (other, own))
    assert (found.key, len(found.lines)) == ("warn", 1)
    assert "I/O error" not in found.text


def confinement_of(run: Run, **facts: str | bool | int) -> list[validity.Check]:
    named = {f"confinement.{name}": value for name, value in facts.items()}
    now = replace(run, environment={**run.environment, **named})
    return [check for check in validity.checks(now) if "targets" in check.label]


def test_what_kept_the_engine_to_its_targets_is_told(regressed: Regressed) -> None:
    now, _ = regressed
    whole = {"namespaces": True, "read_only": True, "network": True, "capabilities": True}
    (found,) = confinement_of(now, landlock=7, **whole)
    assert (found.key, found.text) == (
        "pass",
        "Landlock 7, namespaces, read-only mounts, no network, dropped capabilities",
    )
    (found,) = confinement_of(now, landlock=4, capabilities=True)
    assert found.key == "warn"
    assert found.text.endswith("lacking: namespaces, read-only mounts, no network")
    (found,) = confinement_of(now, none="--unconfined")
    assert (found.key, found.text) == ("warn", "not confined: --unconfined")


def test_a_run_from_before_it_was_kept_says_nothing_of_it(regressed: Regressed) -> None:
    assert confinement_of(regressed[0]) == []


def test_what_failed_is_watched_too(regressed: Regressed) -> None:
    now, _ = regressed
    own = KernelTrouble("I/O error", 2, (IO_ERROR,), Whose.TARGET)
    case = now.plan.cases[0]
    failure = CaseFailure(case.id, 9, "EIO", {"job": {"EIO": 4}}, (own,))
    found = {check.label: check for check in validity.checks(replace(now, failures=(failure,)))}
    assert (found["I/O errors"].key, found["I/O errors"].text) == ("warn", "4 I/O errors")
    assert found["kernel log"].lines == (f"{IO_ERROR} ({case.name}, repetition 9)",)
