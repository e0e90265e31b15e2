"""``iogate run`` from spec to report, and every way in which it can end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from iogate.store import open_store
from support.devices import fill, loop_device, mounted, needs_root, tmpfs

from .conftest import Iogate, engines_of, kill, wait_for

QUICK = """\
version: 1
name: quick
targets:
  here: { directory: auto }
workloads:
  mix:
    target: here
    fio: { rw: randrw, bs: 4k, size: 4m, ioengine: psync }
    repetitions: 2
    thresholds:
      read.iops: "%(limit)s"
      write.clat.p99: ["< 60s"]
"""
PASSES = QUICK % {"limit": ">= 1"}
FAILS = QUICK % {"limit": ">= 100000M"}
LONG = """\
version: 1
name: long
targets: { here: { directory: auto } }
workloads:
  first:
    target: here
    fio: { rw: read, bs: 64k, size: 1m, ioengine: psync }
    repetitions: 1
  second:
    target: here
    fio: { rw: randread, bs: 4k, size: 1m, ioengine: psync, time_based: true, runtime: %s }
    repetitions: 2
  third:
    target: here
    fio: { rw: write, bs: 64k, size: 1m, ioengine: psync }
    repetitions: 1
"""


def test_a_run_that_passes_leaves_everything(iogate: Iogate) -> None:
    done = iogate("run", iogate.spec(PASSES))
    assert done.code == 0, done.text
    folder = iogate.latest
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    run = iogate.run_document()
    (case,) = run["plan"]["cases"]
    assert names >= {
        "plan.json", "environment.json", "run.json", "verdict.json", "report.html", "junit.xml",
        "summary.md", "comment.md", f"jobs/{case['id']}.fio", f"raw/{case['id']}-1.json",
        f"raw/{case['id']}-2.json",
    }  # fmt: skip
    assert f"report: {folder / 'report.html'}" in done.out
    assert run["status"] == "complete"
    assert [m["repetition"] for m in run["measurements"]] == [1, 2]
    assert run["environment"]["kernel.release"] == os.uname().release
    assert "[2/2]" in done.err
    assert iogate.left_behind() == []


def test_the_history_has_it_too(iogate: Iogate) -> None:
    iogate("run", iogate.spec(PASSES))
    store = open_store(str(iogate.store))
    kept = store.run(iogate.run_document()["id"])
    store.close()
    assert kept.status == "complete"
    assert kept.verdict is not None
    assert kept.verdict.exit_code == 0
    assert len(kept.measurements) == 2


def test_the_reports_are_well_formed(iogate: Iogate) -> None:
    iogate("run", iogate.spec(FAILS))
    suite = ET.fromstring((iogate.latest / "junit.xml").read_text())
    assert list(suite.iter("failure"))
    page = (iogate.latest / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "read.iops" in page
    assert "read.iops" in (iogate.latest / "summary.md").read_text()


def test_a_limit_that_cannot_be_met_names_its_line(iogate: Iogate) -> None:
    spec = iogate.spec(FAILS)
    done = iogate("run", spec)
    assert done.code == 1, done.text
    line = next(n for n, text in enumerate(FAILS.splitlines(), 1) if "read.iops" in text)
    assert f"{spec}:{line}:" in done.out
    assert "fail" in done.out.splitlines()[1]


def test_a_spec_that_cannot_be_read(iogate: Iogate) -> None:
    spec = iogate.spec(PASSES.replace("rw: randrw", "rw: [randrw"))
    done = iogate("run", spec)
    assert done.code == 2
    assert f"{spec}:8:" in done.err
    assert not (iogate.folder / "iogate-runs").exists()


@pytest.mark.parametrize("missing", ["spec", "directory"])
def test_what_is_missing(iogate: Iogate, missing: str) -> None:
    if missing == "spec":
        done = iogate("run", iogate.folder / "nothing.yaml")
        assert done.code == 2
    else:
        done = iogate("run", iogate.spec(PASSES.replace("auto", "/no/such/directory")))
        assert done.code == 3
        assert "mkdir -p /no/such/directory" in done.err
    assert done.err.startswith("iogate: ")


def test_a_missing_engine(iogate: Iogate) -> None:
    done = iogate("run", iogate.spec(PASSES), IOGATE_ENGINE="/no/such/engine")
    assert done.code == 4
    assert "/no/such/engine" in done.err
    assert not (iogate.folder / "iogate-runs").exists()


def test_fio_as_the_engine(iogate: Iogate) -> None:
    done = iogate("run", iogate.spec(PASSES), "--engine", "fio")
    assert done.code == 0, done.text
    assert iogate.run_document()["measurements"][0]["engine"]["name"] == "fio"


def test_the_verdict_as_json(iogate: Iogate) -> None:
    done = iogate("run", iogate.spec(FAILS), "--json", "--repetitions", 1)
    document = json.loads(done.out)
    assert (done.code, document["exit_code"]) == (1, 1)
    assert Path(document["report"]).is_file()
    assert document["verdict"]["outcome"] == "fail"
    assert done.err == ""


def test_a_dry_run_touches_nothing(iogate: Iogate) -> None:
    before = sorted(iogate.folder.iterdir())
    spec = iogate.spec(PASSES)
    done = iogate("run", spec, "--dry-run")
    assert done.code == 0
    assert "2 repetitions" in done.out
    assert "4 MiB" in done.out
    assert sorted(iogate.folder.iterdir()) == sorted([*before, spec])


def test_a_run_never_writes_over_results(iogate: Iogate) -> None:
    spec = iogate.spec(PASSES)
    assert iogate("run", spec, "--output", "mine", "--repetitions", 1).code == 0
    done = iogate("run", spec, "--output", "mine")
    assert done.code == 2
    assert "not an empty directory" in done.err


def test_selecting_cases(iogate: Iogate) -> None:
    spec = iogate.spec(LONG % "1s")
    assert iogate("run", spec, "--case", "t*").code == 0
    assert [case["name"] for case in iogate.run_document()["plan"]["cases"]] == ["third"]
    done = iogate("run", spec, "--case", "nothing")
    assert done.code == 2
    assert "first, second, third" in done.err


def test_repetitions_go_round_the_cases(iogate: Iogate) -> None:
    assert iogate("run", iogate.spec(LONG % "1s"), "--repetitions", 2).code == 0
    run = iogate.run_document()
    names = {case["id"]: case["name"] for case in run["plan"]["cases"]}
    ran = [(names[m["case_id"]], m["repetition"]) for m in run["measurements"]]
    assert ran == [(name, n) for n in (1, 2) for name in ("first", "second", "third")]


def test_the_report_can_be_made_again(iogate: Iogate) -> None:
    iogate("run", iogate.spec(FAILS))
    page = iogate.latest / "report.html"
    first = page.read_text()
    page.unlink()
    done = iogate("report", iogate.latest)
    assert done.code == 0, done.text
    assert page.read_text() == first
    page.unlink()
    assert iogate("report", iogate.run_document()["id"][:12]).code == 0
    assert page.exists()
    assert iogate("report", iogate.folder).code == 2


def started(iogate: Iogate, *words: object) -> subprocess.Popen[str]:
    """A run of LONG whose second case has begun."""
    process = iogate.start("run", iogate.spec(LONG % "60s"), *words)
    wait_for(
        lambda: (
            list(iogate.folder.glob("iogate-runs/latest/plan.json")) or process.poll() is not None
        )
    )
    assert process.poll() is None, iogate.end(process).text
    second = json.loads((iogate.latest / "plan.json").read_text())["cases"][1]["id"]
    log = iogate.latest / f"raw/{second}-1.log"
    wait_for(lambda: log.exists() and log.read_text())  # it lays out: it minds signals
    assert engines_of(iogate.latest, f"{second}.fio")
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_measured(iogate: Iogate, number: signal.Signals) -> None:
    process = started(iogate)
    process.send_signal(number)
    done = iogate.end(process)
    assert done.code == 4, done.text
    run = iogate.run_document()
    assert run["status"] == "interrupted"
    assert len(run["measurements"]) == 1
    (failure,) = run["failures"]  # what had not begun is not begun
    assert "interrupted" in failure["reason"]
    partial = run["plan"]["cases"][1]["id"]
    assert json.loads((iogate.latest / f"raw/{partial}-1.json").read_text())["jobs"]
    assert (iogate.latest / "report.html").exists()
    store = open_store(str(iogate.store))
    assert len(store.run(run["id"]).measurements) == 1
    store.close()
    wait_for(lambda: not engines_of(iogate.latest))
    assert iogate.left_behind() == []


def test_a_second_interrupt_ends_at_once(iogate: Iogate) -> None:
    process = started(iogate)
    (engine, *_) = engines_of(iogate.latest)
    os.kill(engine, signal.SIGSTOP)  # it cannot answer the first
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "stopping" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    done = iogate.end(process)
    assert done.code == 4
    wait_for(lambda: not engines_of(iogate.latest))
    assert iogate.left_behind() == []
    store = open_store(str(iogate.store))
    assert store.run(iogate.run_document()["id"]).status == "interrupted"
    store.close()


def test_a_killed_engine_fails_its_case_and_the_others_go_on(iogate: Iogate) -> None:
    process = started(iogate)
    kill(engines_of(iogate.latest)[0])
    done = iogate.end(process)
    assert done.code == 4, done.text
    run = iogate.run_document()
    names = {case["id"]: case["name"] for case in run["plan"]["cases"]}
    assert [names[m["case_id"]] for m in run["measurements"]] == ["first", "third"]
    (failure,) = run["failures"]
    assert "SIGKILL" in failure["reason"]
    assert "SIGKILL" in done.err
    assert run["status"] == "failed"


def test_failing_fast(iogate: Iogate) -> None:
    process = started(iogate, "--fail-fast")
    kill(engines_of(iogate.latest)[0])
    assert iogate.end(process).code == 4
    assert len(iogate.run_document()["measurements"]) == 1


def test_when_iogate_is_killed_nothing_stays_but_what_was_measured(iogate: Iogate) -> None:
    process = started(iogate)
    folder = iogate.latest
    process.kill()
    process.communicate()
    wait_for(lambda: not engines_of(folder))
    assert len(iogate.left_behind()) == 1
    again = iogate("report", folder)
    assert again.code == 0, again.text
    assert "This run was interrupted" in (folder / "report.html").read_text("utf-8")
    (killed,) = json.loads(iogate("history", "--json").out)
    assert killed["status"] == "interrupted"
    after = iogate("run", iogate.spec(PASSES))
    assert after.code == 0
    assert f"run {killed['run'][:12]} was killed" in after.err
    assert iogate.left_behind() == []


def test_waiting_for_the_host_is_no_part_of_a_run(iogate: Iogate) -> None:
    holding = started(iogate)
    waiting = iogate.start("run", iogate.spec(PASSES, "other.yaml"), "--wait", "5m")
    assert waiting.stderr is not None
    assert "waiting for the host" in waiting.stderr.readline()
    holding.send_signal(signal.SIGINT)
    iogate.end(holding)
    assert iogate.end(waiting).code == 0
    second, first = json.loads(iogate("history", "--json").out)
    assert second["started_ns"] >= first["finished_ns"]


def test_two_runs_do_not_measure_each_other(iogate: Iogate) -> None:
    process = started(iogate)
    done = iogate("run", iogate.spec(PASSES, "other.yaml"))
    assert done.code == 3
    assert f"process {process.pid}" in done.err
    process.send_signal(signal.SIGINT)
    assert iogate.end(process).code == 4
    assert iogate("run", iogate.spec(PASSES)).code == 0


def test_too_long(iogate: Iogate) -> None:
    done = iogate("run", iogate.spec(LONG % "60s"), "--timeout", "1s", "--case", "second")
    assert done.code == 4
    assert "did not end within 1 s" in done.err


@needs_root
def test_a_disk_that_fills_up(iogate: Iogate) -> None:
    text = LONG.replace("targets: {", "targets: { small: { directory: %s },") % (
        iogate.folder / "mnt",
        "3s",
    )
    before, _, third = text.partition("  third:")
    third = third.replace("target: here", "target: small").replace("size: 1m", "size: 16m")
    with loop_device(iogate.folder) as device, mounted(device, iogate.folder / "mnt") as disk:
        process = iogate.start("run", iogate.spec(f"{before}  third:{third}"))
        wait_for(lambda: list(iogate.folder.glob("iogate-runs/latest/jobs/*.fio")))
        fill(disk)
        done = iogate.end(process)
        assert done.code == 4, done.text
        assert "no space" in done.err.lower()
        assert len(iogate.run_document()["measurements"]) == 3
        assert sorted(path.name for path in disk.iterdir()) == ["filler", "lost+found"]


@needs_root
def test_files_that_do_not_fit_are_refused_before_anything_is_written(iogate: Iogate) -> None:
    with loop_device(iogate.folder) as device, mounted(device, iogate.folder / "mnt") as disk:
        done = iogate("run", iogate.spec(PASSES.replace("auto", str(disk))), "--set", "size=1g")
        assert done.code == 3
        assert "free" in done.err


@needs_root
def test_a_full_disk_under_the_run_folder(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 4) as device, mounted(device, iogate.folder / "mnt") as disk:
        fill(disk)
        done = iogate("run", iogate.spec(PASSES), "--output", disk / "out")
        assert done.code == 3, done.text  # before anything was measured
        assert "No space left on device" in done.err
        assert iogate.left_behind() == []


def test_in_a_workflow_the_line_is_annotated_and_the_summary_appended(iogate: Iogate) -> None:
    summary = iogate.folder / "summary"
    spec = iogate.spec(FAILS)
    done = iogate("run", spec, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert done.code == 1
    (annotation,) = [line for line in done.out.splitlines() if line.startswith("::")]
    assert annotation.startswith(f"::error file={spec},line=")
    assert "read.iops" in summary.read_text()


SOMEBODYS = """\
version: 1
name: somebodys
targets: { f: { file: %s } }
workloads:
  io:
    target: f
    fio: { rw: read, ioengine: psync, bs: 4k, %s }
    repetitions: 1
"""


@pytest.mark.parametrize(
    "options", ["unlink: 1", "size: 8k, offset: 8k", "filesize: 4k-1m", "ioengine: filedelete"]
)
def test_reading_takes_nothing_from_a_file_that_is_there(iogate: Iogate, options: str) -> None:
    file = iogate.folder / "thesis"
    file.write_bytes(b"x" * 10_000)
    text = SOMEBODYS % (file, options)
    spec = iogate.spec(text.replace("ioengine: psync, ", "") if "ioengine: f" in options else text)
    for engine in ("native", "fio"):
        done = iogate("run", spec, "--engine", engine)
        assert done.code in (2, 3), done.text
    assert "overwrite: true" in done.err
    assert file.read_bytes() == b"x" * 10_000


@needs_root
def test_a_host_that_cannot_be_put_back_costs_no_verdict(iogate: Iogate) -> None:
    text = SOMEBODYS.replace("{ f: { file: %s } }", "{ f: { directory: %s } }")
    options = "size: 1m, time_based: true, runtime: 2s"
    process = iogate.start("run", iogate.spec(text % (iogate.folder, options)))
    wait_for(lambda: engines_of(iogate.folder))
    (scratch,) = iogate.left_behind()
    with tmpfs(scratch / "held", "1m"):  # in the way of its removal
        done = iogate.end(process)
    assert done.code == 0, done.text
    assert f"cannot remove {scratch}" in done.err
    run = iogate.run_document()
    assert (run["status"], run["verdict"]["outcome"]) == ("complete", "pass")
    assert iogate("history", "list").out.count(" not judged") == 1
    iogate("doctor")  # tries again, now that nothing is in the way
    assert iogate.left_behind() == []


@pytest.mark.parametrize("words", [(), ("--trust",)])
@pytest.mark.parametrize(
    "name",
    ["own.sqlite", "own.sqlite-wal", "iogate-runs/latest/run.json", "out/x", "data/iogate/x"],
)
def test_a_spec_does_not_write_what_runs_are_kept_in(
    iogate: Iogate, name: str, words: tuple[str, ...]
) -> None:
    """Least of all the history that its own run has open."""
    store = iogate.folder / "own.sqlite"
    assert iogate("run", iogate.spec(PASSES), "--store", store).code == 0
    kept = store.read_bytes()
    (iogate.folder / "out").mkdir()
    (iogate.folder / "data/iogate").mkdir(parents=True, exist_ok=True)
    spec = iogate.spec(
        PASSES.replace("directory: auto", f"file: {name}, overwrite: true"), "e.yaml"
    )
    done = iogate("run", spec, "--store", store, "--output", iogate.folder / "out", *words)
    assert done.code == 3, done.text
    assert "is iogate's own" in done.err
    assert store.read_bytes() == kept


@pytest.mark.parametrize("words", [(), ("--trust",)])
@pytest.mark.parametrize("name", ["other.sqlite", "other.sqlite-wal", "named/report.html"])
def test_a_spec_does_not_write_what_other_runs_are_kept_in(
    iogate: Iogate, name: str, words: tuple[str, ...]
) -> None:
    """Histories and run folders that this call does not name."""
    other, named = iogate.folder / "other.sqlite", iogate.folder / "named"
    assert iogate("run", iogate.spec(PASSES), "--store", other, "--output", named).code == 0
    kept = [path.read_bytes() for path in (other, named / "report.html")]
    spec = iogate.spec(
        PASSES.replace("directory: auto", f"file: {name}, overwrite: true"), "e.yaml"
    )
    done = iogate("run", spec, *words)
    assert done.code == 3, done.text
    assert "name a file that iogate does not keep anything in" in done.err
    assert [path.read_bytes() for path in (other, named / "report.html")] == kept
