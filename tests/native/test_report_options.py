"""How results are reported: directions together, units, figures and samples, as fio's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.differential import differences, outcome_of
from support.engine_runs import paths, run

MIXED = "rw=randrw size=1m filename=f rate_iops=100k"


def _text(options: str) -> str:
    return "[j]\n" + "\n".join(options.split()) + "\n"


@pytest.mark.parametrize("how", ["mixed", "1", "both", "2", "none", "0"])
def test_directions_are_reported_together(engine: Path, fio: str, tmp_path: Path, how: str) -> None:
    text = _text(f"{MIXED} unified_rw_reporting={how}")
    reference, ours = (
        run(program, ["--output-format=json", "-"], tmp_path, text) for program in (fio, engine)
    )
    expected, got = (ran.document(notes=True)["jobs"][0] for ran in (reference, ours))
    assert set(paths(expected)) - set(paths(got)) == set()
    for key in ("read", "write", "trim", "sync", "mixed"):
        assert (key in got) == (key in expected), key
    if "mixed" in got:
        for field in ("io_bytes", "total_ios"):
            assert got["mixed"][field] == expected["mixed"][field]
        for kind in ("clat_ns", "lat_ns"):
            assert got["mixed"][kind]["N"] == 256
            assert got["mixed"][kind]["min"] <= got["mixed"][kind]["mean"]


def _sums_up(job: dict[str, dict[str, float]]) -> bool:
    return job["mixed"]["io_bytes"] == sum(job[each]["io_bytes"] for each in ("read", "write"))


def test_both_sums_up(engine: Path, tmp_path: Path) -> None:
    (job,) = outcome_of(engine, _text(f"{MIXED} unified_rw_reporting=both"), tmp_path).jobs
    assert _sums_up(job)


@pytest.mark.parametrize("how", ["mixed", "both", "none"])
def test_what_was_issued_is_told_together(engine: Path, fio: str, tmp_path: Path, how: str) -> None:
    text = _text(f"rw=rw size=256k bs=4k filename=f fsync=10 unified_rw_reporting={how}")
    printed = [run(program, ["-"], tmp_path, text).out for program in (fio, engine)]
    theirs, ours = (re.findall(r"issued rwts: total=([\d,]+),\d+ (.*)", out) for out in printed)
    assert theirs
    if how == "mixed":
        assert ours == theirs
    else:
        # How many of the 64 are reads, the seed says.
        assert sum(map(int, ours[0][0].split(","))) == 64


RATE = re.compile(r"(?:BW|bw)=[\d.]+(\w+/s) \([\d.]+(\w+/s)\)")


@pytest.mark.parametrize(
    "options",
    ["kb_base=1000", "kb_base=1024", "unit_base=1", "unit_base=8", "unit_base=0",
     "kb_base=1000 unit_base=1", "unified_rw_reporting=mixed", "unified_rw_reporting=both"],
)  # fmt: skip
def test_units_are_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    """A rate of 400 KiB/s: the letter of its unit, which hangs on the speed, is left out."""
    text = _text(f"ioengine=null rw=rw size=40k rate_iops=100 {options}")
    printed = [run(program, ["-"], tmp_path, text).out for program in (fio, engine)]
    rates = [[tuple(unit[1:] for unit in match) for match in RATE.findall(out)] for out in printed]
    assert rates[0]
    assert set(rates[1]) == set(rates[0])
    groups = [re.findall(r"^ *(READ|WRITE|MIXED): ", out, re.MULTILINE) for out in printed]
    assert set(groups[0]) <= set(groups[1])


def test_figures(engine: Path, tmp_path: Path) -> None:
    digits = {}
    for figures in (2, 4, 9):
        text = _text(f"ioengine=null size=1g significant_figures={figures}")
        out = run(engine, ["-"], tmp_path, text).out
        found = re.search(r"IOPS=([\d.]+)", out)
        assert found
        digits[figures] = len(found[1].replace(".", ""))
    assert digits[2] <= 2 < digits[4] <= 4 < digits[9] <= 9
    for wrong in (0, 11):
        text = _text(f"ioengine=null size=1m significant_figures={wrong}")
        assert run(engine, ["-"], tmp_path, text).status == 2


def test_samples_are_as_long_as_asked_for(engine: Path, fio: str, tmp_path: Path) -> None:
    job = "ioengine=null size=1m rate_iops=1000 time_based runtime=1050ms"
    text = _text(f"{job} bwavgtime=100 iopsavgtime=250")
    for program in (fio, engine):
        read = outcome_of(program, text, tmp_path).jobs[0]["read"]
        assert read["iops_samples"] < read["bw_samples"] <= 11  # 250 ms, 100 ms: later when busy
    logged = _text(f"{job} write_bw_log=l log_avg_msec=100")
    read = outcome_of(engine, logged, tmp_path).jobs[0]["read"]
    assert read["bw_samples"] > 3 > read["iops_samples"] > 0  # 100 ms, 500 ms


EACH_IO = {
    "bandwidth": "rw=write write_bw_log=l",
    "IOPS": "rw=write write_iops_log=l",
    "both": "rw=write write_bw_log=l write_iops_log=l",
    "averages": "rw=write write_bw_log=l log_avg_msec=10000",
    "not measured": "rw=write write_bw_log=l disable_bw_measurement=1",
    "a group": "rw=write write_bw_log=l write_iops_log=l numjobs=2 group_reporting",
    "threads": "rw=read write_bw_log=l write_iops_log=l thread",
    "together": "rw=rw write_bw_log=l write_iops_log=l unified_rw_reporting=both",
    "beside each other": "rw=rw write_bw_log=l write_iops_log=l",
}


@pytest.mark.parametrize("options", EACH_IO.values(), ids=EACH_IO.keys())
def test_each_logged_io_is_a_sample(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    text = _text(f"size=256k bs=4k bwavgtime=100000 iopsavgtime=100000 {options}")
    told = []
    for program in (fio, engine):
        printed = run(program, ["-"], tmp_path, text).out
        sides = outcome_of(program, text, tmp_path).jobs[0]
        samples = [
            {field: sides[side][field] for field in ("bw_samples", "iops_samples", "iops_max")}
            for side in ("write", "mixed")
            if side in sides and ("rw=rw" not in options or side == "mixed")
        ]
        told.append((re.findall(r"^ +(?:bw|iops) ", printed, re.MULTILINE), samples))
    assert told[0] == told[1]


def test_samples_of_each_logged_io_are_those_of_the_log(engine: Path, tmp_path: Path) -> None:
    text = _text("rw=write size=256k bs=4k write_bw_log=l")
    write = outcome_of(engine, text, tmp_path).jobs[0]["write"]
    (log,) = tmp_path.rglob("l_bw.1.log")
    values = [int(row.split(", ")[1]) for row in log.read_text().splitlines()]
    assert (write["bw_min"], write["bw_max"]) == (min(values), max(values))
    assert write["bw_mean"] == pytest.approx(sum(values) / 64)
    assert write["bw_samples"] == 64


@pytest.mark.parametrize(
    "options",
    ["kb_base=1000 size=40k bs=1k", "kb_base=1000 size=1m bs=5k,1k rw=rw rwmixread=100",
     "kb_base=1000 size=64k bssplit=1k/50:2k/50 norandommap rw=write",
     "kb_base=1024 size=40k", "size=40k kb_base=1000 bs=1k"],
)  # fmt: skip
def test_k_is_as_much_as_asked_for(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    text = _text(f"filename=f {options}")
    outcomes = [outcome_of(p, text, tmp_path / Path(p).name) for p in (fio, engine)]
    if "bssplit" in options:
        assert outcomes[0].left == outcomes[1].left
    else:
        assert list(differences(*outcomes)) == []


def test_a_base_is_that_of_its_section(engine: Path, tmp_path: Path) -> None:
    """On the command line, too; there fio reads what stands before it otherwise."""
    words = ["--name=j", "--ioengine=null", "--size=40k", "--bs=1k", "--kb_base=1000"]
    ran = run(engine, [*words, "--name=k", "--size=40KiB", "--output-format=json"], tmp_path)
    assert ran.document()["jobs"][0]["read"]["io_bytes"] == 40000
    text = "[a]\nioengine=null\nsize=40k\n[b]\nkb_base=1000\nioengine=null\nsize=40k\nbs=1k\n"
    jobs = outcome_of(engine, text, tmp_path).jobs
    assert [job["read"]["io_bytes"] for job in jobs] == [40960, 40000]
    assert outcome_of(engine, _text("kb_base=999 size=1m"), tmp_path).ran.status == 2


@pytest.mark.parametrize("base", [1000, 1024])
@pytest.mark.parametrize(
    "sizes",
    [
        "bs=4k", "bs=10000", "bs=4k,8k,16k", "bssplit=4k/50:16k/50,8k/100", "bsrange=1k-3000",
        "bsrange=1k-4k,2k-8k", "bs=4k significant_figures=2", "bs=12345 significant_figures=7",
    ],
)  # fmt: skip
def test_a_jobs_line_is_fios(engine: Path, fio: str, tmp_path: Path, base: int, sizes: str) -> None:
    text = _text(f"kb_base={base} ioengine=null size=1m {sizes}")
    lines = [run(program, ["-"], tmp_path, text).out.splitlines() for program in (engine, fio)]
    said = [[line for line in each if line.startswith("j: (g=0)")] for each in lines]
    assert said[0] == said[1]


@pytest.mark.parametrize(
    "option",
    ["bssplit=4k/50:16k/50", "random_distribution=zoned_abs:100/64k", "random_distribution=zipf"],
)
def test_k_is_as_much_within_a_list(engine: Path, fio: str, tmp_path: Path, option: str) -> None:
    """Blocks of 4000 and 16000 bytes; and none past 64000."""
    kinds = []
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        folder.mkdir()
        job = f"kb_base=1000 ioengine=null rw=randread norandommap=1 size=1m {option}"
        text = _text(f"{job} number_ios=4000 write_lat_log=l log_offset=1")
        assert run(program, ["-"], folder, text).status == 0
        rows = (folder / "l_lat.1.log").read_text().splitlines()
        cells = [[int(cell) for cell in row.split(", ")[3:5]] for row in rows]
        kinds.append(({size for size, _ in cells}, max(at for _, at in cells) // 1000))
    assert kinds[0][0] == kinds[1][0]
    if "zoned" in option:
        assert {at for _, at in kinds} == {57}


def test_a_group_is_of_those_with_stats(engine: Path, fio: str, tmp_path: Path) -> None:
    """What the others moved is in no sum: neither of their group, nor of a group of their own."""
    quiet = "[q]\nioengine=null\nsize=64k\nstats=0\n"
    for text, moved in ((quiet, []), (f"{quiet}[b]\nioengine=null\nsize=192k\n", ["192KiB"])):
        for program in (engine, fio):
            ran = run(program, ["-"], tmp_path, text)
            sums = [line for line in ran.out.splitlines() if line.startswith("   READ: ")]
            assert [line.partition(" io=")[2].partition(" ")[0] for line in sums] == moved
