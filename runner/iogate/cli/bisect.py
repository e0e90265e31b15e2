"""``iogate bisect``: which revision made it worse."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import gmtime, strftime

import click

from iogate import exits
from iogate.bisect.boots import make_boots
from iogate.bisect.drive import MOST, Bisection, Search, Step
from iogate.bisect.ends import STEP_ERROR, Ends
from iogate.bisect.git import GitSearch
from iogate.bisect.search import ListSearch
from iogate.cli import options
from iogate.cli.machine import machine
from iogate.cli.progress import open_display
from iogate.cli.run import stoppable
from iogate.cli.say import say, say_json
from iogate.cli.table import printable
from iogate.errors import RefusedError, UsageError
from iogate.files import bounded
from iogate.files.bounds import LIST_BYTES
from iogate.files.run_folder import below_default
from iogate.files.whole_file import writing
from iogate.model.units import format_value
from iogate.run.request import Request


@click.command()
@options.SPEC
@click.argument("build", nargs=-1, metavar="[-- BUILD COMMAND…]")
@click.option("--good", metavar="REV", help="A revision before the regression.")
@click.option("--bad", metavar="REV", help="A later revision that has the regression.")
@options.REPOSITORY
@click.option(
    "--builds",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A list of builds instead of revisions: one a line, the good one first, the bad one last.",
)
@click.option(
    "--kernel",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="What BUILD COMMAND leaves, from its folder on, is a kernel: each repetition boots it.",
)
@options.ENV
@options.metrics("The metric that decides; by default those with limits in the spec.")
@options.CASES
@options.engine()
@click.option(
    "--most",
    type=click.IntRange(3),
    default=MOST,
    show_default=True,
    metavar="N",
    help="Repetitions of a revision before it counts as inconclusive.",
)
@options.output("Folder for all results; by default a new one in ./iogate-runs.")
@options.WAIT
@options.TRUST
@options.UNCONFINED
@options.as_json("Print the result as JSON on stdout.")
def command(
    *,
    spec: Path,
    build: tuple[str, ...],
    good: str | None,
    bad: str | None,
    repository: Path,
    builds: Path | None,
    kernel: Path | None,
    metrics: tuple[str, ...],
    cases: tuple[str, ...],
    engine: str,
    most: int,
    output: Path | None,
    wait_s: float,
    trusted: bool,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Find the revision between --good and --bad at which what SPEC measures got worse.

    Each revision is checked out in a clone, built there by BUILD COMMAND (no shell; it finds
    the revision in $IOGATE_BUILD) and measured against both ends. A build command that ends
    with 1 to 127 means that this revision cannot be tested; with more, the search ends.

    With --kernel PATH (. for a kernel's tree), each repetition boots what was built, on a
    machine that can: --machine vm:FILE, or host:FILE where that file says built. A kernel
    that does not come up cannot be tested.

    Exits 0 when the first bad revision is found, 5 when only a range of them is.
    """
    request = Request(
        spec=spec.absolute(),
        sut=machine(),
        cases=cases,
        engine=engine,
        wait_s=wait_s,
        command=("iogate", "bisect"),
        trusted=trusted,
        unconfined=unconfined,
    )
    with (
        _new_folder(output) as place,
        _ground(place, builds, repository, good, bad) as ground,
        stoppable() as stop,
    ):
        bisection = Bisection(
            request, place, ground.prepare, build, ground.folder, open_display(0, quiet=True), stop,
            metrics, most, told=lambda line: _say(line, quiet=as_json),
            boots=make_boots(request.sut, ground.folder / kernel, place) if kernel else None,
        )  # fmt: skip
        bisection.check()
        ends = bisection.find_ends(ground.good, ground.bad)
        _say(_ends_line(ends), quiet=as_json)
        steps = []
        for step in bisection.steps(ground.search, ends):
            steps.append(step)
            _say(_step_line(step, ends), quiet=as_json)
        first_bad = ground.search.result()
        text = (
            _document(ends, steps, first_bad, place)
            if as_json
            else _result(ground, first_bad, place)
        )
    (say_json if as_json else say)(text)
    return exits.of_search(len(first_bad))


@dataclass(frozen=True, slots=True)
class _Ground:
    """What is searched, its two ends, how a revision is put in place, and where it is built."""

    search: Search
    good: str
    bad: str
    prepare: Callable[[str], None]
    folder: Path
    describe: Callable[[str], str]


@contextmanager
def _ground(
    place: Path, builds: Path | None, repository: Path, good: str | None, bad: str | None
) -> Iterator[_Ground]:
    """Revisions in a clone that is removed afterwards, or a list of builds."""
    if builds is not None:
        if good or bad:
            raise UsageError("--builds names its ends itself", remedy="leave --good and --bad out")
        names = _build_names(builds)
        search = ListSearch(names)
        yield _Ground(search, names[0], names[-1], lambda _: None, Path.cwd(), lambda name: name)
        return
    if not good or not bad:
        raise UsageError("--good and --bad are missing", remedy="name both ends, or give --builds")
    checkout = place / "checkout"
    try:
        git = GitSearch(repository, checkout, good, bad)
        yield _Ground(
            git, git.good, git.bad, git.check_out, checkout,
            lambda commit: f"{commit[:12]} {git.subject(commit)}",
        )  # fmt: skip
    finally:
        shutil.rmtree(checkout, ignore_errors=True)


def _build_names(path: Path) -> list[str]:
    try:
        lines = bounded.read_text(path.resolve(), LIST_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not UTF-8 text"
        raise UsageError(
            f"cannot read {path}: {reason}", remedy="name a file of one build a line"
        ) from None
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if len(set(names)) < len(names):
        raise UsageError(f"{path} names a build twice", remedy="one line for each build")
    return names


@contextmanager
def _new_folder(output: Path | None) -> Iterator[Path]:
    """A folder of its own for each search. Of a call that was refused before anything was
    measured nothing is left."""
    stamp = strftime("%Y%m%dT%H%M%SZ", gmtime())
    name = f"{stamp}-bisect-{secrets.token_hex(3)}"
    place = (output or below_default(name)).absolute()
    with writing(place, "--output"):
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise UsageError(f"{place} is not an empty folder", remedy="name another with --output")
        made = [each for each in (place, *place.parents) if not each.exists()]
        (place / "runs").mkdir(parents=True, exist_ok=True)
    try:
        yield place
    except (UsageError, RefusedError):
        _leave_nothing(place, made)
        raise


def _leave_nothing(place: Path, made: Sequence[Path]) -> None:
    """Take back what was made, unless something was measured."""
    if any((place / "runs").iterdir()):
        return
    for each in place.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    for folder in made:
        with suppress(OSError):
            folder.rmdir()


def _say(line: str, *, quiet: bool) -> None:
    if not quiet:
        say(printable(line))


def _ends_line(ends: Ends) -> str:
    unit = ends.metric.unit
    return (
        f"{ends.key.metric} of {ends.key.case} tells them apart: "
        f"good {format_value(ends.good, unit)}, bad {format_value(ends.bad, unit)}"
    )


def _step_line(step: Step, ends: Ends) -> str:
    values = ", ".join(format_value(value, ends.metric.unit) for value in step.values)
    return f"{step.build[:12]}  {step.side.value}  {values or step.why}"


def _result(ground: _Ground, first_bad: Sequence[str], place: Path) -> str:
    names = "".join(f"\n  {printable(ground.describe(build))}" for build in first_bad)
    said = (
        "the first bad one is"
        if len(first_bad) == 1
        else f"the first bad one is among {len(first_bad)}"
    )
    sure = f"each step that was told is wrong at most once in {1 / STEP_ERROR:.0f}"
    return f"{said}{names}\n{sure}\nmeasurements: {place}"


def _document(ends: Ends, steps: Sequence[Step], first_bad: Sequence[str], place: Path) -> str:
    document = {
        "schema": "bisect/1",
        "case": ends.key.case,
        "metric": ends.key.metric,
        "unit": ends.metric.unit.value,
        "good": ends.good,
        "bad": ends.bad,
        "steps": [
            {"build": s.build, "side": s.side.value, "values": s.values, "why": s.why}
            for s in steps
        ],
        "step_error": STEP_ERROR,
        "first_bad": list(first_bad),
        "folder": str(place),
    }
    return json.dumps(document, indent=1)
