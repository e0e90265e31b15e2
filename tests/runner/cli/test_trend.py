"""``iogate trend SPEC`` and the decisions on it, on a history of nights."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from iogate.cli import accept, ack, reopen, trend
from iogate.cli.trend_view import BARS, sparkline
from iogate.errors import ExitCode, RefusedError, UsageError
from iogate.model.document import trend_from_document
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.run import Revision, RunStatus
from iogate.model.verdict import Outcome
from iogate.spec import load_spec, make_plan
from iogate.store import open_store
from support import samples as s

ROOT = Path(__file__).resolve().parents[3]
SPEC = """\
version: 1
name: nightly
targets: { here: { directory: auto } }
workloads:
  log: { target: here, fio: { rw: write, bs: 4k, size: 4m }, thresholds: { write.iops: "> 1" } }
  data: { target: here, fio: { rw: write, bs: 64k, size: 4m } }
"""
DAY_NS = 86_400 * 10**9


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "nightly.yaml"
    path.write_text(SPEC)
    return path


@pytest.fixture
def url(tmp_path: Path, spec: Path) -> str:
    """45 nights of three repetitions; those of the case log fall by a fifth at night 30."""
    path = str(tmp_path / "history.sqlite")
    add_nights(path, spec, range(45))
    return path


def add_nights(
    path: str, spec: Path, nights: range, data_falls_to: float = 500, *, apart_ns: int = DAY_NS
) -> None:
    plan = make_plan(load_spec(spec))
    log, data = (case.id for case in plan.cases)
    noise = np.random.default_rng(1).normal(size=(nights.stop, 2, 3))
    with closing(open_store(path)) as store:
        for n in nights:
            levels = {log: 800 if n >= 30 else 1000, data: data_falls_to if n >= 30 else 500}
            measured = tuple(
                each
                for k, (case, level) in enumerate(levels.items())
                for each in s.repetitions(
                    [float(v) for v in level * (1 + noise[n, k] / 100)], case_id=case
                )
            )
            run = s.run(f"{n:04}run", started_ns=n * apart_ns, the_plan=plan, measurements=measured)
            branch = "main" if n % 2 else "topic"
            store.begin_run(replace(run, revision=Revision(f"{n:040x}", "A night", branch)))


def add_run(
    path: str, spec: Path, night: int, measured: tuple[Measurement, ...], outcome: Outcome
) -> None:
    """One more run, of the case log, and how it ended."""
    plan = make_plan(load_spec(spec))
    of_log = tuple(replace(each, case_id=plan.cases[0].id) for each in measured)
    run = s.run(f"{night:04}run", started_ns=night * DAY_NS, the_plan=plan, measurements=of_log)
    with closing(open_store(path)) as store:
        store.begin_run(replace(run, verdict=s.verdict(outcome)))


def show(spec: Path, url: str, *more: str) -> Result:
    words = [str(spec), "--store", url, *more]
    return CliRunner().invoke(trend.command, words, standalone_mode=False)


def document(spec: Path, url: str, *more: str) -> dict[str, Any]:
    result = show(spec, url, "--json", *more)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_runs_of_one_day_are_no_nights(tmp_path: Path, spec: Path) -> None:
    often, seldom = str(tmp_path / "often.sqlite"), str(tmp_path / "seldom.sqlite")
    add_nights(often, spec, range(25), apart_ns=600 * 10**9)
    text = show(spec, often).stdout
    assert "last run 1970-01-01" in text
    assert re.search(r"metric +runs +last", text)
    assert "night" not in text.replace("nightly", "")
    add_nights(seldom, spec, range(3))
    assert re.search(r"metric +nights +last", show(spec, seldom).stdout)


def alert_id(spec: Path, url: str) -> str:
    (alert,) = document(spec, url)["alerts"]
    return str(alert["id"])


def decide(command: Any, *words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_the_table_has_a_line_a_series_and_the_alert_its_range(spec: Path, url: str) -> None:
    text = show(spec, url).stdout
    table = text.split("\n\n")[0].splitlines()
    rows = {line.split()[0]: line for line in table if "write.iops" in line}
    assert "-20" in rows["log"]
    assert "regressed" in rows["log"]
    assert "steady" in rows["data"]
    assert rows["log"].split()[2] == "45"
    assert set(rows["data"].split()[-1]) <= set(BARS)
    assert f"after {29:012x}"[:10] in text
    assert "open  regression: write.iops of log went from" in text
    assert "1 night" not in text


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome.PASS, ""),
        (Outcome.FAIL, ", when a limit failed"),
        (Outcome.INCONCLUSIVE, ", which was inconclusive"),
        (Outcome.WARN, ", which ended with a warning"),
    ],
)
def test_how_the_last_run_ended_is_told(spec: Path, url: str, outcome: Outcome, told: str) -> None:
    add_run(url, spec, 45, s.repetitions([801.0] * 3), outcome)
    title, _ = show(spec, url).stdout.split("\n", 1)
    assert re.search(r"last night \S+ \S+?(,.*)?$", title)[1] == (told or None)  # type: ignore[index]


def test_no_alert_where_nothing_can_be_told_yet_says_so(spec: Path, tmp_path: Path) -> None:
    url = str(tmp_path / "few.sqlite")
    add_nights(url, spec, range(3))
    told = "no alerts; every series has too few nights to tell a change from noise"
    assert told in show(spec, url).stdout


def test_the_document_is_whole_and_fits_its_schema(spec: Path, url: str) -> None:
    found = document(spec, url)
    schema = json.loads((ROOT / "schemas" / "trend.schema.json").read_text())
    jsonschema.validate(found, schema)
    again = trend_from_document(found)
    assert [s.state for s in again.series] == ["regressed", "steady"]
    assert len(again.nights) == 45
    assert found["schema"] == "trend/1"


def test_a_case_without_limits_is_followed_by_its_headlines(spec: Path, url: str) -> None:
    followed = [(s["case"], s["metric"]) for s in document(spec, url)["series"]]
    assert followed == [("log", "write.iops"), ("data", "write.iops")]


def test_more_metrics_by_name_and_by_pattern(spec: Path, url: str) -> None:
    asked = document(spec, url, "--metric", "write.clat.max", "--metric", "write.clat.me*")
    metrics = {s["metric"] for s in asked["series"]}
    assert metrics == {"write.iops", "write.clat.max", "write.clat.mean"}
    wrong = show(spec, url, "--metric", "write.iosp")
    assert isinstance(wrong.exception, UsageError)
    assert "write.iops" in wrong.exception.remedy


def test_a_metric_that_no_night_has_is_told(spec: Path, url: str) -> None:
    asked = ("--metric", "jobs.nobody.write.iops", "--metric", "write.clat.max")
    told = show(spec, url, *asked)
    assert told.stderr == "iogate: jobs.nobody.write.iops has no value in any night\n"
    assert "write.clat.max" in told.stdout
    assert told.return_value == ExitCode.PASS


def test_it_can_be_narrowed(spec: Path, url: str) -> None:
    assert [s["case"] for s in document(spec, url, "--case", "da*")["series"]] == ["data"]
    assert document(spec, url, "--case", "da*")["alerts"] == []
    assert len(document(spec, url, "--last", "10")["nights"]) == 10
    assert len(document(spec, url, "--branch", "main", "--last", "10")["nights"]) == 10
    branches = {n["branch"] for n in document(spec, url, "--branch", "main")["nights"]}
    assert branches == {"main"}


@pytest.mark.parametrize(
    ("words", "says", "remedy"),
    [
        (["--case", "dta"], "nightly.yaml is selected by --case", "its cases are: log, data"),
        (["--host", "elsewhere"], "no run of nightly with --host elsewhere", "hosts are: host-a;"),
        (["--branch", "mian"], "no run of nightly with --branch mian", "branches: main, topic"),
        (["--metric", "write.clta.*"], "write.clta.*: no metric that was kept", "--metric '*'"),
        (["--across", "kernle.*"], "kernle.*: no run here knows a fact", "history show RUN"),
    ],
)
def test_what_leaves_nothing_is_refused_and_opens_no_gate(
    words: list[str], says: str, remedy: str, spec: Path, url: str
) -> None:
    error = show(spec, url, "--gate", *words).exception
    assert isinstance(error, UsageError)
    assert says in error.what
    assert remedy in error.remedy


def test_a_name_shows_every_case_that_the_history_holds(spec: Path, url: str) -> None:
    """The newest night measured one case only, and a run that was cut off another one."""
    plan = make_plan(load_spec(spec))
    data = plan.cases[1]
    with closing(open_store(url)) as store:
        alone = replace(plan, cases=(data,))
        measured = s.repetitions([500.0], case_id=data.id)
        late = s.run("late", started_ns=45 * DAY_NS, the_plan=alone, measurements=measured)
        store.begin_run(late)
        other = replace(plan, cases=(s.case(name="other"),))
        cut = s.run("cut", started_ns=46 * DAY_NS, the_plan=other, status=RunStatus.INTERRUPTED)
        store.begin_run(cut)
    found = document(Path("nightly"), url)
    assert {each["case"]: len(each["values"]) for each in found["series"]} == {
        "data": 46,
        "log": 45,
    }
    assert [alert["id"] for alert in found["alerts"]] == [alert_id(spec, url)]


def test_the_next_step_names_the_file_of_the_spec(spec: Path, url: str) -> None:
    assert f"iogate bisect {spec} --good " in show(spec, url).stdout
    assert f"iogate bisect {spec} --good " in show(Path("nightly"), url).stdout


@pytest.mark.parametrize("word", ["nihgtly", "."])
def test_a_name_that_is_neither_file_nor_spec_is_told_what_there_is(word: str, url: str) -> None:
    error = show(Path(word), url).exception
    assert isinstance(error, UsageError)
    assert f"no night of a spec {word}, and there is no file" in error.what
    assert error.remedy == "it holds nights of: nightly"


def test_the_gate_fails_while_a_regression_is_open(spec: Path, url: str) -> None:
    assert show(spec, url).return_value == ExitCode.PASS
    assert show(spec, url, "--gate").return_value == ExitCode.FAIL
    assert show(spec, url, "--gate", "--case", "data").return_value == ExitCode.PASS
    decide(ack.command, alert_id(spec, url), "--store", url)
    assert show(spec, url, "--gate").return_value == ExitCode.PASS


def test_a_gate_over_no_night_is_refused(spec: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "other.sqlite")
    open_store(other).close()
    assert "no nights of this are kept here yet" in show(spec, other).stdout
    error = show(spec, other, "--gate").exception
    assert isinstance(error, RefusedError)
    assert f"no night of nightly is kept in {other}" in error.what
    assert "--store" in error.remedy


def test_runs_without_a_value_are_not_called_none(spec: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "other.sqlite")
    with closing(open_store(other)) as store:
        plan = make_plan(load_spec(spec))
        busy = Disturbance("cpu", 0.5, 0.05, "", "others used half of the CPUs")
        measured = replace(s.measurement(case_id=plan.cases[0].id), disturbances=(busy,))
        store.begin_run(s.run("busy", started_ns=DAY_NS, the_plan=plan, measurements=(measured,)))
    assert "1 run kept, none with a value to follow" in show(spec, other).stdout


def test_ack_accept_and_reopen(spec: Path, url: str) -> None:
    name = alert_id(spec, url)
    told = decide(ack.command, name[:5], "--store", url, "--author", "Ann", "--reason", "bug 7")
    assert told.exit_code == 0, told.output
    assert name in told.stdout
    (alert,) = document(spec, url)["alerts"]
    assert (alert["state"], alert["decision"]["reason"]) == ("acknowledged", "bug 7")
    assert "ack by Ann" in show(spec, url).stdout
    told = decide(accept.command, name, "--store", url, "--author", "Bob")
    assert told.stdout.rstrip().endswith("; it was acknowledged by Ann (bug 7)")
    found = document(spec, url)
    (alert,) = found["alerts"]  # it stays in the list
    assert (alert["id"], alert["state"], alert["turn"]) == (name, "accepted", "regression")
    assert (alert["decision"]["author"], found["series"][0]["state"]) == ("Bob", "steady")
    assert found["accepted"][0]["author"] == "Bob"
    text = show(spec, url).stdout
    assert f"{name}  accepted  regression" in text
    assert text.count("accept by Bob") == 1
    told = decide(reopen.command, name, "--store", url)
    assert told.stdout.rstrip().endswith("has no decision any more; it was accepted by Bob")
    (alert,) = document(spec, url)["alerts"]
    assert (alert["id"], alert["state"], alert["decision"]) == (name, "open", None)


def test_alerts_of_many_hosts_are_decided_on_at_once_or_none_is(spec: Path, url: str) -> None:
    with closing(open_store(url)) as store:
        ids = store.run_ids()
        here = [store.run(run_id) for run_id in ids]
        store.add_runs(
            replace(run, id=f"z{run.id}", host=replace(run.host, machine_id="machine-z"))
            for run in here
        )
    names = [alert["id"] for alert in document(spec, url)["alerts"]]
    assert len(names) == 2
    assert isinstance(decide(ack.command, *names, "nothing", "--store", url).exception, UsageError)
    assert {a["state"] for a in document(spec, url)["alerts"]} == {"open"}
    assert decide(ack.command, *names, "--store", url).stdout.count("is acknowledged") == 2
    assert {a["state"] for a in document(spec, url)["alerts"]} == {"acknowledged"}


def test_what_joins_an_alert_after_its_ack_is_accepted_with_it(spec: Path, tmp_path: Path) -> None:
    url = str(tmp_path / "later.sqlite")
    add_nights(url, spec, range(32), data_falls_to=490)
    (early,) = document(spec, url)["alerts"]
    assert len(early["changes"]) == 1
    decide(ack.command, early["id"], "--store", url)
    add_nights(url, spec, range(32, 70), data_falls_to=490)
    (joined,) = document(spec, url)["alerts"]
    assert (joined["id"], len(joined["changes"])) == (early["id"], 2)
    decide(accept.command, early["id"][:6], "--store", url)
    (accepted,) = document(spec, url)["alerts"]
    assert (accepted["id"], accepted["state"]) == (early["id"], "accepted")
    assert all(change["accepted"] for change in accepted["changes"])


def test_a_clock_that_went_back_keeps_no_decision_from_its_effect(spec: Path, url: str) -> None:
    name = alert_id(spec, url)
    decide(ack.command, name, "--store", url)
    with closing(open_store(url)) as store:
        (decision,) = store.decisions()
        store.add_decision(replace(decision, at_ns=decision.at_ns + 10**15, reason="next week"))
    assert decide(reopen.command, name, "--store", url).exit_code == 0
    (alert,) = document(spec, url)["alerts"]
    assert (alert["id"], alert["state"]) == (name, "open")


def test_a_decision_may_lapse(spec: Path, url: str) -> None:
    decide(ack.command, alert_id(spec, url), "--store", url, "--expires", "1s")
    with closing(open_store(url)) as store:
        (decision,) = store.decisions()
    assert decision.expires_ns == decision.at_ns + 10**9
    assert decision.author


def test_an_alert_of_a_metric_that_is_not_followed_by_itself(spec: Path, url: str) -> None:
    alerts = document(spec, url, "--metric", "write.clat.mean")["alerts"]
    ids = {a["id"] for a in alerts}
    for name in ids:
        assert decide(ack.command, name, "--store", url).exit_code == 0


def test_what_is_not_there_cannot_be_decided_about(spec: Path, url: str) -> None:
    for command in (ack.command, accept.command, reopen.command):
        unknown = decide(command, "zzzz", "--store", url)
        assert isinstance(unknown.exception, UsageError)
        assert "iogate trend SPEC" in unknown.exception.remedy
    undecided = decide(reopen.command, alert_id(spec, url), "--store", url)
    assert isinstance(undecided.exception, UsageError)
    assert "nothing was decided" in undecided.exception.what


def test_a_reason_cannot_steer_a_terminal_or_a_workflow(spec: Path, url: str) -> None:
    reason = "x\n::error::owned\x1b[31m"
    decide(ack.command, alert_id(spec, url), "--store", url, "--reason", reason)
    text = show(spec, url).stdout
    assert "\x1b" not in text
    assert "\n::error" not in text


def test_an_empty_history_says_what_to_do(spec: Path, tmp_path: Path) -> None:
    empty = str(tmp_path / "new.sqlite")
    assert isinstance(show(spec, empty).exception, UsageError), "a mistyped name"
    open_store(empty).close()
    result = show(spec, empty)
    assert result.exit_code == 0
    assert "iogate run" in result.stdout
    asked = show(spec, empty, "--host", "a", "--metric", "zz*", "--json")
    assert (asked.exit_code, json.loads(asked.stdout)["series"]) == (0, [])


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ([1.0], "▄"),
        ([5.0, 5.0], "▄▄"),
        ([0.0, 7.0], "▁█"),
        ([-1e308, 0.0, 1e308], "▁▅█"),
        ([float(i) for i in range(8)], BARS),
    ],
)
def test_a_sparkline_spans_lowest_to_highest(values: list[float], bars: str) -> None:
    assert sparkline(values) == bars


def test_a_sparkline_is_as_wide_as_there_is_room() -> None:
    assert len(sparkline([float(i) for i in range(500)], 20)) == 20
