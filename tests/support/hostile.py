"""Text that tries to be more than text, in every place where people can write some."""

from __future__ import annotations

import random
from dataclasses import replace

from iogate.model.measurement import Disturbance, KernelTrouble
from iogate.model.plan import Case
from iogate.model.run import CaseFailure, Host, Revision, Run
from iogate.model.spec import JobSpec
from iogate.model.trend import Trend
from support.report_runs import Pace, case, limit, measurement, plan, run

EVIL = (
    "</script><script>alert(1)</script>",
    "</style></title></svg><img src=x onerror=alert(1)>",
    "\"'><b onmouseover=alert(1) x='",
    "{{ 7*7 }}{% raw %}",
    "]]><!--",
    "\u202egnp.exe\u2066\u200f",
    "\x00\x07\x1b[31m\x9b\ud800\ufffe",
    "x" * 4000,
    "a b\n| c `d` | @everyone https://evil.example <details>",
    "",
)
_FOUND = measurement(case(), 1, {"j": {"write": Pace(iops=2000)}}, random.Random(3), seconds=3)


def hostile_run(text: str) -> Run:
    """A run that bears the text in every place that people can write."""
    limits = (limit("write.iops > 1", 1.0), limit("write.clat.p99 vs baseline < +10%", 0.1))
    odd = replace(
        case(thresholds=limits),
        id=text or "0",
        name=text,
        workload=text,
        description=text,
        jobs=(JobSpec(text, {text or "rw": text}),),
        parameters={"bs": text},
        tags=(text,),
        chart={"x": text, "y": "bw", "series": text},
    )
    jobs = tuple(replace(job, name=text) for job in _FOUND.jobs)
    found = replace(_FOUND, case_id=odd.id, jobs=jobs, raw_file=text, warnings=(text,))
    told = Disturbance(text, 0.6, 0.1, text, text)
    found = replace(found, kernel_log=(KernelTrouble(text, 2, (text,)),), disturbances=(told,))
    return _named(odd, text, replace(found), replace(found, repetition=2))


def _named(odd: Case, text: str, *found: object) -> Run:
    whole = replace(plan([odd], text), spec_file=text, overrides=(text,))
    return run(
        whole,
        found,  # type: ignore[arg-type]
        host=Host(text, text),
        revision=Revision(text, text, text, True, text),
        id=text,
        environment={text: text, "kernel.release": text},
        command=("iogate", text),
        failures=(CaseFailure(odd.id, 3, text),),
        folder=text,
    )


def hostile_trend(trend: Trend, text: str) -> Trend:
    """The trend with the text in every place that people can write."""
    nights = tuple(replace(n, run=text, commit=text, label=text, branch=text) for n in trend.nights)
    series = tuple(
        replace(one, case=text, metric=text, host=text, environment=text) for one in trend.series
    )
    alerts = tuple(
        replace(a, id=text, sentence=text, host=text, last_good=nights[0], first_bad=nights[1],
                changes=tuple(replace(c, case=text, metric=text) for c in a.changes))
        for a in trend.alerts
    )  # fmt: skip
    return replace(trend, spec=text, nights=nights, series=series, alerts=alerts)
