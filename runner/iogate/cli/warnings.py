"""What is right in a spec, and yet may not be what its author means: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from iogate.cli.table import defused, printable
from iogate.model.plan import Case
from iogate.spec.ordering import waiting_workloads


def warn_of(cases: Iterable[Case], spec: Path) -> None:
    """Say on stderr what the readers of a spec's results should know of its cases."""
    for name in waiting_workloads(cases):
        text = (
            f"iogate: warning: {spec}: jobs of workload {name!r} wait for each other (stonewall,"
            " wait_for), and their rates are summed all the same: make each a workload of its own,"
            " or limit single jobs (jobs.NAME.METRIC)"
        )
        click.echo(defused(printable(text)), err=True)
