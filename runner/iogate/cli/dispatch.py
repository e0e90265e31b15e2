"""``iogate dispatch``: a spec on several hosts, into one history and one verdict."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from time import gmtime, strftime

import click

from iogate.cli import options
from iogate.cli.dispatched import conclude, described
from iogate.cli.machine import own_machine
from iogate.cli.run import stoppable
from iogate.cli.say import say
from iogate.cli.table import printable
from iogate.dispatch import open_carrier
from iogate.dispatch.base import Errand
from iogate.dispatch.course import dispatch
from iogate.errors import UsageError
from iogate.exits import DONE
from iogate.files.run_folder import below_default
from iogate.files.whole_file import make_output
from iogate.model.plan import Plan
from iogate.run.request import Request, make_request_plan
from iogate.spec import load_spec
from iogate.spec.text.variables import allowed

_PASSED_ON = {
    "overrides": "--set",
    "engine": "--engine",
    "repetitions": "--repetitions",
    "fail_fast": "--fail-fast",
    "trusted": "--trust",
    "unconfined": "--unconfined",
    "precondition": "--precondition",
    "timeout_s": "--timeout",
    "wait_s": "--wait",
    "revision": "--revision",
    "label": "--label",
}


@click.command()
@options.SPEC
@click.option("--to", required=True, metavar="WHERE", help="ssh:HOST,HOST or slurm[:PARTITION].")
@click.option(
    "--share", is_flag=True, help="Measure each case on one host, not every case on every host."
)
@options.overrides()
@options.ENV
@options.CASES
@options.TAGS
@options.engine()
@options.STORE
@options.NO_STORE
@options.output("The folder of the run folders; by default a new one in ./iogate-runs.")
@click.option(
    "--repetitions", type=click.IntRange(1), help="Number of repetitions, overriding the spec."
)
@options.FAIL_FAST
@options.TRUST
@options.UNCONFINED
@options.PRECONDITION
@options.timeout("Abort a repetition after this long; by default from its runtime and size.")
@options.WAIT
@options.REVISION
@options.LABEL
@click.option("--dry-run", is_flag=True, help="Say what would be measured where, and do nothing.")
@options.QUIET
@options.as_json("Print the verdict as JSON on stdout.")
def command(
    *, to: str, share: bool, dry_run: bool, quiet: bool, as_json: bool, **asked: object
) -> int:
    """Measure SPEC on several hosts at once, one run a host, and judge them together.

    Every host measures every case, and is compared with its own history. With --share each case is
    measured on one host: by ssh always the same one as long as spec and hosts stay, with Slurm the
    one that the queue chooses. The cases of a host that is lost meanwhile are measured on another
    one, and judged by their absolute limits. Nodes of Slurm have all of the spec's runner.labels.

    Exits with the worst of its runs: 2 when the spec or the call is wrong, else 4 when something
    was not measured, 3 when a host refused, 1 when a limit failed, 5 when inconclusive and the
    spec says that this blocks, 0 when all of it holds.
    """
    request = Request(sut=own_machine(), **asked)  # type: ignore[arg-type]
    plan = make_request_plan(request)
    errand = Errand(
        spec=request.spec.absolute(),
        words=passed_on(asked),
        store=request.store,
        folder=_folder(request.output, plan),
        shared=share,
        labels=_labels(request.spec),
    )
    carrier = open_carrier(to, errand)
    if dry_run:
        say(described(plan, carrier.shares(plan)))
        return DONE
    make_output(errand.folder, "--output")

    def tell(line: str) -> None:
        if not quiet:
            say(printable(line), err=True)

    with stoppable() as stop:
        whole, gathered = dispatch(errand, plan, carrier, tell, stop, keep=not request.no_store)
    return conclude(whole, gathered, errand, quiet=quiet, as_json=as_json)


def _labels(spec: Path) -> tuple[str, ...]:
    labels = load_spec(spec).runner.get("labels")
    return tuple(map(str, labels)) if isinstance(labels, list | tuple) else ()


def passed_on(asked: Mapping[str, object]) -> tuple[str, ...]:
    """The options that the run on each host is given, a word each, so that no value can be one
    of its own."""
    words = [f"--env={name}" for name in sorted(allowed())]
    for name, option in _PASSED_ON.items():
        value = asked.get(name)
        if value is True:
            words.append(option)
        elif isinstance(value, tuple):
            words.extend(f"{option}={each}" for each in value)
        elif isinstance(value, float):
            words.extend([f"{option}={value}s"] if value else [])
        elif value:
            words.append(f"{option}={value}")
    return tuple(words)


def _folder(output: Path | None, plan: Plan) -> Path:
    if output is None:
        name = "".join(c if c.isalnum() else "-" for c in plan.spec_name).strip("-")[:60]
        stamp = strftime("%Y%m%dT%H%M%SZ", gmtime())
        output = below_default(f"{stamp}-{name or 'run'}-hosts-{secrets.token_hex(3)}")
    folder = output.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{folder} exists and is not an empty directory",
            remedy="name another with --output, or remove it; iogate overwrites no results",
        )
    return folder
