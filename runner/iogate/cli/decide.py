"""What ``ack``, ``accept`` and ``reopen`` share: find the alert, keep who decided what."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from iogate.cli import options
from iogate.cli.held import check_across
from iogate.cli.parameters import Duration
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.cli.trend import plan_of
from iogate.errors import UsageError
from iogate.history.trends import LAST_NIGHTS, Question, find_alert, find_decision
from iogate.model.decision import FOREVER, Action, Decision
from iogate.model.plan import Plan
from iogate.store import Store, open_kept
from iogate.trend.decisions import new_decision

Function = TypeVar("Function", bound=Callable[..., Any])
_NS_PER_S = 1_000_000_000
_LONGEST_S = 36_500 * 86_400
_WAS = {Action.ACK: "acknowledged", Action.ACCEPT: "accepted", Action.CONFIRM: "confirmed"}


def decision_options(function: Function) -> Function:
    """--author, --reason, --store, and what else decides which alerts there are, the same for
    each."""
    for option in (
        options.STORE,
        options.ALERTS_SPEC,
        options.ALERTS_ACROSS,
        options.last(LAST_NIGHTS),
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
    spec: Path | None,
    expires_s: float | None = None,
    **asked: Any,
) -> None:
    """Keep the decision on each of the alerts, and say so. UsageError when there is no such alert:
    then nothing is decided on any of them. ``asked`` are fields of a Question."""
    now_ns = time.time_ns()
    expires_ns = FOREVER if expires_s is None else now_ns + _lasting_ns(expires_s)
    with closing(open_kept(store)) as opened:
        question = Question(**asked)
        check_across(opened.runs(verdicts=False), question)
        given = plan_of(spec, opened) if spec else None
        abouts = [_about(opened, name, action, question, given) for name in dict.fromkeys(names)]
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


def _lasting_ns(expires_s: float) -> int:
    """How long a decision holds. UsageError for no time at all, and for longer than anybody
    can mean."""
    lasting_ns = round(min(expires_s, 2 * _LONGEST_S) * _NS_PER_S)
    if not 0 < lasting_ns <= _LONGEST_S * _NS_PER_S:
        raise UsageError(
            "--expires is a time from now of at most 36500d",
            remedy="without --expires the decision holds until 'iogate reopen' takes it back",
        )
    return lasting_ns


def _about(
    store: Store, name: str, action: Action, question: Question, given: Plan | None
) -> Decision:
    """What is decided about: the alert as the history shows it now, under the id that it has by
    an earlier decision; that decision where it is taken back or the alert is there no more."""
    earlier = find_decision(store, name)
    if earlier is not None and action is Action.REOPEN:
        return replace(earlier, action=action)
    try:
        plan, alert = find_alert(store, earlier.alert if earlier else name, question, given)
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
    if last is not None and last.action in _WAS:
        replaced = f"; it was {_WAS[last.action]} by {last.author}" + (
            f" ({last.reason})" if last.reason else ""
        )
    say(printable(f"{decision.alert} {told[decision.action]}{replaced}"))
