"""What is left of a run for people and machines: the reports in its folder, and what
stdout says at the end."""

from __future__ import annotations

import json

import click

from iogate.cli import actions
from iogate.cli.table import defused, printable, table
from iogate.model.document import to_document
from iogate.model.run import Run, RunStatus
from iogate.model.units import format_change, format_value
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate.pipeline import Finished

_WORST_FIRST = (
    Outcome.FAIL,
    Outcome.INCONCLUSIVE,
    Outcome.MISSING_BASELINE,
    Outcome.WARN,
    Outcome.PASS,
)
_HEAD = ("case", "metric", "value", "limit", "change", "verdict")
_EXPLAINED = (Outcome.FAIL, Outcome.WARN, Outcome.INCONCLUSIVE)


def write_reports(finished: Finished) -> None:
    """report.html, junit.xml, summary.md and comment.md; the summary also for the workflow
    step."""
    from iogate_reports import render_comment, render_junit, render_report, render_summary

    run, folder = finished.run, finished.folder
    texts = folder.job_texts(case.id for case in run.plan.cases)
    folder.write_text("report.html", render_report(run, finished.baseline, job_files=texts))
    folder.write_text("junit.xml", render_junit(run))
    summary = render_summary(run)
    folder.write_text("summary.md", summary)
    folder.write_text("comment.md", render_comment(run))
    actions.append_summary(summary)


def show(finished: Finished, *, as_json: bool, quiet: bool) -> None:
    """Print the verdict: as a table and a sentence, or as one JSON document."""
    if as_json:
        click.echo(_json(finished))
    else:
        _show_text(finished, quiet=quiet)
    if actions.active():
        for line in actions.annotation_lines(finished.run):
            click.echo(line)


def _show_text(finished: Finished, *, quiet: bool) -> None:
    run = finished.run
    if run.verdict and not quiet:
        if run.verdict.thresholds:
            click.echo(defused(verdict_table(run)))
            click.echo()
        for line in explanations(run):
            click.echo(defused(line))
    sentence = run.verdict.sentence if run.verdict else "There is no verdict."
    if run.status is not RunStatus.COMPLETE:
        sentence = f"{run.status.value}: {sentence}"
    click.echo(defused(printable(sentence)))
    click.echo(f"report: {finished.folder.root / 'report.html'}")
    click.echo(f"run:    {finished.folder.root}  (id {run.id[:12]})")


def verdict_table(run: Run) -> str:
    """One row a threshold, failures first."""
    verdicts = run.verdict.thresholds if run.verdict else ()
    ordered = sorted(verdicts, key=lambda verdict: _WORST_FIRST.index(verdict.outcome))
    names = {case.id: case.name for case in run.plan.cases}
    rows = [_row(verdict, names.get(verdict.case_id, verdict.case_id)) for verdict in ordered]
    return table(_HEAD, rows, right=(2, 4))


def _row(verdict: ThresholdVerdict, case: str) -> tuple[str, ...]:
    return (
        case,
        verdict.threshold.metric,
        format_value(verdict.value, verdict.unit),
        verdict.threshold.limit.text,
        format_change(verdict.change) if verdict.threshold.limit.relative else "",
        verdict.outcome.value,
    )


def explanations(run: Run) -> list[str]:
    """A line for each threshold that did not pass, with its place in the spec, and one for
    each repetition that failed."""
    found = []
    for verdict in run.verdict.thresholds if run.verdict else ():
        if verdict.outcome in _EXPLAINED:
            where = f"{verdict.threshold.where}: " if verdict.threshold.where else ""
            found.append(printable(f"{where}{verdict.reason}"))
    return found


def _json(finished: Finished) -> str:
    run = finished.run
    document = {
        "run": run.id,
        "status": run.status.value,
        "exit_code": int(finished.exit_code),
        "folder": str(finished.folder.root),
        "report": str(finished.folder.root / "report.html"),
        "verdict": to_document(run.verdict) if run.verdict else None,
    }
    return json.dumps(document, indent=1)
