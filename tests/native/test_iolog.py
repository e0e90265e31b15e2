"""I/O logs: recorded by one engine, replayed by the other."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import pytest

from support.devices import image_of, loop_device, mounted, needs_root
from support.engine_runs import files, run

RECORDS = {
    "mixed": "rw=randrw size=256k",
    "files": "rw=randwrite size=256k nrfiles=3",
    "fsync": "rw=write size=128k fsync=8",
    "fdatasync": "rw=write size=128k fdatasync=8",
    "deep": "rw=randread size=256k ioengine=libaio iodepth=8 direct=1",
    "sizes": "rw=write size=256k bs=16k",
}


def _job(options: str) -> str:
    return "[j]\n" + "\n".join(options.split()) + "\n"


def _counts(document: dict[str, Any]) -> tuple[int, ...]:
    """Bytes and I/Os of reads and writes, and the error."""
    job = document["jobs"][0]
    moved = (job[way][field] for way in ("read", "write") for field in ("io_bytes", "total_ios"))
    return (*moved, job["error"])


def _ios(path: Path) -> list[list[str]]:
    """Actions on data with their files, offsets and lengths, without the times."""
    lines = [line.split()[1:] for line in path.read_text().splitlines()[1:]]
    return [line for line in lines if line[1] in {"read", "write", "sync", "datasync"}]


def _run(program: str | Path, folder: Path, options: str) -> dict[str, Any]:
    return run(program, ["--output-format=json", "-"], folder, _job(options)).document(notes=True)


@pytest.mark.parametrize("options", RECORDS.values(), ids=RECORDS.keys())
def test_each_replays_what_the_other_recorded(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    for name, recorder in (("fio", fio), ("ours", str(engine))):
        recorded = _run(recorder, tmp_path / name, f"{options} write_iolog=log")
        expected = _counts(recorded)
        for program in (fio, engine):
            replayed = _run(program, tmp_path / name, "read_iolog=log iodepth=2")
            assert _counts(replayed) == expected, (name, program)


@pytest.mark.parametrize("more", ["", "continue_on_error=all", "ramp_time=10s"])
def test_a_job_that_fails_is_recorded_up_to_there(
    engine: Path, fio: str, tmp_path: Path, more: str
) -> None:
    """Who looks for what failed replays it."""
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        text = _job(f"rw=write size=16k filename=/dev/full write_iolog=log {more}")
        assert run(program, ["-"], folder, text).status == 1
    ours, theirs = (_ios(tmp_path / Path(each).name / "log") for each in (engine, fio))
    assert ours == theirs
    assert ours[0] == ["/dev/full", "write", "0", "4096"]


@pytest.mark.parametrize("options", ["fsync=4", "fdatasync=3", "end_fsync=1", "fsync_on_close=1",
                                     "fsync=8 end_fsync=1"])  # fmt: skip
def test_syncs_are_recorded_as_fio_has_them(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    for program in (fio, engine):
        folder = tmp_path / Path(program).name
        _run(program, folder, f"rw=write size=128k write_iolog=log {options}")
    assert _ios(tmp_path / Path(engine).name / "log") == _ios(tmp_path / "fio" / "log")


@pytest.mark.parametrize("options", RECORDS.values(), ids=RECORDS.keys())
def test_a_replay_is_recorded_the_same(engine: Path, tmp_path: Path, options: str) -> None:
    _run(engine, tmp_path, f"{options} write_iolog=log")
    _run(engine, tmp_path, "read_iolog=log write_iolog=again ioengine=libaio iodepth=4")
    assert _ios(tmp_path / "again") == _ios(tmp_path / "log")
    assert _ios(tmp_path / "log")


@pytest.mark.parametrize("ioengine", ["psync", "libaio", "io_uring"])
def test_a_replay_counts_its_bytes_and_has_loops(
    engine: Path, tmp_path: Path, ioengine: str
) -> None:
    _run(engine, tmp_path, "filename=f rw=write size=64k write_iolog=log")
    options = f"read_iolog=log replay_no_stall=1 iodepth=4 ioengine={ioengine}"
    for more, ios in (("", 16), ("loops=2", 32), ("number_ios=5", 5)):
        moved = _run(engine, tmp_path, f"{options} {more}")["jobs"][0]["write"]
        assert (moved["total_ios"], moved["io_bytes"]) == (ios, ios * 4096)


HEAD = "fio version 3 iolog\n0 f add\n0 f open\n"


def _times(path: Path) -> list[int]:
    return [int(line.split()[0]) for line in path.read_text().splitlines()[1:] if " read " in line]


@pytest.mark.parametrize("depth", [1, 4])
def test_a_replay_keeps_time(engine: Path, tmp_path: Path, depth: int) -> None:
    """No I/O comes before its time, which is all that a busy machine can promise."""
    due = [0, 100, 50_000, 50_100, 150_000]
    lines = "".join(f"{us} f read {4096 * i} 4096\n" for i, us in enumerate(due))
    (tmp_path / "log").write_text(HEAD + lines)
    options = f"read_iolog=log write_iolog=again ioengine=libaio iodepth={depth}"
    _run(engine, tmp_path, options)
    assert all(at >= us for at, us in zip(_times(tmp_path / "again"), due, strict=True))
    _run(engine, tmp_path, f"{options} replay_time_scale=1000")
    times = _times(tmp_path / "again")
    assert all(at >= us // 10 for at, us in zip(times, due, strict=True))
    _run(engine, tmp_path, f"{options} replay_no_stall=1 loops=2")
    assert len(_times(tmp_path / "again")) == 10


def test_waits_of_version_2(engine: Path, tmp_path: Path) -> None:
    text = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf wait 30000 0\nf read 4096 512\n"
    (tmp_path / "log").write_text(f"{text}f close\n")
    document = _run(engine, tmp_path, "read_iolog=log write_iolog=again")
    assert document["jobs"][0]["read"]["io_bytes"] == 4608
    assert _times(tmp_path / "again")[1] >= 30_000


def test_a_replay_ends_with_its_last_io(engine: Path, fio: str, tmp_path: Path) -> None:
    log = "fio version 3 iolog\n0 f add\n0 f open\n1 f read 0 4096\n700000 f close\n"
    (tmp_path / "log").write_text(log)
    (tmp_path / "f").write_bytes(bytes(4096))
    words = ["--name=j", "--read_iolog=log", "--output-format=json"]
    jobs = [run(each, words, tmp_path).document(notes=True)["jobs"][0] for each in (fio, engine)]
    assert [job["read"]["total_ios"] for job in jobs] == [1, 1]
    assert jobs[0]["job_runtime"] >= 400
    assert jobs[1]["read"]["runtime"] < jobs[0]["job_runtime"]


def test_a_log_is_there_before_the_run(engine: Path, tmp_path: Path) -> None:
    text = "[global]\nfilename=f\nsize=64k\n[record]\nrw=write\nwrite_iolog=log\n"
    ran = run(engine, ["-"], tmp_path, f"{text}[replay]\nstonewall\nread_iolog=log\n")
    assert (ran.status, list(tmp_path.iterdir())) == (1, [])
    assert "replay: cannot read the I/O log 'log': No such file" in ran.err


READ, WRITE, FLUSH, QUEUED, ISSUED, NOTE, DISCARD = 1, 2, 4, 16, 64, 1024, 1 << 13
MAGIC, MS = 0x65617407, 1_000_000


def blktrace(device: str, order: str = "<") -> bytes:
    """A trace as blkparse -d writes it: what was queued, and what it has beside that."""
    number = Path(device).stat().st_rdev
    kernels = (os.major(number) << 20) | os.minor(number)

    def record(at_ms: int, sector: int, size: int, action: int, more: bytes = b"") -> bytes:
        fields = (MAGIC, 1, 5000 * MS + at_ms * MS, sector, size, action, 1, kernels, 0, 0)
        return struct.pack(f"{order}IIQQIIIIIHH", *fields, len(more)) + more

    queued = QUEUED << 16 | 1
    return b"".join(
        [
            record(0, 0, 0, NOTE << 16 | 1, b"name"),
            record(0, 0, 4096, READ << 16 | queued),
            record(0, 0, 4096, (READ | ISSUED) << 16 | 7),
            record(50, 64, 8192, WRITE << 16 | queued),
            record(100, 128, 16384, WRITE << 16 | queued),
            record(150, 0, 0, (WRITE | FLUSH) << 16 | queued),
            record(200, 256, 65536, (DISCARD | WRITE) << 16 | queued),
            record(300, 300, 512, READ << 16 | queued),
        ]
    )


@needs_root
@pytest.mark.parametrize("order", ["<", ">"])
def test_a_trace_of_blktrace_is_replayed(
    engine: Path, fio: str, tmp_path: Path, order: str
) -> None:
    words = ["--name=j", "--read_iolog=log", "--output-format=json", "--write_iolog=again"]
    with loop_device(tmp_path) as device:
        (tmp_path / "log").write_bytes(blktrace(device, order))
        for program in (fio, engine):
            row = run(program, words, tmp_path).document(notes=True)["jobs"][0]
            moved = [(row[k]["total_ios"], row[k]["io_bytes"]) for k in ("read", "write", "trim")]
            assert moved == [(2, 4608), (2, 24576), (1, 65536)]
            assert row["sync"]["total_ios"] == 1
            assert row["job_runtime"] >= 300
    lines = (tmp_path / "again").read_text().splitlines()
    assert [line.split()[1:] for line in lines if " write " in line] == [
        [device, "write", "32768", "8192"],
        [device, "write", "65536", "16384"],
    ]


@needs_root
def test_what_is_no_trace_of_blktrace_is_told(engine: Path, tmp_path: Path) -> None:
    with loop_device(tmp_path) as device:
        trace = blktrace(device)
    for data, says in (
        (trace[:-20], "log:8: this record of the trace is damaged or cut"),
        (trace + bytes(48), "log:9: this record of the trace is damaged or cut"),
        (trace[:48], "log:1: this record of the trace is cut"),
        (trace[:52], "log: there is no I/O to replay"),
        (trace.replace(trace[36:40], b"\xff\xff\xff\xff"), "which is not here: name one"),
        (
            trace.replace(struct.pack("<Q", 64), struct.pack("<Q", 1 << 55)),
            "log:4: no device has a sector of its number",
        ),
    ):
        (tmp_path / "log").write_bytes(data)
        ran = run(engine, ["-"], tmp_path, "[j]\nread_iolog=log\n")
        assert (ran.status, says in ran.err) == (1, True), ran.err


@pytest.mark.parametrize(("scale", "offsets"), [(0, (8192, 4096)), (2, (4096, 2048))])
def test_offsets_are_divided(
    engine: Path, fio: str, tmp_path: Path, scale: int, offsets: tuple[int, int]
) -> None:
    log = "fio version 2 iolog\nf add\nf open\nf read 8192 4096\nf read 4096 4096\nf close\n"
    text = f"[j]\nread_iolog=log\nreplay_scale={scale}\nwrite_lat_log=out\nlog_offset=1\n"
    for name, program in (("fio", fio), ("ours", engine)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "log").write_text(log)
        (folder / "f").write_bytes(bytes(16384))
        assert run(program, ["-"], folder, text).status == 0
        rows = (folder / "out_lat.1.log").read_text().splitlines()
        assert tuple(int(row.split(",")[4]) for row in rows) == offsets


def test_files_are_as_large_as_the_log_needs(engine: Path, tmp_path: Path) -> None:
    """fio makes empty files, and the first read fails."""
    (tmp_path / "log").write_text(f"{HEAD}0 f read 1048576 4096\n")
    document = _run(engine, tmp_path / "work", "read_iolog=../log")
    assert _counts(document) == (4096, 1, 0, 0, 0)
    assert files(tmp_path / "work") == {"f": 1048576 + 4096}


def test_clones_take_their_logs_in_turn(engine: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(HEAD.replace(" f ", f" {name}.data ")
                                     + f"0 {name}.data write 0 4096\n")  # fmt: skip
    _run(engine, tmp_path, "read_iolog=one:two numjobs=2")
    assert {"one.data", "two.data"} <= files(tmp_path).keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("read_iolog=none", "j: cannot read the I/O log 'none': No such file"),
        ("read_iolog=job", "job:1: this is no I/O log"),
        ("rw=write size=64k numjobs=2 write_iolog=x", "numjobs clones cannot record in one file"),
        ("read_iolog=log replay_skip=reads", "not a list of read, write, trim, sync"),
        ("read_iolog=log replay_align=3", "no power of 2"),
        ("rw=write size=64k write_iolog=/dev/null", "it is there and no regular file"),
        ("read_iolog=small verify=crc32c", "at least 45 bytes, and the log 'small' has smaller"),
    ],
)
def test_mistakes_are_told(engine: Path, tmp_path: Path, options: str, message: str) -> None:
    (tmp_path / "job").write_text("[j]\n")
    (tmp_path / "small").write_text(f"{HEAD}0 f write 0 40\n")
    ran = run(engine, ["-"], tmp_path, _job(options))
    assert ran.status in {1, 2}
    assert message in ran.err


def test_a_replay_verifies_what_no_later_write_changed(engine: Path, tmp_path: Path) -> None:
    lines = ["0 4096", "8192 8192", "12288 4096", "30000 512"]
    (tmp_path / "log").write_text(HEAD + "".join(f"0 f write {line}\n" for line in lines))
    document = _run(engine, tmp_path, "read_iolog=log verify=crc32c")
    assert _counts(document) == (4096 + 4096 + 512, 3, 16896, 4, 0)


def test_a_replay_verifies_blocks_of_one_size(engine: Path, tmp_path: Path) -> None:
    lines = "".join(f"0 f write {8192 * i} 8192\n" for i in (3, 0, 1))
    (tmp_path / "log").write_text(HEAD + lines)
    document = _run(engine, tmp_path, "read_iolog=log verify=crc32c")
    assert _counts(document) == (3 * 8192, 3, 3 * 8192, 3, 0)


@needs_root
def test_a_replay_does_not_write_to_what_is_in_use(engine: Path, tmp_path: Path) -> None:
    with loop_device(tmp_path) as device, mounted(device, tmp_path / "mnt"):
        head = HEAD.replace("f", device).replace(f"{device}io", "fio")
        (tmp_path / "log").write_text(f"{head}0 {device} write 0 4096\n")
        before = Path(image_of(device)).read_bytes()
        ran = run(engine, ["-"], tmp_path, _job("read_iolog=log"))
        assert ran.status == 3
        assert "must not be written" in ran.err
        ran = run(engine, ["-", "--readonly"], tmp_path, _job("read_iolog=log"))
        assert ran.status == 1
        assert "--readonly forbids it" in ran.err
        assert Path(image_of(device)).read_bytes() == before


def test_cpuio_uses_its_part(engine: Path, fio: str, tmp_path: Path) -> None:
    options = "ioengine=cpuio cpuload=25 cpuchunks=20ms runtime=900ms"
    job = _run(engine, tmp_path, options)["jobs"][0]
    # 20 ms of work and 60 of rest: 12 turns, fewer on a machine that is late.
    assert 1 <= job["read"]["total_ios"] <= 12
    assert job["read"]["io_bytes"] == 0
    assert job["read"]["clat_ns"]["min"] >= 20_000_000
    assert job["usr_cpu"] < 40
    assert not list(tmp_path.glob("j.*"))
    reference = _run(fio, tmp_path, options.replace("20ms", "20000"))["jobs"][0]
    assert 1 <= reference["read"]["total_ios"] <= 12
    assert reference["read"]["runtime"] == job["read"]["runtime"] == 0


@pytest.mark.parametrize(("mode", "status"), [("noop", 0), ("qsort", 0), ("sleep", 1)])
def test_cpuio_takes_fios_modes(
    engine: Path, fio: str, tmp_path: Path, mode: str, status: int
) -> None:
    text = f"[j]\nioengine=cpuio\ncpuload=10\ncpuchunks=5000\nruntime=100ms\ncpumode={mode}\n"
    for program in (engine, fio):
        ran = run(program, ["--output-format=json", "-"], tmp_path, text)
        assert (ran.status != 0) == (status != 0), ran.err


@pytest.mark.parametrize("options", ["", "cpuload=50", "cpuload=0 runtime=1"])
def test_cpuio_needs_load_and_end(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, ["-"], tmp_path, _job(f"ioengine=cpuio {options}"))
    assert ran.status == 2
    assert "ioengine=cpuio" in ran.err


def test_a_file_that_no_line_opens_is_open(engine: Path, fio: str, tmp_path: Path) -> None:
    """fio 3.33 dies of it, also where a line behind `close` needs the file again."""
    never = "fio version 2 iolog\nq add\nq write 0 4096\nq write 4096 4096\nq close\n"
    again = "fio version 2 iolog\nq add\nq open\nq write 0 4096\nq close\nq write 4096 4096\n"
    for log in (never, again):
        (tmp_path / "log").write_text(log)
        words = ["--name=j", "--read_iolog=log", "--output-format=json"]
        assert "Assertion" in run(fio, words, tmp_path).err
        document = run(engine, words, tmp_path).document()
        assert document["jobs"][0]["write"]["total_ios"] == 2
