"""``iogate compile``: the job files that a spec compiles to."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

import click

from iogate.cli import options
from iogate.cli.say import say, say_exactly, say_json
from iogate.cli.spec_file import SpecFile
from iogate.cli.table import printable
from iogate.cli.warnings import warn_of
from iogate.errors import UsageError
from iogate.files.whole_file import make_output, write_whole, writing
from iogate.jobs.job_file import render
from iogate.model.document import to_document
from iogate.model.plan import Case
from iogate.spec import check_doable, check_engine, load_spec, make_plan


@click.command()
@click.argument("file", type=SpecFile())
@click.option(
    "--case",
    "patterns",
    multiple=True,
    metavar="GLOB",
    help="Only cases whose name matches, or whose id begins like this.",
)
@options.overrides()
@options.ENV
@options.engine("Check that this engine has the options.")
@options.output("Write each job file to DIR/CASE-ID.fio instead of printing it.")
@options.as_json("Print the whole plan as JSON.")
def command(
    *,
    file: Path,
    patterns: tuple[str, ...],
    overrides: tuple[str, ...],
    engine: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the job file of each case of FILE. Nothing is run.

    The job files are read by iogate-engine and by fio alike.
    """
    plan = make_plan(load_spec(file, overrides=overrides), overrides=overrides)
    check_doable(plan)
    check_engine(plan, engine)
    warn_of(plan.cases, file)
    if as_json:
        say_json(json.dumps(to_document(plan), indent=2, ensure_ascii=False, allow_nan=False))
        return
    cases = [case for case in plan.cases if not patterns or _is_chosen(case, patterns)]
    if not cases:
        names = ", ".join(case.name for case in plan.cases[:20])
        raise UsageError(f"no case of {file} matches --case", remedy=f"its cases are: {names}")
    if output:
        _write(cases, output)
    else:
        say_exactly("\n".join(render(case) for case in cases), nl=False)


def _is_chosen(case: Case, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(case.name, p) or case.id.startswith(p) for p in patterns)


def _write(cases: list[Case], folder: Path) -> None:
    make_output(folder, "--output")
    for case in cases:
        path = folder / f"{case.id}.fio"
        with writing(path):
            write_whole(path, render(case), named=False)
        say(printable(f"{path}  {case.name}"))
