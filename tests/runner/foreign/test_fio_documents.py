"""fio's JSON as results: versions, clones, intervals, text around it, and damage."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.environments import differences
from iogate.errors import EngineError, IogateError
from iogate.foreign import Origin, as_run, fio_documents, read_fio
from iogate.metrics import kept_values, metric
from iogate.model.document import run_from_document, to_document
from iogate.model.run import Host, Run
from support import fio_outputs as f

ORIGIN = Origin("old.json", Host("old", "m-old"), ended_ns=10**18)


def runs(*documents: Any, **more: Any) -> list[Run]:
    text = "\n".join(json.dumps(each, indent=2) for each in documents)
    return [as_run(found, Origin(**{**_ORIGIN, **more})) for found in read_fio(text)]


_ORIGIN = {"file": "old.json", "host": ORIGIN.host, "ended_ns": ORIGIN.ended_ns}


def test_options_are_the_global_ones_under_those_of_the_job() -> None:
    (run,) = runs(f.document(rw="randread", size="4M", time_based=""))
    case = run.plan.cases[0]
    assert case.jobs[0].options == {
        "ioengine": "psync", "size": "4M", "rw": "randread", "time_based": "1",
    }  # fmt: skip
    assert (case.target.kind, case.target.path) == ("directory", "/srv/x")


def test_numbers_and_times() -> None:
    (run,) = runs(f.document())
    measured = run.measurements[0]
    assert metric("read.iops").extract(measured) == 50
    assert metric("read.clat.p99").extract(measured) == 3000
    assert metric("read.clat.p75").extract(measured) is None
    assert run.finished_ns == 1_600_000_000_500_000_000
    assert run.started_ns == run.finished_ns - 3 * 10**9
    assert measured.disks[0].util_percent == 50.5
    assert (run.status, run.verdict and run.verdict.outcome) == ("complete", "pass")


def _groups(*groups: int, elapsed_s: int, **options: str) -> list[dict[str, str]]:
    """The options of jobs of two seconds in these groups."""
    document = f.document(elapsed_s=elapsed_s)
    (job,) = document["jobs"]
    document["jobs"] = [
        {**job, "jobname": f"j{n}", "groupid": group, "job options": options}
        for n, group in enumerate(groups)
    ]
    del document["global options"]
    (run,) = runs(document)
    return [dict(job.options) for job in run.plan.cases[0].jobs]


def test_a_wall_is_told_by_the_groups_of_jobs_that_took_turns() -> None:
    wall: dict[str, str] = {"stonewall": "1"}
    assert _groups(0, 0, 1, 1, 2, elapsed_s=6) == [{}, {}, wall, {}, wall]
    assert _groups(0, 1, elapsed_s=3) == [{}, {}]  # new_group: both ran at once
    assert _groups(0, 1, elapsed_s=6, wait_for="j0") == [{"wait_for": "j0"}, {"wait_for": "j0"}]


def test_a_histogram_is_better_than_percentiles() -> None:
    document = f.document()
    document["jobs"][0]["read"]["clat_ns"] = f.latency(1000, bins=True)
    (run,) = runs(document)
    clat = run.measurements[0].jobs[0].directions["read"].clat
    assert clat is not None
    assert clat.percentiles == {}
    assert clat.histogram is not None
    assert clat.histogram.count == 100


def test_version_3_1_leaves_much_out() -> None:
    document = f.document() | {"fio version": "fio-3.1"}
    job = document["jobs"][0]
    for key in ("job_runtime", "sync"):
        del job[key]
    for direction in ("read", "write", "trim"):
        del job[direction]["bw_bytes"]
        for kind in ("slat_ns", "clat_ns", "lat_ns"):
            del job[direction][kind]["N"]
    del document["timestamp_ms"], document["global options"]
    (run,) = runs(document)
    row = run.measurements[0].jobs[0]
    read = row.directions["read"]
    assert read.bw == 200 * 1024
    assert read.clat is not None
    assert read.clat.n == 100
    assert read.slat is None
    assert row.runtime_ns == 2 * 10**9
    assert list(row.directions) == ["read"]


def test_clones_are_rows_and_one_job() -> None:
    document = f.document(numjobs="2")
    document["jobs"].append(dict(document["jobs"][0]))
    (run,) = runs(document)
    assert len(run.plan.cases[0].jobs) == 1
    assert [row.jobs for row in run.measurements[0].jobs] == [1, 1]
    assert metric("read.iops").extract(run.measurements[0]) == 100


def test_of_the_looks_at_one_run_the_last_counts() -> None:
    looks = [f.document(at_s=1000 + at, elapsed_s=at) for at in (1, 2, 3)]
    later = f.document(at_s=2000, elapsed_s=1)
    first, second = runs(*looks, later)
    assert first.finished_ns == 1_003_500_000_000
    assert second.finished_ns == 2_000_500_000_000


@pytest.mark.parametrize("change", [{"total_ios": 90}, {"clat_ns": f.latency(999)}])
def test_calls_of_fio_in_a_loop_are_a_run_each(change: dict[str, Any]) -> None:
    first, second = f.document(elapsed_s=1), f.document(elapsed_s=1)
    second["timestamp_ms"] += 600
    second["jobs"][0]["read"] |= change
    assert len(runs(first, second)) == 2
    second["jobs"][0]["job options"]["ramp_time"] = "5"  # its counts begin anew after that
    assert len(runs(first, second)) == 1
    third = f.document(elapsed_s=1)
    third["timestamp_ms"] += 1500
    assert len(runs(first, third)) == 2


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_results_is_each_of_them(indent: int | None) -> None:
    text = json.dumps([f.document(name=name) for name in "abc"], indent=indent)
    assert [found.result.jobs[0].name for found in read_fio(text)] == ["a", "b", "c"]


def test_a_number_that_is_none_is_not_known() -> None:
    document = f.document()
    document["jobs"][0]["read"] |= {"bw_dev": "NONE", "bw_min": "INF"}
    text = json.dumps(document, indent=1).replace('"NONE"', "-nan").replace('"INF"', "inf")
    (found,) = read_fio(text)
    assert found.result.jobs[0].directions["read"].total_ios == 100
    document["jobs"][0]["read"]["clat_ns"]["mean"] = "NONE"
    text = json.dumps(document).replace('"NONE"', "-nan").replace('"INF"', "inf")
    run = as_run(next(read_fio(text)), ORIGIN)
    assert "read.clat.mean" not in kept_values(run.measurements[0])
    assert run_from_document(to_document(run)).id == run.id


def test_text_may_stand_around_and_between() -> None:
    one, other = (json.dumps(f.document(name=name), indent=2) for name in ("a", "b"))
    text = f"fio: warning {{ [\n{{ not json\n{one}\nfio: note\n{other}\nDone }}"
    assert [as_run(x, ORIGIN).plan.spec_name for x in read_fio(text)] == ["a", "b"]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_result_that_is_cut_off_is_told_after_the_others(share: float) -> None:
    one, other = (json.dumps(f.document(name=name), indent=2) for name in ("a", "b"))
    for text in (f"{one}\n{other[: int(len(other) * share)]}", f"{other[:-2]}\n{one}"):
        found = read_fio(text)
        assert as_run(next(found), ORIGIN).plan.spec_name == "a"
        with pytest.raises(IogateError, match="is cut off"):
            next(found)


def test_what_another_program_wrote_is_no_result() -> None:
    assert list(read_fio('{"jobs": [1]}')) == []
    assert list(read_fio("[" * 100_000)) == []
    assert list(read_fio('{"a":\n' * 5000)) == []


def test_client_rows_are_read_and_their_sum_is_not() -> None:
    document = f.document()
    rows = document.pop("jobs")
    document["client_stats"] = [*rows, {**rows[0], "jobname": "All clients"}]
    (run,) = runs(document)
    assert len(run.measurements[0].jobs) == 1


def test_how_long_clients_ran_is_known_of_their_jobs() -> None:
    """A server tells of no job how much time elapsed."""
    document = f.document()
    (row,) = document.pop("jobs")
    del row["elapsed"]
    longer = {**row, "read": {**row["read"], "runtime": 2500}}
    document["client_stats"] = [row, longer, {**longer, "jobname": "All clients"}]
    (run,) = runs(document)
    assert run.took_ns == run.measurements[0].duration_ns == 2_500_000_000


def test_runs_on_other_clients_are_not_compared() -> None:
    """The case is the same, and two clients do twice as much."""

    def measured_by(*clients: tuple[str, int]) -> Run:
        document = f.document()
        (row,) = document.pop("jobs")
        document["client_stats"] = [
            {**row, "jobname": name, "hostname": host, "port": port}
            for host, port in clients
            for name in (row["jobname"], "All clients")
        ]
        (run,) = runs(document)
        return run

    one, two = measured_by(("lab1", 8765)), measured_by(("lab2", 8765), ("lab1", 8765))
    assert two.environment["origin.clients"] == "lab1, lab2"
    assert [case.id for case in one.plan.cases] == [case.id for case in two.plan.cases]
    (change,) = differences(one.environment, two.environment)
    assert (change.before, change.after) == ("lab1", "lab1, lab2")
    same = measured_by(("lab1", 8765), ("lab2", 8765))
    assert not differences(two.environment, same.environment)
    ports = measured_by(("lab1", 8765), ("lab1", 8766))
    assert differences(one.environment, ports.environment)
    (local,) = runs(f.document())
    assert "origin.clients" not in local.environment


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"jobs": [{"jobname": "x", "read": {"total_ios": "many"}}]}, "cannot be read"),
        ({"jobs": []}, "no jobs"),
        ({"timestamp_ms": 1e300}, "cannot be read"),
        ({"timestamp_ms": "soon"}, "cannot be read"),
    ],
)
def test_a_damaged_result_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(IogateError, match=why):
        runs(f.document() | change)


@pytest.mark.parametrize(("rw", "direction"), [("randread:8", "read"), ("write", "write")])
def test_one_part_for_all_is_that_of_the_only_direction(rw: str, direction: str) -> None:
    document = f.document(rw=rw, unified_rw_reporting="1")
    job = document["jobs"][0]
    job["mixed"] = job["read"]
    for name in ("read", "write", "trim"):
        del job[name]
    (run,) = runs(document)
    assert list(run.measurements[0].jobs[0].directions) == [direction]
    job["job options"]["rw"] = "randrw"
    with pytest.raises(IogateError, match="cannot be told apart"):
        runs(document)


def test_with_both_the_parts_count_and_not_their_sum() -> None:
    document = f.document(rw="randrw", unified_rw_reporting="both")
    document["jobs"][0]["mixed"] = f.part(500)
    (run,) = runs(document)
    assert metric("all.iops").extract(run.measurements[0]) == 50


def test_a_result_without_any_io_is_no_run() -> None:
    document = f.document()
    document["jobs"][0]["read"] = f.part(0)
    found = read_fio(
        f"{json.dumps(document, indent=1)}\n{json.dumps(f.document(name='b'), indent=1)}"
    )
    assert next(found).result.jobs[0].name == "b"
    with pytest.raises(IogateError, match="of reader holds no I/O"):
        next(found)
    document["jobs"][0]["error"] = 2
    assert runs(document)[0].status == "failed"


def test_latencies_that_were_switched_off_are_none_and_the_rates_stay() -> None:
    document = f.document(rw="read", gtod_reduce="1")
    for kind in ("slat_ns", "clat_ns", "lat_ns"):
        document["jobs"][0]["read"][kind] = f.latency(0, n=0) | {"max": 0}
    (run,) = runs(document)
    read = run.measurements[0].jobs[0].directions["read"]
    assert (read.slat, read.clat, read.lat) == (None, None, None)
    assert metric("read.iops").extract(run.measurements[0]) == 50


def test_percentiles_may_be_of_another_kind_of_latency() -> None:
    document = f.document(rw="read", lat_percentiles="1", clat_percentiles="0")
    del document["jobs"][0]["read"]["clat_ns"]["percentile"]
    (run,) = runs(document)
    measured = run.measurements[0]
    assert metric("read.clat.p99").extract(measured) is None
    assert metric("read.lat.p99").extract(measured) == 3000
    assert metric("read.clat.mean").extract(measured) == 1000.5


def test_without_global_options_those_of_the_job_are_all() -> None:
    document = f.document(rw="read", directory="/srv/x", ioengine="psync", size="8M")
    del document["global options"]
    (alone,), (shared,) = runs(document), runs(f.document(rw="read"))
    assert alone.plan.cases[0].id == shared.plan.cases[0].id


def test_what_later_versions_add_is_skipped() -> None:
    document = f.document() | {"fio version": "fio-3.42-17-gabc", "steadystate": {"ss": "iops"}}
    job = document["jobs"][0] | {"job_start": 1, "latency_depth": 1, "steadystate": {}}
    job["read"]["prios"] = [{"prioclass": 1, "prio": 0, "lat_ns": f.latency(5)}]
    document["jobs"] = [job]
    (run,) = runs(document)
    assert run.measurements[0].jobs == runs(f.document())[0].measurements[0].jobs
    assert run.environment["engine.version"] == "3.42-17-gabc"


@pytest.mark.parametrize(
    ("options", "kind", "path", "kept"),
    [
        ({"filename": "/dev/nvme0n1"}, "device", "/dev/nvme0n1", False),
        ({"filename": "/mnt/a//b"}, "file", "/mnt/a/b", False),
        ({"filename": "/dev/disk/a\\:b"}, "device", "/dev/disk/a:b", False),
        ({"filename": "x:y"}, "directory", "/srv/x", True),
        ({"filename": "x"}, "directory", "/srv/x", True),
        ({}, "directory", "/srv/x", False),
    ],
)
def test_the_place_is_the_target(options: dict[str, str], kind: str, path: str, kept: bool) -> None:
    (run,) = runs(f.document(**options))  # type: ignore[arg-type]
    case = run.plan.cases[0]
    assert (case.target.kind, case.target.path) == (kind, path)
    assert ("filename" in case.jobs[0].options) is kept
    assert "directory" not in case.jobs[0].options


def test_a_directory_can_be_said() -> None:
    document = f.document()
    del document["global options"]["directory"]
    (unknown,), (said,) = runs(document), runs(document, directory="/srv/x/")
    (own,) = runs(f.document())
    assert unknown.plan.cases[0].id != own.plan.cases[0].id == said.plan.cases[0].id


def changed(value: Any, draw: Any) -> Any:
    """Somewhere inside, another value."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: changed(value[key], draw)}
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        return [changed(value[0], draw), *value[1:]]
    anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return draw(anything | st.lists(anything, max_size=2) | st.dictionaries(st.text(), anything))


@given(st.data())
def test_any_damage_is_a_result_or_a_refusal(data: st.DataObject) -> None:
    document = f.document(rw="read", runtime="5")
    for _ in range(data.draw(st.integers(1, 3))):
        document = changed(document, data.draw)
    try:
        found = runs(document)
    except IogateError:
        return
    for run in found:
        json.dumps(to_document(run), allow_nan=False)


@pytest.mark.parametrize("line", ["", "[", " [ ", "},", "{"])
def test_very_many_lines_of_nothing_are_gone_over_once(line: str) -> None:
    """In a process of its own, with a generous time: line by line over all others takes hours."""
    code = (
        "import sys; from iogate.foreign import read_fio;"
        " print(len(list(read_fio((sys.argv[1] + chr(10)) * 1_000_000))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, line],
        capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    assert done.stdout == "0\n"


def test_what_begins_like_json_over_and_over_is_given_up_in_time() -> None:
    """Each beginning goes on to the same end, which is none: 67 s once."""
    text = json.dumps(f.document()) + "\n" + '{"a":\n' * 900 + "[" + "1," * 1_000_000
    began_s, found = time.monotonic(), read_fio(text)
    assert as_run(next(found), ORIGIN).status == "complete", "what is whole is read"
    with pytest.raises(EngineError, match="begins like JSON and is none"):
        next(found)
    assert time.monotonic() - began_s < 20


def test_more_values_than_a_document_may_hold_are_refused_before_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fio_documents, "DOCUMENT_VALUES", 1000)
    text = json.dumps({**f.document(), "more": [[]] * 1001})
    with pytest.raises(EngineError, match="more than 1,000 values"):
        list(read_fio(text))


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("iops", -5, "st: read iops of -5 is below zero"),
        ("total_ios", -5, "I/Os of -5 is below zero"),
        ("bw_bytes", -1.5, "bandwidth of -1.5 is below zero"),
        ("clat_ns", [], "another form"),
    ],
)
def test_numbers_that_nothing_measured_has_are_refused(
    place: str, value: object, words: str
) -> None:
    document = f.document()
    name = document["jobs"][0]["jobname"]
    document["jobs"][0]["read"][place] = value
    if place == "clat_ns":
        document["jobs"][0]["read"] = [value]
    with pytest.raises(EngineError, match=words.replace("st:", f"{name}:")) as raised:
        runs(document)
    assert "Error(" not in raised.value.what


@pytest.mark.parametrize("odd", [{"jobs": [[1]]}, {"jobs": 5}, {"timestamp_ms": 1e15, "jobs": []}])
def test_a_wrong_shape_is_told_without_python(odd: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as raised:
        runs({**f.document(), **odd})
    assert "Error('" not in raised.value.what
    assert "attribute" not in raised.value.what


def test_a_number_that_is_none_is_told() -> None:
    document = f.document()
    name = document["jobs"][0]["jobname"]
    document["jobs"][0]["read"]["iops"] = math.nan
    (run,) = runs(document)
    assert f"{name}: read iops is no number: it is left out" in run.measurements[0].warnings


@pytest.mark.parametrize(
    ("version", "told"),
    [("fio-3.42", False), ("fio-3.36-117-gb2403", False), ("fio-3.43", True), ("fio-4.1", True)],
)
def test_a_version_that_is_not_known_yet_is_read_with_a_warning(version: str, told: bool) -> None:
    (run,) = runs({**f.document(), "fio version": version})
    assert any("newer than 3.42" in text for text in run.measurements[0].warnings) is told
