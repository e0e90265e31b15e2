"""``iogate history`` as a person, a pipe and a script see it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from iogate.cli.entry import run_command
from iogate.cli.history import command
from iogate.errors import ExitCode, RefusedError, UsageError
from iogate.gate.judge import judge
from iogate.history import killed
from iogate.history.killed import close_run
from iogate.host.facts import this_host
from iogate.model.document import run_from_document
from iogate.model.run import CaseFailure, RunStatus
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.model.verdict import Outcome
from iogate.store import open_store
from iogate.sut import open_sut
from support import samples as s
from support.killed import HERE, begun


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A history with a passed run and one that was cut off."""
    path = str(tmp_path / "history.sqlite")
    plan = s.plan(s.case(s.threshold(value=50.0)))
    measured = s.repetitions([100, 110, 120])
    store = open_store(path)
    done = s.run("aaaa1111bbbb2222", started_ns=10**18, the_plan=plan, measurements=measured)
    store.begin_run(replace(done, verdict=judge(plan, measured, (), ())))
    cut = s.run("cccc1111", started_ns=2 * 10**18, status=RunStatus.INTERRUPTED)
    store.begin_run(replace(cut, failures=(CaseFailure(s.CASE_ID, 1, "stopped \x1b[31mred"),)))
    store.close()
    return path


def history(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_list_shows_newest_first(url: str) -> None:
    result = history("list", "--store", url)
    assert result.exit_code == 0
    head, newest, oldest = result.stdout.splitlines()
    assert head.split() == [
        "run", "started", "took", "spec", "cases", "host", "revision", "verdict",
    ]  # fmt: skip
    assert newest.startswith("cccc1111 ")
    assert newest.endswith("interrupted")
    assert oldest.startswith("aaaa1111bbbb ")
    assert oldest.endswith("pass")


def test_a_run_that_broke_off_is_told_by_that(tmp_path: Path) -> None:
    """Its limits are inconclusive then, and that word alone would hide it; one that failed
    stays a failure."""
    path = str(tmp_path / "other.sqlite")
    told = {
        (RunStatus.FAILED, Outcome.INCONCLUSIVE): "failed",
        (RunStatus.INTERRUPTED, Outcome.INCONCLUSIVE): "interrupted",
        (RunStatus.INTERRUPTED, Outcome.FAIL): "fail",
        (RunStatus.COMPLETE, Outcome.INCONCLUSIVE): "inconclusive",
    }
    with closing(open_store(path)) as store:
        for number, (status, outcome) in enumerate(told):
            broken = s.run(f"{number:08x}", status=status, started_ns=number + 1)
            store.begin_run(replace(broken, verdict=s.verdict(outcome)))
    shown = history("list", "--store", path).stdout.splitlines()[1:]
    assert [line.split()[-1] for line in reversed(shown)] == list(told.values())


def test_list_can_be_narrowed(url: str) -> None:
    assert len(history("list", "--limit", "1", "--store", url).stdout.splitlines()) == 2
    nothing = history("list", "--spec", "other", "--store", url)
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert nothing.stderr == "no runs of spec other are kept here; 'iogate history' lists what is\n"
    assert "on host elsewhere" in history("list", "--host", "elsewhere", "--store", url).stderr


def test_an_empty_history_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    nothing = history("list")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "iogate run SPEC" in nothing.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", "a"],
        ["compare", "a", "b"],
        ["export", "-"],
        ["prune"],
        ["remove", "a"],
        ["verify"],
        ["verify", "--repair"],
        ["sync"],
    ],
)
def test_a_mistyped_history_is_refused_and_not_made(words: list[str], tmp_path: Path) -> None:
    mistyped = tmp_path / "histroy.sqlite"
    error = history(*words, "--store", str(mistyped)).exception
    assert isinstance(error, UsageError)
    assert error.what == f"there is no history {mistyped}"
    assert not mistyped.exists()


@pytest.mark.parametrize(
    "words", [["report", "a"], ["plan", "quick"], ["ab", "--more", "a"], ["fleet", "a"]]
)
def test_nor_is_it_made_by_a_command_that_looks_something_up_there(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mistyped = tmp_path / "histroy.sqlite"
    assert run_command([*words, "--store", str(mistyped)]) == ExitCode.USAGE
    assert f"there is no history {mistyped}" in capsys.readouterr().err
    assert not mistyped.exists()


def test_runs_are_removed_only_when_that_is_confirmed(url: str) -> None:
    listed = history("remove", "aaaa", "cccc", "--store", url)
    assert listed.exit_code == 0
    assert [row.split()[0] for row in listed.stdout.splitlines()[1:]] == [
        "aaaa1111bbbb", "cccc1111",
    ]  # fmt: skip
    assert listed.stderr == "2 runs would go: remove with --yes\n"
    assert len(history("list", "--store", url).stdout.splitlines()) == 3
    assert history("remove", "aaaa", "--yes", "--store", url).stdout == "1 run removed\n"
    assert "aaaa" not in history("list", "--store", url).stdout
    assert isinstance(history("remove", "aaaa", "--yes", "--store", url).exception, UsageError)


def test_runs_to_remove_are_selected_by_spec_host_and_day(url: str) -> None:
    def left(*words: str) -> int:
        assert history("remove", *words, "--yes", "--store", url).exit_code == 0
        return len(history("list", "--store", url).stdout.splitlines()[1:])

    assert left("--spec", "other") == 2
    assert left("--host", "elsewhere", "--before", "2999-01-01") == 2
    assert left("--before", "2001-09-08") == 2  # 10**18 ns after 1970 is the next day
    assert left("--before", "2001-09-10") == 1
    assert left("--spec", "demo") == 0


def test_a_day_before_which_there_is_nothing_is_named(url: str) -> None:
    nothing = history("remove", "--before", "1999-01-01", "--store", url)
    assert nothing.stderr.startswith("no runs from before 1999-01-01 are kept here")
    nothing = history("remove", "--before", "1999-01-01", "--spec", "demo", "--store", url)
    assert nothing.stderr.startswith("no runs of spec demo from before 1999-01-01 are kept")


def test_a_killed_run_is_listed_as_it_is_before_it_goes(url: str) -> None:
    with closing(open_store(url)) as store:
        store.begin_run(begun("dead", HERE))
    listed = history("remove", "dead", "--store", url)
    assert "interrupted" in listed.stdout
    assert "running" not in listed.stdout


def test_what_is_pruned_is_json_alone_on_stdout(url: str) -> None:
    done = history("prune", "--series", "1d:none", "--json", "--dry-run", "--store", url)
    for line in done.stdout.splitlines():
        json.loads(line)
    assert done.exit_code == 0


@pytest.mark.parametrize("words", [[], ["aaaa", "--spec", "demo"]])
def test_what_to_remove_is_said_in_one_way(words: list[str], url: str) -> None:
    error = history("remove", *words, "--yes", "--store", url).exception
    assert isinstance(error, UsageError)
    assert "--before" in str(error.remedy)
    assert len(history("list", "--store", url).stdout.splitlines()) == 3


def test_a_run_that_is_being_measured_is_not_removed(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine_id = this_host(open_sut()).machine_id
    with closing(open_store(url)) as store:
        store.begin_run(s.run("dddd", status=RunStatus.RUNNING, machine_id=machine_id))
    monkeypatch.setattr(killed, "is_measuring", lambda _sut, run_id: run_id == "dddd")
    error = history("remove", "dddd", "aaaa", "--yes", "--store", url).exception
    assert isinstance(error, RefusedError)
    assert len(history("list", "--store", url).stdout.splitlines()) == 4
    monkeypatch.setattr(killed, "is_measuring", lambda *_: False)
    assert history("remove", "dddd", "--yes", "--store", url).stdout == "1 run removed\n"


def test_a_history_is_not_made_smaller_while_a_run_writes_to_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That takes minutes where it is large, and a run waits for half of one to keep something."""
    here = this_host(open_sut()).machine_id
    large = s.series(range(20_000))
    with closing(open_store(url)) as store:
        store.begin_run(s.run("dddd", status=RunStatus.RUNNING, machine_id=here))
        for number in range(8):
            measured = s.measurement(s.job(series=large), repetition=number + 1)
            store.begin_run(s.run(f"big-{number}", measurements=(measured,)))
    size = Path(url).stat().st_size
    monkeypatch.setattr(killed, "is_measuring", lambda _sut, run_id: run_id == "dddd")
    done = history("remove", *(f"big-{n}" for n in range(7)), "--yes", "--store", url)
    assert done.stdout == "7 runs removed\n"
    assert done.stderr.startswith("run dddd is being measured: the file keeps its size")
    assert Path(url).stat().st_size == size
    monkeypatch.setattr(killed, "is_measuring", lambda *_: False)
    assert history("remove", "big-7", "--yes", "--store", url).stderr == ""
    assert Path(url).stat().st_size < size / 2


def test_a_machine_that_cannot_be_reached_hides_no_history(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked only whether a run goes on, and that it cannot say is told."""
    there = ["--machine", "ssh:nosuch.invalid", "history"]
    assert run_command([*there, "show", "aaaa", "--store", url]) == ExitCode.PASS
    assert capsys.readouterr().err == ""
    with closing(open_store(url)) as store:
        store.begin_run(s.run("dddd", started_ns=3 * 10**18, status=RunStatus.RUNNING))
    assert run_command([*there, "list", "--store", url]) == ExitCode.PASS
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 4
    assert "whether its runs still go on is not known" in told.err
    assert run_command([*there, "show", "dddd", "--store", url]) == ExitCode.PASS
    wrong = ["--machine", "shh:nosuch", "history", "list", "--store", url]
    assert run_command(wrong) == ExitCode.USAGE


def test_a_name_of_any_length_is_cut_in_the_list_and_whole_in_json(tmp_path: Path) -> None:
    store, name = str(tmp_path / "history.sqlite"), "n" * 60_000
    with closing(open_store(store)) as opened:
        opened.begin_run(s.run("aaaa1111", the_plan=s.plan(s.case(), spec_name=name)))
    assert max(map(len, history("list", "--store", store).stdout.splitlines())) < 1000
    assert json.loads(history("list", "--store", store, "--json").stdout)[0]["spec"] == name


def test_list_as_json(url: str) -> None:
    found = json.loads(history("list", "--json", "--store", url).stdout)
    assert [(run["run"], run["outcome"]) for run in found] == [
        ("cccc1111", None),
        ("aaaa1111bbbb2222", "pass"),
    ]


def test_a_run_that_nothing_limits_is_not_listed_as_a_pass(tmp_path: Path) -> None:
    path = str(tmp_path / "history.sqlite")
    bare = s.plan(s.case())
    with closing(open_store(path)) as store:
        verdict = judge(bare, s.repetitions([100]), (), ())
        store.begin_run(s.run("bare", the_plan=bare, outcome=verdict))
    (row,) = history("list", "--store", path).stdout.splitlines()[1:]
    assert row.endswith(" not judged")
    (run,) = json.loads(history("list", "--json", "--store", path).stdout)
    assert (run["outcome"], run["word"], run["exit_code"]) == ("pass", "not judged", 0)


def test_show_prints_metrics_and_verdict(url: str) -> None:
    text = history("show", "aaaa", "--store", url).stdout
    assert "aaaa1111bbbb2222" in text
    row = next(line.split() for line in text.splitlines() if "write.iops" in line)
    assert row == ["oltp/bs=4k", "write.iops", "110", "/s", "100", "/s", "120", "/s", "3"]
    assert text.splitlines()[-1] == "pass: the only limit holds, by a point estimate"


def test_show_says_each_reason_once(tmp_path: Path) -> None:
    path = str(tmp_path / "history.sqlite")
    failures = (CaseFailure(s.CASE_ID, 2, "no space"), CaseFailure(s.CASE_ID, 3, "no luck"))
    plan, measured = s.plan(s.case(s.threshold(value=500.0))), s.repetitions([100])
    with closing(open_store(path)) as store:
        verdict = judge(plan, measured, failures, ())
        run = s.run("bad", the_plan=plan, measurements=measured, outcome=verdict)
        store.begin_run(replace(run, failures=failures))
    text = history("show", "bad", "--store", path).stdout
    reasons = [*(each.reason for each in failures), verdict.thresholds[0].reason]
    assert [text.count(reason) for reason in reasons] == [1, 1, 1]
    assert "1 of 1 limit failed" in text


def test_show_says_each_warning_of_the_numbers_once(tmp_path: Path) -> None:
    path = str(tmp_path / "history.sqlite")
    warned = [replace(one, warnings=("worked \x1bout",)) for one in s.repetitions([100, 110])]
    with closing(open_store(path)) as store:
        store.begin_run(s.run("aaaa", measurements=tuple(warned)))
    text = history("show", "aaaa", "--store", path).stdout
    assert text.count("oltp/bs=4k: warning: worked \ufffdout\n") == 1


def test_show_says_what_devices_were_brought_to_and_what_disturbed_repetitions_hide(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "history.sqlite")
    steady = SteadyState("snia", "iops", 1.0, (2.0, 1.0), 2, "5 rounds within 20 %", 1.0)
    done = DevicePrecondition("raw", "/dev/s\x1bdb", "done by this run", True, 5, "a", 9, steady)
    with closing(open_store(path)) as store:
        verdict = replace(s.verdict(), cautions=("2 disturbed \x1brepetitions were slower",))
        run = s.run("aaaa", measurements=s.repetitions([100]), outcome=verdict)
        store.begin_run(replace(run, preconditions=(done, replace(done, steady=None))))
    text = history("show", "aaaa", "--store", path).stdout
    told = "precondition of /dev/s\ufffddb: done by this run"
    assert f"\n\n{told} (5 rounds within 20 %)\n{told}\n" in text
    assert "warning           2 disturbed \ufffdrepetitions were slower\n" in text


def test_show_of_a_run_that_did_not_end(url: str) -> None:
    text = history("show", "cccc", "--store", url).stdout
    assert "repetition 1 of oltp/bs=4k: stopped" in text
    assert "\x1b" not in text
    assert "no verdict" in text


def test_how_long_a_run_took_that_was_killed_before_it_measured_is_not_known(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "history.sqlite")
    with closing(open_store(path)) as store:
        run = replace(begun("aaaa", HERE), measurements=())
        store.begin_run(run)
        close_run(store, run)
    assert "took      –\n" in history("show", "aaaa", "--store", path).stdout
    assert "  –  " in history("list", "--store", path).stdout


def test_show_as_json_is_the_run_document(url: str) -> None:
    document = json.loads(history("show", "aaaa", "--json", "--store", url).stdout)
    assert document["schema"] == "run/1"
    assert len(run_from_document(document).measurements) == 3


def test_an_unknown_run_is_a_usage_error(url: str) -> None:
    result = history("show", "nope", "--store", url)
    assert isinstance(result.exception, UsageError)
    assert "iogate history list" in result.exception.remedy


def test_a_terminal_gets_a_table(url: str) -> None:
    text = on_terminal(["history", "list", "--store", url])
    assert "aaaa1111bbbb" in text
    assert "─" in text


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100])
def test_an_id_and_a_date_stay_whole_on_a_narrow_terminal(url: str, columns: int) -> None:
    """They are copied from there."""
    text = on_terminal(["history", "list", "--store", url], columns)
    assert "aaaa1111bbbb" in text
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", text)


def test_long_names_are_folded_beside_what_is_whole(tmp_path: Path) -> None:
    store = str(tmp_path / "long.sqlite")
    run = s.run("aaaa1111bbbb2222", the_plan=replace(s.plan(s.case()), spec_name="name" * 20))
    with closing(open_store(store)) as opened:
        opened.begin_run(run)
    text = on_terminal(["history", "list", "--store", store], 120)
    assert "aaaa1111bbbb " in text
    assert "─" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= 120


def on_terminal(arguments: Sequence[str], columns: int = 160) -> str:
    """What a real terminal shows."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    call = [sys.executable, "-m", "iogate", *arguments]
    with subprocess.Popen(call, stdout=follower, env=environment) as process:
        os.close(follower)
        parts = []
        try:
            while part := os.read(leader, 65536):
                parts.append(part)
        except OSError:  # the other side was closed: that is how a terminal ends
            pass
        os.close(leader)
    assert process.returncode == 0
    return b"".join(parts).decode()


def test_without_a_subcommand_it_lists_with_the_options_of_list(url: str) -> None:
    asked = ("--store", url, "--limit", "1")
    alone, listed = history(*asked), history("list", *asked)
    assert (alone.exit_code, alone.stdout) == (0, listed.stdout)
    assert len(alone.stdout.splitlines()) == 2
    wrong = history("--stores", url)
    assert wrong.exit_code == 2
    assert "list [OPTIONS]" in wrong.stderr
    assert "No such option '--stores'" in wrong.stderr
