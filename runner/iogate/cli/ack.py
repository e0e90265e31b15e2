"""``iogate ack``: say that an alert is known."""

from __future__ import annotations

import click

from iogate.cli.decide import decide, decision_options, expires_option
from iogate.model.decision import Action


@click.command()
@click.argument("alerts", nargs=-1, required=True, metavar="ALERT…")
@decision_options
@expires_option
def command(*, alerts: tuple[str, ...], **given: object) -> None:
    """Acknowledge each ALERT: it stays in the list, but no longer counts as open.

    ALERT is the id that iogate trend shows, or the start of one.
    """
    decide(alerts, Action.ACK, **given)  # type: ignore[arg-type]
