"""``iogate reopen``: take back an ack or accept."""

from __future__ import annotations

import click

from iogate.cli.decide import decide, decision_options
from iogate.model.decision import Action


@click.command()
@click.argument("alerts", nargs=-1, required=True, metavar="ALERT…")
@decision_options
def command(*, alerts: tuple[str, ...], **given: object) -> None:
    """Take back what was decided about each ALERT.

    ALERT is the id that iogate trend shows, or the start of one.
    """
    decide(alerts, Action.REOPEN, **given)  # type: ignore[arg-type]
