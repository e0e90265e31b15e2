"""The first screen: the verdict in a sentence, what was measured where, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from iogate.errors import ExitCode
from iogate.model.comparison import Arm, Comparison, of_candidate
from iogate.model.run import Revision, Run, RunStatus
from iogate.model.verdict import Outcome, RunVerdict
from iogate_reports.commands import commands
from iogate_reports.data import Page
from iogate_reports.facts import FACTS, differences, first_value, show
from iogate_reports.labels import ERROR, OUTCOMES, STATUSES, UNJUDGED, Word, outcomes
from iogate_reports.sections.base import View
from iogate_reports.text import duration, moment, moment_iso, plural, short
from iogate_reports.validity import checks
from iogate_reports.verdict_cause import cause

_NAMED = 4
_NO_BASELINE = "none that may be compared"


def view(page: Page) -> View:
    """Always there: a run without a verdict says why it has none."""
    run = page.run
    word, sentence = headline(run)
    told = cause(page, sentence)
    compared, changes = _compared(page)
    return {
        "cause": told,
        "run": run,
        "name": short(run.plan.spec_name),
        "effect": effect(run, page.broken),
        "word": word,
        "facts": tuple(_facts(page)),
        "tiles": tiles(run),
        "arms": _arms(page),
        "checks": checks(run),
        "sides": page.sides,
        "compared": compared,
        "changes": changes,
        "commands": commands(run, page.baseline),
    }


def headline(run: Run) -> tuple[Word, str]:
    """The run's word and its sentence; a run without a verdict says how it ended."""
    ended, sentence = STATUSES[run.status]
    if run.verdict is not None:
        outcome = run.verdict.outcome
        judged = UNJUDGED.get(run.verdict.word, OUTCOMES[outcome])
        cut = run.verdict.fault and run.status is not RunStatus.COMPLETE
        word = ended if run.verdict.failed_cases or cut else judged
        word = judged if outcome is Outcome.FAIL else word
        return word, short(_sentence(run.verdict), 600)
    if run.failures:
        sentence += f" First: {short(run.failures[0].reason, 300)}"
    return ended, sentence


def _sentence(verdict: RunVerdict) -> str:
    """Without the outcome, which stands beside it."""
    reason = verdict.sentence_parts
    return reason.without_outcome(verdict.cause) if reason else verdict.sentence


def effect(run: Run, broken: Sequence[str] = ()) -> str:
    """What the verdict does to the build, or what a damaged run folder does; empty where there is
    neither."""
    if broken:
        return f"the run folder is damaged (exit code {int(ExitCode.RUN_FAILED)})"
    if run.verdict is None:
        return ""
    code = run.verdict.exit_code
    return f"the build {'stops' if code else 'goes on'} (exit code {code})"


def damage(broken: Sequence[str]) -> str:
    """``2 parts of the run folder could not be read: run.json is missing; …``; empty where all of
    it could be."""
    if not broken:
        return ""
    told = "; ".join(short(part, 200) for part in broken[:_NAMED])
    more = f"; and {len(broken) - _NAMED} more" if len(broken) > _NAMED else ""
    return f"{plural(len(broken), 'part')} of the run folder could not be read: {told}{more}"


def tiles(run: Run) -> tuple[tuple[Word, int], ...]:
    """How many limits ended with each word, worst first, and repetitions that failed for
    good; nothing where there is neither."""
    verdicts = run.verdict.thresholds if run.verdict else ()
    failed = sum(not failure.again for failure in run.failures)
    if not verdicts and not failed:
        return ()
    counts = Counter(verdict.outcome for verdict in verdicts)
    tallies = [(word, counts[outcome]) for outcome, word in outcomes(run).items()]
    return ((ERROR, failed), *tallies) if failed else tuple(tallies)


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
    if run.origin is not None:
        yield "Asked by", short(f"{run.origin.text} {run.origin.url}".rstrip(), 300), ""
    if run.plan.comparison is not None:
        yield "Compared", arms_text(run.plan.comparison), ""
    else:
        yield "Baseline", _baseline_text(page), ""
        missing = _missing(page)
        if missing:
            names = ", ".join(missing[:_NAMED]) + (", …" if len(missing) > _NAMED else "")
            yield "Missing", f"{plural(len(missing), 'case')} that the baseline has: {names}", ""
    yield "Host", short(run.host.name), ""
    yield "Date", moment(run.started_ns), moment_iso(run.started_ns)
    took = f"{duration(run.took_ns)}, " if run.took_ns else ""
    cases, repetitions = len(run.plan.cases), len(run.measurements)
    yield "Took", f"{took}{plural(cases, 'case')}, {plural(repetitions, 'repetition')}", ""
    for fact in FACTS:
        value = first_value(fact, run.environment)
        if value:
            yield fact.label, value, ""


def _missing(page: Page) -> list[str]:
    """Cases of the newest run of the baseline that this run has under no name: whoever takes a
    case out of a spec takes its limits out of the verdict."""
    cases = page.run.plan.cases
    if not page.baseline:
        return []
    newest = page.baseline[0]
    known = {case_id for case in cases for case_id in newest.ids_of(case)}
    return [short(old.name, 80) for old in newest.plan.cases if old.id not in known]


def _baseline_text(page: Page) -> str:
    """How many runs were compared with, the newest of them, and how many the history that the
    page is made from no longer has: what they say is in the verdict, not in the charts."""
    use = page.run.verdict.baseline if page.run.verdict else None
    lost = len(set(use.runs if use else ()) - {run.id for run in page.baseline})
    if not page.baseline:
        return f"{plural(lost, 'run')}, not in this history" if lost else _NO_BASELINE
    newest = page.baseline[0]
    parts = [plural(len(page.baseline) + lost, "run"), f"newest {moment(newest.started_ns)}"]
    parts += [revision_text(newest.revision)] if newest.revision != Revision() else []
    parts += [f"{lost} not in this history"] if lost else []
    return ", ".join(parts)


def arms_text(compared: Comparison) -> str:
    """Which arm was held against which, as far as they differ."""
    base, candidate = (short(arm.name, 60) for arm in (compared.base, compared.candidate))
    if compared.canary:
        return "the spec with itself: what differs is the noise of this host"
    return f"{candidate} against {base}, in one run, block by block"


def _arms(page: Page) -> tuple[tuple[str, str, str], ...]:
    """What the arms of a comparison set, and then what was found to differ, side by side: what,
    in the base, in the candidate."""
    compared, found = page.run.plan.comparison, page.run.environment
    if compared is None:
        return ()
    base, candidate = (dict(_settings(arm)) for arm in (compared.base, compared.candidate))
    set_so = tuple(
        (name, base.get(name, "as the spec says"), candidate.get(name, "as the spec says"))
        for name in {**base, **candidate}
    )
    return set_so + tuple(
        (short(name, 80), short(show(found.get(name, "not recorded")), 120), short(show(now), 120))
        for name, now in of_candidate(found).items()
        if found.get(name) != now
    )


def _settings(arm: Arm) -> Iterator[tuple[str, str]]:
    for text in arm.overrides:
        name, _, value = text.partition("=")
        yield short(name, 80), short(value, 120)
    for name, target in arm.targets.items():
        yield f"target {short(name, 80)}", short(target, 120)
    module = " ".join((arm.module, *arm.parameters))
    paths = {"kernel": arm.kernel, "module": module, "engine": arm.engine, "library": arm.library}
    for name, path in paths.items():
        if path:
            yield name, short(path, 120)
    for name, words in (("mkfs", arm.mkfs), ("mount", arm.mount)):
        if words is not None:
            yield name, short(" ".join(words), 120) or "no options"
    if arm.environment is not None:
        for key, set_to in arm.environment.measured_under.items():
            yield f"environment {key}", short(str(set_to), 120)
    if arm.prepare:
        yield "before each run", short(arm.prepare, 300)


def _compared(page: Page) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    """What the environment is compared with, and the changed facts: name, before, now."""
    if not page.baseline:
        return "", ()
    newest = page.baseline[0]
    return f"the run of {moment(newest.started_ns)}", differences(newest, page.run)
