"""What ``ack``, ``accept`` and ``reopen`` share: find the alert, keep who decided what."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

import click

from iogate.cli import options
from iogate.cli.parameters import Duration
from iogate.cli.table import defused, printable
from iogate.errors import UsageError
from iogate.history.trends import Question, find_alert, find_decision
from iogate.model.decision import FOREVER, Action, Decision
from iogate.store import Store, open_kept
from iogate.trend.decisions import new_decision

Function = TypeVar("Function", bound=Callable[..., Any])
_NS_PER_S = 1_000_000_000


def decision_options(function: Function) -> Function:
    """--author, --reason, --metric, --host, --branch, --store, the same for each."""
    for option in (
        options.STORE,
        click.option("--branch", metavar="GLOB", help="The branch, as given to iogate trend."),
        options.metrics("The metrics, as given to iogate trend."),
        click.option("--reason", default="", help="The reason; it is shown with the alert."),
        click.option("--author", help="Who decides; by default the name of this user."),
    ):
        function = option(function)
    return function


def expires_option(function: Function) -> Function:
    """--expires, for what may lapse."""
    option = click.option(
        "--expires",
        "expires_s",
        type=Duration(),
        metavar="TIME",
        help="Reopen the alert after this long, such as 72h or 14d; by default never.",
    )
    return option(function)


def decide(
    names: Sequence[str],
    action: Action,
    *,
    store: str | None,
    author: str | None,
    reason: str,
    metrics: tuple[str, ...],
    branch: str | None,
    expires_s: float | None = None,
) -> None:
    """Keep the decision on each of the alerts, and say so. UsageError when there is no such alert:
    then nothing is decided on any of them."""
    now_ns = time.time_ns()
    with closing(open_kept(store)) as opened:
        question = Question(metrics=metrics, branch=branch)
        abouts = [_about(opened, name, action, question) for name in dict.fromkeys(names)]
        expires_ns = now_ns + round(expires_s * _NS_PER_S) if expires_s else FOREVER
        for about in {each.alert: each for each in abouts}.values():
            before = [each for each in opened.decisions() if each.alert == about.alert]
            decision = replace(
                about,
                author=author or getpass.getuser(),
                reason=reason,
                at_ns=max([now_ns, *(each.at_ns + 1 for each in before)]),  # clocks may go back
                expires_ns=expires_ns,
            )
            opened.add_decision(decision)
            _say(decision, max(before, key=lambda each: each.at_ns, default=None))


def _about(store: Store, name: str, action: Action, question: Question) -> Decision:
    """What is decided about: the alert as the history shows it now, under the id that it has by
    an earlier decision; that decision where it is taken back or the alert is there no more."""
    earlier = find_decision(store, name)
    if earlier is not None and action is Action.REOPEN:
        return replace(earlier, action=action)
    try:
        plan, alert = find_alert(store, earlier.alert if earlier else name, question)
    except UsageError:
        if earlier is None:
            raise
        return replace(earlier, action=action)
    if action is Action.REOPEN:
        raise UsageError(
            f"nothing was decided about the alert {alert.id}: there is nothing to take back",
            remedy="iogate ack keeps it quiet, iogate accept takes the new level as the baseline",
        )
    decision = new_decision(alert, plan.spec_name, action)
    return replace(decision, alert=earlier.alert) if earlier else decision


def _say(decision: Decision, last: Decision | None) -> None:
    told = {
        Action.ACK: "is acknowledged",
        Action.ACCEPT: "is accepted: its series are compared with the new level from now on",
        Action.REOPEN: "has no decision any more",
    }
    replaced = ""
    if last is not None and last.action not in (decision.action, Action.REOPEN):
        was = "acknowledged" if last.action is Action.ACK else "accepted"
        replaced = f"; it was {was} by {last.author}" + (f" ({last.reason})" if last.reason else "")
    click.echo(defused(printable(f"{decision.alert} {told[decision.action]}{replaced}")))
