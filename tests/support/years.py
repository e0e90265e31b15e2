"""A year of nights with seeded noise, analysed by the real trend: two regressions, one recovery,
a firmware change, and a night that broke."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iogate.metrics import metric
from iogate.model.decision import Decision
from iogate.model.night import Night, RunFacts, Spread
from iogate.model.run import Host, Revision
from iogate.trend import Line, analyse
from iogate.trend.environment import find_markers
from iogate_reports.site import SpecTrend
from support.report_runs import ENVIRONMENT, START_NS

DAY_NS = 86_400 * 10**9
METRICS = ("read.iops", "read.clat.p99")
LEVELS = {
    "read.iops": 90_000.0,
    "read.clat.p99": 410_000.0,
    "read.clat.p50": 180_000.0,
    "read.bw": 3.7e8,
}


@dataclass(frozen=True, slots=True)
class Story:
    """What happens in a year. A regression makes latency ``worse`` by a fraction from its night
    on, for the cases whose number leaves the remainder ``of`` by four."""

    nights: int = 365
    regressions: tuple[tuple[int, float, int], ...] = ((120, 0.12, 1), (250, 0.08, 2))
    recovery: tuple[int, int] = (190, 1)
    firmware: int = 300
    broken: int = 77


def year(
    cases: int = 8,
    *,
    name: str = "xfs-nightly",
    metrics: Sequence[str] = METRICS,
    hosts: Sequence[str] = ("lab-nvme-03",),
    story: Story | None = None,
    decisions: Sequence[Decision] = (),
    odd_host: str = "",
) -> SpecTrend:
    """A spec's trend; ``odd_host`` is 9 % slower than the others."""
    story = story or Story()
    lines, nights = history(
        cases, name=name, metrics=metrics, hosts=hosts, story=story, odd_host=odd_host
    )
    return analysed(name, lines, nights, decisions)


def analysed(
    name: str, lines: Sequence[Line], nights: Sequence[Night], decisions: Sequence[Decision] = ()
) -> SpecTrend:
    """The trend of such a history, a day after its last night."""
    now = nights[-1].facts.started_ns + DAY_NS
    across = ("target.*.firmware",)
    found = analyse(name, lines, nights, decisions, now_ns=now, across=across)
    return SpecTrend(replace(found, markers=find_markers(nights, ())))


def history(
    cases: int,
    *,
    story: Story,
    name: str = "xfs-nightly",
    metrics: Sequence[str] = METRICS,
    hosts: Sequence[str] = ("lab-nvme-03",),
    odd_host: str = "",
) -> tuple[list[Line], list[Night]]:
    """What is followed, and the nights."""
    names = [f"oltp/bs={2 ** (2 + i % 8)}k,iodepth={2 ** (i // 8)}" for i in range(cases)]
    ids = [hashlib.sha256(one.encode()).hexdigest()[:16] for one in names]
    lines = [
        Line((i,), n, metric(path)) for i, n in zip(ids, names, strict=True) for path in metrics
    ]
    nights = [
        _night(
            name,
            ids,
            metrics,
            host=host,
            number=number,
            story=story,
            slow=0.09 * (host == odd_host),
        )
        for number in range(story.nights)
        for host in hosts
        if number != story.broken
    ]
    return lines, nights


def _night(
    name: str,
    ids: Sequence[str],
    metrics: Sequence[str],
    *,
    host: str,
    number: int,
    story: Story,
    slow: float,
) -> Night:
    rng = random.Random(f"{name} {host} {number}")
    values = {
        (case, path): _value(path, _worse(index, number, story) + slow, rng)
        for index, case in enumerate(ids)
        for path in metrics
    }
    new = number >= story.firmware
    spreads = {key: _spread(value, rng) for key, value in values.items()}
    environment = {**ENVIRONMENT, "target.scratch.firmware": "GDC5702Q" if new else "GDC5602Q"}
    commit = hashlib.sha256(f"{name} {number}".encode()).hexdigest()[:40]
    facts = RunFacts(
        f"{name}-{host}-{number}",
        name,
        Host(host, hashlib.sha256(host.encode()).hexdigest()[:16]),
        Revision(commit, f"change {number}", "main"),
        START_NS + number * DAY_NS + rng.randrange(20 * 60) * 10**9,
        environment,
    )
    return Night(facts, values, spreads)


def _spread(value: float, rng: random.Random) -> Spread:
    """Of three repetitions."""
    low, high = (abs(rng.gauss(0, 0.008)) for _ in range(2))
    return Spread(value * (1 - low), value * (1 + high), 0.75, 3)


def _worse(index: int, number: int, story: Story) -> float:
    found = 0.0
    for night, by, of in story.regressions:
        recovered = story.recovery[1] == of and number >= story.recovery[0]
        if number >= night and index % 4 == of and not recovered:
            found += by
    return found


def _value(path: str, worse: float, rng: random.Random) -> float:
    level = LEVELS[path] * rng.lognormvariate(0.0, 0.012)
    return level * (1 + worse) if ".clat." in path else level / (1 + worse)
