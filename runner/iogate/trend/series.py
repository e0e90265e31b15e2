"""Nights to series: one for each case and metric, host and environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from math import isfinite

from iogate.environments import changed
from iogate.metrics import Metric
from iogate.model.night import Night, Spread
from iogate.model.run import Host
from iogate.model.trend import FactChange
from iogate.trend.environment import digest, settled

# A stream goes on while it is among these nights of its host: hosts may take turns between two
# kernels, but a host that was updated weeks ago does not come back.
CURRENT_NIGHTS = 7
LEAST_NIGHTS = 9  # before that the detector has nothing to compare
_NUMBERED = re.compile(r"(\D*)([0-9]{0,18})")


@dataclass(frozen=True, slots=True)
class Line:
    """What is followed: a case, by the ids that it has had, and one metric of it."""

    case_ids: tuple[str, ...]
    case: str
    metric: Metric


@dataclass(frozen=True, slots=True)
class Series:
    """``values`` are finite, one for each of ``nights`` (indices), oldest first; those
    before ``start`` no longer count. ``spreads`` are theirs, or empty. ``left`` is by what the
    host differs today, where it is not measured in this environment any more."""

    line: Line
    host: Host
    environment: str
    nights: tuple[int, ...]
    values: tuple[float, ...]
    start: int = 0
    spreads: tuple[Spread, ...] = ()
    left: tuple[FactChange, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stream:
    """The nights of one host in one environment, and by what the host differs today where it
    has left that."""

    host: Host
    environment: str
    nights: tuple[int, ...]
    left: tuple[FactChange, ...]


def make_series(
    lines: Sequence[Line],
    nights: Sequence[Night],
    across: Sequence[str],
    also: Sequence[str] = (),
) -> Iterator[Series]:
    """Every series that has a value, by host, environment and line; of those that do not go on
    all in which something may have moved."""
    for stream in _streams(nights, across, also):
        by_night = [nights[index].spreads for index in stream.nights]
        spreads = dict(zip(stream.nights, by_night, strict=True)) if any(by_night) else {}
        columns = _columns(lines, [nights[index].values for index in stream.nights])
        for line, column in zip(lines, columns, strict=True):
            indices, numbers = _points(stream.nights, column)
            if len(numbers) >= (LEAST_NIGHTS if stream.left else 1):
                of_line = tuple(
                    _spreads(line, [spreads[i] for i in indices], numbers) if spreads else ()
                )
                yield Series(
                    line, stream.host, stream.environment, indices, numbers, 0, of_line, stream.left
                )


def _spreads(
    line: Line, nights: Sequence[Mapping[tuple[str, str], Spread]], values: Sequence[float]
) -> Iterator[Spread]:
    """One for each night: of one repetition it is the value. None at all where no night has
    had more than one."""
    spreads: list[Spread | None] = [None] * len(nights)
    for case_id in line.case_ids:
        key = case_id, line.metric.path
        column = [of_night.get(key) for of_night in nights]
        spreads = [old or new for old, new in zip(spreads, column, strict=True)]
    if any(spreads):
        for spread, value in zip(spreads, values, strict=True):
            yield spread or Spread(value, value, 0.0, 1)


def _columns(
    lines: Sequence[Line], values: Sequence[Mapping[tuple[str, str], float]]
) -> Iterator[tuple[float | None, ...]]:
    """What each line has in each of these nights; a later id of its case stands in for one
    that is missing. A night is read as a whole: its values lie side by side."""
    keys = [(case_id, line.metric.path) for line in lines for case_id in line.case_ids]
    columns = zip(*(list(map(of_night.get, keys)) for of_night in values), strict=True)
    for line in lines:
        column = next(columns)
        for other in islice(columns, len(line.case_ids) - 1):
            column = tuple(
                [new if old is None else old for old, new in zip(column, other, strict=True)]
            )
        yield column


def _points(
    nights: tuple[int, ...], column: tuple[float | None, ...]
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The nights that have a value, and the values."""
    values = tuple([value for value in column if value is not None and isfinite(value)])
    if len(values) == len(column):
        return nights, values
    having = [value is not None and isfinite(value) for value in column]
    return tuple(compress(nights, having)), values


def _streams(nights: Sequence[Night], across: Sequence[str], also: Sequence[str]) -> list[_Stream]:
    by_host: dict[str, list[str]] = {}
    indices: dict[tuple[str, str], list[int]] = {}
    facts = settled(nights, across, also)
    newest: dict[str, dict[str, str]] = {}
    for index, of_night in enumerate(facts):
        machine = nights[index].facts.host.machine_id
        environment = digest(of_night)
        newest[machine] = of_night
        by_host.setdefault(machine, []).append(environment)
        indices.setdefault((machine, environment), []).append(index)
    streams = []
    for (machine, environment), members in indices.items():
        goes_on = environment in by_host[machine][-CURRENT_NIGHTS:]
        left = () if goes_on else changed(facts[members[-1]], newest[machine])
        host = nights[members[-1]].facts.host
        streams.append(_Stream(host, environment, tuple(members), left))
    return sorted(streams, key=lambda stream: _as_counted(stream.host.name))


def _as_counted(name: str) -> list[tuple[str, int]]:
    """Sorts ``lab10`` behind ``lab9``."""
    return [(text, int(number or 0)) for text, number in _NUMBERED.findall(name)]
