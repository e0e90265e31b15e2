"""What the system's fio measured, imported, is one series with what a spec would measure."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Iogate

pytestmark = pytest.mark.skipif(not shutil.which("fio"), reason="fio is not installed")

SPEC = """\
version: 1
name: nightly
targets:
  disk: {{ directory: {folder} }}
workloads:
  mix:
    target: disk
    jobs:
      reader: {{ rw: randread, bs: 4k, size: 4m, runtime: 1s, time_based: true }}
      writer: {{ rw: write, bs: 64k, size: 4m, numjobs: 2, end_fsync: 1 }}
"""


@pytest.fixture
def spec(iogate: Iogate) -> Path:
    (iogate.folder / "disk").mkdir()
    path = iogate.folder / "nightly.yaml"
    path.write_text(SPEC.format(folder=iogate.folder / "disk"))
    return path


def fio(folder: Path, job: str, *options: str) -> str:
    """What fio prints on the job file."""
    (folder / "job.fio").write_text(job)
    done = subprocess.run(
        ["fio", "job.fio", *options], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("form", ["json", "json+"])
def test_json_has_the_case_id_of_the_spec(iogate: Iogate, spec: Path, form: str) -> None:
    job = iogate("compile", str(spec)).out
    text = fio(iogate.folder, job, f"--output-format={form}", "--eta=always", "--status-interval=1")
    (iogate.folder / "old.json").write_text(f"some log\n{text}\nthe end\n")
    done = iogate("history", "import", "fio", "old.json")
    assert done.code == 0, done.text
    assert "1 result in 1 file" in done.err
    (run,) = json.loads(iogate("history", "list", "--json").out)
    shown = json.loads(iogate("history", "show", run["run"], "--json").out)
    plan = json.loads(iogate("compile", str(spec), "--json").out)
    (case,) = plan["cases"]
    assert shown["plan"]["cases"][0]["id"] == case["id"]
    rows = shown["measurements"][0]["jobs"]
    assert [row["name"] for row in rows] == ["reader", "writer", "writer"]


def test_text_and_json_of_one_run_say_the_same(iogate: Iogate, spec: Path) -> None:
    job = iogate("compile", str(spec)).out
    text = fio(iogate.folder, job, "--output-format=normal,json")
    start, end = text.index("{\n"), text.index("\n}\n") + 3
    parts = {"people.txt": text[:start] + text[end:], "machine.json": text[start:end]}
    for name, part in parts.items():
        (iogate.folder / name).write_text(part)
        assert iogate("history", "import", "fio", name).code == 0
    runs = [run["run"] for run in json.loads(iogate("history", "list", "--json").out)]
    assert len(runs) == 2
    of = {}
    for run in runs:
        shown = json.loads(iogate("history", "show", run, "--json").out)
        of[shown["environment"]["origin.form"]] = shown["measurements"][0]["jobs"]
    for people, machine in zip(of["fio output"], of["fio json"], strict=True):
        assert people["name"] == machine["name"]
        for direction, exact in machine["directions"].items():
            told = people["directions"][direction]
            assert told["total_ios"] == exact["total_ios"]
            assert told["io_bytes"] == exact["io_bytes"]
            assert told["iops"] == pytest.approx(exact["iops"], rel=0.01)
            assert told["clat"]["mean_ns"] == pytest.approx(exact["clat"]["mean_ns"], rel=0.01)
            for percent, value in exact["clat"]["percentiles"].items():
                unit = 1000 if exact["clat"]["mean_ns"] > 2000 else 1
                assert told["clat"]["percentiles"][percent] == pytest.approx(
                    value, rel=0.02, abs=1000 * unit
                )


GATED = """\
version: 1
name: gated
targets: {{ disk: {{ directory: {folder} }} }}
workloads:
  reads:
    target: disk
    fio: {{ rw: randread, bs: 4k, size: 1m, runtime: 1s, time_based: true }}
    repetitions: {{ min: 2, max: 2 }}
    thresholds: {{ read.iops: "vs baseline > -99%" }}
baseline: {{ min_samples: 5 }}
"""


def test_an_imported_past_is_a_trend_and_a_baseline(iogate: Iogate) -> None:
    (iogate.folder / "disk").mkdir()
    spec = iogate.folder / "gated.yaml"
    spec.write_text(GATED.format(folder=iogate.folder / "disk"))
    job = iogate("compile", str(spec)).out
    night = json.loads(fio(iogate.folder, job, "--output-format=json"))
    for number in range(1, 7):
        old = {**night, "timestamp_ms": night["timestamp_ms"] - number * 86_400_000}
        (iogate.folder / f"{number}.json").write_text(json.dumps(old))
    names = [f"{number}.json" for number in range(1, 7)]
    assert iogate("history", "import", "fio", *names, "--spec", "gated").code == 0

    def nights(spec: str) -> int:
        trend = json.loads(iogate("trend", spec, "--json").out)
        (series,) = [each for each in trend["series"] if each["metric"] == "read.iops"]
        return len(series["values"])

    assert nights(str(spec)) == nights("gated") == 6
    assert iogate("run", str(spec), "--engine", "fio").code == 0
    assert nights(str(spec)) == nights("gated") == 7
    verdict = iogate.run_document()["verdict"]
    assert verdict["thresholds"][0]["outcome"] == "pass"
    assert len(verdict["thresholds"][0]["baseline_samples"]) == 6
    two = [run["run"] for run in json.loads(iogate("history", "list", "--json").out)][:2]
    compared = json.loads(iogate("history", "compare", two[1], two[0], "--json").out)
    assert "read.clat.p99" in [row["metric"] for row in compared["metrics"]]


@pytest.mark.parametrize(("name", "code"), [("main", 2), ("$(id)", 2), ("c0ffee0", 0)])
def test_a_commit_is_named_by_its_hash(iogate: Iogate, name: str, code: int) -> None:
    job = "[j]\nioengine=null\nrw=read\nsize=1m\n"
    (iogate.folder / "old.json").write_text(fio(iogate.folder, job, "--output-format=json"))
    done = iogate("history", "import", "fio", "old.json", "--commit", name)
    assert done.code == code, done.text
    assert ("--label" in done.err) is bool(code)
