"""Options that several commands have, so that the same word means the same everywhere.

Each name here is a decorator; the functions make one whose help says what it does for that
command. `overrides`, `cases`, `tags`, `metrics` arrive as tuples, the times as seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from iogate.cli.parameters import Duration
from iogate.cli.spec_file import SpecFile
from iogate.engine import ENGINES

Decorator = Callable[[Any], Any]

SPEC: Decorator = click.argument("spec", type=SpecFile())


def _allow(context: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> None:
    from iogate.spec.text.variables import allowing

    context.with_resource(allowing(names))


ENV: Decorator = click.option(
    "--env",
    multiple=True,
    metavar="NAME",
    callback=_allow,
    expose_value=False,
    help="Let the spec read this variable, beside IOGATE_VAR_* and IOGATE_DEVICE*.",
)

# Which runs and cases.
CASES: Decorator = click.option(
    "--case", "cases", multiple=True, metavar="GLOB", help="Only cases of this name."
)
TAGS: Decorator = click.option("--tag", "tags", multiple=True, help="Only workloads with this tag.")
HOST: Decorator = click.option(
    "--host", metavar="HOST", help="Only this host (name or machine id)."
)
BRANCH: Decorator = click.option("--branch", metavar="GLOB", help="Only runs of this branch.")
ACROSS: Decorator = click.option(
    "--across",
    multiple=True,
    metavar="FACT",
    help="Facts of the environment (kernel.*) that may change without beginning a new series.",
)
ALERTS_ACROSS: Decorator = click.option(
    "--across", multiple=True, metavar="FACT", help="The facts, as given to iogate trend."
)
ALERTS_SPEC: Decorator = click.option(
    "--spec",
    type=SpecFile(),
    metavar="SPEC",
    help="The spec, as given to iogate trend; by default as its newest run had it.",
)
STORE: Decorator = click.option(
    "--store", metavar="URL", help="The history; by default in the user's data folder."
)

NO_STORE: Decorator = click.option(
    "--no-store", is_flag=True, help="Judge the run by the history, and keep it out of it."
)

# How to measure.
WAIT: Decorator = click.option(
    "--wait",
    "wait_s",
    type=Duration(),
    default=0.0,
    metavar="TIME",
    help="Wait this long for another run on this host to end.",
)
REVISION: Decorator = click.option(
    "--revision", metavar="REF", help="The revision under test; by default git's HEAD here."
)
REPOSITORY: Decorator = click.option(
    "--repository",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="The repository of the revisions; by default the current one.",
)
LABEL: Decorator = click.option("--label", default="", help="A name for what is under test.")
FAIL_FAST: Decorator = click.option(
    "--fail-fast",
    is_flag=True,
    help="Stop at the first repetition that fails and is not measured again.",
)
TRUST: Decorator = click.option(
    "--trust",
    "trusted",
    is_flag=True,
    help="Let the spec change this host: settings, filesystems, commands of its arms.",
)
PRECONDITION: Decorator = click.option(
    "--precondition",
    is_flag=True,
    help="Precondition devices even where that of an earlier run is still valid.",
)
UNCONFINED: Decorator = click.option(
    "--unconfined",
    is_flag=True,
    help="Do not confine the engine: it can reach all that you can.",
)
QUIET: Decorator = click.option("--quiet", is_flag=True, help="No progress; only the verdict.")


def overrides(text: str = "Change a job option, of one workload or of all.") -> Decorator:
    """``--set``: changes of job options."""
    return click.option(
        "--set", "overrides", multiple=True, metavar="[WORKLOAD.]KEY=VALUE", help=text
    )


def metrics(
    text: str = "Also this metric; a pattern (*.clat.*) means all that were kept.",
) -> Decorator:
    """``--metric``: paths of metrics."""
    return click.option("--metric", "metrics", multiple=True, metavar="PATH", help=text)


def last(runs: int) -> Decorator:
    """``--last``: how far back, in runs."""
    return click.option(
        "--last",
        type=click.IntRange(1),
        default=runs,
        show_default=True,
        metavar="N",
        help="Use the last N runs of each host.",
    )


def question(runs: int) -> Decorator:
    """What trends are asked of a history: metrics, hosts, branch, how far back, across what, and
    which history."""
    asked = (metrics(), HOST, BRANCH, last(runs), ACROSS, STORE)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(asked):
            command = option(command)
        return command

    return decorate


def engine(text: str = "What runs the job files.") -> Decorator:
    """``--engine``: a name of the registry."""
    return click.option(
        "--engine", type=click.Choice(list(ENGINES)), default="native", show_default=True, help=text
    )


def output(text: str = "The run folder; by default a new one in ./iogate-runs.") -> Decorator:
    """``--output``: a folder to write into."""
    return click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help=text)


def timeout(text: str = "Abort a repetition after this long.") -> Decorator:
    """``--timeout`` of one repetition."""
    return click.option("--timeout", "timeout_s", type=Duration(), metavar="TIME", help=text)


def budget(text: str) -> Decorator:
    """``--budget`` of a comparison."""
    return click.option("--budget", type=Duration(), metavar="TIME", help=text)


def as_json(text: str = "Print JSON on stdout.") -> Decorator:
    """``--json``: the same facts for programs."""
    return click.option("--json", "as_json", is_flag=True, help=text)
