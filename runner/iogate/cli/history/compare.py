"""``iogate history compare``: two runs side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import TYPE_CHECKING

import click

from iogate.cli import options
from iogate.cli.history.shown import SHORT_ID, print_table, revision_text, started, without_arms
from iogate.cli.say import say, say_json
from iogate.cli.table import printable
from iogate.environments import describe, differences
from iogate.errors import UsageError
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case
from iogate.model.run import Run
from iogate.model.trend import FactChange
from iogate.store import open_kept

if TYPE_CHECKING:
    from iogate.metrics import Metric

Repetitions = Sequence[Measurement]
_Arms = Sequence[tuple[str, Repetitions]]
_HEAD = ("case", "arm", "metric", "before", "after", "change", "")
_NAMED = 20
_SAME = "+0.0 %"  # as printed: no word is to contradict it


@dataclass(frozen=True, slots=True)
class _Row:
    """A metric of a case in both runs: medians in the metric's unit; ``change`` is relative,
    ``better`` whether it is one for the better, None where neither can be said. Where a run is a
    comparison, ``arm`` is the one that is meant."""

    case: str
    arm: str
    metric: str
    unit: str
    before: float
    after: float
    change: float | None
    better: bool | None


@click.command("compare", short_help="Show two runs side by side.")
@click.argument("before")
@click.argument("after")
@options.CASES
@options.metrics("Only this metric; by default the usual ones.")
@options.as_json()
@options.STORE
def command(
    before: str,
    after: str,
    *,
    cases: tuple[str, ...],
    metrics: tuple[str, ...],
    as_json: bool,
    store: str | None,
) -> None:
    """Show what two runs measured side by side, and how their environments differ.

    BEFORE and AFTER are ids of runs, or the start of one. These are plain differences of
    medians: whether one is more than noise is what a gate or 'iogate ab' says.
    """
    with closing(open_kept(store)) as opened:
        old, new = opened.run(before), opened.run(after)
    _check_cases(new, cases)
    rows = list(_rows(old, new, cases, metrics))
    changes = differences(old.environment, new.environment)
    if as_json:
        say_json(json.dumps(_document(old, new, rows, changes), indent=1, allow_nan=False))
        return
    say(_subject("before", old))
    say(_subject("after", new))
    for change in changes:
        say(printable(describe(change)))
    say()
    if rows:
        head, cells = without_arms(_HEAD, [_cells(row) for row in rows])
        print_table(head, cells, right=range(len(head) - 4, len(head) - 1))
    else:
        say(printable(_why_nothing(old, new, cases, metrics)))


def _why_nothing(old: Run, new: Run, cases: Sequence[str], metrics: Sequence[str]) -> str:
    """Why there is no row."""
    both = list(_in_both(old, new, cases))
    if not both:
        asked = " that --case selects" if cases else ""
        return f"they have no case{asked} in common"
    ids = {case.id for pair in both for case in pair}
    for word, run in (("before", old), ("after", new)):
        found = [m for m in run.measurements if m.case_id in ids]
        if not undisturbed(found):
            why = "was disturbed" if found else "failed, or none was begun"
            return f"nothing to compare: every repetition of {word} ({run.id[:SHORT_ID]}) {why}"
    named = f": {', '.join(metrics)}" if metrics else ""
    return f"no case has a value of the same metric in both{named}"


def _in_both(old: Run, new: Run, patterns: Sequence[str]) -> Iterator[tuple[Case, Case]]:
    """Each case that was asked for, as it is in the older run and in the newer one."""
    former = {case.id: case for case in old.plan.cases}
    for case in new.plan.cases:
        known = next((former[each] for each in old.ids_of(case) if each in former), None)
        if known is not None and _is_asked(case, patterns):
            yield known, case


def _document(
    old: Run, new: Run, rows: Sequence[_Row], changes: Sequence[FactChange]
) -> dict[str, object]:
    return {
        "before": old.id,
        "after": new.id,
        "environment": [asdict(change) for change in changes],
        "metrics": [asdict(row) for row in rows],
    }


def _subject(word: str, run: Run) -> str:
    text = f"{run.id[:SHORT_ID]} of {started(run):%Y-%m-%d %H:%M} on {run.host.name}"
    revision = revision_text(run)
    return printable(f"{word:<8}{text}{f', {revision}' if revision else ''}")


def _check_cases(run: Run, cases: Sequence[str]) -> None:
    """UsageError where --case leaves nothing."""
    if cases and not any(_is_asked(case, cases) for case in run.plan.cases):
        names = ", ".join(printable(case.name) for case in run.plan.cases[:_NAMED])
        raise UsageError(
            f"no case of run {run.id[:SHORT_ID]} is selected by --case",
            remedy=f"its cases are: {names}",
        )


def _is_asked(case: Case, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(case.name, glob) for glob in patterns)


def _rows(old: Run, new: Run, cases: Sequence[str], metrics: Sequence[str]) -> Iterator[_Row]:
    from iogate.metrics import default_metrics, metric

    for known, case in _in_both(old, new, cases):
        measured = new.measurements_of(case.id)
        for path in metrics or default_metrics(measured, new.plan.metrics):
            each = metric(path, new.plan.metrics)
            for arm, pair in _arms(old.arms_of(known.id), new.arms_of(case.id)):
                row = _row(each, case.name, arm, pair)
                if row:
                    yield row


def _arms(old: _Arms, new: _Arms) -> Iterator[tuple[str, tuple[Repetitions, Repetitions]]]:
    """What is compared with what, and its name: the arms of two comparisons in their order, and a
    run with each arm of one."""
    together = zip(old, new, strict=True) if len(old) == len(new) else product(old, new)
    for (was, before), (name, after) in together:
        yield " → ".join(dict.fromkeys(filter(None, (was, name)))), (before, after)


def _row(each: Metric, case: str, arm: str, pair: tuple[Repetitions, Repetitions]) -> _Row | None:
    from iogate.stats.robust import median

    medians = []
    for measurements in pair:
        extracted = [each.extract(measurement) for measurement in measurements]
        values = [value for value in extracted if value is not None and math.isfinite(value)]
        if not values:
            return None
        medians.append(median(values))
    before, after = medians
    change = after / before - 1 if before else None
    better = None if after == before else (after - before) * each.better.worse < 0
    return _Row(case, arm, each.path, each.unit.value, before, after, change, better)


def _cells(row: _Row) -> tuple[str, ...]:
    from iogate.model.units import Unit, format_change, format_value

    values = (format_value(value, Unit(row.unit)) for value in (row.before, row.after))
    change = format_change(row.change)
    word = "" if row.better is None else "better" if row.better else "worse"
    return (row.case, row.arm, row.metric, *values, change, "" if change == _SAME else word)
