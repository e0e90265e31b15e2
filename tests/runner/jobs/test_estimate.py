"""How long a case is waited for, and how much room it needs, whichever way its numbers are
written."""

from __future__ import annotations

import pytest

from iogate.jobs import estimate
from iogate.model.plan import Case
from iogate.run.layout import layout_case
from iogate.spec import make_plan
from support.specs import fio, load

HOUR_S = 3600.0
GIB = 1 << 30


def case(options: str) -> Case:
    (found,) = make_plan(load(fio(options))).cases
    return found


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ("size: 1m", 256),
        ("size: 1m, numjobs: 2, loops: 3", 1536),
        ("size: 1m, bsrange: 4k-64k", 256),
        ("size: 1m, number_ios: 100", 100),
        ("size: 1m, number_ios: 100, time_based: true, runtime: 5s", None),
        ("size: 1g, time_based: true, runtime: 5s, rate_iops: 20", 100),
        ("size: 1g, time_based: true, runtime: 5s, rate_iops: '20,10', rw: randrw", 150),
        ("size: 1g, time_based: true, runtime: 5s, rate_iops: '20,0', rw: randrw", None),
        ("size: 1g, time_based: true, runtime: 5s, rate: 40k", 50),
        ("size: 1m, verify: crc32c, rw: write", None),
        ("size: 50%", None),
    ],
)
def test_how_many_ios_a_case_can_have(options: str, most: int | None) -> None:
    assert estimate.most_ios(case(options)) == most


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ("runtime: 2hours", 7200),
        ("runtime: 2h", 7200),
        ("runtime: 90 sec", 90),
        ("runtime: 1.5m", 90),
        ("runtime: 2days", 2 * 86400),
        ("runtime: (2*1h)", 7200),
        ("runtime: 60, ramp_time: 1min", 120),
        ("runtime: 60, startdelay: 5s-10s", 70),
        ("runtime: 60, startdelay: 500msec", 60.5),
        ("runtime: 0", None),
        ("rw: read", None),
    ],
)
def test_how_long_a_case_measures(options: str, seconds: float | None) -> None:
    assert estimate.seconds(case(f"size: 1g, {options}")) == seconds


@pytest.mark.parametrize(
    ("options", "least_h"),
    [
        ("size: 1m, runtime: 2hours", 2),
        ("size: 1m, runtime: 2h, loops: 0x4", 8),
        ("size: 1m, runtime: 0", 1),
        ("size: 1g, rate_iops: 10", 7.2),
        ("size: 1g, rate: '1m,16k', rw: randrw", 18),
        ("size: 1g, rate_iops: '10,0', bs: 4KiB", 7.2),
        ("size: 1g, thinktime: 100ms", 7.2),
        ("size: 1g, thinktime: 100ms, bs: '64k,4k'", 7.2),
        ("size: 1g, thinktime: 100ms, bssplit: '4k/50:64k/50'", 7.2),
        ("size: 1g, thinktime: 100ms, bsrange: 4k-64k", 7.2),
        ("size: 1g, io_size: 100g", 14),
        ("size: 1g, io_size: 50%, loops: 200", 14),
        ("size: 0x40000000, loops: 0xc8", 28),
        ("size: 1g, numjobs: 0x10, io_size: 10g", 22),
    ],
)
def test_a_case_is_not_given_up_while_it_does_as_it_is_told(options: str, least_h: float) -> None:
    assert estimate.timeout_s(case(options)) >= least_h * HOUR_S


def test_a_limit_on_ios_ends_what_would_take_long() -> None:
    paced = estimate.timeout_s(case("size: 1g, thinktime: 100ms, number_ios: 10"))
    assert paced < estimate.timeout_s(case("size: 1g, thinktime: 100ms"))


@pytest.mark.parametrize(
    ("options", "needed"),
    [
        ("size: 0x1000", 4096),
        ("size: 4KiB", 4096),
        ("size: 1.5g", 3 * GIB // 2),
        ("size: (2*512m)", GIB),
        ("size: 1g, numjobs: 0x4", 4 * GIB),
        ("size: 1g, filename: a, offset: 50%", 3 * GIB // 2),
        ("filesize: 64m-1g, size: 10g", GIB),
        ("filesize: '64m:0x40000000', size: 10g", GIB),
    ],
)
def test_the_room_of_files(options: str, needed: int) -> None:
    assert estimate.bytes_needed([case(options)]) == needed


@pytest.mark.parametrize(
    ("options", "ranges"),
    [
        ("offset: 25%, size: 50%", ((250, 750),)),
        ("offset: 0x64, size: 0x64", ((100, 200),)),
        ("size: 100, offset_increment: 0%", ((0, 100),)),
        ("size: 100, offset_increment: 10%", ((0, 1000),)),
        ("rw: write, size: 100", ()),
    ],
)
def test_where_a_case_reads(options: str, ranges: tuple[tuple[int, int], ...]) -> None:
    assert estimate.reads(case(options), 1000) == ranges


@pytest.mark.parametrize(("rw", "reads"), [("readwrite", True), ("rw", True), ("write", False)])
def test_a_file_that_is_read_is_laid_out_with_data(rw: str, reads: bool) -> None:
    (job,) = layout_case(case(f"size: 1m, rw: {rw}")).jobs
    assert job.options["rw"] == ("randread" if reads else "randwrite")
