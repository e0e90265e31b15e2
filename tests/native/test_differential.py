"""The same job file under fio and under the native engine.

What fio prints must be there with the same type, and what must agree, agrees: bytes, I/O
counts, the names and sizes of files, and which blocks were written.
"""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import Ran, files, paths, run, written_blocks
from support.rates import keeps

SERVER = """
[global]
rw=randread
size=1m
direct=1
[bgwriter]
rw=randwrite
ioengine=libaio
iodepth=32
[queryA]
ioengine=mmap
direct=0
thinktime=3
[queryB]
ioengine=mmap
direct=0
thinktime=5
[bgupdater]
rw=randrw
ioengine=libaio
iodepth=16
thinktime=40
size=256k
"""


def _job(name: str, options: str) -> str:
    return f"[{name}]\n" + "\n".join(options.split()) + "\n"


def _server_random() -> Iterable[tuple[str, str]]:
    yield "random-read", _job("random-read", "rw=randread size=1m")
    aio = "ioengine=libaio iodepth=8 direct=1 invalidate=1"
    yield "random-read-aio", _job("random-read", f"rw=randread size=1m {aio}")
    yield "four-threads", SERVER


def _sweep() -> Iterable[tuple[str, str]]:
    common = "filename=test.bin size=1m runtime=10s ioengine=libaio direct=1"
    for rw in ("read", "randread", "write", "randwrite", "readwrite", "randrw"):
        for variable in ("numjobs=4", "blocksize=64k", "zonemode=strided zonesize=64k"):
            name = f"sweep-{rw}-{variable.split('=', maxsplit=1)[0]}"
            yield name, _job("test", f"{common} rw={rw} {variable}")


def _recommended() -> Iterable[tuple[str, str]]:
    common = "ioengine=posixaio rw=randwrite end_fsync=1"
    yield "ars-4k", _job("random-write", f"{common} bs=4k size=1m iodepth=1")
    yield "ars-4k-fsync", _job("random-write", f"{common} bs=4k size=128k iodepth=1 fsync=1")
    yield "ars-64k", _job("random-write", f"{common} bs=64k size=256k numjobs=16 iodepth=16")
    yield "ars-1m", _job("random-write", f"{common} bs=1m size=4m iodepth=1")


def _read_write() -> Iterable[tuple[str, str]]:
    common = "direct=1 ioengine=libaio runtime=60 group_reporting size=1m"
    for name, rest in {
        "seqread": "rw=read bs=8k numjobs=8",
        "seqwrite": "rw=write bs=32k numjobs=4",
        "randread": "rw=randread bs=8k numjobs=16",
        "randwrite": "rw=randwrite bs=64k numjobs=8",
        "randrw": "rw=randrw bs=16k numjobs=8 rwmixread=90",
    }.items():
        yield f"oracle-{name}", _job(name, f"{common} {rest}")


def _read_test() -> Iterable[tuple[str, str]]:
    yield "read-test", _job("MyReadTest", "readwrite=read direct=1 size=2m")
    deep = "ioengine=libaio direct=1 iodepth=16 bs=4k loops=3 numjobs=4 group_reporting"
    yield (
        "read-test-shared",
        _job("MyReadTest", f"readwrite=read {deep} size=1m filename=read.fio"),
    )
    yield "randread-test", _job("MyTest", f"readwrite=randread {deep} size=512k")


def _probes() -> Iterable[tuple[str, str]]:
    yield "ioping", _job("p", "rw=randread direct=1 size=1m thinktime=2ms number_ios=8")
    yield "hdparm-cached", _job("p", "rw=read bs=128k size=2m invalidate=0")
    yield "hdparm-buffered", _job("p", "rw=read bs=128k size=2m invalidate=1")
    yield "dd", _job("p", "rw=write bs=1m size=4m end_fsync=1")


def _options() -> Iterable[tuple[str, str]]:
    for engine in (
        "sync",
        "psync",
        "vsync",
        "pvsync",
        "pvsync2",
        "libaio",
        "io_uring",
        "mmap",
        "splice",
        "posixaio",
        "null",
    ):
        # The bytes of the last queue are missing in what fio tells of its vsync.
        depth = 1 if engine == "vsync" else 4
        text = f"ioengine={engine} rw=randrw size=512k iodepth={depth}"
        yield f"engine-{engine}", _job("j", text)
    yield "threads", _job("j", "thread numjobs=3 rw=randwrite size=256k")
    yield "stonewall", _job("a", "rw=write size=256k") + _job("b", "stonewall rw=read size=256k")
    yield "files", _job("j", "rw=randwrite size=1m nrfiles=4")
    yield "file-list", _job("j", "rw=write size=512k filename=one:two")
    yield "colon", _job("j", r"rw=write size=64k filename=a\:b")
    yield "offset", _job("j", "rw=randwrite size=256k offset=256k filename=f")
    yield "io_size-less", _job("j", "rw=write size=1m io_size=256k")
    yield "io_size-more", _job("j", "rw=write size=256k io_size=1m")
    for name, rest in {
        "alone": "",
        "size less": "size=512k",
        "size more": "size=2m",
        "io_size": "size=512k io_size=256k",
        "files": "nrfiles=4 filesize=64k",
        "files, size less": "nrfiles=4 filesize=64k size=128k",
        "files, size more": "nrfiles=4 filesize=64k size=512k",
        "offset": "offset=256k",
        "random": "rw=randread size=2m",
    }.items():
        yield f"filesize-{name}", _job("j", f"rw=write filesize=1m {rest}")
    yield "odd-size", _job("j", "rw=write size=1000k bs=64k")
    yield "odd-size-random", _job("j", "rw=randwrite size=1000k bs=64k")
    yield "norandommap", _job("j", "rw=randread size=512k norandommap")
    yield "loops", _job("j", "rw=randwrite size=256k loops=3")
    yield "fsync", _job("j", "rw=write size=256k fsync=8 fdatasync=5")
    yield "per-direction", _job("j", "rw=rw size=512k bs=4k,8k rwmixread=100")
    deep = "ioengine=libaio iodepth=16 direct=1 size=512k"
    yield "batches", _job("j", f"{deep} iodepth_batch_submit=8 iodepth_batch_complete_min=4")
    yield "batch-max", _job("j", f"{deep} iodepth_batch=4 iodepth_batch_complete_max=2")
    yield "batch-all", _job("j", f"{deep} iodepth_batch=0")
    yield "low", _job("j", f"{deep} rw=randrw iodepth_low=4")
    yield "poll", _job("j", f"{deep} iodepth_batch_complete_min=0")
    uring = "ioengine=io_uring iodepth=8 direct=1 size=512k rw=randrw"
    yield "fixed", _job("j", f"{uring} fixedbufs registerfiles")
    yield "sqpoll", _job("j", f"{uring} sqthread_poll")
    yield "rate", _job("j", "rw=randrw size=256k rate=64m,32m")
    yield "rate_iops", _job("j", "rw=read size=256k rate_iops=5000 rate_process=poisson")
    yield "thinktime", _job("j", f"{deep} thinktime=50ms thinktime_blocks=16 thinktime_spin=50")
    yield "thinktime-0", _job("j", f"{deep} thinktime=100 thinktime_blocks=0")
    yield "thinktime-issue", _job("j", f"{deep} thinktime=1ms thinktime_blocks_type=issue")
    yield "thinktime-iotime", _job("j", f"{deep} thinktime=2ms thinktime_iotime=1ms")
    yield "verify", _job("j", "rw=randwrite size=512k verify=crc32c")
    yield "verify-later", _job("j", "rw=write size=512k verify=crc32c do_verify=0 bs=8k")
    yield "verify-deep", _job("j", f"{deep} rw=write verify=crc32c-intel verify_fatal=1")
    yield "zipf", _job("j", "rw=randread size=512k random_distribution=zipf:1.2")
    yield "gtod_reduce", _job("j", f"{deep} gtod_reduce=1")
    yield "disabled", _job("j", f"{deep} disable_lat=1 disable_slat=1 disable_bw=1")
    yield "clocksource", _job("j", "rw=read size=256k clocksource=clock_gettime")
    yield "split", _job("j", "rw=read size=1m bssplit=4k/50:4k/50")
    yield "cpus", _job("j", "rw=read size=256k cpus_allowed=0")
    for how in ("none", "native", "posix", "keep", "truncate", "0", "1"):
        yield f"fallocate-{how}", _job("j", f"rw=write size=256k number_ios=4 fallocate={how}")
    yield "overwrite", _job("j", "rw=write size=256k number_ios=4 fallocate=none overwrite=1")
    for how in ("none", "sync", "dsync", "1"):
        yield f"sync-{how}", _job("j", f"rw=randwrite size=64k sync={how}")
    yield "unlink", _job("j", "rw=randrw size=256k unlink=1 numjobs=2 nrfiles=2")
    yield "zeros", _job("j", "rw=randrw size=256k zero_buffers")
    yield "refill", _job("j", f"{deep} rw=randwrite refill_buffers")
    yield "group", _job("j", "rw=randrw size=256k numjobs=3 group_reporting description=x")


CASES = [
    *_server_random(), *_sweep(), *_recommended(), *_read_write(), *_read_test(), *_probes(),
    *_options(),
]  # fmt: skip


def both(engine: Path, fio: str, folder: Path, text: str, output: str = "json") -> tuple[Ran, Ran]:
    """The job text under fio and under ours, each in a folder of its own."""
    arguments = [f"--output-format={output}", "../job.fio"]
    (folder / "job.fio").write_text(text)
    return run(fio, arguments, folder / "fio"), run(engine, arguments, folder / "ours")


def _total(document: dict[str, Any], field: str) -> int:
    return sum(
        int(job[direction][field])
        for job in document["jobs"]
        for direction in ("read", "write", "trim")
    )


def _syncs(document: dict[str, Any]) -> int:
    return sum(int(job["sync"]["total_ios"]) for job in document["jobs"])


def _rows(document: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(job["jobname"], job["groupid"], job["error"]) for job in document["jobs"]]


@pytest.mark.parametrize(("name", "text"), CASES, ids=[name for name, _ in CASES])
def test_same_job_same_document_and_totals(
    engine: Path, fio: str, tmp_path: Path, name: str, text: str
) -> None:
    reference, ours = both(engine, fio, tmp_path, text)
    expected, found = reference.document(notes=True), ours.document()

    assert set(paths(expected)) - set(paths(found)) == set()
    assert _rows(found) == _rows(expected)
    assert _total(found, "io_bytes") == _total(expected, "io_bytes")
    assert _total(found, "total_ios") == _total(expected, "total_ios")
    assert _syncs(found) == _syncs(expected)
    assert files(ours.folder) == files(reference.folder)


TIMED = {
    "mixed": ("json", "rw=randrw size=1m fsync=16 ioengine=libaio iodepth=4"),
    "bins": ("json+", "rw=randrw size=1m fsync=16 ioengine=libaio iodepth=4"),
    "ars": ("json", "rw=randwrite size=1m ioengine=posixaio iodepth=4 end_fsync=1"),
    "group": ("json", "rw=rw size=1m numjobs=3 group_reporting ramp_time=200ms"),
}


@pytest.mark.parametrize(("output", "options"), TIMED.values(), ids=TIMED.keys())
def test_time_based_documents_have_the_same_paths(
    engine: Path, fio: str, tmp_path: Path, output: str, options: str
) -> None:
    text = _job("j", f"{options} time_based runtime=1")
    reference, ours = both(engine, fio, tmp_path, text, output)
    expected, found = reference.document(), ours.document()

    assert set(paths(expected)) - set(paths(found)) == set()
    for direction in ("read", "write"):
        measured = found["jobs"][0][direction]
        assert measured["io_bytes"] == measured["total_ios"] * 4096
        seconds = measured["runtime"] / 1000
        assert measured["iops"] * seconds == pytest.approx(measured["total_ios"], rel=0.01)
        assert measured["bw"] == measured["bw_bytes"] // 1024


WRITERS = {
    "random map": "rw=randwrite size=2m",
    "random map, deep": "rw=randwrite size=2m ioengine=libaio iodepth=16 direct=1",
    "random map, odd size": "rw=randwrite size=1000k bs=12k",
    "offset": "rw=randwrite size=512k offset=1m",
    "zones": "rw=write size=4m io_size=1m zonemode=strided zonesize=64k zoneskip=64k",
    "random zones": "rw=randwrite size=4m io_size=1m zonemode=strided zonesize=64k zoneskip=64k",
    "zone range": "rw=write size=4m io_size=1m zonemode=strided zonesize=32k zonerange=128k",
    "io_size": "rw=write size=1m io_size=300k",
    "percent": "rw=write size=25%",
    "mixed": "rw=randrw size=1m rwmixread=0",
}


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS.keys())
def test_the_same_blocks_are_written(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    covered = []
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        folder.mkdir()
        target = folder / "target"
        with target.open("wb") as stream:
            stream.truncate(4 << 20)
        ran = run(program, ["-"], folder, _job("j", f"filename=target {options}"))
        assert ran.status == 0, ran.err
        covered.append(written_blocks(target))
    assert covered[1] == covered[0]
    assert covered[0]


def test_a_filesize_range_stays(engine: Path, tmp_path: Path) -> None:
    text = _job("j", "rw=write nrfiles=8 filesize=16k-128k")
    sizes = []
    for randrepeat in (1, 0):
        ran = run(engine, ["-"], tmp_path / str(randrepeat), f"{text}randrepeat={randrepeat}\n")
        assert ran.status == 0, ran.err
        sizes.append(files(ran.folder))
    assert sizes[0] == sizes[1]
    assert len(set(sizes[0].values())) > 3
    assert all(16 << 10 <= size <= 128 << 10 for size in sizes[0].values())


@pytest.mark.parametrize("blocks", ["bs=4k", "bsrange=512-4k", "bssplit=1k/50:4k/50"])
def test_each_file_of_a_range_holds_a_block(
    engine: Path, fio: str, tmp_path: Path, blocks: str
) -> None:
    text = _job("j", f"rw=randwrite nrfiles=20 filesize=1k-16k {blocks}")
    for program in (engine, fio):
        ran = run(program, ["-"], tmp_path / Path(program).name, text)
        assert ran.status == 0, ran.err
    sizes = files(tmp_path / engine.name).values()
    assert len(sizes) == 20
    assert all(4096 <= size <= 16384 for size in sizes)


def test_norandommap_leaves_holes(engine: Path, tmp_path: Path) -> None:
    """The opposite of the random map: or the tests above would show nothing."""
    text = _job("j", "filename=f rw=randwrite size=2m norandommap")
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 0, ran.err
    assert 0 < len(written_blocks(tmp_path / "f")) < 512


@pytest.mark.parametrize(
    "options",
    [
        "rw=write size=1000k bs=64k offset=64k",
        "rw=randwrite size=1000k bs=64k offset=64k",
        "rw=write size=1000k bs=64k offset=64k ioengine=mmap",
        "rw=write size=512k offset=64k zonemode=strided zonesize=64k zoneskip=64k",
    ],
)
def test_nothing_is_written_outside_of_size(engine: Path, tmp_path: Path, options: str) -> None:
    """fio rounds the last block up, and lets zones run on to the end of the file."""
    target = tmp_path / "target"
    with target.open("wb") as stream:
        stream.truncate(4 << 20)
    ran = run(engine, ["-"], tmp_path, _job("j", f"filename=target {options}"))
    assert ran.status == 0, ran.err
    written = written_blocks(target)
    assert written
    assert min(written) >= 16
    assert max(written) < 16 + 250


NOT_BARE = (
    "disable_lat", "disable_clat", "disable_slat", "disable_bw", "disable_bw_measurement",
    "gtod_reduce",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "[j]\nrw=read\nsize=1m\nzonesize=64k\nzonemode=none\n",
        "[j]\nrw=read\nsize=1m\nzonemode=strided\n",
        "[j]\nrw=read\nsize=1k\n",
        "[j]\nrw=read\nsize=1m\nbogus=1\n",
        "[j]\nrw=read\nsize=1m\ndirect=yes\n",
        "[j]\nrw=read\nsize=1m\niodepth=0\n",
        "[j]\nrw=READ\nsize=1m\n",
        "[j]\nrw=read\nsize=1m\nreplay_time_scale=0\n",
        *(f"[j]\nrw=read\nsize=1m\n{key}\n" for key in NOT_BARE),
        "[j]\nrw=write\nsize=1m\ndirectory=/nonexistent\n",
        "[j]\nrw=read\nsize=1m\nioengine=nothing\n",
    ],
    ids=lambda text: text.splitlines()[-1],
)
def test_what_fio_refuses_is_refused(engine: Path, fio: str, tmp_path: Path, text: str) -> None:
    reference, ours = both(engine, fio, tmp_path, text)
    assert reference.status != 0
    assert ours.status in {1, 2}
    assert ours.err.startswith("iogate-engine: ")


@pytest.mark.parametrize(("program", "part"), [("fio", "level"), ("engine", "submit")])
def test_a_batch_of_0_is_all_of_iodepth(
    program: str, part: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """fio counts the calls that submit nothing among its batches, so its depths are looked at."""
    asked, levels = ["--output-format=json", "-"], {}
    for batch in (0, 1, 16):
        text = _job("j", f"rw=read size=1m ioengine=libaio iodepth=16 iodepth_batch={batch}")
        ran = run(request.getfixturevalue(program), asked, tmp_path, text)
        levels[batch] = ran.document(notes=program == "fio")["jobs"][0][f"iodepth_{part}"]
    assert levels[0] == levels[16] != levels[1]


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ("rw=randread rate_iops=500", (500, 0)),
        ("rw=randrw rwmixread=90 rate_iops=400,100", (400, 100)),
        ("rw=write bs=8k rate=,2m", (0, 256)),
        ("rw=randread rate_iops=500 ioengine=libaio iodepth=4", (500, 0)),
    ],
)
def test_rates_are_kept(
    engine: Path, fio: str, tmp_path: Path, options: str, counts: tuple[int, int]
) -> None:
    """Counts over two seconds, not times: a rate is exact in the long run."""
    text = _job("j", f"{options} size=1m time_based runtime=2")
    rates = {"read": 2 * counts[0], "write": 2 * counts[1]}
    for program in (fio, str(engine)):
        keeps(partial(_counted, program, tmp_path, text, "total_ios"), rates, rel=0.1)


def _counted(program: str, folder: Path, text: str, field: str) -> dict[str, int]:
    """`{direction: amount}` of the first job of `text`."""
    ran = run(program, ["--output-format=json", "-"], folder / Path(program).name, text)
    job = ran.document(notes=True)["jobs"][0]
    return {direction: job[direction][field] for direction in ("read", "write")}


@pytest.mark.parametrize("options", ["rw=randrw rate=400k,", "rw=rw rwmixread=75 rate_iops=,100"])
def test_a_rate_of_one_direction_holds_back_that_one_alone(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    text = _job("j", f"{options} ioengine=null size=1g time_based runtime=2")
    limited, free = ("read", "write") if "rate=" in options else ("write", "read")
    for program in (fio, str(engine)):
        measure = partial(_counted, program, tmp_path, text, "total_ios")
        keeps(measure, {limited: 200}, rel=0.1)
        assert measure()[free] > 2_000


def test_a_job_of_a_size_does_not_wait_for_its_rate(engine: Path, fio: str, tmp_path: Path) -> None:
    for ran in both(engine, fio, tmp_path, _job("j", "rw=randrw rate=40k, size=1m")):
        job = ran.document(notes=True)["jobs"][0]
        assert job["read"]["total_ios"] < 20
        assert job["read"]["total_ios"] + job["write"]["total_ios"] == 256


@pytest.mark.parametrize("sizes", ["bssplit=4k/50:64k/50", "bsrange=4k-64k"])
@pytest.mark.parametrize(
    "rated",
    [
        ("rate_iops=2000", "io_bytes", 2 * 2000 * 4096),
        ("rate_iops=500 rate_process=poisson", "total_ios", 2 * 500),
    ],
)
def test_iops_of_several_sizes_are_bytes_of_the_smallest_or_counted(
    engine: Path, fio: str, tmp_path: Path, sizes: str, rated: tuple[str, str, int]
) -> None:
    rate, key, value = rated
    options = "ioengine=null rw=randread size=1g norandommap time_based runtime=2"
    text = _job("j", f"{options} {sizes} {rate}")
    for program in (fio, str(engine)):
        keeps(partial(_counted, program, tmp_path, text, key), {"read": value}, rel=0.2)


def _shares(folder: Path) -> list[float]:
    """How much of all reads the 1, 8 and 64 most read blocks got."""
    offsets = Counter(
        line.split(",")[4] for line in (folder / "l_lat.1.log").read_text().splitlines()
    )
    ranked = [count for _, count in offsets.most_common()]
    return [sum(ranked[:top]) / sum(ranked) for top in (1, 8, 64)]


def test_zipf_prefers_as_many_blocks(engine: Path, fio: str, tmp_path: Path) -> None:
    log = "write_lat_log=l log_offset=1 number_ios=20000 io_size=1g"
    text = _job("j", f"ioengine=null rw=randread size=4m {log} random_distribution=zipf:1.1")
    reference, ours = both(engine, fio, tmp_path, text)
    assert (reference.status, ours.status) == (0, 0)
    assert _shares(ours.folder) == pytest.approx(_shares(reference.folder), abs=0.05)


def test_damage_is_found_by_both(engine: Path, fio: str, tmp_path: Path) -> None:
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        job = _job("j", "filename=f size=256k bs=4k verify=crc32c rw=")
        assert run(program, ["-"], folder, job.replace("rw=", "rw=write")).status == 0
        with (folder / "f").open("r+b") as stream:
            stream.seek(40960 + 3000)
            stream.write(b"damage")
        arguments = ["-", "--output-format=json"]
        ran = run(program, arguments, folder, job.replace("rw=", "rw=read"))
        assert ran.status == 1
        assert json.loads(ran.out[ran.out.index("{") :])["jobs"][0]["error"] == errno.EILSEQ
