"""``iogate validate``: check specs without running anything."""

from __future__ import annotations

from pathlib import Path

import click

from iogate import exits
from iogate.cli import options
from iogate.cli.table import printable
from iogate.cli.warnings import warn_of, warn_of_undecidable
from iogate.errors import SpecError, UsageError
from iogate.spec import check_native, load_spec, make_plan, needs_trust
from iogate.spec.arms import arm_plan


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@options.overrides("Check with a job option changed, of one workload or of all.")
@options.ENV
@options.engine("Which engine has to know the options.")
def command(files: tuple[Path, ...], overrides: tuple[str, ...], engine: str) -> int:
    """Check each FILE, and say how many cases it has. Nothing is run or written.

    Exits 2 when one is wrong; every problem is named with its line and column.
    """
    bad = [path for path in files if not _is_good(path, overrides, engine)]
    return exits.of_wrong(bad)


def _is_good(path: Path, overrides: tuple[str, ...], engine: str) -> bool:
    try:
        spec = load_spec(path, overrides=overrides)
        plan = make_plan(spec, overrides=overrides)
        plans = [plan, *(arm_plan(spec, arm, overrides) for arm in spec.compare.arms)]
        for each in plans if engine == "native" else ():
            check_native(each)
    except UsageError as error:
        for problem in (error, *(error.others if isinstance(error, SpecError) else ())):
            click.echo(f"iogate: {problem}", err=True)
        return False
    counts = f"{_count(len(spec.workloads), 'workload')}, {_count(len(plan.cases), 'case')}"
    click.echo(printable(f"ok  {path}  {counts}"))
    if changes := needs_trust(plan):
        click.echo(printable(f"    a run needs --trust, to change the host: {', '.join(changes)}"))
    warn_of([case for each in plans for case in each.cases], path)
    warn_of_undecidable(plan.cases, path)
    return True


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
