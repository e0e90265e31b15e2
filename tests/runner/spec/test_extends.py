"""``extends`` of files and workloads, and job files as workloads."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import SpecError, UsageError
from iogate.model.spec import Spec
from iogate.spec import load_spec, make_plan

BASE = """\
version: 1
name: base
targets: { d: { directory: /data } }
x-note: not taken over
workloads:
  one:
    fio: { size: 1g, rw: read, blocksize: 4k }
    strategy: { matrix: { iodepth: [1, 2] } }
    thresholds: { read.iops: '> 1', read.bw: '> 1MB/s' }
    tags: [base]
    aka: { iodepth=1: [00112233445566aa] }
  two: { fio: { size: 2g } }
on_missing_baseline: fail
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE)
    return tmp_path


def load(folder: Path, text: str, name: str = "own.yaml") -> Spec:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return load_spec(path)


def wrong(folder: Path, text: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load(folder, text)
    return caught.value


def test_a_file_takes_over_what_it_does_not_say(folder: Path) -> None:
    spec = load(
        folder,
        "version: 1\nname: own\nextends: base.yaml\n"
        "workloads:\n  one: { fio: { bs: 8k } }\n  three: { fio: { size: 3g } }\n",
    )
    assert spec.name == "own"
    assert spec.on_missing_baseline == "fail"
    assert [workload.name for workload in spec.workloads] == ["one", "two", "three"]
    one = spec.workloads[0]
    assert one.jobs[0].options == {"size": "1g", "rw": "read", "bs": "8k"}
    assert one.tags == ("base",)
    assert one.aka == ()


def test_a_workload_takes_over_another(folder: Path) -> None:
    text = BASE.replace(
        "  two: { fio: { size: 2g } }\n",
        "  two:\n    extends: one\n    fio: { iodepth: 4, bs: 64k }\n"
        "    thresholds: { read.iops: '> 9' }\n    tags: []\n"
        "    strategy: { matrix: { numjobs: [1, 2] } }\n",
    )
    two = load(folder, text).workloads[1]
    assert two.jobs[0].options == {"size": "1g", "rw": "read", "iodepth": "4", "bs": "64k"}
    assert {t.metric: t.limit.text for t in two.thresholds} == {
        "read.bw": "> 1MB/s",
        "read.iops": "> 9",
    }
    assert set(two.matrix) == {"numjobs"}
    assert two.tags == ()


def test_a_workload_of_another_file(folder: Path) -> None:
    (folder / ".git").mkdir()
    spec = load(
        folder,
        "version: 1\ntargets: { e: { directory: /e } }\n"
        "workloads: { w: { extends: ../base.yaml#one, target: e } }\n",
        "deeper/own.yaml",
    )
    (workload,) = spec.workloads
    assert workload.jobs[0].options["size"] == "1g"
    assert len(make_plan(spec).cases) == 2


def test_a_problem_in_the_base_is_told_at_the_base(folder: Path) -> None:
    (folder / "base.yaml").write_text(BASE.replace("rw: read", "rw: raed"))
    error = wrong(folder, "version: 1\nextends: base.yaml\n")
    assert error.where is not None
    assert (error.where.file, error.where.line) == (str(folder / "base.yaml"), 7)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("version: 1\nextends: nope.yaml\n", 2, "nope.yaml"),
        ("version: 1\nextends: own.yaml\n", 2, "circle"),
        ("version: 1\nextends: [base.yaml, own.yaml]\n", 2, "circle"),
        ("version: 1\nextends: {a: b}\n", 2, "file or a workload"),
        (BASE + "extend: base.yaml\n", 14, "extend"),
        (
            "version: 1\nextends: base.yaml\nworkloads: {w: {extends: base.yaml#six}}\n",
            3,
            "'six'",
        ),
        (
            "version: 1\nextends: base.yaml\nworkloads:\n  a: {extends: b}\n  b: {extends: a}\n",
            4,
            "circle",
        ),
    ],
)
def test_what_cannot_be_extended(folder: Path, text: str, line: int, says: str) -> None:
    error = wrong(folder, text)
    assert error.where is not None
    assert error.where.line == line
    assert says in error.what


JOB_FILE = """\
; a comment
[global]
rw=randread   # another
size=1g
[first job]
bs=8k
bs=4k
time_based
runtime=9s
[global]
iodepth=4
[second]
rw=read
"""
WITH_JOB_FILE = (
    "version: 1\ntargets: {d: {directory: /data}}\n"
    "workloads: {w: {jobfile: jobs/a.fio, fio: {size: 64m}, "
    "thresholds: {jobs.first job.read.iops: '> 1'}}}\n"
)


def with_job_file(folder: Path, text: str) -> Spec:
    (folder / "jobs").mkdir(exist_ok=True)
    (folder / "jobs" / "a.fio").write_text(text)
    return load(folder, WITH_JOB_FILE)


def test_a_job_file_is_a_workload(folder: Path) -> None:
    spec = with_job_file(folder, JOB_FILE)
    first, second = spec.workloads[0].jobs
    assert (first.name, second.name) == ("first job", "second")
    timed = {"time_based": "1", "runtime": "9s"}
    assert first.options == {"rw": "randread", "size": "64m", "bs": "4k", **timed}
    assert second.options == {"rw": "read", "size": "64m", "iodepth": "4"}
    assert second.where is not None
    assert (second.where.file, second.where.line) == (str(folder / "jobs/a.fio"), 12)
    (case,) = make_plan(spec).cases
    assert [threshold.metric for threshold in case.thresholds] == ["jobs.first job.read.iops"]


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("rw=read\n", 1, 1, "before the first"),
        ("[a]\n  iodeph = 3\n", 2, 3, "not an option of fio"),
        ("[a]\nbs =  1q\n", 2, 7, "bs cannot have this value"),
        ("[a\nbs=1k\n", 1, 1, "brackets"),
        ("[]\n", 1, 1, "brackets"),
        ("[../../etc/x]\nbs=4k\n", 1, 1, "cannot name a job"),
        ("[a]\nbs\n", 2, 1, "no value"),
        ("[a]\ninclude other.fio\n", 2, 1, "include"),
        ("[first job]\nfilename=/dev/sda\n", 2, 1, "target"),
        ("[first job]\ndirectory=/mnt\n", 2, 1, "target"),
        ("[first job]\nexec_prerun=id\n", 2, 1, "cannot be set"),
        ("[first job]\nread_iolog=x\n", 2, 1, "cannot be set"),
    ],
)
def test_a_wrong_job_file_is_told_with_its_line(
    folder: Path, text: str, line: int, column: int, says: str
) -> None:
    with pytest.raises(SpecError) as caught:
        with_job_file(folder, text)
    found = [e for e in (caught.value, *caught.value.others) if says in e.what]
    assert found
    assert found[0].where is not None
    assert (found[0].where.line, found[0].where.column) == (line, column)
    assert found[0].where.file.endswith("a.fio")


def test_a_job_file_without_jobs(folder: Path) -> None:
    with pytest.raises(UsageError, match="no job"):
        with_job_file(folder, "[global]\nrw=read\n")
