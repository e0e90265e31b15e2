"""What of a plan the engine that is to run it does not have: said before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.metrics import table_paths
from iogate.model.plan import Plan
from iogate.model.spec import JobSpec
from iogate.spec.histograms import of_job
from iogate.spec.obstacles import parts_of
from iogate.spec.options.support import check_native
from iogate.spec.text.problems import Problems

_SPREADS = ("iops", "bw")  # of which only the mean needs no time series
_OF_SERIES = ("stalls", "slope")


def check_engine(plan: Plan, engine: str) -> None:
    """SpecError that names everything in the plan which an engine does not have."""
    check = {"native": check_native, "fio": _check_fio}.get(engine)
    if check:
        check(plan)


def _check_fio(plan: Plan) -> None:
    """SpecError that names every limit of the plan on what fio keeps no account of."""
    problems = Problems()
    for case in plan.cases:
        for threshold in case.thresholds:
            for path in table_paths(threshold.metric, plan.metrics):
                if why := _lacks(of_job(path, case.jobs)[0], case.jobs):
                    problems.add(
                        f"{threshold.metric} cannot exist: fio {why}",
                        threshold.where,
                        "run with --engine native, or limit another metric",
                    )
    problems.check()


def _lacks(metric: str, jobs: Sequence[JobSpec]) -> str:
    """What fio does not keep that a metric of these jobs needs; empty for nothing."""
    _, name, stat = parts_of(metric)
    if name == "intended_lat":
        return "does not report when an I/O was due"
    if name == "slat" and all(job.options.get("ioengine") == "vsync" for job in jobs):
        return "keeps no submission latency of ioengine=vsync"
    spread = name in _SPREADS and stat not in ("", "mean")
    return "keeps no time series" if spread or name in _OF_SERIES else ""
