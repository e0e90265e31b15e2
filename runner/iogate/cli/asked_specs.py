"""The trends and runs of the specs that a command is asked for by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from iogate.cli.held import check_across, nothing_held
from iogate.cli.options import Decorator

if TYPE_CHECKING:
    from iogate.history.trends import Question
    from iogate.model.plan import Plan
    from iogate.model.run import Run
    from iogate.model.trend import Trend
    from iogate.store import Store

SPECS: Decorator = click.option(
    "--spec", "specs", multiple=True, metavar="GLOB", help="Only specs of this name."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A spec of a history. ``trend`` is None before its first night; ``runs`` are newest first,
    of which the newest night of each host has its verdict.
    ``measured_by`` are the names of all specs of the history that have a case, by its ids."""

    name: str
    trend: Trend | None
    runs: tuple[Run, ...]
    measured_by: Mapping[str, Sequence[str]]


def is_asked(name: str, specs: Sequence[str]) -> bool:
    """Whether a spec of this name is asked for: all are, where none is named."""
    return not specs or any(fnmatchcase(name, glob) for glob in specs)


def asked_specs(store: Store, specs: Sequence[str], question: Question) -> Iterator[Asked]:
    """Those of these names. UsageError where there is none."""
    from iogate.history.plans import kept_plans
    from iogate.history.trends import find_trend

    runs = store.runs(host=question.host, verdicts=False)
    check_across(runs, question)
    plans = kept_plans(runs)
    names = sorted({run.plan.spec_name for run in runs})
    asked = [name for name in names if is_asked(name, specs)]
    if not asked:
        raise nothing_held(f"no run of a spec {' or '.join(specs) or 'of any name'}", names)
    measured_by = _measured_by(plans)
    for name in asked:
        trend = find_trend(store, plans[name], question) if name in plans else None
        own = [run for run in runs if run.plan.spec_name == name]
        yield Asked(name, trend, tuple(_with_newest_verdicts(store, own)), measured_by)


def _with_newest_verdicts(store: Store, runs: Sequence[Run]) -> Iterator[Run]:
    """The runs of a spec, newest first: those that ``newest_nights`` picks as they are kept."""
    from iogate.model.newest import newest_nights

    newest = {run.id for run in newest_nights(runs)}
    nth: Counter[str] = Counter()
    for run in runs:
        machine = run.host.machine_id
        nth[machine] += 1
        if run.id in newest:
            latest = store.runs(spec=run.plan.spec_name, host=machine, limit=nth[machine])
            yield next((each for each in latest if each.id == run.id), run)
        else:
            yield run


def _measured_by(plans: Mapping[str, Plan]) -> Mapping[str, Sequence[str]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name, plan in plans.items():
        for case_id in {case_id for case in plan.cases for case_id in case.ids}:
            names[case_id].append(name)
    return names
