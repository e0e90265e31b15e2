"""What moved together is one alert, and its evidence is added up: more for independent series."""

from __future__ import annotations

import numpy as np
import pytest

from iogate.metrics import metric
from iogate.model.trend import Alert, AlertState, Turn
from iogate.trend import Line, analyse
from support.nights import night

NOW = 10**19
COUNT = 6


def moved(alike: float, nights_after: int, change: float = -0.1, seed: int = 1) -> list[Alert]:
    """The alerts of series of which ``alike`` of the noise is common; all move in night 60."""
    rng = np.random.default_rng(seed)
    shape = (60 + nights_after, 1)
    noise = np.sqrt(alike) * rng.normal(size=shape)
    noise = noise + np.sqrt(1 - alike) * rng.normal(size=(shape[0], COUNT))
    values = 1000 * (1 + 0.02 * noise)
    values[60:] *= 1 + change
    lines = [Line((f"{n:016x}",), f"case-{n}", metric("write.iops")) for n in range(COUNT)]
    keys = [(line.case_ids[0], "write.iops") for line in lines]
    nights = [night(n, dict(zip(keys, row.tolist(), strict=True))) for n, row in enumerate(values)]
    return list(analyse("demo", lines, nights, (), now_ns=NOW).alerts)


def test_independent_series_say_more_than_those_that_move_together() -> None:
    (apart,), (together,) = moved(0.0, 20), moved(0.95, 20)
    assert apart.evidence is not None
    assert together.evidence is not None
    assert apart.evidence.series == together.evidence.series == COUNT
    assert apart.evidence.independent > 3
    assert together.evidence.independent == pytest.approx(1, abs=0.3)
    assert apart.evidence.sigma > 1.5 * together.evidence.sigma
    assert together.evidence.sigma > max(change.sigma for change in together.changes) * 0.9
    assert all(change.sigma > 4 for change in apart.changes)


def test_several_independent_series_need_fewer_nights() -> None:
    (early,) = moved(0.0, 5)
    assert len(early.changes) > 2
    assert not any(change.confirmed for change in early.changes)
    assert (early.turn, early.state) == (Turn.REGRESSION, AlertState.OPEN)
    (alike,) = moved(0.98, 5)
    assert alike.state is AlertState.SUSPECT, "they are one series that is shown six times"


def test_a_series_alone_has_its_own_evidence() -> None:
    rng = np.random.default_rng(2)
    values = 1000 * (1 + 0.02 * rng.normal(size=80)) * np.repeat([1, 0.9], (60, 20))
    key = "00112233445566aa", "write.iops"
    nights = [night(n, {key: float(value)}) for n, value in enumerate(values)]
    line = Line((key[0],), "case", metric(key[1]))
    (alert,) = analyse("demo", [line], nights, (), now_ns=NOW).alerts
    assert alert.evidence is not None
    assert (alert.evidence.series, alert.evidence.independent) == (1, 1.0)
    assert alert.evidence.sigma == alert.changes[0].sigma
