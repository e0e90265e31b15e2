"""``iogate validate``: check specs without running anything."""

from __future__ import annotations

from pathlib import Path

import click

from iogate.cli import options
from iogate.cli.table import printable
from iogate.errors import ExitCode, SpecError, UsageError
from iogate.spec import check_native, load_spec, make_plan, needs_trust
from iogate.spec.arms import arm_plan
from iogate.spec.ordering import waiting_workloads


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@options.overrides("Check with a job option changed, of one workload or of all.")
@options.engine("Which engine has to know the options.")
def command(files: tuple[Path, ...], overrides: tuple[str, ...], engine: str) -> int:
    """Check each FILE, and say how many cases it has. Nothing is run or written.

    Exits 2 when one is wrong; every problem is named with its line and column.
    """
    bad = [path for path in files if not _is_good(path, overrides, engine)]
    return ExitCode.USAGE if bad else ExitCode.PASS


def _is_good(path: Path, overrides: tuple[str, ...], engine: str) -> bool:
    try:
        spec = load_spec(path, overrides=overrides)
        plan = make_plan(spec, overrides=overrides)
        for arm in (plan, *(arm_plan(spec, name, overrides) for name in spec.compare.arms)):
            if engine == "native":
                check_native(arm)
    except UsageError as error:
        for each in (error, *(error.others if isinstance(error, SpecError) else ())):
            click.echo(f"iogate: {each}", err=True)
        return False
    counts = f"{_count(len(spec.workloads), 'workload')}, {_count(len(plan.cases), 'case')}"
    click.echo(printable(f"ok  {path}  {counts}"))
    if changes := needs_trust(plan):
        click.echo(printable(f"    a run needs --trust, to change the host: {', '.join(changes)}"))
    for name in waiting_workloads(plan):
        click.echo(
            f"iogate: warning: {path}: jobs of workload {name!r} wait for each other (stonewall,"
            " wait_for), and their rates are summed all the same: make each a workload of its own,"
            " or limit single jobs (jobs.NAME.METRIC)",
            err=True,
        )
    return True


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
