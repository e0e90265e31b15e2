"""Options that the commands which measure in blocks share, and how they run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from iogate.cli.outcome import show, write_reports
from iogate.cli.parameters import Duration
from iogate.cli.progress import open_display
from iogate.cli.run import stoppable
from iogate.comparing import execute_comparison
from iogate.engine import ENGINES
from iogate.pipeline import Request
from iogate.spec.arms import Sides

_OPTIONS = (
    click.argument("spec", type=click.Path(path_type=Path)),
    click.option("--set", "overrides", multiple=True, metavar="[WORKLOAD.]KEY=VALUE",
                 help="Change a job option, in both arms."),
    click.option("--case", "cases", multiple=True, metavar="GLOB", help="Only cases of this name."),
    click.option("--tag", "tags", multiple=True, help="Only workloads with this tag."),
    click.option("--engine", type=click.Choice(list(ENGINES)), default="native", show_default=True,
                 help="What runs the job files."),
    click.option("--store", metavar="URL",
                 help="The history; by default in the user's data folder."),
    click.option("--output", type=click.Path(path_type=Path), metavar="DIR",
                 help="The run folder; by default a new one in ./iogate-runs."),
    click.option("--seed", type=int, default=0, show_default=True,
                 help="Decides which arm runs first in each block."),
    click.option("--timeout", "timeout_s", type=Duration(), metavar="TIME",
                 help="Give a repetition up after this long."),
    click.option("--wait", "wait_s", type=Duration(), default=0.0, metavar="TIME",
                 help="Wait this long for another run on this host to end."),
    click.option("--revision", metavar="REF",
                 help="What is under test; by default git's HEAD here."),
    click.option("--label", default="", help="A name for what is under test."),
    click.option("--quiet", is_flag=True, help="No progress; only the verdict."),
    click.option("--json", "as_json", is_flag=True, help="The verdict as JSON on stdout."),
)  # fmt: skip


def comparison_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """All of them, in the order that help shows."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def run_comparison(request: Request, sides: Sides, *, quiet: bool, as_json: bool) -> int:
    """Measure, judge, report; the exit code."""
    comparison = sides.plan.comparison
    assert comparison is not None
    most = 2 * comparison.most_blocks * len(sides.plan.cases)
    display = open_display(most, quiet=quiet or as_json)
    try:
        with stoppable() as stop:
            finished = execute_comparison(request, sides, display, stop, display.announce)
    finally:
        display.close()
    write_reports(finished)
    show(finished, as_json=as_json, quiet=quiet)
    return int(finished.exit_code)
