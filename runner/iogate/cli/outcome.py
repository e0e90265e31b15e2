"""What is left of a run for people and machines: the reports in its folder, and what
stdout says at the end."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace

from iogate.cli import actions
from iogate.cli.say import say, say_exactly, say_json
from iogate.cli.table import printable, table, terminal_width
from iogate.errors import IogateError
from iogate.files.run_folder import RunFolder
from iogate.model.document import to_document
from iogate.model.run import Run, RunStatus
from iogate.model.trend import Trend
from iogate.model.units import format_change, format_value
from iogate.model.verdict import FAILED_RUN, WORST_FIRST, Interval, Outcome, ThresholdVerdict
from iogate.run.finishing import Finished, with_fault
from iogate.stats.confidence import ALL_LOOKS_CONFIDENCE, USUAL_CONFIDENCE
from iogate.store import Store, open_store

BESIDE_PAGE = ("junit.xml", "summary.md", "comment.md")
_HEAD = ("case", "metric", "value", "limit", "change", "verdict")
_COMPARED = (
    "case", "metric", "base", "candidate", "change", "interval", "limit", "blocks", "detectable",
    "verdict",
)  # fmt: skip
_EXPLAINED = (Outcome.FAIL, Outcome.WARN, Outcome.INCONCLUSIVE)


def trend_of(run: Run, store: Store) -> Trend | None:
    """What the history of the run's host says of its cases; None where it says nothing, or
    cannot be asked: a report is made all the same."""
    from iogate.history.trends import Question, find_trend

    if run.plan.comparison is not None:
        return None
    with suppress(IogateError):
        return find_trend(store, run.plan, Question(host=run.host.machine_id))
    return None


def write_reports_with(finished: Finished, store: str | None) -> Finished:
    """As write_reports, with the trend that the history at the URL knows, and for the workflow
    step. Where a document cannot be made, the run as it is told then: it has that fault, and the
    others are written once more."""
    history, trend, own = None, None, finished.folder

    def documents(told: Finished) -> None:
        write_reports(told, run_folder=own, trend=trend)

    def step(told: Finished) -> None:
        append_summary(told.run)

    with ExitStack() as stack:
        with suppress(IogateError):
            history = stack.enter_context(closing(open_store(store)))
            trend = trend_of(finished.run, history)
        for hand_over in (documents, step):
            try:
                hand_over(finished)
            except Exception as error:
                finished = with_fault(finished, error, history)
                with suppress(Exception):  # the same one again
                    documents(finished)
    return finished


def write_reports(
    finished: Finished,
    *,
    run_folder: RunFolder | None,
    trend: Trend | None = None,
    broken: Sequence[str] = (),
    others: Collection[str] = (),
) -> None:
    """report.html, junit.xml, summary.md and comment.md. ``run_folder`` is where the run left its
    files, if they are not gone; ``broken`` are sentences on parts of it that cannot be read,
    ``others`` documents that stay as they are."""
    from iogate_reports import render_comment, render_junit, render_report, render_summary

    run, folder = finished.run, finished.folder

    def page() -> str:
        return render_report(
            run,
            finished.baseline,
            job_files=run_folder.job_texts(c.id for c in run.plan.cases) if run_folder else {},
            trend=trend,
            broken=broken,
            in_folder=run_folder is not None and run_folder.root.resolve() == folder.root.resolve(),
        )

    documents: dict[str, Callable[[], str]] = {
        "junit.xml": lambda: render_junit(run, broken=broken),
        "summary.md": lambda: render_summary(run, broken=broken),
        "comment.md": lambda: render_comment(run, broken=broken),
        "report.html": page,
    }
    failed = []
    for name, render in documents.items():  # the small ones first, where room is short
        try:
            text = render()
            if name not in others:
                folder.write_text(name, text)
        except Exception as error:
            failed.append(error)
    if failed:
        raise failed[0]


def append_summary(run: Run, *, broken: Sequence[str] = ()) -> None:
    """The summary once more, for the workflow step."""
    from iogate_reports import render_summary

    actions.append_summary(render_summary(run, broken=broken))


def conclude(finished: Finished, store: str | None, *, as_json: bool, quiet: bool) -> int:
    """Reports and verdict, and the exit code. A document that cannot be made does not take the
    others, or the verdict, with it."""
    from iogate.cli.entry import tell

    finished = write_reports_with(finished, store)
    show(finished, finished.folder, as_json=as_json, quiet=quiet)
    for note in finished.notes:
        say(f"iogate: {printable(note)}", err=True)
    for each in finished.errors:
        tell(each)
    return int(finished.exit_code)


def show(finished: Finished, own: RunFolder | None, *, as_json: bool, quiet: bool) -> None:
    """Print the verdict: as a table and a sentence, or as one JSON document, beside which
    stdout has nothing: a workflow step reads commands from stderr as well. ``own`` is the run's
    folder, which need not be that of its report."""
    if as_json:
        say_json(_json(finished, own))
    else:
        _show_text(finished, own, quiet=quiet)
    if actions.active():
        for line in actions.annotation_lines(finished.run):
            say_exactly(line, err=as_json)


def _show_text(finished: Finished, own: RunFolder | None, *, quiet: bool) -> None:
    run = finished.run
    if run.verdict and run.verdict.vouches_for_nothing:
        say(actions.VOUCHES_FOR_NOTHING)
    if run.verdict and not quiet:
        if run.verdict.thresholds:
            say(verdict_table(run))
            say()
        for line in explanations(run):
            say(line)
        for line in run.verdict.cautions:
            say(printable(f"warning: {line}"))
    sentence = closing_sentence(run, () if quiet else _EXPLAINED)
    if run.status is not RunStatus.COMPLETE:
        sentence = f"{run.status.value}: {sentence.removeprefix(FAILED_RUN)}"
    say(printable(sentence))
    report = finished.folder.root / "report.html"
    if report.exists():
        say(f"report: {report}")
    say(f"run:    {own.root}  (id {run.id[:12]})" if own else f"run:    id {run.id[:12]}")


def closing_sentence(run: Run, told: Collection[Outcome]) -> str:
    """The verdict in a sentence. Where the reasons of verdicts of these outcomes were ``told``
    above it, it counts them, and does not say the same again; what is behind them stays."""
    if run.verdict is None:
        return "There is no verdict."
    reason = run.verdict.sentence_parts
    cause = run.verdict.decisive
    if reason is None or cause is None or cause.outcome not in told:
        return run.verdict.sentence
    return reason.without_cause()


def verdict_table(run: Run) -> str:
    """One row a threshold, failures first."""
    ordered = _worst_first(run)
    names = run.plan.names
    row = _compared_row if run.plan.comparison else _row
    rows = [row(verdict, names.get(verdict.case_id, verdict.case_id)) for verdict in ordered]
    if run.plan.comparison:
        return table(_COMPARED, rows, right=(2, 3, 4, 7, 8), width=terminal_width())
    return table(_HEAD, rows, right=(2, 4), width=terminal_width())


def _worst_first(run: Run) -> list[ThresholdVerdict]:
    verdicts = run.verdict.thresholds if run.verdict else ()
    return sorted(verdicts, key=lambda verdict: WORST_FIRST.index(verdict.outcome))


def _row(verdict: ThresholdVerdict, case: str) -> tuple[str, ...]:
    return (
        case,
        verdict.threshold.metric,
        format_value(verdict.value, verdict.unit),
        verdict.threshold.limit.text,
        format_change(verdict.change) if verdict.threshold.limit.relative else "",
        verdict.outcome.value,
    )


def _compared_row(verdict: ThresholdVerdict, case: str) -> tuple[str, ...]:
    """Both arms; what this number of blocks can see is how large a regression a pass rules out."""
    limit, interval = verdict.threshold.limit, verdict.change_interval
    return (
        case,
        verdict.threshold.metric,
        format_value(verdict.baseline, verdict.unit),
        format_value(verdict.value, verdict.unit),
        format_change(verdict.change) if limit.relative else "",
        _interval(interval) if interval else "",
        limit.text,
        str(verdict.judged_blocks) if limit.vs_baseline else "",
        _seen(verdict) if limit.vs_baseline else "",
        verdict.outcome.value,
    )


def _interval(interval: Interval) -> str:
    """With its confidence where that is less than 95 %, as few blocks have it."""
    ends = f"{format_change(interval.low)} … {format_change(interval.high)}"
    few = interval.confidence < USUAL_CONFIDENCE
    few &= not math.isclose(interval.confidence, ALL_LOOKS_CONFIDENCE)
    return f"{ends} ({interval.confidence * 100:.3g} %)" if few else ends


def _seen(verdict: ThresholdVerdict) -> str:
    """The change as it would show in the metric: a fall, where more is better."""
    seen = verdict.visible_change
    return format_change(None if seen is None else verdict.better.worsening(seen))


def explanations(run: Run) -> list[str]:
    """A line for each threshold that did not pass, with its place in the spec, in the order of the
    table. What is said of one is not said in full of the next."""
    lines, before = [], ""
    for verdict in _worst_first(run):
        if verdict.outcome in _EXPLAINED:
            where = f"{verdict.threshold.where}: " if verdict.threshold.where else ""
            lines.append(printable(f"{where}{_told(verdict, before)}"))
            before = verdict.reason_parts.predicate if verdict.reason_parts else ""
    return lines


def _told(verdict: ThresholdVerdict, before: str) -> str:
    parts = verdict.reason_parts
    if parts and parts.remarks and parts.predicate == before:
        return replace(parts, why="for the same reason", remarks=()).sentence
    return verdict.reason


def _json(finished: Finished, own: RunFolder | None) -> str:
    run = finished.run
    document = {
        "run": run.id,
        "status": run.status.value,
        "exit_code": int(finished.exit_code),
        "folder": str(own.root) if own else None,
        "report": str(finished.folder.root / "report.html"),
        "verdict": to_document(run.verdict) if run.verdict else None,
    }
    return json.dumps(document, indent=1)
