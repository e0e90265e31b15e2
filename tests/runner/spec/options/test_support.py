from __future__ import annotations

import pytest

from iogate.errors import SpecError
from iogate.spec import check_engine, make_plan
from support.specs import fio, load, workloads


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("fdp: 1, plid_select: random", ["fdp", "plid_select"]),
        ("ioengine: sg", ["ioengine=sg"]),
        ("fallocate: whole", ["fallocate=whole"]),
        ("startdelay: 1s-5s", ["startdelay=1s-5s"]),
        ("startdelay: 1s:5s", ["startdelay=1s:5s"]),
    ],
)
def test_what_fio_has_and_the_engine_does_not_is_named(options: str, names: list[str]) -> None:
    text = fio(f"size: 1m, {options}")
    plan = make_plan(load(text))
    with pytest.raises(SpecError) as caught:
        check_engine(plan, "native")
    found = (caught.value, *caught.value.others)
    assert len(found) == len(names)
    for error, name in zip(found, names, strict=True):
        assert name in error.what
        assert "--engine fio" in error.remedy
        assert error.where is not None
        assert error.where.line == 4
        assert text.splitlines()[3][error.where.column - 1 :].startswith(name.partition("=")[0])


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (
            workloads(
                "  w:\n    fio: { size: 1m }\n"
                "    strategy: { matrix: { bs: [4k], ioengine: [psync, sg] } }\n"
            ),
            (6, 37),
        ),
        (
            fio("size: 1m").replace("directory: /data", "device: /dev/x, destroy: { size: 1g }")
            + "precondition:\n  fill: { bs: 1m, fdp: 1 }\n",
            (6, 19),
        ),
    ],
)
def test_the_place_is_where_the_option_stands(text: str, at: tuple[int, int]) -> None:
    with pytest.raises(SpecError) as caught:
        check_engine(make_plan(load(text)), "native")
    where = caught.value.where
    assert where is not None
    assert (where.line, where.column) == at


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("nrfiles: 4294967295", "nrfiles is at most 1048576 for iogate-engine, not 4294967295"),
        ("bs: '4k,(1g * 2)'", "bs is at most 1073741824 for iogate-engine"),
        ("iodepth: 2m", "iodepth is at most 1048576 for iogate-engine, not 2m"),
    ],
)
def test_a_number_above_what_the_engine_takes_is_named(options: str, said: str) -> None:
    plan = make_plan(load(fio(f"size: 1m, {options}")))
    with pytest.raises(SpecError, match="--engine fio") as caught:
        check_engine(plan, "native")
    assert said in caught.value.what
    assert caught.value.where
    check_engine(plan, "fio")


def test_what_it_has_is_no_problem() -> None:
    check_engine(
        make_plan(load(fio("size: 1m, rw: randrw, ioengine: libaio, iodepth: 4"))), "native"
    )


def test_a_job_that_does_no_io_needs_no_size() -> None:
    check_engine(make_plan(load(fio("ioengine: cpuio, cpuload: 40, runtime: 1s"))), "native")
