"""What iogate-engine does not take, asked without a look at any target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from iogate.engine import complaints as module
from iogate.engine import open_engine
from iogate.engine.complaints import Complaint
from iogate.engine.confined import ask
from iogate.model.plan import Case
from iogate.sut.base import Completed
from iogate.sut.local import LocalSut
from support.specs import fio, plan_of, workloads


def complaints(of: Sequence[Case], engine: str = "native") -> tuple[Complaint, ...]:
    return open_engine(engine, LocalSut()).complaints(of)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ("cpus_allowed: 0-99999999", "cpus_allowed"),
        ("numa_mem_policy: 'bind:0-9999999'", "numa_mem_policy"),
        ("blocksize_range: 1-18446744073709551615", "bsrange"),
        ("random_distribution: 'zipf:-1'", "random_distribution"),
        ("bssplit: 4k/200", "bssplit"),
        ("percentile_list: 'x'", "percentile_list"),
    ],
)
def test_an_option_is_named_with_what_is_wrong(options: str, key: str) -> None:
    (case,) = plan_of(fio(f"rw: read, size: 1m, {options}")).cases
    (found,) = complaints([case])
    assert (found.case, found.key, found.job) == (case, key, "")
    assert found.text


def test_what_two_options_rule_out_is_told_of_the_job() -> None:
    (case,) = plan_of(fio("rw: read, size: 1k, bs: 4k")).cases
    (found,) = complaints([case])
    assert (found.key, found.job) == ("", case.jobs[0].name)
    assert "size is smaller than one block" in found.text


class _Counted:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.starts = 0

        def counted(*words: object) -> Completed:
            self.starts += 1
            return ask(*words)  # type: ignore[arg-type]

        monkeypatch.setattr(module, "ask", counted)


MANY = "[{}]".format(", ".join(f"{n}k" for n in range(1, 1001)))


def matrix(options: str, bs: str) -> str:
    return workloads(
        f"  w:\n    fio: {{ rw: read, size: 1m, {options} }}\n"
        f"    strategy: {{ matrix: {{ bs: {bs} }} }}\n"
    )


def test_many_cases_are_looked_at_in_few_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _Counted(monkeypatch)
    assert complaints(plan_of(matrix("numjobs: 2", MANY)).cases) == ()
    assert counted.starts <= 3


def test_clones_that_are_too_many_only_together_are_no_mistake() -> None:
    assert complaints(plan_of(matrix("numjobs: 4096", "[4k, 8k, 16k]")).cases) == ()


def test_a_case_that_names_a_job_of_its_own_is_none_of_another() -> None:
    text = workloads(
        "  w:\n    jobs: { a: { rw: read, size: 1m }, b: { rw: read, size: 1m, wait_for: a } }\n"
    )
    assert complaints(plan_of(text).cases) == ()
    (found,) = complaints(plan_of(text.replace("{ a:", "{ c:")).cases)
    assert found.job == "b"


@pytest.mark.parametrize(
    ("options", "key", "text"),
    [
        ("iodepth: 4294967295", "iodepth", "min value out of range: 4294967295 (1 min)"),
        ("percentile_list: '200'", "percentile_list", "value out of range: 200.000000"),
        ("nice: 77", "nice", "max value out of range: 77 (19 max)"),
    ],
)
def test_fio_names_the_first_option(options: str, key: str, text: str) -> None:
    (case,) = plan_of(fio(f"rw: read, size: 1m, {options}, rwmixread: 50")).cases
    (found,) = complaints([case], "fio")
    assert (found.case, found.key, found.job) == (case, key, "")
    assert text in found.text


def test_of_many_cases_fio_names_those_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _Counted(monkeypatch)
    cases = plan_of(matrix("numjobs: 2", MANY)).cases
    assert complaints(cases, "fio") == ()
    assert counted.starts <= 3
    wrong = plan_of(fio("rw: read, size: 1m, nice: 77")).cases
    assert [each.case for each in complaints([*cases[:3], *wrong], "fio")] == list(wrong)


def test_fio_is_not_asked_for_what_is_there() -> None:
    for options in ("rw: read, size: 1k, bs: 4k", "rw: read, size: 1m, zonemode: zbd"):
        assert complaints(plan_of(fio(options)).cases, "fio") == ()


def test_nothing_is_opened(tmp_path: Path) -> None:
    text = fio("rw: write, size: 1m").replace("/data", str(tmp_path / "there"))
    assert complaints(plan_of(text).cases) == ()
    assert not list(tmp_path.iterdir())
