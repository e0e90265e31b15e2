"""``iogate site``: pages of what the history says, for people."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.asked_specs import SPECS, is_asked
from iogate.cli.held import check_across, check_patterns, nothing_held
from iogate.cli.say import say

if TYPE_CHECKING:
    from iogate.history.trends import Question
    from iogate.store import Store
    from iogate_reports.site import SpecTrend

_LAST = 400


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@SPECS
@options.question(_LAST)
def command(folder: Path, *, specs: tuple[str, ...], store: str | None, **asked: object) -> int:
    """Write the trend site into FOLDER: an index, a page a spec, a page a case.

    Called again it writes only the pages that changed, and removes those of cases that are
    no more. What it did not write it never touches: FOLDER is empty, new, or such a site.
    What cannot be made is left out and told; the other pages are written.
    """
    from iogate import exits
    from iogate.cli.fault import tell_fault
    from iogate.history.trends import Question
    from iogate.store import open_kept
    from iogate_reports.site import Site, write_site
    from iogate_reports.vendor import uplot

    faults: dict[str, Exception] = {}
    with closing(open_kept(store)) as opened:
        spec_trends = _trends(opened, specs, Question(**asked), faults)  # type: ignore[arg-type]
    shown = Site(spec_trends, faults.__setitem__, time.time_ns())
    done = write_site(folder, shown.pages(), faults)
    say(
        f"{folder / 'index.html'}: {done.written} pages written, {done.kept} unchanged, "
        f"{done.removed} removed"
    )
    if uplot() is None:
        say("charts cannot be zoomed: iogate was built without uPlot", err=True)
    for what, error in faults.items():
        tell_fault(what, error)
    return exits.of_left_out(faults.values())


def _trends(
    store: Store, specs: Sequence[str], question: Question, faults: dict[str, Exception]
) -> list[SpecTrend]:
    """Those that have something to show, by name; what is wrong with others is in ``faults``.
    UsageError where there is nothing of what is asked for; where all is at fault, the first."""
    from iogate.history.plans import kept_plans
    from iogate.history.trends import find_trend
    from iogate.trend.environment import newest_facts
    from iogate_reports.site import SpecTrend

    runs = store.runs(verdicts=False)
    check_across(runs, question)
    plans = kept_plans(runs)
    spec_trends = []
    for name in sorted(name for name in plans if is_asked(name, specs)):
        try:
            plan = plans[name]
            of_spec = [run for run in runs if run.plan.spec_name == name]
            facts = newest_facts(of_spec, plan.baseline.across, plan.baseline.also)
            spec_trend = SpecTrend(find_trend(store, plan, question), plan, facts)
            spec_trends += [spec_trend] if spec_trend.lines else []
        except Exception as error:
            faults[name] = error
    if faults and not spec_trends:
        raise next(iter(faults.values()))
    check_patterns(
        {each.metric for shown in spec_trends for each in shown.trend.series}, question.metrics
    )
    _check_found([*faults, *(shown.name for shown in spec_trends)], specs, plans)
    return spec_trends


def _check_found(names: Sequence[str], specs: Sequence[str], known: Collection[str]) -> None:
    """UsageError for a pattern that names nothing, and where nothing is found at all."""
    for glob in specs:
        if not any(fnmatchcase(name, glob) for name in names):
            raise nothing_held(f"no night of a spec {glob}", known)
    if not names:
        what = "no night with a value that these options ask for" if known else "no run"
        raise nothing_held(what, known)
