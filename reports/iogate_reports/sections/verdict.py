"""The first screen: the verdict in a sentence, what was measured where, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from iogate.model.run import Revision, Run
from iogate.model.verdict import Outcome
from iogate_reports.data import Page
from iogate_reports.facts import FACTS, differences, first_value
from iogate_reports.sections.base import View
from iogate_reports.text import (
    command_line,
    duration,
    moment,
    moment_iso,
    plural,
    short,
    without_options,
)
from iogate_reports.words import ERROR, OUTCOMES, STATUSES, Word


def view(page: Page) -> View:
    """Always there: a run without a verdict says why it has none."""
    run = page.run
    word, sentence = headline(run)
    compared, changes = _compared(page)
    return {
        "run": run,
        "name": short(run.plan.spec_name),
        "word": word,
        "sentence": sentence,
        "facts": tuple(_facts(page)),
        "tiles": tiles(run),
        "compared": compared,
        "changes": changes,
        "command": short(command_line(tuple(without_options(run.command, ("--output",)))), 1000),
    }


def headline(run: Run) -> tuple[Word, str]:
    """The run's word and its sentence; a run without a verdict says how it ended."""
    ended, sentence = STATUSES[run.status]
    if run.verdict is not None:
        outcome = run.verdict.outcome
        word = ended if run.verdict.failed_cases else OUTCOMES[outcome]
        word = OUTCOMES[outcome] if outcome is Outcome.FAIL else word
        return word, short(run.verdict.sentence.removeprefix(f"{outcome.value}: "), 600)
    if run.failures:
        sentence += f" First: {short(run.failures[0].reason, 300)}"
    return ended, sentence


def tiles(run: Run) -> tuple[tuple[Word, int], ...]:
    """How many limits ended with each word, worst first, and repetitions without a result;
    nothing where there is neither."""
    verdicts = run.verdict.thresholds if run.verdict else ()
    if not verdicts and not run.failures:
        return ()
    counts = Counter(one.outcome for one in verdicts)
    found = [(OUTCOMES[outcome], counts[outcome]) for outcome in OUTCOMES]
    return ((ERROR, len(run.failures)), *found) if run.failures else tuple(found)


def revision_text(revision: Revision) -> str:
    """``abc123def456 subject (branch, uncommitted changes)``, as far as it is known."""
    notes = [short(revision.branch, 60)] if revision.branch else []
    notes += ["uncommitted changes"] if revision.dirty else []
    parts = [short(revision.label, 60), revision.commit[:12], short(revision.subject, 90)]
    text = " ".join(part for part in parts if part)
    return f"{text} ({', '.join(notes)})" if notes and text else text or "not recorded"


def _facts(page: Page) -> Iterator[tuple[str, str, str]]:
    """(label, text, ISO time or nothing)."""
    run = page.run
    yield "Revision", revision_text(run.revision), ""
    if page.baseline:
        newest = page.baseline[0]
        parts = [plural(len(page.baseline), "run"), f"newest {moment(newest.started_ns)}"]
        parts += [revision_text(newest.revision)] if newest.revision != Revision() else []
        yield "Baseline", ", ".join(parts), ""
    else:
        yield "Baseline", "none: nothing earlier to compare with", ""
    yield "Host", short(run.host.name), ""
    yield "Date", moment(run.started_ns), moment_iso(run.started_ns)
    yield "Took", duration(run.finished_ns - run.started_ns) if run.finished_ns else "–", ""
    for fact in FACTS:
        value = first_value(fact, run.environment)
        if value:
            yield fact.label, value, ""
    measured = plural(len(run.plan.cases), "case")
    yield "Measured", f"{measured}, {plural(len(run.measurements), 'repetition')}", ""


def _compared(page: Page) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    """What the environment is compared with, and the changed facts: name, before, now."""
    if not page.baseline:
        return "", ()
    newest = page.baseline[0]
    return f"the run of {moment(newest.started_ns)}", differences(newest, page.run)
