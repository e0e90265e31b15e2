"""``iogate fleet``: where each host stands among those that measure the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.held import check_asked
from iogate.cli.say import say, say_json
from iogate.cli.table import counted, printable, table
from iogate.errors import UsageError
from iogate.model.silence import silence_of, silent_hosts

if TYPE_CHECKING:
    from iogate_reports.site import SpecTrend
    from iogate_reports.site.fleet import Group, Row

_LAST = 300
_HEAD = ("host", "level", "away", "95 % interval", "nights", "last night", "noise", "")


@click.command()
@options.SPEC
@options.ENV
@options.question(_LAST)
@options.as_json()
def command(*, spec: Path, store: str | None, as_json: bool, **asked: object) -> None:
    """Show where each host stands among those that measure SPEC, and what the worse ones share.

    SPEC is a file, or the name of a spec in the history. A host is compared with the median of all
    hosts, by its level: the median of its nights since its last change. Which hosts stand out is
    told from four on. Noise is half of what 95 % of its nights spread over: a change that is
    smaller is not seen in a night there. A host whose noise is three times what is usual among the
    hosts varies more, as one does whose disk fails now and then.
    """
    from iogate.cli.trend import plan_and_runs
    from iogate.history.trends import Question, find_trend
    from iogate.model.document import to_document
    from iogate.store import open_kept
    from iogate.trend.environment import newest_facts
    from iogate_reports.site import SpecTrend
    from iogate_reports.site.fleet_document import fleet_document

    question = Question(**asked)  # type: ignore[arg-type]
    if question.host is not None:
        raise UsageError(
            "--host leaves one host, and a fleet is compared with all of its hosts",
            remedy=f"iogate trend SPEC --host {shlex.quote(question.host)} shows that one",
        )
    with closing(open_kept(store)) as opened:
        plan, runs = plan_and_runs(spec, opened)
        trend = find_trend(opened, plan, question)
    facts = newest_facts(runs, plan.baseline.across, plan.baseline.also)
    if not trend.nights:
        check_asked(runs, question)
    if told := silence_of(trend, trend.made_ns):
        say(f"iogate: {printable(plan.spec_name)}: {told}", err=True)
    gone = silent_hosts(trend, trend.made_ns)
    compared = SpecTrend(trend, plan, facts)
    if as_json:
        document = to_document(fleet_document(compared, gone))
        say_json(json.dumps(document, ensure_ascii=False, allow_nan=False))
    else:
        say("\n".join(_lines(compared, gone)))


def _lines(spec: SpecTrend, gone: Mapping[str, str]) -> Iterator[str]:
    """``gone`` are the hosts that had no night for long, by their machine ids."""
    from iogate_reports.site import fleet

    compared = fleet.groups(spec, {})
    name = printable(spec.name)
    if not compared:
        yield f"{name}: no case was measured by more than one host"
        return
    yield f"{name} on {counted(len(spec.hosts), 'host')}"
    for host, times in fleet.outliers(compared):
        yield f"{printable(host)} stands out in {times} of {len(compared)} series"
    names = fleet.labels(spec.lines)
    for machine in gone.keys() & names.keys():
        yield f"{printable(names[machine])}: {gone[machine]}"
    for host, times in fleet.unsteady(compared):
        text = f"varies more from night to night in {times} of {len(compared)} series"
        yield f"{printable(host)} {text}: see its noise"
    if len(spec.hosts) < fleet.FEWEST:
        yield f"with fewer than {fleet.FEWEST} hosts none can be told to stand out"
    for group in compared:
        title = f"{group.case} {group.metric}, {group.better}"
        yield f"\n{printable(title)}; median of the hosts {group.middle}"
        rows = [
            (r.host, r.level, r.away.text if r.away else "–", r.sure, str(r.nights), r.last,
             r.noise, ", ".join(_words(group, r)))
            for r in group.rows
        ]  # fmt: skip
        yield table(_HEAD, rows, right=(1, 2, 4, 6))
    worse, shared = fleet.shared_by_worse(spec)
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
