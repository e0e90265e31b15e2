"""``iogate accept``: take the new level of an alert as the baseline."""

from __future__ import annotations

import click

from iogate.cli.decide import decide, decision_options, expires_option
from iogate.model.decision import Action


@click.command()
@click.argument("alerts", nargs=-1, required=True, metavar="ALERT…")
@decision_options
@expires_option
def command(*, alerts: tuple[str, ...], **given: object) -> None:
    """Accept the new level of each ALERT: from now on it is the one to compare with.

    ALERT is the id that iogate trend shows, or the start of one.
    """
    decide(alerts, Action.ACCEPT, **given)  # type: ignore[arg-type]
