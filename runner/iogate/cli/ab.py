"""``iogate ab``: two arms of a spec, block by block."""

from __future__ import annotations

import sys

import click

from iogate.cli import options
from iogate.cli.comparison_options import comparison_options, run_comparison
from iogate.cli.machine import machine
from iogate.run.comparison import make_comparison
from iogate.run.request import Request


@click.command()
@comparison_options
@click.option("--base", default="", metavar="ARM", help="The arm to compare with.")
@click.option("--candidate", default="", metavar="ARM", help="The arm to judge.")
@click.option(
    "--blocks",
    type=click.IntRange(5, 200),
    help="The most blocks; by default what the spec says, or 28.",
)
@options.FAIL_FAST
def command(
    *, base: str, candidate: str, blocks: int | None, seed: int, quiet: bool, as_json: bool,
    **asked: object,
) -> int:  # fmt: skip
    """Compare two arms of SPEC.

    An arm is a name under compare.arms, `spec` for the spec as written (the default base), or
    changes such as `iodepth=32` or `engine=/path;bs=8k`. A block is one run of each arm, in an
    order drawn for it. A case ends as soon as each of its limits `vs baseline` is decided.
    """
    request = Request(sut=machine(), command=("iogate", *sys.argv[1:]), **asked)  # type: ignore[arg-type]
    sides = make_comparison(request, base, candidate, seed=seed, most_blocks=blocks)
    return run_comparison(request, sides, quiet=quiet, as_json=as_json)
