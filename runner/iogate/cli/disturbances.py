"""``iogate doctor --measure-disturbances``: what other work costs a test on this host."""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict

import click

from iogate.cli.run import stoppable
from iogate.cli.table import defused, printable, table
from iogate.engine import open_engine
from iogate.host.locks.host_lock import host_lock
from iogate.model.units import format_change
from iogate.run.disturbance_costs import Cost, measure_costs
from iogate.sut.base import Sut


def disturbance_table(sut: Sut, directory: str, *, as_json: bool) -> str:
    """Measure, and what was found as text. Nothing else is measured on the host meanwhile."""
    with (
        stoppable() as stop,
        host_lock(sut, uuid.uuid4().hex),
    ):
        engine = open_engine("native", sut)
        costs = measure_costs(sut, engine, directory, stop, lambda text: click.echo(text, err=True))
    if as_json:
        document = {"schema": "disturbances/1", "costs": [asdict(each) for each in costs]}
        return json.dumps(document, indent=1, ensure_ascii=False)
    rows = [_row(each) for each in costs]
    reasons = [f"  {each.name}: {printable(each.reason)}" for each in costs if each.reason]
    text = table(("beside", "IOPS", "p99", "marked"), rows, right=(1, 2))
    return defused("\n".join([text, *(["", "Marked because", *reasons] if reasons else [])]))


def _row(cost: Cost) -> tuple[str, ...]:
    return (
        cost.what,
        format_change(cost.iops),
        format_change(cost.p99),
        f"{cost.marked} of {cost.pairs}",
    )
