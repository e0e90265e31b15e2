"""I/Os with a priority of their own, beside fio's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import run

JOB = ["--name=j", "--filename=f", "--size=8m", "--bs=4k", "--rw=randrw", "--ioengine=libaio"]
RT, BE = 1 << 13, 2 << 13


def report(program: str | Path, options: list[str], folder: Path) -> dict[str, Any]:
    ran = run(program, [*JOB, *options, "--output-format=json"], folder)
    assert ran.status == 0, ran.out + ran.err
    job: dict[str, Any] = json.loads(ran.out)["jobs"][0]
    return job


def shares(job: dict[str, Any], direction: str, kind: str = "clat_ns") -> dict[int, float]:
    """Of each priority how many of the I/Os had it, in percent."""
    return {
        entry["prioclass"] << 13 | entry["prio"]: 100
        * entry[kind]["N"]
        / job[direction]["total_ios"]
        for entry in job[direction]["prios"]
        if entry[kind]["N"]
    }


@pytest.mark.parametrize(
    ("options", "reads", "writes"),
    [
        ("--cmdprio_percentage=100", {RT: 100}, {RT: 100}),
        ("--cmdprio_percentage=40,10", {0: 60, RT: 40}, {0: 90, RT: 10}),
        ("--cmdprio_percentage=50 --cmdprio_class=2 --cmdprio=3", {0: 50, BE | 3: 50}, None),
        ("--cmdprio_percentage=50 --prio=5 --prioclass=2", {BE | 5: 50, RT: 50}, None),
        ("--cmdprio_bssplit=4k/30", {0: 70, RT: 30}, None),
        ("--cmdprio_bssplit=4k/30/2/4,4k/0", {0: 70, BE | 4: 30}, {0: 100}),
        ("--cmdprio_bssplit=8k/30", {0: 100}, None),
    ],
)
def test_so_many_have_another_priority(
    engine: Path, tmp_path: Path, options: str, reads: dict[int, float], writes: Any
) -> None:
    job = report(engine, options.split(), tmp_path)
    for direction, expected in (("read", reads), ("write", writes or reads)):
        found = shares(job, direction)
        assert set(found) == set(expected)
        assert all(abs(found[key] - expected[key]) < 9 for key in expected)


@pytest.mark.parametrize("ioengine", ["libaio", "io_uring"])
@pytest.mark.parametrize("rest", ["", "--direct=1 --iodepth=8", "--group_reporting --numjobs=2"])
def test_each_way_to_issue_counts_all(
    engine: Path, tmp_path: Path, ioengine: str, rest: str
) -> None:
    asked = [f"--ioengine={ioengine}", "--cmdprio_percentage=50", *rest.split()]
    job = report(engine, [*asked, "--fsync=7"], tmp_path)
    for direction in ("read", "write"):
        counts = [entry["clat_ns"]["N"] for entry in job[direction]["prios"]]
        assert sum(counts) == job[direction]["total_ios"]
        assert len(counts) == 2


@pytest.mark.parametrize("kind", ["clat_ns", "lat_ns"])
def test_the_report_has_fios_paths(engine: Path, fio: str, tmp_path: Path, kind: str) -> None:
    asked = ["--cmdprio_percentage=50", f"--lat_percentiles={int(kind == 'lat_ns')}"]
    ours = report(engine, asked, tmp_path / "ours")["read"]["prios"]
    theirs = report(fio, asked, tmp_path / "fio")["read"]["prios"]
    assert [set(entry) - {"priohint"} for entry in ours] == [set(entry) for entry in theirs]
    assert [set(entry[kind]) for entry in ours] == [set(entry[kind]) for entry in theirs]


def test_without_it_there_is_no_list(engine: Path, tmp_path: Path) -> None:
    job = report(engine, ["--prio=3", "--prioclass=2", "--cmdprio_class=2"], tmp_path)
    assert "prios" not in job["read"]


@pytest.mark.parametrize(
    "options",
    [
        "--cmdprio_percentage=100 --log_prio=1",
        "--cmdprio_percentage=100",
        "--prio=3 --prioclass=2 --log_prio=1",
        "--prio=3 --prioclass=1",
        "--prio=3 --log_prio=1",
        "--log_prio=1",
    ],
)
def test_logs_tell_priorities(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    words = []
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        report(program, [*options.split(), "--write_lat_log=log"], folder)
        rows = (folder / "log_clat.1.log").read_text().splitlines()
        words.append({row.rpartition(" ")[2] for row in rows})
    assert words[0] == words[1]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("--cmdprio_percentage=101", "cmdprio_percentage: "),
        ("--cmdprio_class=4", "cmdprio_class: "),
        ("--cmdprio=8", "cmdprio: "),
        ("--cmdprio_percentage=1 --cmdprio_bssplit=4k/50", "exclude each other"),
        ("--cmdprio_bssplit=4k", "cmdprio_bssplit: "),
        ("--cmdprio_bssplit=4k/101", "cmdprio_bssplit: "),
        ("--cmdprio_bssplit=4k/50/4/0", "cmdprio_bssplit: "),
        ("--cmdprio_bssplit=4k/50/1", "cmdprio_bssplit: "),
        ("--cmdprio_bssplit=0/50", "cmdprio_bssplit: "),
        ("--ioengine=psync --cmdprio_percentage=10", "not one of ioengine psync"),
    ],
)
def test_what_is_no_priority_is_told(
    engine: Path, tmp_path: Path, options: str, wrong: str
) -> None:
    ran = run(engine, ["--parse-only", *JOB, *options.split()], tmp_path)
    assert ran.status == 2
    assert wrong in ran.err
