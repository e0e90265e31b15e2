"""``iogate fleet``: where each host stands among those that measure the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.table import counted, defused, printable, table

if TYPE_CHECKING:
    from iogate_reports.site import SpecTrend
    from iogate_reports.site.fleet import Group, Row

_LAST = 300
_HEAD = ("host", "level", "away", "95 % interval", "nights", "noise", "")


@click.command()
@options.SPEC
@options.ENV
@options.question(_LAST)
def command(*, spec: Path, store: str | None, **asked: object) -> None:
    """Show where each host stands among those that measure SPEC, and what the worse ones share.

    SPEC is a file, or the name of a spec in the history. A host is compared with the median of all
    hosts, by its level: the median of its nights since its last change. Which hosts stand out is
    told from four on. Noise is half of what 95 % of its nights spread over: a change that is
    smaller is not seen in a night there. A host whose noise is three times what is usual among the
    hosts varies more, as one does whose disk fails now and then.
    """
    from iogate.cli.trend import plan_of
    from iogate.history.trends import Question, find_trend
    from iogate.store import open_kept
    from iogate.trend.environment import newest_facts
    from iogate_reports.site import SpecTrend

    with closing(open_kept(store)) as opened:
        plan = plan_of(spec, opened)
        runs = opened.runs(spec=plan.spec_name)
        trend = find_trend(opened, plan, Question(**asked))  # type: ignore[arg-type]
    facts = newest_facts(runs, plan.baseline.across, plan.baseline.also)
    click.echo(defused("\n".join(_lines(SpecTrend(trend, plan, facts)))))


def _lines(spec: SpecTrend) -> Iterator[str]:
    from iogate_reports.site.fleet import FEWEST, groups, outliers, shared_by_worse, unsteady

    compared = groups(spec, {})
    name = printable(spec.name)
    if not compared:
        yield f"{name}: no case was measured by more than one host"
        return
    yield f"{name} on {counted(len(spec.hosts), 'host')}"
    for host, times in outliers(compared):
        yield f"{printable(host)} stands out in {times} of {len(compared)} series"
    for host, times in unsteady(compared):
        text = f"varies more from night to night in {times} of {len(compared)} series"
        yield f"{printable(host)} {text}: see its noise"
    if len(spec.hosts) < FEWEST:
        yield f"with fewer than {FEWEST} hosts none can be told to stand out"
    for group in compared:
        title = f"{group.case} {group.metric}, {group.better}"
        yield f"\n{printable(title)}; median of the hosts {group.middle}"
        rows = [
            (r.host, r.level, r.away.text if r.away else "–", r.sure, str(r.nights), r.noise,
             ", ".join(_words(group, r)))
            for r in group.rows
        ]  # fmt: skip
        yield table(_HEAD, rows, right=(1, 2, 4, 5))
    worse, shared = shared_by_worse(spec)
    if shared:
        yield f"\nonly {printable(', '.join(worse))} {'has' if len(worse) == 1 else 'have'}"
        yield table(
            ("fact", "there", "others"), [(s.fact, s.value, ", ".join(s.others)) for s in shared]
        )


def _words(group: Group, row: Row) -> Iterator[str]:
    if row.mark:
        yield row.word.word
    if row.host in group.unsteady:
        yield "varies more"
