"""What others wrote for fio runs our engine under that name, unchanged, and reads what it writes.

bench-fio, fio-plot, cdm and auto-fio are from PyPI (requirements-programs.lock), the others from
Debian's package of fio.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.programs import Ground, ground

MIB = 1 << 20
DEPTHS = ("1", "4")
LOG_MS = 100


@pytest.fixture
def place(engine: Path, tmp_path: Path) -> Ground:
    return ground(engine, tmp_path)


@pytest.fixture
def image(place: Ground) -> Iterator[Path]:
    """A file to measure, of a name of its own: bench-fio keeps its job file in /tmp under it."""
    path = place.folder / f"image-{place.folder.parent.name}"
    path.write_bytes(bytes(4 * MIB))
    yield path
    Path(f"/tmp/{path.name}-tmpjobfile.fio").unlink(missing_ok=True)


def bench(place: Ground, image: Path, *options: str) -> str:
    return place.succeed(
        place.of_pypi("bench-fio"),
        *("--target", image.name, "--type", "file", "--size", "4m", "--output", "out"),
        *("--iodepth", *DEPTHS, "--numjobs", "1", "--runtime", "1", "--quiet", *options),
    )


def documents(place: Ground) -> dict[str, dict[str, Any]]:
    return {
        path.name: json.loads(path.read_text()) for path in place.folder.glob("out/*/**/*.json")
    }


def is_drawing(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG\r\n") and path.stat().st_size > 10_000


def draw(place: Ground, results: Path, name: str, *options: str) -> Path:
    """A chart of fio-plot."""
    place.succeed(
        place.of_pypi("fio-plot"),
        *("-i", str(results), "-T", "title", "-s", "us", "-o", name, *options),
    )
    return place.folder / name


def test_bench_fio_measures_and_fio_plot_draws(place: Ground, image: Path) -> None:
    bench(place, image, "--mode", "randread", "--time-based", "--loginterval", str(LOG_MS))
    made = documents(place)
    assert sorted(made) == [f"randread-{depth}-1.json" for depth in DEPTHS]
    for depth in DEPTHS:
        document = made[f"randread-{depth}-1.json"]
        (job,) = document["jobs"]
        assert document["iogate"], "another engine ran"
        assert document["fio version"] == "fio-3.33"
        assert (job["job options"]["iodepth"], job["read"]["total_ios"] > 0) == (depth, True)
    results = place.folder / "out" / image.name / "4k"
    for log in ("bw", "iops", "lat", "slat", "clat"):
        assert (results / f"randread-iodepth-4-numjobs-1_{log}.1.log").stat().st_size
    both = ("-d", *DEPTHS, "-n", "1", "-r", "randread")
    assert is_drawing(draw(place, results, "bars.png", "-l", *both))
    assert is_drawing(draw(place, results, "cube.png", "-L", "-r", "randread", "-t", "iops"))
    assert is_drawing(draw(place, results, "histogram.png", "-H", "-d4", "-n1", "-rrandread"))
    assert is_drawing(
        draw(place, results, "logs.png", "-g", *both, "-t", "iops", "lat", "-f", "read")
    )


def test_bench_fio_writes_percentages_twice_escaped(place: Ground, image: Path) -> None:
    """Its job files have "%%": of the size of a preconditioning, and of a steady state."""
    steady = ("--ss", "iops:50%", "--ss-dur", "1", "--ss-ramp", "1")
    bench(
        place,
        image,
        "--mode",
        "randread",
        "--precondition",
        "--destructive",
        "--time-based",
        *steady,
    )
    made = documents(place)
    (written,) = made.pop("write-64-1.json")["jobs"]
    assert written["write"]["io_bytes"] == 2 * 4 * MIB, "100%% of the file, in two loops"
    assert len(made) == len(DEPTHS)
    for document in made.values():
        (job,) = document["jobs"]
        assert job["steadystate"]["ss"].startswith("iops:50")


def test_bench_fio_asks_which_fio_it_is(engine: Path, place: Ground, image: Path) -> None:
    """It would not run an engine that says its own name alone: so the tests above mean much."""
    fio = place.folder.parent / "bin" / "fio"
    fio.unlink()
    fio.write_text(f'#!/bin/sh\nexec {engine} "$@"\n')
    fio.chmod(0o755)
    done = place.run(
        place.of_pypi("bench-fio"),
        *("--target", image.name, "--type", "file", "--size", "4m", "--output", "out", "--quiet"),
    )
    assert done.returncode == 1
    assert "Could not detect Fio version" in done.stdout


def test_cdm_prints_its_table(place: Ground) -> None:
    """Sequential and random, reads, writes and a mix, four at a time in two jobs."""
    said = place.succeed(
        place.of_pypi("cdm"), *("-n", "1", "-s", "4m", "-x", "70", "-a", "rnd,4,2", ".")
    )
    rows = {
        name.strip(): [float(value) for value in values.split("|")]
        for name, values in re.findall(r"^\|([A-Z.][^|]*)\|([\s\d.|]+)\|$", said, re.MULTILINE)
    }
    assert list(rows) == ["RND4K Q4 T2", ". IOPS", ". latency us"], said
    assert all(value > 0 for values in rows.values() for value in values)
    assert all(len(values) == 3 for values in rows.values())
    for bandwidth, ios in zip(rows["RND4K Q4 T2"][:2], rows[". IOPS"][:2], strict=True):
        assert ios * 4096 / 1e6 == pytest.approx(bandwidth, rel=0.05)
    assert not list(place.folder.iterdir()), "it deletes what it measured"


def test_auto_fio_advises(place: Ground) -> None:
    said = place.succeed(
        place.of_pypi("auto-fio"), "--backend", "fio", "--json", "--file-size", str(4 * MIB), "."
    )
    advice = json.loads(said)
    sizes = [sample["block_size"] for sample in advice["samples"]]
    assert sizes == [MIB // 2, MIB, 2 * MIB, 4 * MIB]
    assert advice["optimal_block_size"] in sizes
    assert all(sample["throughput_mbps"] > 0 for sample in advice["samples"])


def measured(place: Ground, *options: str) -> dict[str, Any]:
    """A second of ours at a thousand I/Os a second, its result in result.json: its first job."""
    place.succeed(
        "fio",
        *("--name=job", "--ioengine=null", "--rw=randrw", "--size=4m", "--time_based"),
        *("--runtime=2", "--rate_iops=500", "--output-format=json+", "--output=result.json"),
        *options,
    )
    document = json.loads((place.folder / "result.json").read_text())
    first: dict[str, Any] = document["jobs"][0]
    return first


def test_latencies_become_a_table(place: Ground) -> None:
    job = measured(place)
    place.succeed(place.of_debian("fio_jsonplus_clat2csv"), "result.json", "table.csv")
    with (place.folder / "table_job0.csv").open() as stream:
        rows = list(csv.DictReader(stream, skipinitialspace=True))
    for direction in ("read", "write"):
        counts = [int(row[f"{direction}_clat_ns_count"] or 0) for row in rows]
        assert sum(counts) == job[direction]["total_ios"]


def test_logs_become_plots(place: Ground) -> None:
    measured(place, "--write_bw_log=log", f"--log_avg_msec={LOG_MS}")
    place.succeed(place.of_debian("fio2gnuplot"), "-b", "-p", "log_bw*.log", "-o", "plot")
    (average,) = place.folder.glob("*.average")
    assert re.search(r"^0 \d+", average.read_text(), re.MULTILINE)


def test_histograms_become_percentiles(place: Ground) -> None:
    job = measured(place, "--write_hist_log=log", "--log_hist_msec=500")
    script = place.script_of_debian("fio-histo-log-pctiles.py")
    said = place.succeed(*script, "log_clat_hist.1.log", "--time-quantum", "1")
    samples = [int(row.split(",")[1]) for row in re.findall(r"^ +\d+,.*", said, re.MULTILINE)]
    total = job["read"]["total_ios"] + job["write"]["total_ios"]
    assert sum(samples) == pytest.approx(total, rel=0.02)


def test_states_of_verification_are_shown(place: Ground) -> None:
    place.succeed(
        "fio",
        *("--name=v", "--rw=randwrite", "--size=1m", "--io_size=256k", "--verify=crc32c"),
        *("--verify_state_save=1", "--do_verify=0", "--output=result.txt"),
    )
    said = place.succeed(place.of_debian("fio-verify-state"), "local-v-0-verify.state")
    fields = dict(re.findall(r"^([\w ]+):\t+(\S+)$", said, re.MULTILINE))
    assert (fields["Name"], fields["Number IOs"], fields["Version"]) == ("v", "64", "0x3")


def test_duplicates_are_counted(place: Ground) -> None:
    place.succeed(
        "fio",
        *("--name=d", "--rw=write", "--size=8m", "--dedupe_percentage=50", "--filename=data"),
        "--output=result.txt",
    )
    done = place.run(place.of_debian("fio-dedupe"), "-p", "0", "data")
    found = re.search(r"dedupe_percentage=(\d+)", done.stdout)
    assert found, done.stdout
    assert 40 <= int(found[1]) <= 60


def test_a_generated_job_file_runs(place: Ground, image: Path) -> None:
    """genfio writes a ramp of five seconds into it: the test takes as long."""
    options = ("-d", str(image), "-b", "4k", "-m", "write", "-r", "1", "-z", "1m", "-x", "my-")
    assert place.run(place.of_debian("genfio"), *options).returncode == 0
    (job_file,) = place.folder.glob("my-*.fio")
    place.succeed("fio", job_file.name, "--output-format=json", "--output=result.json")
    document = json.loads((place.folder / "result.json").read_text())
    assert document["jobs"][0]["write"]["total_ios"] > 0
    assert list(place.folder.glob("my-*.results_bw.*log"))
