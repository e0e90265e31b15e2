"""``iogate history prune``: thin old time series."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import asdict

import click

from iogate.cli import options
from iogate.cli.history.shown import SHORT_ID
from iogate.cli.history.space import give_back
from iogate.cli.say import say, say_json
from iogate.cli.table import counted
from iogate.errors import UsageError
from iogate.history.retention import SETTING, Thinned, parse_policy, prune
from iogate.store import Store, open_kept


@click.command("prune", short_help="Thin out the time series of old runs.")
@click.option(
    "--series", metavar="STEPS", help="What to keep of old time series, such as 30d:10s,365d:none."
)
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@click.option(
    "--configure",
    metavar="STEPS",
    help="Set STEPS as the policy of this history, which every run then applies once a day;"
    " 'off' removes it. Prunes nothing now.",
)
@options.as_json("Each repetition as a line of JSON.")
@options.STORE
def command(
    *, series: str | None, dry_run: bool, configure: str | None, as_json: bool, store: str | None
) -> None:
    """Thin out the time series of old runs, by --series or by the policy of the history.

    30d:10s,90d:60s,365d:none keeps intervals of 10 s of what is older than 30 days, of 60 s
    after 90 days, and nothing after a year. Metrics, histograms, verdicts and reasons stay.
    """
    with closing(open_kept(store)) as opened:
        if configure is not None:
            _configure(opened, configure)
            return
        text = series or opened.setting(SETTING)
        if text is None:
            raise UsageError(
                "this history has no retention policy: everything is kept",
                remedy="say what may be removed with --series 30d:10s,365d:none, or --configure it",
            )
        policy = parse_policy(text)
        thinned = list(prune(opened, policy, now_ns=time.time_ns(), dry_run=dry_run))
        if thinned and not dry_run:
            give_back(opened, store)
    for each in thinned if as_json else ():
        say_json(json.dumps(asdict(each)))
    say(_told(thinned, dry_run=dry_run), err=as_json)


def _configure(store: Store, text: str) -> None:
    if text == "off":
        store.set_setting(SETTING, None)
        say("this history keeps everything")
        return
    parse_policy(text)
    store.set_setting(SETTING, text.replace(" ", ""))
    say(
        "runs will apply this once a day; see what would be removed: iogate history prune --dry-run"
    )


def _told(thinned: list[Thinned], *, dry_run: bool) -> str:
    if not thinned:
        return "nothing is old enough to be thinned"
    runs = {each.run_id for each in thinned}
    before, after = sum(each.before for each in thinned), sum(each.after for each in thinned)
    verb = "would go" if dry_run else "went"
    text = (
        f"{counted(before - after, 'interval')} of {before} {verb}, of"
        f" {counted(len(thinned), 'repetition')} in {counted(len(runs), 'run')}"
    )
    newest = max(thinned, key=lambda each: each.started_ns)
    return f"{text}; the newest is run {newest.run_id[:SHORT_ID]}"
