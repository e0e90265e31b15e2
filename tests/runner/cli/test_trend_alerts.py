"""What becomes of an alert, night after night: in ``iogate trend``, its document and the site."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click import Command
from click.testing import CliRunner, Result

from iogate.cli import accept, ack, reopen, trend
from iogate.errors import ExitCode, RefusedError, UsageError
from iogate.store import open_store
from support.nightly import DAY_NS, History, noisy

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_five_bad_nights_are_one_alert_that_recovered(history: History, seed: int) -> None:
    """Replayed night by night: from the night on that raises it, it is the one alert of its
    id, always a regression, and in the end recovered."""
    values = noisy(seed, (60, 1000.0), (5, 360.0), (40, 1000.0))
    history.add(*values[:60])
    told = []
    for value in values[60:]:
        history.add(value)
        told.append(history.document()["alerts"])
    raised = next(n for n, alerts in enumerate(told) if alerts)
    assert raised < 5
    assert {(a["id"], a["turn"]) for alerts in told[raised:] for a in alerts} == {
        (told[raised][0]["id"], "regression")
    }
    assert all(len(alerts) == 1 for alerts in told[raised:])
    states = [alerts[0]["state"] for alerts in told[raised:]]
    assert set(states[9 - raised :]) == {"recovered"}

    found = history.document()
    jsonschema.validate(found, json.loads((ROOT / "schemas" / "trend.schema.json").read_text()))
    (alert,) = found["alerts"]
    assert [alert[key]["commit"][10:12] for key in ("last_good", "first_bad")] == ["3b", "3c"]
    recovery = alert["recovery"]
    assert [recovery[key]["commit"][10:12] for key in ("last_bad", "first_good")] == ["40", "41"]
    (change,) = alert["changes"]
    assert change["effect"] == pytest.approx(-0.64, abs=0.02)
    assert (change["closed"], change["returned"]["first_after"]) == (True, 65)
    (series,) = found["series"]
    assert (series["state"], series["alert"]) == ("steady", "")

    text = history.show()
    assert f"{alert['id']}  recovered  regression: write.iops of log went from" in text
    assert "no alerts but those that are over" in text
    assert f"  recovered after {64:012x} (" in text
    pages = history.pages()
    assert f"alert-{alert['id']}" in pages["nightly/index.html"]
    assert "Recovered with" in pages["nightly/index.html"]
    assert "0 alerts; not shown: 1 that is over" in pages["index.html"]
    (case,) = (text for name, text in pages.items() if "/case-" in name)
    assert "Recovered with" in case
    assert "came in here: a regression" in case
    assert "came in here: an improvement" in case, "the way back"


def test_an_open_alert_outlives_the_environment_of_its_host(history: History) -> None:
    """Nobody decided anything: a new kernel is no reason to call the regression off."""
    old, new = {"kernel.release": "6.1"}, {"kernel.release": "6.6"}
    history.add(*noisy(1, (60, 1000.0), (25, 800.0)), environment=old)
    history.add(*noisy(2, (30, 800.0)), environment=new)
    words = [str(history.spec), "--store", history.url, "--gate"]
    gate = CliRunner().invoke(trend.command, words, standalone_mode=False)
    assert gate.return_value == ExitCode.FAIL
    (alert,) = history.document()["alerts"]
    assert alert["left"] == [{"fact": "kernel.release", "before": "6.1", "after": "6.6"}]
    told = "in an environment that is not measured any more: kernel.release was 6.1 and is 6.6"
    assert f"  {told}; it stays until it is acknowledged or accepted" in gate.stdout
    page = history.pages()["nightly/index.html"]
    assert f"It is {told.split(':', maxsplit=1)[0]}: kernel.release 6.1 → 6.6." in page
    assert "1 open" in history.pages()["index.html"]
    done = CliRunner().invoke(accept.command, [alert["id"], "--store", history.url])
    assert done.exit_code == 0, done.output
    text = history.show()
    assert "no alerts" in text
    assert f"accepted {alert['id']} on host-a" in text
    assert told not in text


def test_a_recovered_alert_stays_beside_a_new_one(history: History) -> None:
    history.add(*noisy(4, (60, 1000.0), (6, 700.0), (40, 1000.0), (25, 850.0)))
    new, old = history.document()["alerts"]
    assert [(a["turn"], a["state"]) for a in (new, old)] == [
        ("regression", "open"), ("regression", "recovered"),
    ]  # fmt: skip
    assert new["estimate"]["started_ns"] > old["recovery"]["first_good"]["started_ns"]
    assert (new["recovery"], old["changes"][0]["accepted"]) == (None, False)


def test_a_small_regression_is_not_forgotten_beside_a_large_change(history: History) -> None:
    """What a doubling makes small beside it was raised all the same, and it is over."""
    history.add(*noisy(5, (50, 1000.0), (40, 930.0), (30, 1900.0)))
    states = [(a["turn"], a["state"]) for a in history.document()["alerts"]]
    assert ("regression", "recovered") in states


def test_an_improvement_that_is_over_is_no_regression(history: History) -> None:
    history.add(*noisy(6, (60, 1000.0), (6, 1600.0), (40, 1000.0)))
    (alert,) = history.document()["alerts"]
    assert (alert["turn"], alert["state"]) == ("improvement", "recovered")
    assert "ended  improvement: write.iops of log went from" in history.show()


def hops(seed: int, nights: int) -> np.ndarray:
    """Between two levels, in stays of 2 to 12 nights, with 1 % of noise."""
    rng = np.random.default_rng(seed)
    stays = rng.integers(2, 13, size=nights)
    level = np.repeat(np.where(np.arange(nights) % 2, 1000.0, 800.0), stays)[:nights]
    return level * (1 + 0.01 * rng.normal(size=nights))


def test_a_series_that_hops_says_so_and_alarms_nobody(tmp_path: Path) -> None:
    history = History(tmp_path, time.time_ns() - 160 * DAY_NS)
    history.add(*hops(7, 160))
    found = history.document()
    jsonschema.validate(found, json.loads((ROOT / "schemas" / "trend.schema.json").read_text()))
    (series,) = found["series"]
    assert (series["state"], found["alerts"]) == ("hopping", [])
    hopping = series["hopping"]
    assert hopping["levels"] == pytest.approx([800, 1000], rel=0.01)
    assert sum(hopping["shares"]) == pytest.approx(1)
    assert 3 <= hopping["typical_stay"] <= 11
    assert hopping["until"] is None
    assert min(abs(series["level"] - level) for level in hopping["levels"]) == 0

    text = history.show()
    assert "hops between 8" in text or "hops between 79" in text
    assert "no alerts" in text
    pages = history.pages()
    assert "0 open, 1 hopping" in pages["index.html"]
    assert "Nothing but 1 series that hops as before" in pages["index.html"]
    (case,) = (text for name, text in pages.items() if "/case-" in name)
    assert "levels that it hops between" in case
    assert "came in here" not in case


@pytest.mark.parametrize("nights", [3, 12, 40])
def test_a_level_that_it_never_had_is_an_alert_and_stays_one(history: History, nights: int) -> None:
    history.add(*hops(7, 160), *noisy(8, (nights, 600.0)))
    (alert,) = history.document()["alerts"]
    assert (alert["turn"], alert["state"]) == ("regression", "open")
    good, bad = (int(alert[key]["commit"][:12], 16) for key in ("last_good", "first_bad"))
    assert good < 160 <= bad
    (series,) = history.document()["series"]
    assert series["state"] == "regressed"
    assert series["level"] == pytest.approx(600, rel=0.05)


@pytest.fixture
def firmware(history: History) -> History:
    """A drop with a new firmware, which is what is under test."""
    history.add(*noisy(1, (60, 1000.0)), environment={"target.d.firmware": "A1"})
    history.add(*noisy(2, (25, 800.0)), environment={"target.d.firmware": "B2"})
    return history


def decided(command: Command, history: History, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--store", history.url])


ACROSS = ("--across", "target.*.firmware")


def test_what_is_seen_across_a_fact_can_be_decided_across_it(firmware: History) -> None:
    (alert,) = json.loads(firmware.show("--json", *ACROSS))["alerts"]
    wrong = decided(ack.command, firmware, alert["id"]).exception
    assert isinstance(wrong, UsageError)
    assert "--across" in wrong.remedy
    mistyped = decided(ack.command, firmware, alert["id"], "--across", "target.*.firmwear")
    assert "no run here knows a fact" in str(mistyped.exception)
    for command, state in ((ack, "acknowledged"), (accept, "accepted"), (reopen, "open")):
        done = decided(command.command, firmware, alert["id"], *ACROSS)
        assert done.exit_code == 0, done.output
        (now,) = json.loads(firmware.show("--json", *ACROSS))["alerts"]
        assert (now["id"], now["state"]) == (alert["id"], state)


def test_what_a_spec_file_joins_can_be_decided_before_its_first_run(firmware: History) -> None:
    joins = "baseline: { compare: { across: [target.*.firmware] } }\n"
    firmware.spec.write_text(firmware.spec.read_text() + joins)
    (alert,) = firmware.document()["alerts"]
    assert isinstance(decided(ack.command, firmware, alert["id"]).exception, UsageError)
    done = decided(ack.command, firmware, alert["id"], "--spec", str(firmware.spec))
    assert done.exit_code == 0, done.output
    assert firmware.document()["alerts"][0]["state"] == "acknowledged"


def test_a_suspect_seen_across_a_fact_is_confirmed_across_it(history: History) -> None:
    history.add(*noisy(1, (60, 1000.0)), environment={"target.d.firmware": "A1"})
    history.add(*noisy(2, (6, 930.0)), environment={"target.d.firmware": "B2"})
    (alert,) = json.loads(history.show("--json", *ACROSS))["alerts"]
    words = f"{history.spec} {alert['id']} --across 'target.*.firmware' -- BUILD COMMAND"
    assert f"iogate trend confirm {words}" in history.show(*ACROSS)
    asked = ["confirm", str(history.spec), alert["id"], "--store", history.url]
    build = ["--repository", str(history.spec.parent), "--", "true"]
    unknown = CliRunner().invoke(trend.command, [*asked, *build]).exception
    assert "there is no alert" in str(unknown)
    found = CliRunner().invoke(trend.command, [*asked, *ACROSS, *build]).exception
    assert "there is no alert" not in str(found), "it is looked for in the repository"


@pytest.mark.parametrize("time", ["0h", "0", "999999999999h", "36501d"])
def test_a_decision_that_ends_at_once_or_never_is_refused(firmware: History, time: str) -> None:
    (alert,) = json.loads(firmware.show("--json", *ACROSS))["alerts"]
    wrong = decided(ack.command, firmware, alert["id"], *ACROSS, "--expires", time).exception
    assert isinstance(wrong, UsageError)
    assert "--expires" in wrong.what
    assert json.loads(firmware.show("--json", *ACROSS))["alerts"][0]["decision"] is None


def test_a_kept_decision_until_a_day_beyond_the_calendar_is_shown(firmware: History) -> None:
    firmware.add(*noisy(3, (30, 600.0)), environment={"target.d.firmware": "B2"})
    (alert,) = firmware.document()["alerts"]
    decided(ack.command, firmware, alert["id"], "--author", "Ann")
    with closing(open_store(firmware.url)) as store:
        (kept,) = store.decisions()
        store.add_decision(replace(kept, at_ns=kept.at_ns + 1, expires_ns=10**25))
    assert re.search(r"ack by Ann, \S+ \S+$", firmware.show(), re.MULTILINE)
    assert "acknowledged by Ann" in firmware.pages()["nightly/index.html"]


def test_a_decision_names_the_one_that_it_replaces(firmware: History) -> None:
    (alert,) = json.loads(firmware.show("--json", *ACROSS))["alerts"]
    name = alert["id"]
    decided(ack.command, firmware, name, *ACROSS, "--author", "Ann", "--reason", "bug 7")
    told = decided(ack.command, firmware, name, *ACROSS, "--author", "Bob")
    assert told.stdout == f"{name} is acknowledged; it was acknowledged by Ann (bug 7)\n"


def test_the_start_of_an_id_is_long_enough_to_be_meant(firmware: History) -> None:
    (alert,) = json.loads(firmware.show("--json", *ACROSS))["alerts"]
    for few in (1, 3):
        wrong = decided(ack.command, firmware, alert["id"][:few], *ACROSS).exception
        assert isinstance(wrong, UsageError)
        assert wrong.remedy == "the start of an id has at least 4 characters"
    assert decided(ack.command, firmware, alert["id"][:4], *ACROSS).exit_code == 0
    assert isinstance(decided(reopen.command, firmware, alert["id"][:3]).exception, UsageError)
    assert decided(reopen.command, firmware, alert["id"][:4]).exit_code == 0


def gated(history: History, *words: str) -> Result:
    asked = [str(history.spec), "--store", history.url, "--gate", *words]
    return CliRunner().invoke(trend.command, asked, standalone_mode=False)


def test_a_history_that_ended_long_ago_says_so(tmp_path: Path) -> None:
    """Of the only spec: nothing else tells that nobody measures any more. It is no failure."""
    history = History(tmp_path, time.time_ns() - 330 * DAY_NS)
    history.add(*noisy(1, (30, 1000.0)))
    done = gated(history)
    assert (done.return_value, done.stderr) == (0, "iogate: nightly: no night for 10 months\n")
    index = history.pages()["index.html"]
    assert ">no night for 10 months<" in index
    assert "But look at nightly (no night for 10 months)." in index
    assert "; no night for 10 months." in history.pages()["nightly/index.html"]


def test_a_night_ahead_of_the_clock_is_named_and_makes_no_other_spec_stale(tmp_path: Path) -> None:
    now = time.time_ns()
    history = History(tmp_path, now - 29 * DAY_NS + DAY_NS // 24)
    history.add(*noisy(1, (30, 1000.0)))
    other = replace(history.plan.cases[0], id="feedfeedfeedfeed")
    history.plan = replace(history.plan, spec_name="hasty", cases=(other,))
    history.add(*noisy(2, (30, 1000.0)))  # from tomorrow on
    pages = history.pages()
    assert ">0 open<" in pages["index.html"], "of the spec that measured today"
    assert ">a night dated 30 days ahead<" in pages["index.html"]


def test_a_gate_over_runs_without_any_value_is_refused(history: History) -> None:
    history.add(*[float("nan")] * 12)
    done = gated(history)
    assert isinstance(done.exception, RefusedError)
    assert "no night with a value of nightly is kept" in done.exception.what
