"""Which file has its turn, how many are open, and files that each loop makes anew."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.differential import differences, outcome_of
from support.engine_runs import files, run
from support.tracing import calls_of

SIZES = "[j]\nsize=256k\nnrfiles=4\n"
VERIFY = "verify=crc32c\nverify_state_save=0\n"
SERVICES = (
    *("random", "roundrobin", "sequential", "zipf", "pareto", "normal", "gauss"),
    *("random:8", "roundrobin:2", "sequential:3", "random:0", "roundrobin:0"),
    *("zipf:1.2", "zipf:0", "zipf:1.2:0.5", "pareto:0.2", "pareto:0.5:1", "normal:10", "normal:0"),
    *("gauss:5", "normal:5:0.25"),
    *("zipf:x", "pareto:1", "pareto:2", "normal:101", "fifo", "zipf:"),
)
ENGINES = ("sync", "psync", "libaio", "io_uring", "mmap", "posixaio")


def _order(engine: Path, folder: Path, *options: str) -> list[int]:
    """The numbers of the files, I/O by I/O, as the engine's own log has them."""
    text = SIZES + "\n".join((*options, "rw=read", "write_iolog=log")) + "\n"
    ran = run(engine, ["-"], folder, text)
    assert ran.status == 0, ran.err
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    return [int(words[1].rpartition(".")[2]) for words in lines if words[2:3] == ["read"]]


@pytest.mark.parametrize("rw", ["write", "randwrite"])
@pytest.mark.parametrize("service", SERVICES)
def test_files_are_served_as_fio_serves_them(
    engine: Path, fio: str, tmp_path: Path, service: str, rw: str
) -> None:
    text = f"{SIZES}rw={rw}\nfile_service_type={service}\nopenfiles=2\n"
    theirs = outcome_of(fio, text, tmp_path / "theirs")
    ours = outcome_of(engine, text, tmp_path / "ours")
    assert not list(differences(theirs, ours))


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ((), [0, 1, 2, 3, 0, 1]),
        (("file_service_type=roundrobin:2",), [0, 0, 1, 1, 2, 2]),
        (("file_service_type=sequential",), [0] * 16 + [1] * 16),
        (("file_service_type=sequential:3", "openfiles=2"), [0] * 16 + [1] * 16),
        (("openfiles=2",), [0, 1] * 16 + [2, 3] * 16),
        (("openfiles=1",), [0] * 16 + [1] * 16 + [2] * 16),
        (("openfiles=9",), [0, 1, 2, 3, 0, 1]),
        (("rw=randread", "norandommap", "openfiles=2"), [0, 1] * 16 + [2, 3] * 16),
    ],
)
def test_turns_are_in_order(
    engine: Path, tmp_path: Path, options: tuple[str, ...], begins: list[int]
) -> None:
    assert _order(engine, tmp_path, *options)[: len(begins)] == begins


@pytest.mark.parametrize(("service", "status"), [("zipf:1", 0), ("random:x", 2), ("zipf:-1", 2)])
def test_the_number_behind_a_service_is_one(
    engine: Path, tmp_path: Path, service: str, status: int
) -> None:
    ran = run(engine, ["-"], tmp_path, f"{SIZES}file_service_type={service}\n")
    assert ran.status == status
    assert ("stdin:4:19: file_service_type: " in ran.err) == bool(status)


def test_a_random_turn_is_as_long_as_it_is_said(engine: Path, tmp_path: Path) -> None:
    order = _order(engine, tmp_path, "file_service_type=random:4")[:32]
    assert all(len(set(order[at : at + 4])) == 1 for at in range(0, 32, 4))
    assert len(set(order)) > 1


@pytest.mark.parametrize(
    ("service", "share"), [("random", 0), ("zipf:1.2", 0.4), ("pareto:0.1", 0.7), ("normal:1", 0.9)]
)
def test_some_files_are_preferred(engine: Path, tmp_path: Path, service: str, share: float) -> None:
    options = [f"file_service_type={service}", "norandommap", "nrfiles=32", "io_size=4m"]
    text = "[j]\nsize=1m\nrw=randread\nwrite_iolog=log\n" + "\n".join(options)
    assert run(engine, ["-"], tmp_path, text).status == 0
    lines = (line.split() for line in (tmp_path / "log").read_text().splitlines())
    counts = Counter(words[1] for words in lines if words[2:3] == ["read"])
    first, second = (count for _, count in counts.most_common(2))
    assert counts.total() == 1024
    if share:
        assert (first + second) / 1024 > share
    else:
        assert (len(counts), first < 100) == (32, True)


@pytest.mark.parametrize("depth", [1, 8])
@pytest.mark.parametrize("ioengine", ENGINES)
def test_what_is_opened_late_holds_what_was_written(
    engine: Path, tmp_path: Path, ioengine: str, depth: int
) -> None:
    options = "rw=randrw\nopenfiles=2\nloops=2\nfsync=5\nverify=crc32c\n"
    text = f"{SIZES}{options}ioengine={ioengine}\niodepth={depth}\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, text)
    job = ran.document()["jobs"][0]
    assert job["read"]["io_bytes"] + job["write"]["io_bytes"] >= 512 << 10
    assert job["sync"]["total_ios"] > 0


@pytest.mark.parametrize("ioengine", ["psync", "libaio"])
def test_no_more_files_are_open_than_are_said(engine: Path, tmp_path: Path, ioengine: str) -> None:
    text = f"{SIZES}rw=write\nopenfiles=2\ncreate_on_open=1\niodepth=4\nioengine={ioengine}\n"
    calls = calls_of(engine, "openat,close", f"{text}nrfiles=8\nfsync_on_close=1", tmp_path)
    fds: set[str] = set()
    most = opened = 0
    for call in calls:
        fd = call.rpartition("= ")[2]
        if "j.0." in call and "O_RDWR" in call and fd.isdigit():
            fds.add(fd)
            opened += 1
        elif call.startswith("close("):
            fds.discard(call[6:].partition(")")[0])
        most = max(most, len(fds))
    assert (opened, most) == (8, 2)


@pytest.mark.parametrize("ioengine", ENGINES)
def test_each_loop_makes_its_files_anew(engine: Path, tmp_path: Path, ioengine: str) -> None:
    options = f"rw=write\nloops=3\nunlink_each_loop=1\nioengine={ioengine}\n"
    calls = calls_of(engine, "unlinkat", f"{SIZES}{options}{VERIFY}", tmp_path)
    assert len([call for call in calls if "j.0." in call and call.endswith("= 0")]) == 8
    assert files(tmp_path) == {f"j.0.{number}": 64 << 10 for number in range(4)}


@pytest.mark.parametrize("options", ["loops=3", "loops=1", "loops=2\nunlink=1", "loops=2\nbs=8k"])
def test_loops_leave_what_fios_leave(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    text = f"{SIZES}rw=write\nunlink_each_loop=1\n{options}\n"
    theirs = outcome_of(fio, text, tmp_path / "theirs")
    ours = outcome_of(engine, text, tmp_path / "ours")
    assert not list(differences(theirs, ours))


@pytest.mark.parametrize("rw", ["read", "randrw"])
def test_what_is_read_again_is_not_deleted(engine: Path, tmp_path: Path, rw: str) -> None:
    ran = run(engine, ["-"], tmp_path, f"{SIZES}rw={rw}\nunlink_each_loop=1\nloops=2\n")
    assert ran.status == 2
    assert "stdin:5:1: job 'j': a job that reads cannot delete its files" in ran.err


def test_a_link_is_not_deleted_by_a_loop(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(bytes(64 << 10))
    (tmp_path / "link").symlink_to("kept")
    options = "filename=link\nrw=write\nunlink_each_loop=1\nloops=2\n"
    assert run(engine, ["-"], tmp_path, f"[j]\nsize=64k\n{options}").status == 0
    assert (tmp_path / "link").is_symlink()
