"""``iogate doctor --measure-disturbances``: what other work costs a test on this host."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict

from iogate.cli.run import stoppable
from iogate.cli.say import say
from iogate.cli.table import printable, table
from iogate.engine import open_engine
from iogate.host.locks.host_lock import host_lock
from iogate.model.units import format_change
from iogate.run.disturbance_costs import Cost, measure_costs
from iogate.sut.base import Sut


def disturbances(sut: Sut, directory: str) -> list[Cost]:
    """Measure them. Nothing else is measured on the host meanwhile."""
    with (
        stoppable() as stop,
        host_lock(sut, uuid.uuid4().hex),
    ):
        engine = open_engine("native", sut)
        return measure_costs(sut, engine, directory, stop, lambda text: say(text, err=True))


def disturbance_document(costs: Sequence[Cost]) -> str:
    """What was found as JSON."""
    document = {"schema": "disturbances/1", "costs": [asdict(each) for each in costs]}
    return json.dumps(document, indent=1, ensure_ascii=False)


def disturbance_table(costs: Sequence[Cost]) -> str:
    """The same for people."""
    rows = [_row(each) for each in costs]
    reasons = [f"  {each.name}: {printable(each.reason)}" for each in costs if each.reason]
    text = table(("beside", "IOPS", "p99", "marked"), rows, right=(1, 2))
    return "\n".join([text, *(["", "Marked because", *reasons] if reasons else [])])


def _row(cost: Cost) -> tuple[str, ...]:
    return (
        cost.what,
        format_change(cost.iops),
        format_change(cost.p99),
        f"{cost.marked} of {cost.pairs}",
    )
