from __future__ import annotations

import pytest

from iogate.errors import ExitCode, UsageError
from iogate.model.spec import Repetitions
from iogate.spec import make_plan
from support.specs import cases, load, plan_of, problem, workloads

TWO = """\
  a:
    fio: { size: 1g, rw: read }
    strategy: { matrix: { bs: [4k, 8k], iodepth: [1, 2] }, include: [{ bs: 64k, iodepth: 9 }] }
    thresholds: { read.iops: { limit: '> 1', when: { bs: 4k } }, read.bw: '> 1MB/s' }
  b.c:
    fio: { size: 2g }
    jobs: { x: { bs: 4k }, y: { bs: 8k } }
"""


def values(key: str, *overrides: str) -> list[list[str | None]]:
    """The option in every job of every case."""
    return [[job.options.get(key) for job in case.jobs] for case in cases(TWO, overrides=overrides)]


def test_a_bare_key_reaches_every_job_of_every_workload() -> None:
    assert values("size", "size=64m") == [["64m"]] * 5 + [["64m", "64m"]]


def test_a_workloads_key_reaches_only_that_workload() -> None:
    assert values("size", "b.c.size=64m") == [["1g"]] * 5 + [["64m", "64m"]]


def test_a_jobs_key_reaches_only_that_job() -> None:
    assert values("size", "b.c.y.size=64m") == [["1g"]] * 5 + [["2g", "64m"]]
    assert values("size", "y.size=64m") == [["1g"]] * 5 + [["2g", "64m"]]


def test_an_axis_becomes_its_one_value_under_any_name() -> None:
    found = cases(TWO, overrides=["a.blocksize=16k"])
    assert [case.name for case in found] == [
        "a/bs=16k,iodepth=1",
        "a/bs=16k,iodepth=2",
        "a/bs=16k,iodepth=9",
        "b.c",
    ]


def test_thresholds_stay() -> None:
    found = cases(TWO, overrides=["bs=4096"])
    assert [threshold.metric for threshold in found[0].thresholds] == ["read.iops", "read.bw"]


def test_the_last_one_counts_and_again_is_the_same() -> None:
    overrides = ["size=1m", "size=2m", "a.bs=4k"]
    spec = load(workloads(TWO))
    once = make_plan(spec, overrides=overrides)
    again = make_plan(load(workloads(TWO), overrides=overrides), overrides=overrides)
    assert once == again
    assert once.cases[0].jobs[0].options["size"] == "2m"


def test_repetitions_can_be_set() -> None:
    found = cases(TWO, overrides=["repetitions=1", "b.c.repetitions=7"])
    assert [case.repetitions for case in found] == [Repetitions(1, 1)] * 5 + [Repetitions(7, 7)]


def test_an_override_may_supply_what_the_spec_leaves_out() -> None:
    assert cases("  w: { fio: { rw: read } }\n", overrides=["size=1m"])[0].jobs[0].options["size"]


def test_words_for_yes_are_read_as_in_the_spec() -> None:
    assert values("direct", "direct=on")[0] == ["1"]


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("size", "key=value"),
        ("=1m", "key=value"),
        ("sise=1m", "size"),
        ("a.sise=1m", "size"),
        ("q.size=1m", "workload or job"),
        ("size=1q", "number"),
        ("size=", "no value"),
        ("size=1m;rw=write", "';'"),
        ("size=1m\nrw=write", "'\\n'"),
        ("rw=raed", "raed"),
        ("name=x", "cannot be set"),
        ("exec_prerun=id", "cannot be set"),
        ("filename=/dev/sda", "target"),
        ("directory=/", "target"),
        ("repetitions=0", "1 to 1000"),
        ("repetitions=many", "1 to 1000"),
    ],
)
def test_a_wrong_override_is_the_calls_fault(override: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan_of(workloads(TWO), overrides=[override])
    assert caught.value.exit_code is ExitCode.USAGE
    assert caught.value.what.startswith(f"--set {override}: ")
    assert says in caught.value.what + caught.value.remedy


LIMITS = """\
  w:
    fio: { rw: randrw, size: 1m }
    strategy: { matrix: { bs: [4k, 8k] } }
    thresholds:
      read.lat.p99: { limit: '< 1s', when: { bs: 4k } }
      write.iops: '> 1'
  other: { fio: { rw: read, size: 2m, lat_percentiles: 0 } }
"""


@pytest.mark.parametrize(
    ("overrides", "blamed", "says"),
    [
        (["lat_percentiles=0"], "lat_percentiles=0", "read.lat.p99 cannot exist: with lat_perc"),
        (["bs=4k", "w.lat_percentiles=no", "size=1m"], "w.lat_percentiles=no", "keeps no histog"),
        (["w.rw=read"], "w.rw=read", "write.iops cannot exist: with rw=read there is no write"),
    ],
)
def test_what_takes_a_limit_its_metric_is_refused(
    overrides: list[str], blamed: str, says: str
) -> None:
    """As it is in the spec itself, and by ``load_spec`` already."""
    with pytest.raises(UsageError) as caught:
        load(workloads(LIMITS), overrides=overrides)
    assert caught.value.exit_code is ExitCode.USAGE
    assert caught.value.what.startswith(f"--set {blamed}: ")
    assert says in caught.value.what
    written = LIMITS.replace("size: 1m", "size: 1m, lat_percentiles: 0")
    assert problem(workloads(written)).remedy == caught.value.remedy


@pytest.mark.parametrize(
    "overrides",
    [["other.lat_percentiles=0"], ["bs=16k"], ["lat_percentiles=0", "lat_percentiles=1"]],
)
def test_a_limit_that_is_not_lost_hinders_nothing(overrides: list[str]) -> None:
    assert cases(LIMITS, overrides=overrides)[0].thresholds
