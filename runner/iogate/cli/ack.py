"""``iogate ack``: say that an alert is known."""

from __future__ import annotations

import click

from iogate.cli.decide import decide, decision_options, expires_option
from iogate.model.decision import Action


@click.command()
@click.argument("alert")
@decision_options
@expires_option
def command(*, alert: str, **given: object) -> None:
    """Acknowledge ALERT: it stays in the list, but no longer counts as open.

    ALERT is the id that iogate trend shows, or the start of one.
    """
    decide(alert, Action.ACK, **given)  # type: ignore[arg-type]
