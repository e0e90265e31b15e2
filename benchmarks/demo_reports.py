"""A year of nights that nobody measured, and the pages that iogate makes of it.

usage: python benchmarks/demo_reports.py FOLDER

Six hosts run one spec; the first does so for a year, the others since six weeks. Its year has
two regressions, of which one recovers, a new firmware, and one broken night; one host is slower
than the others. All of it is made from one seed: every call gives the same pages. Prints where
they are, and what there is to be found in them.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from iogate.cli.entry import run_command
from iogate.gate.judge import judge
from iogate.history.baseline import baseline_of
from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import Direction, EngineFacts, JobMeasurement, Measurement
from iogate.model.plan import Case
from iogate.model.run import CaseFailure, Host, Revision, Run, RunStatus
from iogate.model.spec import Level
from iogate.model.verdict import Outcome, RunVerdict
from iogate.store import open_store
from support.report_runs import (
    DAY_NS,
    ENVIRONMENT,
    START_NS,
    Pace,
    case,
    job,
    latency,
    limit,
    plan,
    slowed,
)

SEED, NIGHTS, FLEET_NIGHTS, REPETITIONS = 11, 365, 42, 3
MAIN = Host("lab-nvme-03", "03c0ffee00000000")
FLEET = tuple(Host(f"lab-nvme-{n:02}", f"{n:02}c0ffee00000000") for n in range(4, 9))
SLOW_HOST, SLOWER = FLEET[2], 0.12
BROKEN, FIRMWARE = 203, 262
ENGINE = EngineFacts("iogate-engine", "0.1.0", "tsc", 0.3)
OWN = ".iogate-demo-reports"
DEEP, SMALL = "oltp-write/bs=4k,iodepth=32", "oltp-write/bs=4k,iodepth=1"


@dataclass(frozen=True, slots=True)
class Shift:
    """From a night on, until another, a case is worse by a fraction."""

    case: str
    by: float
    since: int
    until: int = NIGHTS


SHIFTS = (Shift(DEEP, 0.09, 118, 171), Shift(SMALL, 0.14, 338))
WRITES = (
    limit("write.iops vs baseline > -3%", -0.03, line=21),
    limit("write.clat.p99 vs baseline < +10%", 0.10, line=22),
    limit("write.clat.p99.9 vs baseline < +25%", 0.25, level=Level.WARN, line=23),
)
READS = (limit("read.bw vs baseline > -3%", -0.03, line=31),)
PACES: Mapping[str, Mapping[str, Pace]] = {
    DEEP: {"write": Pace()},
    SMALL: {"write": Pace(iops=21e3, p50_ns=42e3)},
    "oltp-write/bs=16k,iodepth=32": {"write": Pace(iops=61e3, p50_ns=480e3, block=16384)},
    "oltp-write/bs=16k,iodepth=1": {"write": Pace(iops=15e3, p50_ns=61e3, block=16384)},
    "scan": {"read": Pace(iops=5200, p50_ns=1.5e6, block=1 << 20)},
}
CASES = tuple(case(name, READS if "read" in pace else WRITES) for name, pace in PACES.items())
PLAN = plan(CASES, "nightly")


class Lab:
    """Makes runs. What is drawn at random once is scaled for each repetition: a year of
    distributions takes seconds."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pools = {
            each.id: [job(self.chance, "job", PACES[each.name], seconds=10) for _ in range(6)]
            for each in CASES
        }

    def year(self) -> Iterator[Run]:
        """The nights of all hosts, oldest first."""
        for night in range(NIGHTS):
            yield self.night(MAIN, night)
            if night >= NIGHTS - FLEET_NIGHTS:
                for host in FLEET:
                    yield self.night(host, night)

    def night(self, host: Host, night: int) -> Run:
        """One run; the measurements of the night of the report keep their time series."""
        commit = random.Random(f"commit {night}").getrandbits(160)
        started_ns = START_NS - (NIGHTS - night) * DAY_NS
        bad = any(s.since <= night < s.until for s in SHIFTS) and host is MAIN
        verdict = RunVerdict(Outcome.FAIL if bad else Outcome.PASS, int(bad), "as the night was")
        whole = Run(
            id=f"{self.chance.getrandbits(128):032x}",
            plan=PLAN,
            host=host,
            revision=Revision(f"{commit:040x}", f"Change of day {night}", "main"),
            started_ns=started_ns,
            finished_ns=started_ns + 900 * 10**9,
            status=RunStatus.COMPLETE,
            environment=environment(host, night),
            command=("iogate", "run", PLAN.spec_file),
            measurements=tuple(self.measurements(host, night, started_ns)),
            verdict=verdict,
        )
        return broken(whole) if night == BROKEN else whole

    def measurements(self, host: Host, night: int, started_ns: int) -> Iterator[Measurement]:
        """REPETITIONS of each case."""
        for measured_case in CASES:
            slow = self.chance.gauss(0, 0.006) + (SLOWER if host is SLOW_HOST else 0)
            for shift in SHIFTS if host is MAIN else ():
                hit = shift.case == measured_case.name and shift.since <= night < shift.until
                slow += shift.by if hit else 0
            for number in range(1, REPETITIONS + 1):
                yield self.measurement(measured_case, number, slow, night, started_ns)

    def measurement(
        self, measured_case: Case, number: int, slow: float, night: int, started_ns: int
    ) -> Measurement:
        """One repetition, all latencies higher by ``slow``."""
        slow += self.chance.gauss(0, 0.003)
        if night == SHIFTS[1].since:
            pace = slowed({"job": PACES[measured_case.name]}, slow)["job"]
            measured_job = job(self.chance, "job", pace, seconds=20)
        else:
            measured_job = scaled(self.chance.choice(self.pools[measured_case.id]), 1 + slow)
        at = started_ns + number * 25 * 10**9
        return Measurement(measured_case.id, number, at, 21 * 10**9, ENGINE, jobs=(measured_job,))


def scaled(job_row: JobMeasurement, by: float) -> JobMeasurement:
    """The job with all latencies times ``by``, and without its time series."""
    directions = {name: _scaled(each, by) for name, each in job_row.directions.items()}
    return replace(job_row, directions=directions, series=None)


def _scaled(direction: Direction, by: float) -> Direction:
    bins: dict[int, int] = {}
    for value, count in (
        direction.clat.histogram.bins.items() if direction.clat and direction.clat.histogram else ()
    ):
        low, high = bucket_bounds_ns(int(value * by))
        bins[(low + high) // 2] = bins.get((low + high) // 2, 0) + count
    slower = latency(Histogram(bins))
    rates = replace(direction, iops=direction.iops / by, bw=direction.bw / by)
    return replace(rates, clat=slower, lat=slower)


def environment(host: Host, night: int) -> Mapping[str, str | int | float | bool]:
    """The facts of a host on a night: its firmware is newer from FIRMWARE on."""
    firmware = "GDC5702Q" if host is not MAIN or night >= FIRMWARE else "GDC5602Q"
    return {**ENVIRONMENT, "engine.name": "iogate-engine", "target.scratch.firmware": firmware}


def broken(run: Run) -> Run:
    """The night when the disk went away after the first case."""
    lost = tuple(CaseFailure(lost_case.id, 1, "EIO: the disk went away") for lost_case in CASES[1:])
    kept = run.measurements[:REPETITIONS]
    ended = replace(run, measurements=kept, failures=lost, verdict=None)
    return replace(ended, status=RunStatus.FAILED)


def write_year(url: str) -> dict[int, Run]:
    """The year into a history; the nights of the first host by number. That of the report is
    judged against what was before."""
    runs = list(Lab(SEED).year())
    nights = dict(enumerate(run for run in runs if run.host is MAIN))
    now = nights[SHIFTS[1].since]
    at = runs.index(now)
    with closing(open_store(url)) as store:
        store.add_runs(runs[:at])
        verdict = judge(PLAN, now.measurements, (), baseline_of(now, store))
        store.add_runs([replace(now, verdict=verdict), *runs[at + 1 :]])
    return nights


def pages(folder: Path, store: str, report_of: str) -> Sequence[Path]:
    """Everything that the command line makes of a history; what it does not know is left out."""
    calls = (
        ("report", report_of, "--store", store, "--output", str(folder / "report")),
        ("site", str(folder / "site"), "--store", store, "--across", "target.*.firmware"),
    )
    for call in calls:
        status = run_command(list(call))
        if status not in (0, 1):
            sys.exit(status)
    paths = (folder / "report" / "report.html", folder / "site" / "index.html")
    return (*paths, *sorted((folder / "site").glob("*/fleet.html")))


def emptied(folder: Path) -> Path:
    """The folder, new or as new. What this script did not make is not removed."""
    if folder.exists() and any(folder.iterdir()) and not (folder / OWN).exists():
        sys.exit(f"{folder} is not empty, and not mine: name another folder, or remove it")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / OWN).touch()
    return folder


def main() -> None:
    """Make the year and its pages in a folder that is this script's own."""
    folder = emptied(Path(sys.argv[1]))
    store = f"sqlite:///{(folder / 'history.sqlite').absolute()}"
    nights = write_year(store)
    made = pages(folder, store, nights[SHIFTS[1].since].id)
    print("\nTo be found:")
    for shift in SHIFTS:
        before, after = (nights[n].revision.commit[:12] for n in (shift.since - 1, shift.since))
        print(f"  {shift.case} is {shift.by:.0%} slower since {before}..{after}")
    print(f"  {SHIFTS[0].case} has recovered with {nights[SHIFTS[0].until].revision.commit[:12]}")
    print(f"  {SLOW_HOST.name} is {SLOWER:.0%} slower than the other hosts\n")
    for path in made:
        print(path)


if __name__ == "__main__":
    main()
