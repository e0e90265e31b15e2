"""``iogate history export|import|compare`` and ``import fio``, as they are called."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from iogate.cli.entry import run_command
from iogate.cli.history import command
from iogate.cli.trend import command as trend
from iogate.errors import ExitCode, RefusedError, RunError, UsageError
from iogate.model.measurement import Disturbance
from iogate.model.run import Host
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better, Unit
from iogate.store import open_store
from support import fio_outputs as f
from support import samples as s
from support.year import year


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A history of some nights."""
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as store:
        store.add_runs(year(nights=4))
    return path


def history(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin)


def ids(url: str) -> list[str]:
    with closing(open_store(url)) as store:
        return list(store.run_ids())


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_history_goes_into_a_file_and_into_another_store(
    url: str, tmp_path: Path, suffix: str
) -> None:
    file, other = str(tmp_path / f"out.{suffix}"), str(tmp_path / "other.sqlite")
    assert history("export", file, "--store", url).exit_code == 0
    result = history("import", file, "--store", other)
    assert result.exit_code == 0
    assert f"{len(ids(url))} runs added" in result.stderr
    assert ids(other) == ids(url)
    again = history("import", file, "--store", other)
    assert f"0 runs added, {len(ids(url))} already here" in again.stderr
    assert history("export", "--store", other).stdout == history("export", "--store", url).stdout


def test_a_pipe_carries_a_history(url: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other.sqlite")
    text = history("export", "--store", url).stdout
    assert history("import", "-", "--store", other, stdin=text).exit_code == 0
    assert ids(other) == ids(url)


def test_an_export_can_be_of_one_spec(url: str) -> None:
    with closing(open_store(url)) as store:
        spec = store.runs()[0].plan.spec_name
    done = history("export", "--spec", spec, "--store", url)
    assert json.loads(done.stdout.splitlines()[-1])["end"]["runs"] == len(ids(url))


@pytest.mark.parametrize(
    ("words", "what"), [(["--spec", "othr"], "of spec othr"), (["--host", "x"], "on host x")]
)
def test_an_export_of_nothing_is_refused(
    url: str, tmp_path: Path, words: list[str], what: str
) -> None:
    """A mistyped name would be a backup of nothing."""
    file = tmp_path / "out.jsonl"
    done = history("export", str(file), *words, "--store", url)
    assert isinstance(done.exception, UsageError)
    assert done.exception.what == f"no runs {what} are kept here: nothing was exported"
    assert "'iogate history'" in done.exception.remedy
    assert not file.exists()


@pytest.mark.parametrize("words", [["import"], ["import", "fio"]])
@pytest.mark.parametrize("text", ["", "neither\n", '{"schema": "history/9"}\n'])
def test_a_refused_import_makes_no_history(tmp_path: Path, words: list[str], text: str) -> None:
    file, store = tmp_path / "in.jsonl", tmp_path / "x.sqlite"
    file.write_text(text)
    done = history(*words, str(file), "--store", str(store))
    assert isinstance(done.exception, UsageError)
    assert not store.exists()


def test_an_export_that_fails_leaves_the_old_file(url: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot write"):
        raise (
            history("export", str(tmp_path / "no" / "out.csv"), "--store", url).exception
            or SystemError
        )
    assert not (tmp_path / "no").exists()


def test_a_file_that_is_not_there_is_named(url: str, tmp_path: Path) -> None:
    result = history("import", str(tmp_path / "none.jsonl"), "--store", url)
    assert isinstance(result.exception, UsageError)
    assert "none.jsonl: No such file" in result.exception.what


def test_two_runs_are_shown_side_by_side(url: str) -> None:
    before, after = ids(url)[:2]
    text = history("compare", before, after[:12], "--store", url).stdout
    assert text.startswith(f"before  {before[:12]}")
    (line,) = [line for line in text.splitlines() if "iodepth=2 " in line and "clat.p99 " in line]
    assert line.split()[-1] in ("better", "worse")
    document = json.loads(history("compare", before, after, "--json", "--store", url).stdout)
    row = next(row for row in document["metrics"] if row["metric"] == "read.iops")
    assert row["change"] == pytest.approx(row["after"] / row["before"] - 1)
    assert row["better"] is (row["after"] > row["before"])
    assert document["environment"] == []


def test_a_comparison_of_no_case_is_refused(url: str) -> None:
    one, other = ids(url)[:2]
    error = history("compare", one, other, "--case", "nope", "--store", url).exception
    assert isinstance(error, UsageError)
    assert "is selected by --case" in error.what
    assert "iodepth=2" in error.remedy


def test_where_there_is_nothing_to_compare_the_real_reason_is_given(tmp_path: Path) -> None:
    path = str(tmp_path / "own.sqlite")
    busy = Disturbance("cpu", 0.8, 0.1, "%", "other processes used 80 % of the CPUs")
    whole = s.repetitions([100.0, 101.0])
    runs = {
        "spoiled": (s.case(), [replace(m, disturbances=(busy,)) for m in whole]),
        "empty": (s.case(), []),
        "whole": (s.case(), whole),
        "other": (replace(s.case(), id="f" * 16, name="other"), []),
    }
    with closing(open_store(path)) as store:
        for name, (case, measured) in runs.items():
            store.begin_run(s.run(name, the_plan=s.plan(case), measurements=tuple(measured)))
    said = {
        ("spoiled", "whole"): "every repetition of before (spoiled) was disturbed",
        ("whole", "empty"): "every repetition of after (empty) failed, or none was begun",
        ("whole", "other"): "they have no case in common",
    }
    for (before, after), told in said.items():
        assert told in history("compare", before, after, "--store", path).stdout
    asked = history("compare", "whole", "whole", "--metric", "read.iops", "--store", path)
    assert "no case has a value of the same metric in both: read.iops" in asked.stdout


def test_a_metric_that_the_spec_defines_is_compared(tmp_path: Path) -> None:
    path = str(tmp_path / "own.sqlite")
    doubled = DefinedMetric("doubled", "write.iops * 2", Unit.COUNT, Better.HIGH)
    plan = replace(s.plan(s.case()), metrics=(doubled,))
    with closing(open_store(path)) as store:
        for name, value in (("before", 100.0), ("after", 110.0)):
            measured = s.repetitions([value])
            store.begin_run(s.run(name, the_plan=plan, measurements=measured))
    asked = history("compare", "before", "after", "--metric", "doubled", "--store", path)
    row = asked.stdout.splitlines()[-1].split()[1:]
    assert row == ["doubled", "200", "220", "+10.0", "%", "better"]
    assert "doubled" in history("compare", "before", "after", "--store", path).stdout


def test_a_folder_that_is_not_there_is_no_folder_of_runs(url: str, tmp_path: Path) -> None:
    result = history("verify", "--folders", str(tmp_path / "none"), "--store", url)
    assert result.exit_code == 2
    assert "none' does not exist" in result.stderr


def test_a_comparison_names_what_changed_around_it(url: str) -> None:
    with closing(open_store(url)) as store:
        run = store.run(ids(url)[0])
        store.add_runs(
            [replace(run, id="new", environment={**run.environment, "kernel.release": "7.0"})]
        )
    text = history("compare", run.id, "new", "--metric", "read.iops", "--store", url).stdout
    assert "kernel.release was 6.1.0 and is 7.0" in text
    assert text.count("read.iops") == 3
    assert "read.bw" not in text


def test_results_of_fio_become_runs(url: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(f.document(rw="read")))
    (tmp_path / "b.txt").write_text(f.VERSION_3)
    files = [str(tmp_path / name) for name in ("a.json", "b.txt")]
    result = history("import", "fio", *files, "--host", "attic", "--store", url)
    assert result.exit_code == 0, result.exception
    assert result.stderr.splitlines()[:3] == [
        "2 results in 2 files: 2 runs added",
        "  night by night: iogate trend oltp",
        "  night by night: iogate trend reader",
    ]
    listed = history("list", "--host", "attic", "--store", url).stdout
    assert "oltp" in listed
    assert "reader" in listed
    oldest = ids(url)[0]  # of 2019
    shown = history("show", oldest, "--store", url).stdout
    assert "imported  from fio output in b.txt" in shown
    again = history("import", "fio", *files, "--host", "attic", "--store", url)
    assert again.stderr == "2 results in 2 files: 0 runs added, 2 already here\n"


def test_a_result_is_the_same_in_whatever_file_and_is_not_imported_as_another(
    url: str, tmp_path: Path
) -> None:
    texts = {"a.json": json.dumps(f.document(rw="read")), "b.txt": f.VERSION_1}  # b has no date
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"copy-{name}").write_text(text)
        os.utime(tmp_path / f"copy-{name}", (5, 5))
    files = [str(tmp_path / name) for name in ("a.json", "copy-a.json", "b.txt")]
    first = history("import", "fio", *files, "--store", url)
    assert first.stderr.startswith("4 results in 3 files: 3 runs added, 1 already here\n")
    before = history("export", "--store", url).stdout
    copies = [str(tmp_path / f"copy-{name}") for name in texts]
    again = history("import", "fio", *copies, "--store", url)
    assert again.stderr == "3 results in 2 files: 0 runs added, 3 already here\n"
    other = history("import", "fio", *files[:1], "--spec", "other", "--store", url)
    said = "1 result in 1 file: 0 runs added, 1 kept as they are here, and different: "
    assert other.stderr.startswith(said)
    assert "trend other" not in other.stderr
    assert history("export", "--store", url).stdout == before


def test_a_result_that_is_cut_off_is_named_and_the_others_are_kept(
    url: str, tmp_path: Path
) -> None:
    one, other, third = (json.dumps(f.document(name=name), indent=2) for name in "abc")
    (tmp_path / "among.json").write_text(f"{one}\n{other[: len(other) // 2]}\n{third}")
    (tmp_path / "alone.json").write_text(other[:-3])
    before = len(ids(url))
    result = history("import", "fio", str(tmp_path / "among.json"), "--store", url)
    assert isinstance(result.exception, RunError)
    begins = one.count("\n") + 2
    cut = f"among.json: the result of fio that begins in line {begins} is cut off"
    assert cut in result.stderr
    assert "2 results in 1 file: 2 runs added" in result.stderr
    assert len(ids(url)) == before + 2
    alone = history("import", "fio", str(tmp_path / "alone.json"), "--store", url)
    assert isinstance(alone.exception, UsageError)
    assert "begins in line 1 is cut off" in alone.stderr


def test_a_spec_a_label_and_stdin(url: str) -> None:
    words = ["import", "fio", "-", "--spec", "nightly", "--label", "v1", "--store", url]
    assert history(*words, stdin=f.VERSION_3).exit_code == 0
    text = history("list", "--spec", "nightly", "--limit", "50", "--store", url).stdout
    assert text.splitlines()[-1].split()[-2:] == ["v1", "imported"]


def test_a_file_of_any_name_is_imported_and_a_spec_needs_one_in_utf_8(
    url: str, tmp_path: Path
) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.json")
    file.write_text(json.dumps(f.document(rw="read")))
    refused = history("import", "fio", str(file), "--spec", "caf\udce9", "--store", url)
    assert isinstance(refused.exception, UsageError)
    assert history("import", "fio", str(file), "--store", url).exit_code == 0
    with closing(open_store(url)) as store:
        (run,) = store.runs(spec="reader")
    assert run.plan.spec_file == file.name
    other = str(tmp_path / "other.sqlite")
    for suffix in ("jsonl", "csv"):
        whole = str(tmp_path / f"all.{suffix}")
        assert history("export", whole, "--store", url).exit_code == 0
        assert history("import", whole, "--store", other).exit_code == 0
    with closing(open_store(other)) as store:
        assert store.runs(spec="reader") == [run]


def test_what_was_imported_under_a_name_trends_without_a_spec(url: str, tmp_path: Path) -> None:
    for night, size in enumerate(["4k", "64k", "4k", "64k"]):
        document = f.document(at_s=1_700_000_000 + night * 86_400, rw="read", bs=size)
        (tmp_path / f"{night}.json").write_text(json.dumps(document))
    files = map(str, sorted(tmp_path.glob("?.json")))
    assert history("import", "fio", *files, "--store", url).exit_code == 0
    whole = CliRunner().invoke(trend, ["reader", "--json", "--store", url])
    series = json.loads(whole.stdout)["series"]
    assert {each["case"] for each in series} == {"reader-read-4k", "reader-read-64k"}
    missing = CliRunner().invoke(trend, ["nothing", "--store", url])
    assert isinstance(missing.exception, UsageError)


def test_jobs_that_took_turns_are_followed_one_by_one(url: str, tmp_path: Path) -> None:
    document = f.document(name="small", elapsed_s=6, rw="randread")
    large = f.document(name="large", elapsed_s=6, rw="read")["jobs"][0]
    document["jobs"].append({**large, "groupid": 1})
    file = tmp_path / "walls.json"
    file.write_text(json.dumps(document))
    told = history("import", "fio", str(file), "--spec", "walls", "--store", url).stderr
    assert "jobs of small+large ran one after the other" in told
    rows = CliRunner().invoke(trend, ["show", "walls", "--store", url]).stdout.splitlines()[2:6]
    assert [row.split()[1] for row in rows] == [
        "jobs.small.read.iops", "jobs.small.read.clat.p99",
        "jobs.large.read.iops", "jobs.large.read.clat.p99",
    ]  # fmt: skip


def test_cases_of_one_name_and_many_hosts_can_be_told_apart(url: str, tmp_path: Path) -> None:
    """Two jobs, whose options changed after two nights, on hosts that are counted."""
    for night in range(10):
        at_s = 1_700_000_000 + night * 86_400
        document = f.document(name="a", at_s=at_s, runtime="60" if night < 2 else "90")
        document["jobs"].append({**document["jobs"][0], "jobname": "b"})
        (tmp_path / f"{night}.json").write_text(json.dumps(document))
    files = list(map(str, sorted(tmp_path.glob("?.json"))))
    for host in ("lab10", "lab9"):
        history("import", "fio", *files, "--spec", "two", "--host", host, "--store", url)
    text = CliRunner().invoke(trend, ["two", "--store", url]).stdout
    assert [line.split(",")[0] for line in text.splitlines() if line.startswith("two on")] == [
        "two on lab9", "two on lab10",
    ]  # fmt: skip
    rows = [line for line in text.splitlines() if "read.iops" in line][:2]
    ids = {row.split("(")[1].split(")")[0] for row in rows}
    assert len(ids) == 2
    ended = [row for row in rows if " until 2023-11-15" in row or " until 2023-11-16" in row]
    assert [row.split()[3] for row in ended] == ["2"]


def test_results_are_of_the_host_that_has_the_name_now(url: str, tmp_path: Path) -> None:
    """One that was installed anew has another machine id; the one before is called by its own."""
    with closing(open_store(url)) as store:
        for at, machine_id in ((1, "before"), (2, "now")):
            run = s.run(machine_id, started_ns=at, machine_id=machine_id)
            store.add_runs([replace(run, host=Host("lab7", machine_id))])
    for name, machine_id in (("lab7", "now"), ("before", "before")):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(f.document(name=name)))
        assert history("import", "fio", str(file), "--host", name, "--store", url).exit_code == 0
        with closing(open_store(url)) as store:
            (imported,) = store.runs(spec=name)
        assert imported.host == Host("lab7", machine_id)


def test_an_import_says_how_a_spec_goes_on_with_it(url: str, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(f.document(rw="randread", bs="4k")))
    told = history("import", "fio", str(file), "--spec", "old", "--store", url).stderr
    case = json.loads(CliRunner().invoke(trend, ["old", "--json", "--store", url]).stdout)
    assert f"aka: [{case['series'][0]['case_id']}]" in told
    again = history("import", "fio", str(file), "--spec", "old", "--store", url).stderr
    assert "aka:" not in again


def test_the_report_of_an_imported_run_needs_a_folder(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps(f.document()))
    history("import", "fio", str(file), "--spec", "old", "--store", url)
    (run_id,) = set(ids(url)) - {run.id for run in year(nights=4)}
    assert run_command(["report", run_id, "--store", url]) == ExitCode.USAGE
    assert f"run {run_id[:12]} was imported" in capsys.readouterr().err
    folder = str(tmp_path / "report")
    assert run_command(["report", run_id, "--store", url, "--output", folder]) == ExitCode.PASS
    assert (tmp_path / "report/report.html").exists()


def test_what_cannot_be_read_is_named_and_the_rest_is_kept(url: str, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(f.VERSION_1)
    (tmp_path / "bad.txt").write_text("nothing here")
    (tmp_path / "dir").mkdir()
    files = [str(tmp_path / name) for name in ("bad.txt", "good.txt", "dir", "gone")]
    before = len(ids(url))
    result = history("import", "fio", *files, "--store", url)
    assert isinstance(result.exception, RunError)
    assert result.exception.what == "3 files of 4 could not be imported whole"
    assert "bad.txt: it holds no result of fio" in result.stderr
    assert "gone: it cannot be read: No such file" in result.stderr
    assert len(ids(url)) == before + 2
    nothing = history("import", "fio", files[-1], "--store", url).exception
    assert isinstance(nothing, UsageError), "as of an export that is not there"


def test_a_result_that_is_cut_off_is_a_wrong_call_only_where_it_is_all(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.json", tmp_path / "cut.json"
    whole.write_text(json.dumps(f.document()))
    cut.write_text(whole.read_text()[:-40])
    store = tmp_path / "new.sqlite"
    call = ["history", "import", "fio", "--store", str(store)]
    assert run_command([*call, str(cut)]) == ExitCode.USAGE
    assert not store.exists()
    assert run_command([*call, str(cut), str(whole)]) == ExitCode.RUN_FAILED
    assert len(ids(str(store))) == 1


def test_an_export_that_is_cut_off_ends_the_import_of_several(url: str, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    assert history("export", str(whole), "--store", url).exit_code == 0
    first, second, *_ = whole.read_text().splitlines(keepends=True)
    cut.write_text(first + second)
    store = str(tmp_path / "new.sqlite")
    assert run_command(["history", "import", str(cut), str(whole), "--store", store]) == (
        ExitCode.USAGE
    )
    assert len(ids(store)) == 1
