"""Where the engine does what fio's users meant: each entry of docs/differences.md."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from support.devices import loop_device, mounted, needs_root, swapping
from support.engine_runs import NATIVE, Ran, run
from support.rates import keeps

DOCUMENT = NATIVE.parent / "docs" / "differences.md"
NULL = "[j]\nioengine=null\n"


def ours(engine: Path, folder: Path, text: str, *arguments: str) -> Ran:
    return run(engine, ["-", "--output-format=json", *arguments], folder, text)


def _entries() -> list[str]:
    """The rows of the tables whose last column is a test."""
    tables = re.findall(
        r"^\|.*\| test \|\n\|[-|]+\n((?:\|.*\n)+)", DOCUMENT.read_text(), re.MULTILINE
    )
    return [row for table in tables for row in table.splitlines()]


def test_every_entry_names_a_test_that_exists() -> None:
    entries = _entries()
    sources = "\n".join(
        path.read_text()
        for folder in ("native", "differential")
        for path in sorted((Path(__file__).parents[1] / folder).rglob("test_*"))
        if path.suffix in (".c", ".py")
    )
    assert len(entries) > 15
    for entry in entries:
        cited = re.findall(r"`(\w+)`", entry.rsplit("|", 2)[-2])
        assert cited, f"no test is named: {entry}"
        for name in cited:
            assert f"{name}(" in sources, f"{name} does not exist: {entry}"


@pytest.mark.parametrize("runtime", ["0.3sec", "300msec", "(3*100ms)"])
def test_time_units(engine: Path, tmp_path: Path, runtime: str) -> None:
    ran = ours(engine, tmp_path, f"{NULL}size=1m\ntime_based\nruntime={runtime}\n")
    assert 290 <= ran.document()["jobs"][0]["read"]["runtime"] < 5000


def test_a_minute_is_a_minute(engine: Path, tmp_path: Path) -> None:
    """Shown by the estimate of the first status line: nobody waits for the minute."""
    text = f"{NULL}size=1m\ntime_based\nruntime=1min\n"
    ran = run(engine, ["-", "--showcmd"], tmp_path, text)
    assert "--runtime=1min" in ran.out
    stopped = run("timeout", ["-s", "INT", "1", str(engine), "-", "--status-fd=2"], tmp_path, text)
    running = [line for line in stopped.err.splitlines() if '"running"' in line]
    assert 50_000 < json.loads(running[0])["eta_ms"] < 70_000


GROUP = "--ioengine=null --name=a --size=64k --name=b --size=32k"


@pytest.mark.parametrize(
    ("options", "ios", "size"),
    [
        ("size=3k\nbs=1.5k", 2, 3072),
        ("size= 64k\nbs= 8 k", 8, 65536),
        ("size=4KiB\nbs=1KiB", 4, 4096),
        ("size=(4k*2)\nbs=(1k+1024)", 4, 8192),
    ],
)
def test_sizes_mean_what_they_say(
    engine: Path, tmp_path: Path, options: str, ios: int, size: int
) -> None:
    read = ours(engine, tmp_path, f"{NULL}{options}\n").document()["jobs"][0]["read"]
    assert (read["total_ios"], read["io_bytes"]) == (ios, size)


def test_an_overflow_is_an_error(engine: Path, fio: str, tmp_path: Path) -> None:
    text = f"{NULL}size=99999999p\nnumber_ios=3\n"
    assert run(fio, ["-", "--parse-only"], tmp_path, text).status == 0
    ran = run(engine, ["-", "--parse-only"], tmp_path, text)
    assert (ran.status, "stdin:3:6: size:" in ran.err) == (2, True)


TAKEN = {
    "percentiles": f"{NULL}size=64k\npercentile_list={':'.join(map(str, range(1, 22)))}\n",
    "shares": f"{NULL}size=64k\nflow=-8\n",
    "zones": f"{NULL}size=10z\n",
    "a depth": f"{NULL}size=64k\niodepth=-1\n",
    "a time": f"{NULL}size=64k\nruntime=-1\n",
    "words behind a section": f"[j] words\n{NULL.partition(']')[2]}size=64k\n",
    "a section": f"[]\n{NULL.partition(']')[2]}size=64k\n",
}


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
def test_what_has_no_meaning_is_an_error(engine: Path, fio: str, tmp_path: Path, text: str) -> None:
    assert run(fio, ["-", "--parse-only"], tmp_path, text).status == 0
    ran = run(engine, ["-", "--parse-only"], tmp_path, text)
    assert (ran.status, "stdin:" in ran.err) == (2, True)


def test_a_missing_folder_is_not_made(engine: Path, fio: str, tmp_path: Path) -> None:
    words = ["--name=j", "--filename=mount/f", "--size=16k", "--rw=write"]
    assert run(fio, words, tmp_path / "fio").status == 0
    ran = run(engine, words, tmp_path / "ours")
    assert (ran.status, list((tmp_path / "ours").iterdir())) == (1, [])
    assert "directory 'mount' does not exist" in ran.err


def test_options_of_a_group_are_those_of_its_name(engine: Path, fio: str, tmp_path: Path) -> None:
    words = ["--group_reporting", *GROUP.split(), "--output-format=json"]
    rows = [run(each, words, tmp_path).document(notes=True)["jobs"] for each in (engine, fio)]
    assert [[row["jobname"] for row in jobs] for jobs in rows] == [["a"], ["a"]]
    assert [jobs[0]["job options"]["size"] for jobs in rows] == ["64k", "32k"]


def test_a_section_names_its_own_file(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "[global]\nrw=write\nsize=64k\nfilename=t\n[a]\nfilename=own\n"
    for program, sizes in ((fio, {"t": 32, "own": 32}), (engine, {"own": 64})):
        folder = tmp_path / Path(program).name
        assert run(program, ["-"], folder, text).status == 0
        assert {each.name: each.stat().st_size >> 10 for each in folder.iterdir()} == sizes


def test_only_who_asks_is_reported_as_a_group(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "[global]\nioengine=null\nsize=64k\nnumjobs=2\n[r]\n[w]\ngroup_reporting\n"
    words = ["-", "--output-format=json"]
    rows = [run(each, words, tmp_path, text).document(notes=True)["jobs"] for each in (engine, fio)]
    assert [row["jobname"] for row in rows[0]] == ["r", "r", "w"]
    assert [row["jobname"] for row in rows[1] if row["groupid"] == 0] == ["r", "r"]


def test_a_group_is_sampled_as_a_whole(engine: Path, fio: str, tmp_path: Path) -> None:
    words = ["--ioengine=null", "--size=1g", "--rate_iops=300", "--time_based", "--runtime=1200ms"]
    words += ["--name=j", "--numjobs=4", "--group_reporting", "--output-format=json"]

    def measure(program: str | Path) -> dict[str, float]:
        document = run(program, words, tmp_path).document(notes=True)
        return dict(document["jobs"][0]["read"])

    fios, ours = measure(fio), measure(engine)
    assert fios["bw_samples"] >= 2 * ours["bw_samples"] > 0
    assert ours["bw_agg"] <= 100
    for program in (fio, engine):
        keeps(partial(measure, program), {"bw_mean": 4 * 300 * 4}, rel=0.2)


def test_a_seed_is_an_order(engine: Path, fio: str, tmp_path: Path) -> None:
    differ = []
    for program in (fio, engine):
        orders = []
        for seed in (1, 2):
            text = f"{NULL}rw=randread\nsize=1m\nwrite_iops_log=l\nlog_offset=1\nrandseed={seed}\n"
            assert run(program, ["-"], tmp_path, text).status == 0
            rows = (tmp_path / "l_iops.1.log").read_text().splitlines()
            orders.append([row.split(",")[4] for row in rows])
        differ.append(orders[0] != orders[1])
    assert differ == [False, True]


def test_a_wrong_value_names_its_place(engine: Path, fio: str, tmp_path: Path) -> None:
    text = f"{NULL}size=1m\ndirect=yes\n"
    assert "4" not in run(fio, ["-", "--parse-only"], tmp_path, text).err
    ran = run(engine, ["-", "--parse-only"], tmp_path, text)
    assert (ran.status, "stdin:4:8: direct: " in ran.err) == (2, True)


def test_repeated_options_leave_one_key(engine: Path, tmp_path: Path) -> None:
    ran = ours(engine, tmp_path, f"{NULL}size=1m\nbs=4k\nblocksize=8k\n")
    pairs: list[list[tuple[str, object]]] = []
    json.loads(ran.out, object_pairs_hook=pairs.append)
    for pair in pairs:
        names = [name for name, _ in pair]
        assert len(names) == len(set(names))
    assert ran.document()["jobs"][0]["job options"]["bs"] == "8k"


def test_an_unset_variable_is_an_error(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["-", "--parse-only"], tmp_path, f"{NULL}filename=${{NO_SUCH_DISK}}\n")
    assert ran.status == 2
    assert "stdin:3:10: filename: environment variable 'NO_SUCH_DISK' is not set" in ran.err


def test_depth_levels_add_up(engine: Path, tmp_path: Path) -> None:
    ran = ours(engine, tmp_path, "[j]\nrw=write\nsize=256k\nfsync=2\n")
    job = ran.document()["jobs"][0]
    assert sum(job["iodepth_level"].values()) == pytest.approx(100, abs=0.01)
    assert job["sync"]["total_ios"] > 20


def test_latencies_add_up(engine: Path, tmp_path: Path) -> None:
    ran = ours(engine, tmp_path, "[j]\nrw=randread\nsize=1m\nioengine=libaio\niodepth=8\n")
    read = ran.document()["jobs"][0]["read"]
    both = read["slat_ns"]["mean"] + read["clat_ns"]["mean"]
    assert read["lat_ns"]["mean"] == pytest.approx(both, abs=1)


def test_eta_of_a_finished_job_is_zero(engine: Path, tmp_path: Path) -> None:
    assert ours(engine, tmp_path, f"{NULL}size=1m\n").document()["jobs"][0]["eta"] == 0


def test_many_failed_jobs_still_fail(engine: Path, tmp_path: Path) -> None:
    """256 failures are no success."""
    text = "[j]\nrw=write\nsize=4k\nfilename=/dev/full\nthread\nnumjobs=256\n"
    assert ours(engine, tmp_path, text).status == 1


def test_synchronous_engines_say_that_depth_is_one(engine: Path, tmp_path: Path) -> None:
    ran = ours(engine, tmp_path, "[j]\nsize=64k\niodepth=8\n")
    (warning,) = ran.document()["iogate"]["warnings"]
    assert "iodepth=8, but ioengine psync is synchronous" in warning
    assert ran.document()["jobs"][0]["iodepth_level"]["1"] == 100


@needs_root
def test_what_is_in_use_is_not_written(engine: Path, tmp_path: Path) -> None:
    """Mounted, swap, or the image behind a loop device; and by a symlink, too."""
    with loop_device(tmp_path) as device:
        link = tmp_path / "link"
        link.symlink_to(device)
        image = next(tmp_path.glob("image-*"))
        with mounted(device, tmp_path / "mnt"):
            before = image.read_bytes()
            for path in (device, str(link), str(image)):
                text = f"[j]\nrw=write\nsize=1m\nfilename={path}\n"
                ran = ours(engine, tmp_path, text)
                assert ran.status == 3, path
                assert "must not be written" in ran.err
            assert image.read_bytes()[4096:65536] == before[4096:65536]
        with swapping(device):
            ran = ours(engine, tmp_path, f"[j]\nrw=write\nsize=1m\nfilename={device}\n")
            assert (ran.status, "swap" in ran.err) == (3, True)


@needs_root
def test_cpu_time_has_the_kernels_workers(engine: Path, tmp_path: Path) -> None:
    """The poller of sqthread_poll computes all the time: more than the job's thread alone."""
    job = "[j]\nioengine=io_uring\niodepth=4\nrw=randread\nsize=1m\ntime_based\nruntime=1\n"
    ran = ours(engine, tmp_path, f"{job}sqthread_poll\n")
    usage = ran.document()["jobs"][0]
    assert usage["usr_cpu"] + usage["sys_cpu"] > 20


def test_null_tells_submission_at_any_depth(engine: Path, tmp_path: Path) -> None:
    for depth in (1, 4):
        job = f"{NULL}rw=read\nsize=40k\niodepth={depth}\n"
        row = ours(engine, tmp_path, job).document()["jobs"][0]["read"]
        assert row["slat_ns"]["N"] == row["clat_ns"]["N"] == 10


def test_each_loop_is_looked_at(engine: Path, tmp_path: Path) -> None:
    job = "[j]\nfilename=f\nsize=64k\nrw=randwrite\nverify=crc32c\nloops=3\n"
    for way in ("experimental_verify=0", "experimental_verify=1"):
        row = ours(engine, tmp_path, f"{job}{way}\n").document()["jobs"][0]
        assert (row["read"]["total_ios"], row["write"]["total_ios"]) == (48, 48)
    again = f"{job}norandommap=1\nexperimental_verify=1\n"
    assert ours(engine, tmp_path, again).document()["jobs"][0]["error"] == 0


def test_a_profile_in_a_job_file_is_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    for name in ("act", "tiobench", "of nobody"):
        job = f"[j]\nioengine=null\nsize=64k\nprofile={name}\n"
        for program in (engine, fio):
            ran = run(program, ["--output-format=json", "-"], tmp_path, job)
            assert ran.document()["jobs"][0]["read"]["total_ios"] == 16


NOT_YET = DOCUMENT.read_text().partition("## What is not there yet")[2]
VALUES = {
    "ioengine=nbd": "ioengine: there is no engine 'nbd'",
}


@pytest.mark.parametrize(("setting", "says"), VALUES.items(), ids=VALUES.keys())
def test_a_value_that_fio_has_is_told(
    engine: Path, tmp_path: Path, setting: str, says: str
) -> None:
    ran = ours(engine, tmp_path, f"[j]\nsize=1m\n{setting}\n")
    assert ran.status == 2
    assert f"stdin:3:{len(setting.partition('=')[0]) + 2}: {says}" in ran.err


def test_an_option_that_fio_has_is_told(engine: Path, fio: str, tmp_path: Path) -> None:
    """Every option that the document says is not there yet; and fio knows it by that name."""
    rows = [
        line
        for line in NOT_YET.splitlines()
        if line.endswith("`test_an_option_that_fio_has_is_told` |")
    ]
    names = [name for row in rows for name in re.findall(r"`([\w-]+)`", row.rsplit("|", 2)[0])]
    assert names
    for name in names:
        ran = ours(engine, tmp_path, f"[j]\n{name}=1\n")
        assert ran.status == 2
        assert f"stdin:2:1: {name}: fio has it, iogate-engine does not" in ran.err
        known = run(fio, [f"--cmdhelp={name}"], tmp_path)
        assert not re.search("No such command|closest match", known.out + known.err), name
