"""A whole spec: what it becomes, and what is said when it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import ExitCode, Location, RefusedError, SpecError, UsageError
from iogate.model.document import plan_from_document, to_document
from iogate.model.environment import DropCaches, Environment, Require
from iogate.model.spec import Level, OnMissingBaseline, Repetitions, Spec, TargetKind
from iogate.spec import load_spec, load_spec_text, make_plan, needs_trust, require_trust
from support.specs import FILE, fio, load, place, plan_of, problem, problems, workloads

WHOLE = """\
version: 1
name: xfs-gate
description: A gate.
x-oltp: &oltp { ioengine: io_uring, direct: true, time_based: true, runtime: 60s }
runner: { labels: [self-hosted, nvme-a], exclusive: true }
targets:
  raw:
    device: /dev/disk/by-id/nvme-X
    destroy: { serial: 0123, wwn: 5, size: 64m }
  xfs:
    filesystem: { on: raw, type: xfs, mkfs: [-m, reflink=1], mount: [noatime], recreate: per-case }
environment:
  cpu: { governor: performance, turbo: false, cpus_allowed: 2-9 }
  block: { scheduler: none, nr_requests: 1023 }
  sysctl: { vm.dirty_ratio: 50 }
  drop_caches: before-case
  require: { max_loadavg: 0.5, max_temperature: 65C, no_throttle: true }
precondition:
  fill: { rw: write, bs: 128k, loops: 2 }
  steady_state: { rw: randwrite, bs: 4k, steadystate: "iops_slope:0.3%", ss_dur: 300s }
workloads:
  oltp-write:
    target: xfs
    fio: { <<: *oltp, rw: randwrite, size: 8g }
    strategy:
      matrix: { bs: [4k, 16k], iodepth: [1, 32], numjobs: [1, 4] }
      exclude: [{ iodepth: 1, numjobs: 4 }]
    repetitions: { min: 5, max: 12 }
    thresholds:
      write.clat.p99: ["< 2ms", "vs baseline < +10%"]
      write.iops: { limit: ">= 180k", when: { bs: 4k, iodepth: 32 }, level: warn }
    tags: [gate, nightly]
    x-note: ignored
baseline: { ref: merge-base, fallback: main, window: 30, min_samples: 4 }
on_missing_baseline: fail
on_inconclusive: pass
"""


@pytest.fixture
def whole() -> Spec:
    return load(WHOLE)


def test_every_section_arrives(whole: Spec) -> None:
    assert (whole.name, whole.description, whole.source) == ("xfs-gate", "A gate.", str(FILE))
    assert whole.runner == {"labels": ["self-hosted", "nvme-a"], "exclusive": True}
    assert whole.environment == Environment(
        governor="performance",
        turbo=False,
        cpus_allowed="2-9",
        block={"scheduler": "none", "nr_requests": "1023"},
        sysctl={"vm.dirty_ratio": "50"},
        drop_caches=DropCaches.BEFORE_CASE,
        require=Require(0.5, 65, no_throttle=True),
        where=Location("t.yaml", 13, 3),
    )
    precondition = whole.precondition
    assert precondition is not None
    assert precondition.fill is not None
    assert precondition.fill.options == {"rw": "write", "direct": "1", "bs": "128k", "loops": "2"}
    assert precondition.steady_state is not None
    assert precondition.steady_state.options["steadystate_duration"] == "300s"
    assert (whole.baseline.ref, whole.baseline.window, whole.baseline.min_samples) == (
        "merge-base",
        30,
        4,
    )
    assert whole.on_missing_baseline is OnMissingBaseline.FAIL
    assert whole.on_inconclusive is OnMissingBaseline.PASS


def test_targets_arrive(whole: Spec) -> None:
    raw, xfs = whole.targets["raw"], whole.targets["xfs"]
    assert raw.kind is TargetKind.DEVICE
    assert raw.destroy is not None
    assert (raw.destroy.serial, raw.destroy.wwn, raw.destroy.size_bytes) == ("0123", "5", 1 << 26)
    assert (xfs.on, xfs.fs_type, xfs.mkfs, xfs.mount, xfs.recreate) == (
        "raw",
        "xfs",
        ("-m", "reflink=1"),
        ("noatime",),
        "per-case",
    )


def test_a_workload_arrives(whole: Spec) -> None:
    (workload,) = whole.workloads
    assert workload.repetitions == Repetitions(5, 12)
    assert workload.tags == ("gate", "nightly")
    assert workload.jobs[0].options["time_based"] == "1"
    assert workload.thresholds[2].level is Level.WARN
    assert workload.where is not None
    assert (workload.where.line, workload.where.column) == (22, 3)
    assert len(make_plan(whole).cases) == 6


def test_a_case_knows_what_is_set_up_for_it(whole: Spec) -> None:
    plan = make_plan(whole)
    assert plan.precondition == whole.precondition
    for case in plan.cases:
        assert case.environment == whole.environment
        assert case.target.device == "/dev/disk/by-id/nvme-X"
        assert case.target.destroy == whole.targets["raw"].destroy


def test_what_changes_the_host_needs_trust(whole: Spec) -> None:
    plan = make_plan(whole)
    assert needs_trust(plan) == (
        "environment.cpu.governor",
        "environment.cpu.turbo",
        "environment.block.scheduler",
        "environment.block.nr_requests",
        "environment.sysctl.vm.dirty_ratio",
        "environment.drop_caches",
        "targets.xfs.filesystem",
    )
    with pytest.raises(RefusedError, match="--trust") as caught:
        require_trust(plan, trusted=False)
    assert caught.value.exit_code is ExitCode.REFUSED
    assert caught.value.where == Location("t.yaml", 13, 3)
    for key in needs_trust(plan):
        assert key in str(caught.value)
    require_trust(plan, trusted=True)


def test_empty_sections_and_unused_filesystems_need_no_trust() -> None:
    text = (
        "version: 1\nenvironment: { require: { max_loadavg: 9 } }\nprecondition: {}\n"
        "targets:\n  d: {directory: /data}\n  raw: {device: /dev/x}\n"
        "  fs: {filesystem: {on: raw, type: xfs}}\n"
        "workloads: {w: {target: d, fio: {size: 1m}}}\n"
    )
    plan = make_plan(load(text))
    assert needs_trust(plan) == ()
    require_trust(plan, trusted=False)


def test_a_plan_is_a_document_and_back(whole: Spec) -> None:
    plan = make_plan(whole)
    assert plan_from_document(to_document(plan)) == plan


def test_defaults() -> None:
    spec = load(fio("size: 1m"))
    assert spec.name == "t"
    assert spec.workloads[0].repetitions == Repetitions(3, 3)
    assert spec.workloads[0].target == "d"
    assert spec.on_missing_baseline is OnMissingBaseline.WARN


def test_variables_of_the_environment_are_replaced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOGATE_VAR_DISK", "/mnt/disk")
    monkeypatch.setenv("IOGATE_VAR_BS", "8k")
    monkeypatch.setenv("IOGATE_VAR_EVIL", "x\nrw=write")
    monkeypatch.setenv("IOGATE_VAR_NESTED", "${IOGATE_VAR_DISK}")
    monkeypatch.delenv("IOGATE_VAR_NOPE", raising=False)
    text = (
        "version: 1\ntargets: {{d: {{directory: '{}/x'}}}}\n"
        "workloads: {{w: {{fio: {{size: 1m, bs: '{}'}}}}}}\n"
    )
    spec = load(text.format("${IOGATE_VAR_DISK}", "${IOGATE_VAR_BS}"))
    assert spec.targets["d"].path == "/mnt/disk/x"
    assert spec.workloads[0].jobs[0].options["bs"] == "8k"
    assert "IOGATE_VAR_NOPE is not set" in problem(text.format("${IOGATE_VAR_NOPE}", "4k")).what
    assert "'\\n'" in problem(text.format("${IOGATE_VAR_EVIL}", "4k")).what
    assert "holds $" in problem(text.format("${IOGATE_VAR_NESTED}", "4k")).what
    assert place(problem(text.format("/x", "${IOGATE_VAR_NOPE}"))) == (3, 37)
    with_defaults = load(text.format("${IOGATE_VAR_NOPE:-/y}", "${IOGATE_VAR_BS:-4k}"))
    assert with_defaults.targets["d"].path == "/y/x"
    assert with_defaults.workloads[0].jobs[0].options["bs"] == "8k"


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("version: 2\nnew: 3\n", (1, 10), "version 2"),
        ("version: one\n", (1, 10), "version is 1"),
        ("- a\n", (1, 1), "mapping"),
        (
            "name: x\ntargets: {d: {file: x}}\nworkloads: {w: {fio: {rw: read}}}\n",
            (1, 1),
            "version",
        ),
        (workloads("  w: { target: e, fio: { size: 1m } }\n"), (4, 16), "no target 'e'"),
        (workloads("  w: { tags: [a] }\n"), (4, 6), "no I/O"),
        (workloads("  w: { fio: { rw: read } }\n"), (4, 6), "no size"),
        (workloads("  w: { fio: { size: 1m }, targt: d }\n"), (4, 27), "targt"),
        (workloads("  w: { fio: { size: 1m }, repetitions: 0 }\n"), (4, 40), "1 to 1000"),
        (workloads("  w: { fio: { size: 1m }, repetitions: on }\n"), (4, 40), "repetitions"),
        (workloads("  w: { fio: { size: 1m }, repetitions: {min: 3, max: 2} }\n"), (4, 40), "most"),
        (workloads("  w: { fio: { size: 1m }, tags: [1.10] }\n"), (4, 34), "text"),
        (workloads("  global: { fio: { size: 1m } }\n"), (4, 3), "global"),
        (workloads("  w x: { fio: { size: 1m } }\n"), (4, 3), "'w x'"),
        (workloads("  w: { fio: { size: 1m }, jobs: { '[': {} } }\n"), (4, 35), "'['"),
        (workloads("  w: { fio: { size: 1m }, jobs: {a: {}}, jobfile: x }\n"), (4, 42), "jobfile"),
        (workloads("  w: { jobfile: nope.fio }\n"), (4, 17), "nope.fio"),
        (workloads("  w: { extends: v, fio: { size: 1m } }\n"), (4, 17), "'v'"),
        (workloads("  w: { extends: w, fio: { size: 1m } }\n"), (4, 6), "circle"),
        (fio("size: 1m") + "on_inconclusive: off\n", (5, 18), "pass, warn or fail"),
        (fio("size: 1m") + "runner: { exclusive: yes }\n", (5, 22), "true or false"),
        (fio("size: 1m") + "environment: { cpu: { turbo: off } }\n", (5, 30), "true or false"),
        (fio("size: 1m") + "environment: { cpus: {} }\n", (5, 16), "cpus"),
        (fio("size: 1m") + "precondition: { fill: { bs: 4k } }\n", (5, 15), "no target is a dev"),
        (fio("size: 1m") + "baseline: { window: 0 }\n", (5, 21), "window"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, where: tuple[int, int], says: str) -> None:
    error = problem(text)
    assert place(error) == where
    assert says in error.what
    assert error.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("{}", "does not say what it is"),
        ("{file: x, device: y}", "says file and device"),
        ("{file: x, destroy: {serial: a}}", "destroy"),
        ("{directory: x, overwrite: true}", "overwrite"),
        ("{device: x, destroy: {}}", "empty"),
        ("{device: x, destroy: {size: big}}", "size"),
        ("{device: x, destroy: {size: 0}}", "size"),
        ("{device: x, destroy: {serial: ''}}", "empty"),
        ("{device: x, destroy: {serial: ' '}}", "empty"),
        ('{device: x, destroy: {serial: "\\u200b"}}', "empty"),
        ("{device: x, destroy: {wwn: '${IOGATE_VAR_UNSET:-}'}}", "empty"),
        ("{device: x, destroy: {by_id: ../sda}}", "/dev/disk/by-id/"),
        ("{device: x, destroy: {by_id: ..}}", "/dev/disk/by-id/"),
        ("{device: x, destroy: {model: ACME}}", "a model is that of many"),
        ("{device: x, destroy: {holds: anything}}", "which device"),
        ("{device: x, destroy: {x-why: y}}", "which device"),
        ("{device: x, destroy: {serial: a, holds: ext5}}", "'ext5' is none"),
        ("{device: x, destroy: {serial: a, holds: ''}}", "holds"),
        ("{device: x, destroy: {serial: a, holds: []}}", "holds"),
        ("{device: x, destroy: {serial: a, holds: [ext4, nothing]}}", "nothing and ext4"),
        ("{device: x, destroy: {serial: a, holds: [anything, xfs]}}", "anything and xfs"),
        ("{file: 'a;b'}", "';'"),
        ('{file: "a\\nb"}', "'\\n'"),
        ("{file: 'a$b'}", "$"),
        ("{file: 'a\\b'}", "backslash"),
        ("{file: ''}", "empty"),
        ("{directry: x}", "directry"),
        ("{filesystem: {on: nope, type: xfs}}", "nope"),
        ("{filesystem: {type: xfs}}", "'on'"),
    ],
)
def test_a_target_is_one_plain_thing(target: str, says: str) -> None:
    text = f"version: 1\ntargets: {{d: {target}}}\nworkloads: {{w: {{fio: {{size: 1m}}}}}}\n"
    found = problems(text)
    assert any(says in error.what for error in found), [str(error) for error in found]
    assert all(place(error)[0] == 2 for error in found if says in error.what)


def test_problems_of_all_parts_are_told_together() -> None:
    text = (
        "version: 1\ntargets:\n  d: {directory: '${IOGATE_VAR_NO_SUCH_THING}'}\nworkloads:\n"
        "  a: { target: d, fio: { size: 1m, iodeph: 1 }, thresholds: { read.iops: '< 3' } }\n"
        "  b: { target: d, fio: { size: 1m, rw: raed }, unknown: 1 }\n"
    )
    found = [place(error)[0] for error in problems(text)]
    assert found[0] == 3
    assert {5, 6} <= set(found)
    assert found == sorted(found)


def test_a_file_that_cannot_be_read_is_the_calls_fault(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(UsageError) as caught:
            load_spec(path)
        assert not isinstance(caught.value, SpecError)
        assert str(path) in caught.value.what


def test_bytes_that_are_no_text_are_an_error_with_a_place(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"version: 1\nname: \xff\n")
    with pytest.raises(SpecError) as caught:
        load_spec(path)
    assert caught.value.where is not None
    assert (caught.value.where.line, caught.value.where.column) == (2, 7)


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + fio("size: 1m").encode())
    assert load_spec(path).name == "a"


def survives(text: str) -> None:
    """Reading ends with a spec or with a SpecError that can be shown."""
    try:
        spec = load_spec_text(text, FILE)
        make_plan(spec)
    except SpecError as error:
        for each in (error, *error.others):
            assert each.what
            assert str(each)


@given(st.text(max_size=200))
def test_any_text_gives_a_spec_or_a_spec_error(text: str) -> None:
    survives(text)


@given(st.text(alphabet="ab:{}[]-,&*!|>'\"#%@`?<~ \n\t\\x01e_.$", max_size=80))
def test_any_yaml_like_text_does_too(text: str) -> None:
    survives(text)
    survives(workloads(f"  w: {{ fio: {{ size: 1m, {text} }} }}\n"))


@given(st.data())
def test_a_damaged_spec_does_too(data: st.DataObject) -> None:
    """A good spec with one part cut out and something else put in its place."""
    start = data.draw(st.integers(min_value=0, max_value=len(WHOLE)))
    length = data.draw(st.integers(min_value=0, max_value=40))
    junk = data.draw(
        st.sampled_from(["", "\t", "x", ": ", "- ", "{", "]", "null", "[]", "3", "*oltp", "''"])
    )
    survives(WHOLE[:start] + junk + WHOLE[start + length :])


def test_loading_twice_gives_the_same() -> None:
    assert load(WHOLE) == load(WHOLE)
    assert plan_of(WHOLE) == plan_of(WHOLE)


def test_overwrite_is_a_permission_that_leaves_the_case_as_it_is() -> None:
    text = fio("rw: write, size: 1m").replace("directory: /data", "file: /srv/f")
    allowed = text.replace("file: /srv/f", "file: /srv/f, overwrite: true")
    denied = text.replace("file: /srv/f", "file: /srv/f, overwrite: false")
    assert load(allowed).targets["d"].overwrite
    assert not load(denied).targets["d"].overwrite
    assert plan_of(allowed).cases[0].id == plan_of(text).cases[0].id
