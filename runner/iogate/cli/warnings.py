"""What is right in a spec, and yet may not be what its author means: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from iogate.cli.table import defused, printable
from iogate.gate.absolute import can_decide
from iogate.model.plan import Case
from iogate.spec.ordering import waiting_workloads


def warn_of(cases: Iterable[Case], spec: Path) -> None:
    """Say on stderr what the readers of a spec's results should know of its cases."""
    for name in waiting_workloads(cases):
        _warn(
            f"{spec}: jobs of workload {name!r} wait for each other (stonewall,"
            " wait_for), and their rates are summed all the same: make each a workload of its own,"
            " or limit single jobs (jobs.NAME.METRIC)"
        )


def warn_of_undecidable(cases: Iterable[Case], spec: Path) -> None:
    """Say which absolute limits will be inconclusive, whatever is measured in that many
    repetitions. In a comparison the blocks decide."""
    limits = [(case, t) for case in cases for t in case.thresholds if not t.limit.relative]
    found = {
        f"{spec}: {case.repetitions.max} repetitions of workload {case.workload!r} cannot decide"
        f" {t.metric} {t.limit.text} at a confidence of {t.confidence:g}: raise repetitions"
        for case, t in limits
        if t.confidence is not None and not can_decide(t, case.repetitions)
    }
    for text in sorted(found):
        _warn(text)


def _warn(text: str) -> None:
    click.echo(defused(printable(f"iogate: warning: {text}")), err=True)
