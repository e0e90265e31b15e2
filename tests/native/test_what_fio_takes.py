"""What fio takes in another way, or not at all: values without a meaning, names and links, and
what its later versions have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.engine_runs import run

BASE = ["--name=a", "--size=64k"]
REFUSED = [
    *("--nrfiles=0", "--size=100k --nrfiles=30", "--offset=200%", "--bs=4k:8k", "--bs=4k-64k"),
    *("--bs=4k,8k,16k,32k", "--iodepth=1.5", "--randseed=-1", "--fsync=-1", "--log_avg_msec=-1"),
    *("--offset=-4k", "--startdelay=1,2", "--size=1m,2m", "--io_size=32k,64k", "--numjobs=2,3"),
    *("--latency_percentile=99,99", "--cpus_allowed=0:1", "--log_hist_coarseness=7"),
    *("--runtime=00:00:01", "--zoneskip=5% --zonesize=4k"),
]


@pytest.mark.parametrize("options", REFUSED)
def test_a_value_without_a_meaning_is_an_error(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, [*BASE, "--ioengine=null", *options.split()], tmp_path)
    assert ran.status == 2
    assert ran.err.startswith("iogate-engine: command line: ")
    assert ran.out == ""


@pytest.mark.parametrize("name", ["./x", ".x", "deep/.x"])
def test_every_name_is_below_its_directory(engine: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "d" / "deep").mkdir(parents=True)
    words = ["--rw=write", "--directory=d", f"--filename={name}"]
    assert run(engine, [*BASE, *words], tmp_path).status == 0
    assert (tmp_path / "d" / name).stat().st_size == 65536


def test_a_link_is_followed_however_large_what_it_leads_to_is(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "short").write_text("hi\n")
    for target in ("short", "none"):
        (tmp_path / "a.0.0").symlink_to(target)
        assert run(engine, [*BASE, "--rw=write"], tmp_path).status == 0
        assert (tmp_path / target).stat().st_size == 65536
        (tmp_path / "a.0.0").unlink()


@pytest.mark.parametrize("files", ["--opendir=d", "--filename=d/x:d/y:d/z"])
def test_files_that_are_named_are_all_used(engine: Path, tmp_path: Path, files: str) -> None:
    (tmp_path / "d").mkdir()
    for name in "xyz":
        (tmp_path / "d" / name).write_bytes(bytes(8192))
    for options in ([files, "--nrfiles=2"], ["--nrfiles=2", files]):
        words = ["--name=a", "--size=24k", "--rw=read", *options, "--output-format=json"]
        ran = run(engine, words, tmp_path)
        assert ran.document(notes=True)["jobs"][0]["read"]["io_bytes"] == 24576


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ("--thinktime=300ms --thinktime_iotime=100ms --rate_iops=100 --runtime=2", 185),
        ("--thinktime=20ms --thinktime_blocks=4 --rate_iops=100 --rate_ignore_thinktime=1", 75),
    ],
)
def test_a_pause_costs_what_it_takes(engine: Path, tmp_path: Path, options: str, most: int) -> None:
    """A machine that is late does fewer."""
    words = ["--ioengine=null", "--runtime=1", "--time_based", *options.split()]
    ran = run(engine, [*BASE, *words, "--output-format=json"], tmp_path)
    assert 0 < ran.document(notes=True)["jobs"][0]["read"]["total_ios"] < most


def test_a_line_of_a_log_that_is_none_is_told(engine: Path, tmp_path: Path) -> None:
    log = "fio version 2 iolog\nf add\nf open\n{}\nf write 0 4096\nf close\n"
    for line, status in (("f foo 0 4096", 1), ("badline here", 1), ("f sync", 0)):
        (tmp_path / "log").write_text(log.format(line))
        ran = run(engine, ["--name=a", "--read_iolog=log"], tmp_path)
        assert (ran.status, "log:4" in ran.err) == (status, bool(status)), ran.err
    assert "total=0,1,0,1 " in ran.out


def test_a_log_of_paths_has_no_directory_before_them(engine: Path, tmp_path: Path) -> None:
    """It would be left, and files elsewhere written."""
    (tmp_path / "d").mkdir()
    log = "fio version 2 iolog\n{0} add\n{0} open\n{0} write 0 4096\n{0} close\n"
    (tmp_path / "log").write_text(log.format("f"))
    words = ["--name=a", "--read_iolog=log", "--directory=d"]
    ran = run(engine, words, tmp_path)
    assert (ran.status, "directory= is not put before it" in ran.err) == (1, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["d", "log"]
    assert run(engine, [*words, "--replay_redirect=d/g"], tmp_path).status == 0
    assert (tmp_path / "d" / "g").stat().st_size == 4096
    (tmp_path / "log").write_text(log.format(tmp_path / "h"))
    assert run(engine, words, tmp_path).status == 0
    assert (tmp_path / "h").stat().st_size == 4096


def test_zones_of_a_distribution_end_with_the_file(engine: Path, tmp_path: Path) -> None:
    words = ["--rw=randread", "--random_distribution=zoned_abs:95/4m:5/4m", "--write_lat_log=l"]
    assert run(engine, [*BASE, *words, "--log_offset=1"], tmp_path).status == 0
    rows = (tmp_path / "l_lat.1.log").read_text().splitlines()
    assert len(rows) == 16
    assert all(int(row.split(",")[4]) < 65536 for row in rows)


NEWER = [
    *("steadystate=lat:5%", "verify=pattern_hdr verify_pattern=1", "log_window_value=both"),
    *(
        "log_issue_time=1 log_offset=1 write_lat_log=l",
        "verify_header_seed=0",
        "job_start_clock_id=1",
    ),
]


@pytest.mark.parametrize("options", NEWER)
def test_what_newer_documentation_has_is_taken(engine: Path, tmp_path: Path, options: str) -> None:
    text = "[a]\nrw=write\nsize=64k\n" + "\n".join(options.split())
    ran = run(engine, ["-", "--parse-only"], tmp_path, text)
    assert (ran.status, ran.err) == (0, "")


def test_a_file_of_zones_is_made_where_it_is_not_there(engine: Path, tmp_path: Path) -> None:
    words = ["--rw=write", "--zonemode=zbd", "--zonesize=16k"]
    assert run(engine, [*BASE, *words], tmp_path).status == 0
    assert (tmp_path / "a.0.0").stat().st_size == 65536


def test_what_is_empty_is_there_in_a_document(engine: Path, tmp_path: Path) -> None:
    text = "[b]\nioengine=null\nsize=4k\ndisk_util=0\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, text)
    document = ran.document(notes=True)
    assert document["global options"] == {}
    assert document["disk_util"] == []
    assert "job_start" in document["jobs"][0]


@pytest.mark.parametrize("written", ["$ncpus*2", "(1+1)*2"])
def test_a_job_option_is_as_it_was_written(engine: Path, tmp_path: Path, written: str) -> None:
    text = f"[a]\nioengine=null\nsize=4k\nnumjobs=({written})\ngroup_reporting\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, text)
    assert "*2" in ran.document(notes=True)["jobs"][0]["job options"]["numjobs"]


def test_what_is_refused_has_no_document(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, ["--name=a", "--rw=write", "--output-format=json"], tmp_path)
    assert ran.status == 1
    assert "you need to specify size=" in ran.err
    assert ran.out == ""


def test_the_name_of_a_section_has_no_blanks_around_it(engine: Path, tmp_path: Path) -> None:
    text = "[ a b ]\nioengine=null\nsize=4k\n"
    ran = run(engine, ["-", "--output-format=json"], tmp_path, text)
    assert ran.document(notes=True)["jobs"][0]["jobname"] == "a b"


def test_a_job_that_lays_out_alone_has_its_block(engine: Path, tmp_path: Path) -> None:
    words = ["--rw=write", "--create_only=1"]
    assert "a: (groupid=0, jobs=1)" in run(engine, [*BASE, *words], tmp_path).out
    text = run(engine, [*BASE, *words, "--output-format=json"], tmp_path).out
    assert json.loads(text[text.index("{") :])["jobs"][0]["write"]["total_ios"] == 0


@pytest.mark.parametrize(
    ("percents", "names"),
    [
        ("50:99", ["50th", "99th"]),
        ("50:99.9", ["50.0th", "99.9th"]),
        ("1:50.55:99.999", [" 1.000th", "50.550th", "99.999th"]),
    ],
)
def test_percentiles_have_the_decimals_that_they_need(
    engine: Path, fio: str, tmp_path: Path, percents: str, names: list[str]
) -> None:
    for program in (fio, engine):
        words = ["--ioengine=null", f"--percentile_list={percents}"]
        (line,) = [
            each
            for each in run(program, [*BASE, *words], tmp_path).out.splitlines()
            if "th=[" in each
        ]
        assert [f"{name}=[" in line for name in names] == [True] * len(names), line


def test_a_target_without_a_window_judges_each_io(engine: Path, fio: str, tmp_path: Path) -> None:
    for program in (fio, engine):
        for target, error in (("1us", 110), ("10s", 0)):
            words = ["--rw=write", "--size=1m", f"--latency_target={target}"]
            ran = run(program, [*BASE, *words, "--output-format=json"], tmp_path)
            (job,) = json.loads(ran.out[ran.out.index("{\n") :])["jobs"]
            assert (job["error"], job["write"]["total_ios"] < 9) == (error, True)


def test_a_zone_is_a_unit_of_what_is_skipped(engine: Path, fio: str, tmp_path: Path) -> None:
    words = ["--rw=write", "--size=256k", "--io_size=64k", "--zonemode=strided", "--zonesize=16k"]
    for program in (fio, engine):
        logged = []
        for skip in ("32k", "2z"):
            more = [f"--zoneskip={skip}", "--write_lat_log=l", "--log_offset=1", "--filename=f"]
            assert run(program, ["--name=a", *words, *more], tmp_path).status == 0
            rows = (tmp_path / "l_lat.1.log").read_text().splitlines()
            logged.append([int(row.split(",")[4]) for row in rows])
        assert logged[0] == logged[1]
        assert 48 << 10 in logged[0]


SMALL_VALUES = {
    "--filesize=0": (65536, "filesize: min value out of range"),
    "--verify=md5 --verify_offset=0": (65536, "verify_offset: min value out of range"),
    "--bs=4e3 --size=1e5": (100_000, "size too small"),
}


@pytest.mark.parametrize("options", SMALL_VALUES)
def test_a_value_that_has_a_meaning_is_taken(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    moved, says = SMALL_VALUES[options]
    words = [*BASE, "--rw=write", *options.split(), "--output-format=json"]
    job = run(engine, words, tmp_path).document()["jobs"][0]
    assert job["write"]["io_bytes"] == moved
    theirs = run(fio, words, tmp_path)
    assert (theirs.status, says in theirs.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--ioengine=cpuio --cpuload=200 --runtime=10ms", "a percentage goes from 0 to 100"),
        ("--ioengine=libaio:x", "there is no engine 'libaio:x'"),
        ("--eta=foo", "'foo' is not one of auto, always, never"),
        ("--max-jobs=x", "'x' is no number"),
        ("--alloc-size=", "'' is no number"),
    ],
)
def test_a_value_that_has_none_is_an_error(
    engine: Path, fio: str, tmp_path: Path, options: str, says: str
) -> None:
    words = [*options.split(), *BASE] if "--m" in options or "--eta" in options else []
    words = words or [*BASE, *options.split()]
    ran = run(engine, words, tmp_path)
    assert (ran.status, ran.out, says in ran.err) == (2, "", True)
    if "alloc" not in options:
        assert run(fio, words, tmp_path).status == 0
