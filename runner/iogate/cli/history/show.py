"""``iogate history show``: one run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import closing

import click

from iogate.cli import options
from iogate.cli.history.shown import print_table, revision_text, started, took, without_arms
from iogate.cli.named_run import find_named
from iogate.cli.outcome import closing_sentence
from iogate.cli.say import say, say_json
from iogate.cli.seen import seen
from iogate.cli.table import printable
from iogate.model.document import to_document
from iogate.model.run import Run
from iogate.model.verdict import Outcome
from iogate.store import open_kept

_HEAD = ("case", "arm", "metric", "median", "min", "max", "repetitions")


@click.command("show")
@click.argument("run")
@options.as_json("Print the whole run document on stdout.")
@options.STORE
def command(run: str, *, as_json: bool, store: str | None) -> None:
    """Show what RUN measured. RUN is an id, the start of one, or a run folder."""
    with closing(open_kept(store)) as opened:
        found = find_named(run, opened).run
    (shown,) = seen([found])
    if as_json:
        say_json(json.dumps(to_document(shown), indent=1, allow_nan=False))
        return
    _print_facts(shown)
    _print_metrics(shown)
    _print_preconditions(shown)
    _print_warnings(shown)
    _print_judgement(shown)


def _print_metrics(run: Run) -> None:
    """Medians of all repetitions, or of each arm's."""
    rows = [row for case in run.plan.cases for row in _case_rows(run, case.id, case.name)]
    if rows:
        say()
        head, cells = without_arms(_HEAD, rows)
        print_table(head, cells, right=range(len(head) - 4, len(head)))


def _print_preconditions(run: Run) -> None:
    """The state that each device was brought to, or was in."""
    for number, precondition in enumerate(run.preconditions):
        steadiness = f" ({precondition.steady.found})" if precondition.steady else ""
        text = f"precondition of {precondition.device}: {precondition.text}{steadiness}"
        say(("" if number else "\n") + printable(text))


def _print_warnings(run: Run) -> None:
    """What the engine said of the numbers, or the import of what it had to work out."""
    names = {case.id: case.name for case in run.plan.cases}
    told = (
        f"{names.get(measurement.case_id, measurement.case_id)}: warning: {text}"
        for measurement in run.measurements
        for text in measurement.warnings
    )
    for number, text in enumerate(dict.fromkeys(told)):
        say(("" if number else "\n") + printable(text))


def _print_facts(run: Run) -> None:
    facts = {
        "run": run.id,
        "spec": f"{run.plan.spec_name} ({run.plan.spec_file})",
        "host": f"{run.host.name} ({run.host.machine_id})",
        "revision": revision_text(run) or "unknown",
        "started": f"{started(run):%Y-%m-%d %H:%M:%S %Z}",
        "took": took(run),
        "status": run.status.value,
        "folder": run.folder or "none",
    }
    if run.origin:
        facts["asked by"] = f"{run.origin.text} {run.origin.url}".rstrip()
    if "origin.form" in run.environment:
        form, file = (str(run.environment.get(f"origin.{key}", "")) for key in ("form", "file"))
        facts["imported"] = f"from {form}{f' in {file}' if file else ''}"
    for name, value in facts.items():
        say(f"{name:<10}{printable(value)}")


def _print_judgement(run: Run) -> None:
    """Every failure and every verdict, each told once."""
    names = {case.id: case.name for case in run.plan.cases}
    sentence = (
        closing_sentence(run, tuple(Outcome)) if run.verdict else "no verdict: the run did not end"
    )
    say()
    for failure in run.failures:
        name = names.get(failure.case_id, failure.case_id)
        told = f"repetition {failure.repetition} of {name}: {failure.reason}"
        if told not in sentence:
            say(printable(told))
    for verdict in run.verdict.thresholds if run.verdict else ():
        say(f"{verdict.outcome.value:<18}{printable(verdict.reason)}")
    for caution in run.verdict.cautions if run.verdict else ():
        say(f"{'warning':<18}{printable(caution)}")
    say(printable(sentence))


def _case_rows(run: Run, case_id: str, name: str) -> Iterator[tuple[str, ...]]:
    from iogate.metrics import default_metrics, metric
    from iogate.model.units import format_value
    from iogate.stats.robust import median

    arms = run.arms_of(case_id)
    for path in default_metrics(run.measurements_of(case_id), run.plan.metrics):
        judged = metric(path, run.plan.metrics)
        for arm, measurements in arms:
            extracted = [judged.extract(measurement) for measurement in measurements]
            values = [value for value in extracted if value is not None and not math.isnan(value)]
            if values:
                numbers = (median(values), min(values), max(values))
                texts = (format_value(number, judged.unit) for number in numbers)
                yield (name, arm, path, *texts, str(len(values)))
