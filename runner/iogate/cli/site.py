"""``iogate site``: pages of what the history says, for people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from fnmatch import fnmatchcase
from pathlib import Path

import click

from iogate.errors import UsageError
from iogate.model.plan import Plan

_LAST = 400


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--spec", "specs", multiple=True, metavar="GLOB", help="Only specs of this name.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="PATH",
    help="This metric too; a pattern (*.clat.*) means any that was kept.",
)
@click.option("--host", metavar="HOST", help="Only this host (name or machine id).")
@click.option("--branch", metavar="GLOB", help="Only runs of this branch.")
@click.option(
    "--last",
    type=click.IntRange(1),
    default=_LAST,
    show_default=True,
    metavar="N",
    help="So many runs of each host.",
)
@click.option(
    "--across",
    multiple=True,
    metavar="FACT",
    help="A fact of the environment (kernel.*) whose change begins no new series.",
)
@click.option("--store", metavar="URL", help="The history; by default in the user's data folder.")
def command(folder: Path, *, specs: tuple[str, ...], store: str | None, **asked: object) -> int:
    """Write the trend site into FOLDER: an index, a page a spec, a page a case.

    Called again it writes only the pages that changed, and removes those of cases that are
    no more. What it did not write it never touches.
    """
    from iogate.store import open_store
    from iogate.trending import Question, find_trend
    from iogate_reports.site import Site, SpecTrend, write_site
    from iogate_reports.vendor import uplot

    question = Question(**asked)  # type: ignore[arg-type]
    with closing(open_store(store)) as opened:
        plans = _newest([run.plan for run in opened.runs()], specs)
        found = [SpecTrend(find_trend(opened, plan, question), plan) for plan in plans]
    done = write_site(folder, Site([one for one in found if one.lines]).pages())
    click.echo(
        f"{folder / 'index.html'}: {done.written} pages written, {done.kept} unchanged, "
        f"{done.removed} removed"
    )
    if uplot() is None:
        click.echo("charts cannot be zoomed: iogate was built without uPlot", err=True)
    return 0


def _newest(plans: Sequence[Plan], specs: Sequence[str]) -> list[Plan]:
    """The newest plan of each spec that is asked for, by name; ``plans`` are newest first."""
    found: dict[str, Plan] = {}
    for plan in plans:
        found.setdefault(plan.spec_name, plan)
    wanted = [
        plan
        for name, plan in sorted(found.items())
        if not specs or any(fnmatchcase(name, glob) for glob in specs)
    ]
    if not wanted:
        raise UsageError(
            "this history holds no run of such a spec" if specs else "this history holds no run",
            remedy="measure with 'iogate run SPEC', or name another history with --store",
        )
    return wanted
