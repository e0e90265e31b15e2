"""``iogate openmetrics``, read by the parsers of Prometheus' own library."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import parser as older_parser
from prometheus_client.openmetrics import parser

from iogate.cli.entry import run_command
from iogate.errors import ExitCode
from iogate.model.run import RunStatus
from iogate.store import open_store
from support import samples as s
from support.nightly import DAY_NS, History, noisy


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def families(text: str, by: Any = parser) -> list[Any]:
    return list(by.text_string_to_metric_families(text))


def values(text: str, name: str, **labels: str) -> list[float]:
    """Of the samples that have these labels, by the stricter of the two parsers."""
    return [
        sample.value
        for family in families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]


def test_levels_alerts_and_nights(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    history.add(*noisy(1, (60, 1000.0), (30, 360.0)))
    assert run_command(["openmetrics", "--store", history.url]) == ExitCode.PASS
    text = capsys.readouterr().out
    of_series = {"spec": "nightly", "case": "log", "metric": "write.iops", "unit": "1/s"}
    (level,) = values(text, "iogate_night_level", **of_series)
    assert level == pytest.approx(360, rel=0.03)
    assert len(values(text, "iogate_night_value", **of_series)) == 1
    assert values(text, "iogate_series_state", state="regressed", **of_series) == [1]
    assert values(text, "iogate_alerts", turn="regression", state="open") == [1]
    assert values(text, "iogate_alerts", turn="improvement", state="open") == [0]
    assert values(text, "iogate_last_night_timestamp_seconds") == [89 * DAY_NS / 1e9]
    assert values(text, "iogate_last_night_failed", host="host-a") == [0]
    older = {family.name for family in families(text, older_parser)}
    assert older == {family.name for family in families(text)}


def test_a_file_is_replaced_as_a_whole(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "textfile"
    folder.mkdir()
    file = folder / "iogate.prom"
    file.write_text("old")
    history.add(1000.0)
    with closing(open_store(history.url)) as store:
        run = s.run("broken", started_ns=DAY_NS, the_plan=history.plan, status=RunStatus.FAILED)
        store.add_runs([run])
    assert run_command(["openmetrics", str(file), "--store", history.url]) == ExitCode.PASS
    assert values(file.read_text(), "iogate_last_night_failed") == [1]
    assert [path.name for path in folder.iterdir()] == ["iogate.prom"]
    assert file.stat().st_mode & 0o777 == 0o644
    lost = tmp_path / "nowhere/iogate.prom"
    assert run_command(["openmetrics", str(lost), "--store", history.url]) == ExitCode.REFUSED


def test_no_name_ends_a_label(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    name = 'a" } 1\niogate_alerts{x="\\'
    run = s.run("r", the_plan=replace(history.plan, spec_name=name))
    with closing(open_store(history.url)) as store:
        store.add_runs([run])
    assert run_command(["openmetrics", "--store", history.url]) == ExitCode.PASS
    text = capsys.readouterr().out
    shown = {sample.labels["spec"] for family in families(text) for sample in family.samples}
    assert shown == {name.replace("\n", "\ufffd")} or shown == {name}


def test_no_such_spec_is_told(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    history.add(1.0)
    words = ["openmetrics", "--store", history.url, "--spec", "other*"]
    assert run_command(words) == ExitCode.USAGE
    assert "it holds nights of: nightly" in capsys.readouterr().err
