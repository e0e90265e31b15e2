"""Job files that say the same to both: fio and the native engine do as much, and leave as much."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from support.devices import loop_device, needs_root
from support.differential import Outcome, differences, outcome_of
from support.engine_runs import run

NULL = "ioengine=null "
ON_FILE = "filename=f "


def _text(options: str) -> str:
    return options if options.startswith("[") else "[j]\n" + "\n".join(options.split()) + "\n"


def _file(size: int) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        with (folder / "f").open("wb") as stream:
            stream.truncate(size)

    return make


def both(
    engine: Path,
    fio: str,
    folder: Path,
    options: str,
    prepare: Callable[[Path], None] | None = None,
) -> tuple[Outcome, Outcome]:
    """fio's outcome and ours."""
    text = _text(options)
    return (
        outcome_of(fio, text, folder / "fio", prepare=prepare),
        outcome_of(engine, text, folder / "ours", prepare=prepare),
    )


SAME = (
    # A mix of 0 or 100 % holds, whatever the rates are.
    NULL + "rw=randrw rwmixread=100 rate_iops=1000 size=200k",
    NULL + "rw=randrw rwmixread=0 rate_iops=1000 size=200k",
    NULL + "rw=rw rwmixread=100 rate=4m size=200k",
    NULL + "rw=rw rwmixwrite=100 rate_iops=1000,1000 size=200k",
    "rw=rw rwmixread=100 size=256k bs=4k,8k",
    "rw=rw rwmixread=0 size=256k bs=4k,8k",
    # number_ios ends a loop, not the job.
    NULL + "rw=randread number_ios=10 loops=3 size=1m",
    NULL + "rw=read number_ios=10 loops=2 size=20k",
    NULL + "rw=read number_ios=7 loops=2 size=20k",
    ON_FILE + "rw=write number_ios=10 loops=3 size=20k",
    ON_FILE + "rw=randwrite number_ios=10 loops=3 size=1m verify=crc32c",
    # What verify reads.
    ON_FILE + "rw=write verify=crc32c loops=3 size=1m",
    ON_FILE + "rw=write verify=crc32c loops=3 size=1m do_verify=0",
    ON_FILE + "rw=write verify=crc32c loops=3 number_ios=2 size=1m",
    ON_FILE + "rw=write verify=md5 verify_backlog=2 size=1m",
    ON_FILE + "rw=randwrite verify=crc64 verify_backlog=5 verify_backlog_batch=2 size=1m",
    ON_FILE + "rw=write verify=crc32c size=1m do_verify=0",
    NULL + "rw=write verify=crc32c size=1m",
    NULL + "rw=read verify=crc32c size=1m",
    # A part of a file that is not there is nothing.
    ON_FILE + "rw=write size=4m offset=50%",
    ON_FILE + "rw=read size=4m offset=50%",
    ON_FILE + "rw=write size=4m offset=50% io_size=1m",
    ON_FILE + "rw=write filesize=4m offset=50%",
    ON_FILE + "rw=write filesize=4m offset=25% size=4m",
    ON_FILE + "rw=write size=4m offset=1m",
    "rw=write size=4m offset=50% nrfiles=2",
    "rw=write size=4m offset=1m nrfiles=2",
    NULL + "rw=write size=4m offset=50%",
    # Later clones see the file as the first one has laid it out.
    ON_FILE + "rw=write size=128k offset_increment=25% numjobs=3",
    ON_FILE + "rw=write size=128k offset=50% numjobs=2",
    ON_FILE + "rw=write filesize=256k size=128k offset_increment=10% numjobs=3",
    # A part of a filesize has whole blocks.
    ON_FILE + "rw=write filesize=100k size=50%",
    ON_FILE + "rw=randwrite filesize=101000 size=99% bs=8k",
    # What has no meaning is once, and what is missing is of the most frequent.
    ON_FILE + "rw=write size=64k loops=0",
    ON_FILE + "rw=write size=64k bssplit=4k/50",
    # A number behind rw.
    "rw=write:112k size=1m",
    "rw=read:8k size=256k",
    "rw=read:8k size=256k loops=2",
    "rw=read:-80k size=64k",
    "rw=rw:4k size=64k rwmixread=100",
    "rw=randread:8 size=256k",
    "rw=randwrite:1k size=256k",
    "rw=randread:3 size=64k rw_sequencer=identical",
    "rw=randread:3 size=64k rw_sequencer=other",
    "rw=read: size=64k",
    # Percentiles.
    NULL + "percentile_list=0:100 size=1m",
    NULL + "percentile_list=0 size=1m",
    NULL + "percentile_list=101 size=1m",
    NULL + "percentile_list=-1 size=1m",
)  # fmt: skip


@pytest.mark.parametrize("options", SAME)
def test_both_do_the_same(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    assert list(differences(*both(engine, fio, tmp_path, options))) == []


def test_a_mix_gives_way_to_rates(engine: Path, fio: str, tmp_path: Path) -> None:
    """Each direction keeps its own rate: neither has only the ten in a hundred of the mix."""
    options = NULL + "rw=randrw rwmixread=90 rate_iops=1000 size=400k"
    for outcome in both(engine, fio, tmp_path, options):
        reads, writes = (outcome.moved[kind][0] for kind in ("read", "write"))
        assert reads + writes == 100
        assert min(reads, writes) > 25


def test_blocks_that_are_left_over_are_the_most_frequent(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    """10 % of 4k and 50 % of 16k: nine in ten are of 16k."""
    options = NULL + "rw=read size=16m bssplit=4k/10:16k/50"
    for outcome in both(engine, fio, tmp_path, options):
        ios, moved = outcome.moved["read"]
        assert 14000 < moved / ios < 16000


@pytest.mark.parametrize("options", ["", "iodepth=8", "ioengine=libaio iodepth=7"])
def test_the_depth_in_a_result_is_the_one_asked_for(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    reference, ours = both(engine, fio, tmp_path, f"{ON_FILE}rw=read size=64k {options}")
    assert ours.jobs[0]["latency_depth"] == reference.jobs[0]["latency_depth"]


@pytest.mark.parametrize(
    "option", ["allrandrepeat=1", "log_max_value=1", "log_alternate_epoch=1", "blocksize=4k"]
)
def test_options_have_fios_names(engine: Path, fio: str, tmp_path: Path, option: str) -> None:
    reference, ours = both(engine, fio, tmp_path, f"{ON_FILE}rw=read size=64k {option}")
    assert ours.jobs[0]["job options"] == reference.jobs[0]["job options"]


PARTS = (
    "rw=write size=4m offset=50%",
    "rw=write size=50% offset=50%",
    "rw=write size=33%",
    "rw=write offset=33%",
    "rw=write offset=33% bs=64k",
    "rw=write size=4m io_size=33%",
    "rw=write filesize=4m offset=50%",
    "rw=write offset=100%",
)


@pytest.mark.parametrize("size", [8 << 20, 2 << 20, 1000000])
@pytest.mark.parametrize("options", PARTS)
def test_both_take_the_same_part_of_a_file(
    engine: Path, fio: str, tmp_path: Path, options: str, size: int
) -> None:
    """A percentage is one of what is there, and an offset begins a block."""
    outcomes = both(engine, fio, tmp_path, ON_FILE + options, prepare=_file(size))
    assert [o.has_worked for o in outcomes].count(True) in {0, 2}
    if outcomes[0].has_worked:
        assert list(differences(*outcomes)) == []


@needs_root
@pytest.mark.parametrize("part", ["offset=10%", "offset=33% size=10%", "offset=7% bs=64k"])
def test_a_part_of_a_device_is_rounded_to_blocks(
    engine: Path, fio: str, tmp_path: Path, part: str
) -> None:
    with loop_device(tmp_path, 7) as device:
        options = f"filename={device} direct=1 rw=write {part}"
        assert list(differences(*both(engine, fio, tmp_path, options))) == []


@pytest.mark.parametrize(
    "options",
    [
        NULL + "rw=read size=1m number_ios=10 time_based runtime=300ms",
        NULL + "rw=randread size=1m number_ios=10 time_based runtime=300ms norandommap",
    ],
)
def test_number_ios_does_not_end_a_time(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    for outcome in both(engine, fio, tmp_path, options):
        assert outcome.moved["read"][0] > 10
        assert outcome.jobs[0]["read"]["runtime"] >= 295


@pytest.mark.parametrize("time", ["time_based size=256k", "size=4m"])
def test_what_a_deadline_cut_short_is_not_read_again(
    engine: Path, fio: str, tmp_path: Path, time: str
) -> None:
    options = f"{ON_FILE}rw=write verify=crc32c thinktime=1ms runtime=300ms {time}"
    for outcome in both(engine, fio, tmp_path, options):
        assert outcome.has_worked
        assert outcome.moved["write"][0] > 0
        assert outcome.moved["read"] == (0, 0)


@pytest.mark.parametrize("report", ["", "disable_lat=1", "disable_clat=1", "disable_slat=1",
                                    "gtod_reduce=1", "disable_bw=1"])  # fmt: skip
@pytest.mark.parametrize(
    "io", ["", "log_avg_msec=50", "ioengine=libaio iodepth=4", "ioengine=libaio log_avg_msec=50"]
)
def test_what_is_not_measured_has_no_log(
    engine: Path, fio: str, tmp_path: Path, report: str, io: str
) -> None:
    """The same files, and the same of them are empty."""
    logs = "write_lat_log=l write_bw_log=l write_iops_log=l"
    job = f"{io} {ON_FILE}rw=read size=64k rate_iops=100 time_based runtime=200ms"
    reference, ours = both(engine, fio, tmp_path, f"{job} {logs} {report}")
    assert reference.has_worked
    assert ours.has_worked
    assert {name: size > 0 for name, size in ours.left.items()} == {
        name: size > 0 for name, size in reference.left.items()
    }


def test_with_a_backlog_there_is_verifying_before_the_time_is_up(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    options = f"{ON_FILE}rw=write verify=crc32c size=64k rate_iops=100 verify_backlog=2"
    for outcome in both(engine, fio, tmp_path, f"{options} time_based runtime=400ms"):
        assert outcome.has_worked
        assert 0 < outcome.moved["read"][0] <= outcome.moved["write"][0]


@pytest.mark.parametrize("report", ["disable_clat=1", "gtod_reduce=1"])
def test_without_latencies_a_histogram_log_is_empty(
    engine: Path, fio: str, tmp_path: Path, report: str
) -> None:
    job = NULL + "size=64k rate_iops=100 time_based runtime=300ms"
    log = "write_hist_log=l log_hist_msec=100"
    for outcome in both(engine, fio, tmp_path, f"{job} {log} {report}"):
        assert outcome.left == {"l_clat_hist.1.log": 0}
    assert outcome_of(engine, _text(f"{job} {log}"), tmp_path / "all").left["l_clat_hist.1.log"]


UNEQUAL = """\
[global]
ioengine=null
bs=1k
group_reporting
[a]
size=10k
rate_iops=20
[b]
size=10k
rate_iops=10
"""


def test_the_runtime_of_a_group_is_the_sum(engine: Path, fio: str, tmp_path: Path) -> None:
    """450 and 900 ms by their rates; the CPU's share is of the sum, too."""
    for outcome in both(engine, fio, tmp_path, UNEQUAL):
        (job,) = outcome.jobs
        assert job["job_runtime"] >= 1340
        assert job["job_runtime"] < 2 * job["read"]["runtime"]


@pytest.mark.parametrize("options", ["", "ioengine=libaio iodepth=16 rw=randwrite fsync=16"])
def test_no_percentile_is_beyond_what_was_measured(
    engine: Path, tmp_path: Path, options: str
) -> None:
    more = "lat_percentiles=1 slat_percentiles=1 percentile_list=0:0.01:50:99.99:100"
    text = _text(f"{ON_FILE}rw=randread size=1m {options} {more}")
    outcome = outcome_of(engine, text, tmp_path, ["--output-format=json+"])
    job = outcome.jobs[0]
    kinds = [job[each][kind] for each in ("read", "write") for kind in ("slat_ns", "clat_ns",
             "lat_ns")] + [job["sync"]["lat_ns"]]  # fmt: skip
    told = [kind for kind in kinds if "percentile" in kind]
    assert told
    for kind in told:
        values = list(kind["percentile"].values())
        assert kind["min"] <= values[0]
        assert values == sorted(values)
        assert values[-1] <= kind["max"]


GAPS = (
    "rw=write:112k size=1m",
    "rw=read:8k size=256k",
    "rw=read:8k size=256k io_size=1m",
    "rw=read:1k size=64k",
    "rw=read:0 size=64k",
    "rw=read:4k size=64k loops=2",
    "rw=read:60k size=64k",
    "rw=read:256k size=64k",
    "rw=read:-8k size=128k",
    "rw=read:-7k size=64k",
    "rw=read:-12k size=64k io_size=256k",
    "rw=read:-2k size=32k io_size=128k",
    "rw=read:-4k size=32k",
    "rw=read:8k size=64k nrfiles=2",
    "rw=read:3k size=64k rw_sequencer=identical",
)


def _offsets(outcome: Outcome) -> list[int]:
    log = outcome.ran.folder / "l_iops.1.log"
    return [int(line.split(",")[4]) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("options", GAPS)
def test_gaps_are_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    reference, ours = both(engine, fio, tmp_path, NULL + options + " write_iops_log=l log_offset=1")
    assert _offsets(ours) == _offsets(reference)


def _runs(offsets: list[int], step: int) -> list[int]:
    """How many I/Os follow each other at a distance of ``step``."""
    runs = [1]
    for last, this in pairwise(offsets):
        if this == last + step:
            runs[-1] += 1
        else:
            runs.append(1)
    return runs


@pytest.mark.parametrize(
    ("options", "step"),
    [
        ("rw=randread:8", 4096),
        ("rw=randread:8 norandommap", 4096),
        ("rw=randread:8 rw_sequencer=identical", 0),
    ],
)
def test_blocks_follow_each_other(
    engine: Path, fio: str, tmp_path: Path, options: str, step: int
) -> None:
    job = f"{NULL}{options} size=256m number_ios=800 write_iops_log=l log_offset=1"
    for outcome in both(engine, fio, tmp_path, job):
        runs = _runs(_offsets(outcome), step)
        assert runs == [8] * 100


def test_gaps_wrap_with_an_offset(engine: Path, fio: str, tmp_path: Path) -> None:
    """As without one; fio takes the offset for a part of the size there."""
    plain, moved = (
        both(engine, fio, tmp_path / name, f"{NULL}rw=read:4k size=64k {more}")
        for name, more in (("plain", ""), ("moved", "offset=64k"))
    )
    assert [o.moved["read"][0] for o in plain] == [16, 16]
    assert [o.moved["read"][0] for o in moved] == [8, 16]


def test_gaps_wrap_in_a_larger_file(engine: Path, fio: str, tmp_path: Path) -> None:
    found = []
    for program in (fio, engine):
        folder = tmp_path / Path(program).name
        folder.mkdir()
        (folder / "f").write_bytes(bytes(1 << 20))
        words = ["--name=j", "--filename=f", "--rw=read:12k", "--size=64k", "--output-format=json"]
        document = run(program, words, folder).document(notes=True)
        found.append(document["jobs"][0]["read"]["total_ios"])
    assert found == [4, 16]


def test_files_past_65535_are_refused(engine: Path, fio: str, tmp_path: Path) -> None:
    reference, ours = both(engine, fio, tmp_path, NULL + "nrfiles=65536 filesize=4k")
    assert reference.moved["read"][0] == 65536
    assert "65536 files are too many: at most 65535" in ours.ran.err
    assert both(engine, fio, tmp_path / "most", NULL + "nrfiles=65535 filesize=4k")[1].has_worked


@pytest.mark.parametrize("more", ["fsync=1", "fdatasync=4", "direct=1"])
def test_a_mapping_is_synced_whatever_the_block(
    engine: Path, fio: str, tmp_path: Path, more: str
) -> None:
    options = f"ioengine=mmap bs=512 size=64k rw=randwrite {more}"
    reference, ours = both(engine, fio, tmp_path, options)
    assert not reference.has_worked
    assert ours.has_worked
    assert ours.moved["write"] == (128, 65536)
