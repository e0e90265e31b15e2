"""``iogate validate``: check specs without running anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.machine import own_machine
from iogate.cli.say import say
from iogate.cli.spec_file import SpecFile
from iogate.cli.table import printable
from iogate.cli.warnings import (
    warn_of,
    warn_of_cached,
    warn_of_depths,
    warn_of_syncs,
    warn_of_thin,
    warn_of_undecidable,
    warn_of_young,
)
from iogate.errors import RunError, SpecError, UsageError
from iogate.model.plan import Plan
from iogate.model.spec import Spec
from iogate.spec import check_doable, check_engine, load_spec, make_plan, needs_trust, note_lacking
from iogate.spec.arms import arm_plan
from iogate.spec.text.problems import Problems

# What an engine does not have, asked of a spec that cannot be planned.
_LACKING = {"native": note_lacking}


@click.command()
@click.argument("files", nargs=-1, required=True, type=SpecFile(), metavar="FILE…")
@options.overrides("Change a job option of one workload, or of all, before the check.")
@options.ENV
@options.engine("Check that this engine has the options.")
def command(files: tuple[Path, ...], overrides: tuple[str, ...], engine: str) -> int:
    """Check each FILE, and say how many cases it has. Nothing is measured or written.

    Where the engine is installed and can be confined, it reads the jobs: it knows each bound of
    its options.

    Exits 2 when one is wrong; every problem is named with its line and column.
    """
    bad = [path for path in files if not _is_good(path, overrides, engine)]
    return exits.of_wrong(bad)


def _is_good(path: Path, overrides: tuple[str, ...], engine: str) -> bool:
    try:
        spec = load_spec(path, overrides=overrides, look=_LACKING.get(engine))
        plans = _plans(spec, overrides, engine)
    except UsageError as error:
        for problem in (error, *(error.others if isinstance(error, SpecError) else ())):
            say(f"iogate: {problem}", err=True)
        return False
    plan = plans[0]
    counts = f"{_count(len(spec.workloads), 'workload')}, {_count(len(plan.cases), 'case')}"
    say(printable(f"ok  {path}  {counts}"))
    if changes := needs_trust(plan):
        say(printable(f"    a run needs --trust: {', '.join(changes)}"))
    warn_of([case for each in plans for case in each.cases], path)
    warn_of_depths([case for each in plans for case in each.cases], path)
    warn_of_cached(plan.cases, path)
    warn_of_undecidable(plan.cases, path)
    warn_of_syncs(plan, path)
    for each in plans:
        warn_of_thin(each, path)
    warn_of_young(plan, path)
    return True


def _plans(spec: Spec, overrides: Sequence[str], engine: str) -> list[Plan]:
    """The plan of a spec and of each of its arms; SpecError with all that is wrong in them."""
    problems, plans = Problems(), list[tuple[str, Plan]]()
    makers: dict[str, Callable[[], Plan]] = {"": lambda: make_plan(spec, overrides=overrides)}
    makers |= {arm.name: partial(arm_plan, spec, arm, overrides) for arm in spec.compare.arms}
    for name, make in makers.items():
        try:
            plans.append((name, make()))
        except SpecError as error:
            problems.take(error, arm=name)
    checks: list[Callable[[Plan], None]] = [check_doable, partial(check_engine, engine=engine)]
    for (name, plan), check in product(plans, checks):
        try:
            check(plan)
        except SpecError as error:
            problems.take(error, arm=name)
    if problems and engine in _LACKING:
        _LACKING[engine](spec, problems)
    problems.check()
    _check_with_engine([plan for _, plan in plans], engine)
    return [plan for _, plan in plans]


def _check_with_engine(plans: Sequence[Plan], engine: str) -> None:
    """SpecError for jobs that the engine of this machine does not take, where there is one and it
    can be confined: a spec that nobody has looked at is not to be read by more than that."""
    from iogate.engine import open_engine
    from iogate.engine.launcher import find_layers
    from iogate.host.sandbox import open_sandbox
    from iogate.run.jobs import check_jobs

    sut = own_machine()
    layers = find_layers(sut)
    if layers is None or not layers.confine:
        return
    confinement = open_sandbox(sut, layers, unconfined=False, trusted=False, proposed=False)
    with suppress(RunError):
        for plan in plans:
            check_jobs(open_engine(engine, sut), plan, confinement.to_ask())


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
