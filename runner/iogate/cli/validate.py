"""``iogate validate``: check specs without running anything."""

from __future__ import annotations

from pathlib import Path

import click

from iogate.cli.table import printable
from iogate.errors import ExitCode, SpecError, UsageError
from iogate.spec import check_native, expand_spec, load_spec, not_applied


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="[WORKLOAD.]KEY=VALUE",
    help="Check with a job option changed, of one workload or of all.",
)
@click.option(
    "--engine",
    type=click.Choice(("native", "fio")),
    default="native",
    show_default=True,
    help="Which engine has to know the options.",
)
def command(files: tuple[Path, ...], overrides: tuple[str, ...], engine: str) -> int:
    """Check each FILE, and say how many cases it has. Nothing is run or written.

    Exits 2 when one is wrong; every problem is named with its line and column.
    """
    bad = [path for path in files if not _is_good(path, overrides, engine)]
    return ExitCode.USAGE if bad else ExitCode.PASS


def _is_good(path: Path, overrides: tuple[str, ...], engine: str) -> bool:
    try:
        spec = load_spec(path, overrides=overrides)
        plan = expand_spec(spec, overrides=overrides)
        if engine == "native":
            check_native(plan)
    except UsageError as error:
        for each in (error, *(error.others if isinstance(error, SpecError) else ())):
            click.echo(f"iogate: {each}", err=True)
        return False
    counts = f"{_count(len(spec.workloads), 'workload')}, {_count(len(plan.cases), 'case')}"
    click.echo(printable(f"ok  {path}  {counts}"))
    if ignored := not_applied(spec):
        click.echo(f"    not applied by this version, so a run is refused: {', '.join(ignored)}")
    return True


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
