"""``iogate ab``: two arms of a spec, block by block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from iogate.cli import options
from iogate.cli.comparison_options import comparison_options, drawn, run_comparison
from iogate.cli.machine import machine
from iogate.cli.named_run import find_named
from iogate.cli.outcome import show
from iogate.cli.say import say
from iogate.cli.spec_file import SpecFile
from iogate.cli.table import printable
from iogate.errors import UsageError
from iogate.files.run_folder import RunFolder
from iogate.history.killed import close_run
from iogate.history.tries import later_part
from iogate.model.run import Run, RunStatus
from iogate.run.comparison import make_comparison
from iogate.run.finishing import Finished
from iogate.run.more import MOST_STAGES, goes_on, is_left, make_more
from iogate.run.request import Request
from iogate.store import open_kept

_SPEC = click.argument("spec", type=SpecFile(), required=False)
_options: Callable[[Any], Any] = partial(comparison_options, spec=_SPEC)


@click.command()
@_options
@click.option("--base", default="", metavar="ARM", help="The arm to compare with.")
@click.option("--candidate", default="", metavar="ARM", help="The arm to judge.")
@click.option(
    "--blocks",
    type=click.IntRange(5, 200),
    help="Maximum number of blocks; by default as the spec says, or 28.",
)
@click.option(
    "--per-boot",
    type=click.IntRange(1, 100),
    help="Repetitions of a case in each boot of a kernel; by default as the spec says, or 1.",
)
@options.budget("No block begins later than this after the first one.")
@click.option(
    "--more",
    "--resume",
    "more",
    metavar="RUN",
    help="Go on with this comparison (its folder or id): the blocks that it lacks, or more.",
)
@options.FAIL_FAST
def command(
    *, spec: Path | None, base: str, candidate: str, blocks: int | None, per_boot: int | None,
    budget: float | None, more: str | None, seed: int | None, quiet: bool, as_json: bool,
    **asked: object,
) -> int:  # fmt: skip
    """Compare two arms of SPEC.

    An arm is a name under compare.arms, `spec` for the spec as written (the default base), or
    changes such as `iodepth=32` or `engine=/path;bs=8k`. A block is one run of each arm, in an
    order drawn for it. A case ends as soon as each of its limits `vs baseline` is decided.

    With --more an inconclusive comparison goes on, and one that was interrupted or killed: the
    blocks that were planned and not measured yet, then as many again. SPEC, the arms and the
    order are those of RUN.
    """
    asked["spec"] = spec or Path()
    request = Request(sut=machine(), command=("iogate", *sys.argv[1:]), **asked)  # type: ignore[arg-type]
    if more is not None:
        given = {"--base": base, "--candidate": candidate, "--blocks": blocks,
                 "--per-boot": per_boot, "--seed": seed is not None, "--set": request.overrides,
                 "--case": request.cases, "--tag": request.tags}  # fmt: skip
        _refuse(name for name, value in given.items() if value)
        return _go_on(request, more, budget, quiet=quiet, as_json=as_json)
    if spec is None:
        raise UsageError("there is no spec to compare by", remedy="iogate ab SPEC, or --more RUN")
    sides = make_comparison(
        request, base, candidate, seed=drawn(seed), most_blocks=blocks, budget_s=budget,
        per_boot=per_boot,
    )  # fmt: skip
    return run_comparison(request, sides, quiet=quiet, as_json=as_json, and_then=_say_how_to_go_on)


def _refuse(given: Iterable[str]) -> None:
    names = ", ".join(given)
    if names:
        raise UsageError(
            f"--more goes on as the comparison began, and takes no {names}",
            remedy="leave it out; --budget says how long it may take",
        )


def _go_on(request: Request, name: str, budget: float | None, *, quiet: bool, as_json: bool) -> int:
    """More blocks of a kept comparison, where they can decide something."""
    with closing(open_kept(request.store)) as store:
        named = find_named(name, store)
        kept, broken = named.run, named.broken
        later = later_part(kept, store)
        running = kept.status is RunStatus.RUNNING and not broken
        if running and is_left(kept, request.sut, request.wait_s):
            named = find_named(name, store)  # it may have come to its end meanwhile
            kept, broken = named.run, named.broken
            if kept.status is RunStatus.RUNNING and not broken:
                kept = close_run(store, kept)
    if broken:
        raise UsageError(f"{name} is damaged: {broken[0]}", remedy="name the run by its id")
    if later is not None:
        raise UsageError(
            f"run {kept.id[:12]} went on as run {later.id[:12]}", remedy=f"--more {later.id[:12]}"
        )
    rule = goes_on(kept)
    if rule is None:
        say(printable(_decided(kept)), err=as_json)
        finished = Finished(kept, (), RunFolder(Path(kept.folder)))
        if as_json:
            show(finished, finished.folder, as_json=True, quiet=quiet)
        return int(finished.exit_code)
    known = Path(kept.plan.spec_file)
    request = replace(
        request,
        spec=request.spec if request.spec != Path() else known,
        overrides=kept.plan.overrides,
        label=request.label or kept.revision.label,
    )
    more = make_more(request, kept, rule, budget_s=budget)
    return run_comparison(
        request, more.sides, quiet=quiet, as_json=as_json, and_then=_say_how_to_go_on, more=more
    )


def _decided(kept: Run) -> str:
    said = kept.verdict.sentence if kept.verdict else "it has no verdict"
    why = f"it is decided, or {MOST_STAGES} times its blocks would not decide it"
    return f"run {kept.id[:12]}: no more blocks are measured, as {why}: {said}"


def _say_how_to_go_on(run: Run) -> None:
    if goes_on(run):
        say(f"more blocks of this comparison: iogate ab --more {run.id[:12]}")
