"""zonemode=zbd of a file: zones are written from their beginning to their end, as fio does it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.devices import loop_device, needs_root
from support.engine_runs import run

KIB = 1024
ZONE = 64 * KIB
JOB = "[j]\nfilename=f\nsize=1m\nbs=16k\nzonemode=zbd\nwrite_lat_log=l\nlog_offset=1\n"


def _ios(program: str | Path, folder: Path, text: str) -> list[tuple[str, int]]:
    """Direction ("0" reads, "1" writes) and offset of each I/O, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "f").write_bytes(bytes(1024 * KIB))
    ran = run(program, ["-"], folder, JOB + text)
    assert ran.status == 0, ran.err
    log = folder / "l_lat.1.log"
    rows = [line.split(", ") for line in log.read_text().splitlines()] if log.exists() else []
    return [(row[2], int(row[4])) for row in rows]


def _both(engine: Path, fio: str, tmp_path: Path, text: str) -> tuple[list[tuple[str, int]], ...]:
    return _ios(engine, tmp_path / "ours", text), _ios(fio, tmp_path / "fio", text)


@pytest.mark.parametrize(
    "text",
    [
        "rw=write\nzonesize=64k",
        "rw=write\nzonesize=48k",
        "rw=write\nzonesize=64k\nio_size=2m",
        "rw=write\nzonesize=64k\nzonecapacity=32k",
        "rw=write\nzonesize=64k\nzoneskip=64k",
        "rw=write\nzonesize=64k\noffset=96k\nsize=512k",
        "rw=read\nzonesize=64k",
        "rw=read\nzonesize=64k\nread_beyond_wp=1",
        "rw=read\nzonesize=64k\nzoneskip=64k\nread_beyond_wp=1",
        "rw=randread\nzonesize=64k",
        "rw=randwrite\nzonesize=64k\nmax_open_zones=4\njob_max_open_zones=1\nio_size=16k",
    ],
)
def test_as_much_goes_where_fio_has_it(engine: Path, fio: str, tmp_path: Path, text: str) -> None:
    ours, theirs = _both(engine, fio, tmp_path, text + "\n")
    if "rand" in text:
        assert len(ours) == len(theirs)
    else:
        assert ours == theirs


def _in_order(offsets: list[int], capacity: int = ZONE) -> int:
    """How many zones were emptied: each write is behind the last one, or first in its zone."""
    ends: Counter[int] = Counter()
    emptied = 0
    for offset in offsets:
        zone, past = divmod(offset, ZONE)
        emptied += past == 0 and ends[zone] > 0
        assert past in (0, ends[zone])
        ends[zone] = past + 16 * KIB
        assert ends[zone] <= capacity
    return emptied


@pytest.mark.parametrize("more", ["", "zonecapacity=32k\n", "norandommap\n", "max_open_zones=2\n"])
def test_random_writes_are_in_order_in_each_zone(
    engine: Path, fio: str, tmp_path: Path, more: str
) -> None:
    capacity = 32 * KIB if "capacity" in more else ZONE
    programs = _both(engine, fio, tmp_path, f"rw=randwrite\nzonesize=64k\n{more}")
    for ios in programs:
        _in_order([offset for _, offset in ios], capacity)
    assert len(programs[0]) == len(programs[1])
    if not more:
        assert {Counter(at // ZONE for _, at in ios)[0] for ios in programs} == {4}


@pytest.mark.parametrize("most", [1, 2, 5])
def test_no_more_zones_are_open_than_allowed(
    engine: Path, fio: str, tmp_path: Path, most: int
) -> None:
    text = f"rw=randwrite\nzonesize=64k\nmax_open_zones={most}\nio_size=4m\n"
    for ios in _both(engine, fio, tmp_path, text):
        opened: set[int] = set()
        peak = 0
        for _, offset in ios:
            zone, past = divmod(offset, ZONE)
            opened.add(zone)
            peak = max(peak, len(opened))
            if past == ZONE - 16 * KIB:
                opened.discard(zone)
        assert peak == most


def test_zones_are_emptied_while_much_is_filled(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "rw=randwrite\nzonesize=64k\nnorandommap\nio_size=16m\n"
    often = "zone_reset_threshold=0.3\nzone_reset_frequency=0.5\n"
    plain = [_in_order([at for _, at in ios]) for ios in _both(engine, fio, tmp_path, text)]
    reset = [_in_order([at for _, at in ios]) for ios in _both(engine, fio, tmp_path, text + often)]
    assert all(more > 1.3 * few for few, more in zip(plain, reset, strict=True))
    assert abs(reset[0] - reset[1]) < 0.2 * reset[1]


@pytest.mark.parametrize("way", ["rw", "randrw"])
def test_only_what_was_written_is_read(engine: Path, fio: str, tmp_path: Path, way: str) -> None:
    for ios in _both(engine, fio, tmp_path, f"rw={way}\nrwmixread=70\nzonesize=64k\n"):
        assert ios[0][0] == "1"
        written: set[int] = set()
        for direction, offset in ios:
            if direction == "1":
                written.add(offset)
            assert offset in written


def test_a_job_without_anything_to_read_ends(engine: Path, tmp_path: Path) -> None:
    for way in ("read", "randread"):
        assert not _ios(engine, tmp_path, f"rw={way}\nzonesize=64k\ntime_based\nruntime=600\n")


def test_what_is_left_of_a_zone_is_written(engine: Path, tmp_path: Path) -> None:
    """fio, where blocks do not divide zones, never comes past the first zone."""
    text = "rw=write\nzonesize=100k\n"
    without = _ios(engine, tmp_path, text)
    assert [at for _, at in without] == [
        zone * 100 * KIB + block * 16 * KIB for zone in range(10) for block in range(6)
    ]
    rest = _ios(engine, tmp_path, f"{text}write_zone_remainder=1\n")
    assert [at for _, at in rest] == [
        zone * 100 * KIB + block * 16 * KIB for zone in range(10) for block in range(7)
    ]


SIZES = ("bssplit=4k/50:64k/50", "bsrange=4k-64k", "bssplit=4k/50:48k/50")


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("rw", ["write", "randwrite", "read\nread_beyond_wp=1"])
def test_smaller_blocks_fill_the_rest_of_a_zone(
    engine: Path, fio: str, tmp_path: Path, sizes: str, rw: str
) -> None:
    """So that as much is moved as is asked for, and no more."""
    job = f"[j]\nsize=1m\nzonemode=zbd\nzonesize=256k\nrandrepeat=0\n{sizes}\nrw={rw}\n"
    for program in (engine, fio):
        for _ in range(3):
            ran = run(program, ["-", "--output-format=json"], tmp_path, job)
            row = ran.document(notes=True)["jobs"][0]
            assert row["read"]["io_bytes"] + row["write"]["io_bytes"] == 1024 * KIB


@pytest.mark.parametrize("left", [300 * KIB, 4 * KIB])
def test_a_file_without_a_whole_zone_is_told(engine: Path, tmp_path: Path, left: int) -> None:
    """Before the other file is made."""
    (tmp_path / "f").write_bytes(bytes(left))
    job = "[a]\nsize=1m\nrw=write\n[b]\nfilename=f\nrw=read\nzonemode=zbd\nzonesize=512k\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, job)
    assert (ran.status, ran.out) == (1, "")
    assert f"b: {left} bytes of 'f' " in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_what_is_written_by_zones_verifies(engine: Path, tmp_path: Path) -> None:
    for way in ("write", "randwrite"):
        ios = _ios(engine, tmp_path, f"rw={way}\nzonesize=64k\nverify=crc32c\n")
        assert Counter(direction for direction, _ in ios)["1"] == 64


def test_clones_have_zones_of_their_own(engine: Path, tmp_path: Path) -> None:
    """fio's second clone of a job goes on in the zones that the first one has begun."""
    _ios(engine, tmp_path, "rw=write\nzonesize=64k\nnumjobs=2\nio_size=32k\n")
    rows = (tmp_path / "l_lat.2.log").read_text().splitlines()
    assert [int(row.split(", ")[4]) for row in rows] == [0, 16 * KIB]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rw=write", "zonemode=zbd needs zonesize"),
        ("rw=trim\nioengine=null\nzonesize=64k", "zonemode=zbd trims"),
        ("rw=write\nzonesize=256", "zonesize is at least 512 bytes"),
        ("rw=write\nzonesize=2m", "holds no zone"),
        ("rw=write\nzonesize=64k\nbs=128k", "a zone holds no block"),
        ("rw=write\nzonesize=64k\nbssplit=4k/50:128k/50", "a zone holds no block"),
        ("rw=write\nzonesize=64k\nzonecapacity=128k", "zonecapacity is larger than zonesize"),
        ("rw=write\nzonesize=64k\nzoneskip=10k", "zoneskip is a multiple of zonesize"),
        ("rw=write\nzonesize=64k\njob_max_open_zones=1", "needs max_open_zones"),
        ("rw=write\nzonesize=64k\nmax_open_zones=5000", "max_open_zones: "),
        ("rw=write\nzonesize=64k\nzone_reset_threshold=2", "'2' is no number from 0 to 1"),
    ],
)
def test_zones_that_cannot_be_are_told(
    engine: Path, fio: str, tmp_path: Path, text: str, says: str
) -> None:
    ours, theirs = (run(program, ["-"], tmp_path, f"{JOB}{text}\n") for program in (engine, fio))
    assert (ours.status, ours.out) == (2, "")
    assert theirs.status != 0
    assert says in ours.err


@needs_root
@pytest.mark.parametrize("model", ["host-managed", "host-aware"])
def test_a_device_with_zones_of_its_own_is_refused(
    engine: Path, tmp_path: Path, model: str
) -> None:
    """A device of which the kernel, as far as the engine sees it, says that it has zones."""
    (tmp_path / "zoned").write_text(f"{model}\n")
    with loop_device(tmp_path, 2) as device:
        name = device.removeprefix("/dev/")
        script = 'mount --bind zoned "/sys/block/$0/queue/zoned" && exec "$@"'
        job = f"[j]\nfilename={device}\nsize=1m\nzonemode=zbd\nzonesize=64k\n"
        seeing = ["--mount", "sh", "-c", script, name, str(engine), "-"]
        refused = run("unshare", seeing, tmp_path, f"{job}rw=read\n")
        assert refused.status == 3
        assert f"j: zonemode=zbd: '{device}' has zones of its own ({model})" in refused.err
        assert run(engine, ["-"], tmp_path, f"{job}rw=read\nread_beyond_wp=1\n").status == 0
