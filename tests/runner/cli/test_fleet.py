"""``iogate fleet`` and the fleet page, of a history of five hosts."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from iogate.cli import fleet
from iogate.errors import UsageError
from iogate.model.document import fleet_from_document
from iogate.model.fleet import SharedFact, Standing
from iogate.model.run import Host, Run
from iogate.store import open_store
from iogate.store.sqlite.store import SqliteStore
from support import samples as s
from support.nightly import DAY_NS, History

HOSTS = ("lab-0", "lab-1", "lab-2", "lab-3", "lab-4")
SLOW = "lab-3"
NIGHTS = 12


def keep(history: History, hosts: tuple[str, ...], slower: float = 0.11, flaky: str = "") -> None:
    """Nights of each host since its first, on one of which all is slower."""
    noise = np.random.default_rng(1).normal(size=(NIGHTS, len(hosts))) / 100
    (case,) = history.plan.cases
    with closing(open_store(history.url)) as store:
        for night in range(NIGHTS):
            for place, name in enumerate(hosts):
                level = 1000 * (1 - slower * (name == SLOW)) * (1 + noise[night][place])
                level *= 0.7 if name == flaky and night in (3, 8) else 1
                measured = tuple(s.repetitions([float(level)], case_id=case.id))
                run = s.run(
                    f"{night:02}{name}",
                    started_ns=night * DAY_NS + place,
                    the_plan=history.plan,
                    measurements=measured,
                )
                facts = {
                    "kernel.release": "6.1.0",
                    "target.d.firmware": "1.2" if name == SLOW else "1.3",
                    "target.d.serial_digest": name,
                    "load": name,
                }
                host = Host(name, f"{place:032x}")
                store.begin_run(replace(run, host=host, environment=facts))


def shown(history: History, *more: str) -> str:
    words = [str(history.spec), "--store", history.url, *more]
    result = CliRunner().invoke(fleet.command, words, standalone_mode=False)
    assert result.exception is None, result.output
    return result.stdout


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def test_a_host_that_was_slow_from_its_first_night_stands_out(history: History) -> None:
    keep(history, HOSTS)
    lines = shown(history).splitlines()
    assert lines[:2] == ["nightly on 5 hosts", "lab-3 stands out in 1 of 1 series"]
    row = next(line.split() for line in lines if line.startswith("lab-3  "))
    assert row[-2:] == ["stands", "out"]
    rows = [line for line in lines if line.startswith("lab-")][1:]
    assert sum("stands out" in line for line in rows) == 1
    assert all("±" in line and " … " in line and "∞" not in line for line in rows)


def test_programs_are_told_the_same(history: History) -> None:
    keep(history, HOSTS, flaky="lab-1")
    told = fleet_from_document(json.loads(shown(history, "--json")))
    slow = f"{HOSTS.index(SLOW):032x}"
    assert [host.name for host in told.hosts] == list(HOSTS)
    assert (told.worse, told.only_worse) == (
        (slow,),
        (SharedFact("target.d.firmware", "1.2", ("1.3",)),),
    )
    (series,) = told.series
    first, *others = series.hosts
    assert (first.machine_id, first.standing, first.nights) == (slow, Standing.WORSE, NIGHTS)
    assert (
        first.level / series.median - 1
        == pytest.approx(first.away)
        == pytest.approx(-0.11, abs=0.02)
    )
    assert first.interval is not None
    assert first.interval.low < -0.11 < first.interval.high
    assert first.last_ns == (NIGHTS - 1) * DAY_NS + HOSTS.index(SLOW)
    assert {host.standing for host in others} == {Standing.TYPICAL}
    assert [HOSTS[int(host.machine_id, 16)] for host in series.hosts if host.varies_more] == [
        "lab-1"
    ]


def test_what_only_the_slow_host_has_is_told(history: History) -> None:
    keep(history, HOSTS)
    lines = shown(history).splitlines()
    at = lines.index("only lab-3 has")
    assert [line.split() for line in lines[at + 2 :]] == [["target.d.firmware", "1.2", "1.3"]]
    page = history.pages()["nightly/fleet.html"]
    assert "What only lab-3 has" in page
    assert "target.d.firmware" in page
    assert "serial_digest" not in page
    assert "lab-3 stands out" in history.pages()["index.html"]


def test_hosts_that_are_alike_share_nothing_odd(history: History) -> None:
    keep(history, HOSTS, slower=0)
    text = shown(history)
    assert "stands out" not in text
    assert "only" not in text
    assert "lab-3 stands out" not in history.pages()["index.html"]


def test_a_host_that_is_slow_now_and_then_is_told(history: History) -> None:
    keep(history, HOSTS, slower=0, flaky="lab-1")
    lines = shown(history).splitlines()
    assert lines[1] == "lab-1 varies more from night to night in 1 of 1 series: see its noise"
    assert [line.split()[0] for line in lines if line.endswith("varies more")] == ["lab-1"]
    assert "stands out" not in "".join(lines)
    page = history.pages()["nightly/fleet.html"]
    assert page.count("varies more</") == 3  # above, in its row, and explained
    assert "No host stands out" not in page


def test_few_hosts_are_compared_and_not_judged(history: History) -> None:
    keep(history, HOSTS[2:4])
    text = shown(history)
    assert "with fewer than 4 hosts none can be told to stand out" in text
    assert "lab-3" in text


def test_one_host_is_no_fleet(history: History) -> None:
    keep(history, HOSTS[:1])
    assert shown(history) == "nightly: no case was measured by more than one host\n"


def test_a_host_that_stopped_is_told_with_its_last_night(history: History) -> None:
    keep(history, HOSTS, slower=0)
    ago = time.time_ns() - (NIGHTS - 1) * DAY_NS
    with closing(open_store(history.url)) as store:
        runs = [store.run(name) for name in store.run_ids()]
        store.add_runs(
            replace(run, id=f"z{run.id}", started_ns=ago + run.started_ns)
            for run in runs
            if run.host.name != "lab-1"
        )
    lines = shown(history).splitlines()
    assert lines[1].startswith("lab-1: no night for ")
    (row,) = [line for line in lines if line.startswith("lab-1  ")]
    assert "1970-01-12" in row
    page = history.pages()["nightly/fleet.html"]
    assert "Hosts that stopped: <b>lab-1</b>, no night for" in page
    assert "1970-01-12" in page
    assert "lab-1: no night for" in history.pages()["index.html"]


@pytest.mark.parametrize("by", ["file", "name"])
def test_the_runs_of_a_fleet_are_read_once(
    history: History, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(history, HOSTS[:2])
    read: list[dict[str, object]] = []
    runs = SqliteStore.runs

    def counted(store: SqliteStore, **asked: Any) -> Sequence[Run]:
        read.append(asked)
        return runs(store, **asked)

    monkeypatch.setattr(SqliteStore, "runs", counted)
    words = [str(history.spec) if by == "file" else "nightly", "--store", history.url]
    result = CliRunner().invoke(fleet.command, words, standalone_mode=False)
    assert result.stdout.startswith("nightly on 2 hosts\n")
    assert read == [{"spec": "nightly", "verdicts": False}]


def test_one_host_of_a_fleet_is_not_asked_for(history: History) -> None:
    keep(history, HOSTS)
    words = [str(history.spec), "--store", history.url, "--host", "lab-1"]
    error = CliRunner().invoke(fleet.command, words, standalone_mode=False).exception
    assert isinstance(error, UsageError)
    assert error.remedy == "iogate trend SPEC --host lab-1 shows that one"
