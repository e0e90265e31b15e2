"""What ``iogate fleet`` shows, for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iogate.model.fleet import Fleet, FleetHost, FleetLevel, FleetSeries, Standing
from iogate.stats.robust import median
from iogate_reports.site import fleet
from iogate_reports.site.fleet import Member
from iogate_reports.trend_lines import Line, SpecTrend


def fleet_document(spec: SpecTrend, gone: Mapping[str, str]) -> Fleet:
    """``gone`` are the hosts that had no night for long, by their machine ids."""
    names = fleet.labels(spec.lines)
    worse, only_worse = fleet.shared_by_worse(spec)
    return Fleet(
        spec.name,
        tuple(FleetHost(id_, name, gone.get(id_, "")) for id_, name in sorted(names.items())),
        tuple(_series(spec, lines) for _, lines in fleet.compared(spec)),
        tuple(id_ for id_, name in sorted(names.items()) if name in worse),
        only_worse,
    )


def _series(spec: SpecTrend, lines: Sequence[Line]) -> FleetSeries:
    measured = fleet.members(lines)
    first = measured[0].line.series
    return FleetSeries(
        first.case_id,
        first.case,
        first.metric,
        first.unit,
        first.better,
        median([member.line.series.level for member in measured]),
        tuple(_levels(spec, measured)),
    )


def _levels(spec: SpecTrend, measured: Sequence[Member]) -> Iterator[FleetLevel]:
    varying = {id(member) for member in fleet.varying(measured)}
    for member in measured:
        series = member.line.series
        yield FleetLevel(
            series.machine_id,
            series.level,
            member.away,
            member.sure,
            member.noise,
            member.nights,
            spec.trend.nights[series.nights[-1]].started_ns,
            _standing(member),
            id(member) in varying,
        )


def _standing(member: Member) -> Standing:
    if member.sure is None:
        return Standing.NOT_TOLD
    if not member.stands_out:
        return Standing.TYPICAL
    return Standing.WORSE if member.is_worse else Standing.BETTER
