"""A run → Markdown for a CI job's summary page (at most 1 MiB there)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iogate.errors import ExitCode
from iogate.model.run import Run
from iogate_reports.commands import commands
from iogate_reports.data import Page
from iogate_reports.facts import FACTS, first_value
from iogate_reports.limit_rows import Row, rows
from iogate_reports.sections.verdict import damage, headline, revision_text, tiles
from iogate_reports.text import NAME_LENGTH, moment, plural, short
from iogate_reports.validity import disturbed_text
from iogate_reports.verdict_cause import cause

MARKS = {
    "fail": "❌",
    "error": "💥",
    "warn": "⚠️",
    "inconclusive": "❔",
    "missing": "➖",
    "pass": "✅",
}
BUDGET = 960 * 1024
"""Bytes; the rest of the MiB is for what else a job writes into its summary."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~@&$]|:(?=//)|(?<=www)\.)")
_HEAD = (
    "| | case | metric | limit | {} | {} | change | n |\n|---|---|---|---|---:|---:|---:|---:|\n"
)


def render_summary(run: Run, *, broken: Sequence[str] = ()) -> str:
    """The verdict, the limits that did not pass, the rest folded; cut at the budget. ``broken``
    are sentences on what of the run could not be read."""
    return digest(run, BUDGET, broken=broken)


def digest(
    run: Run,
    budget: int,
    *,
    failures: int = 20,
    reason: int = 2000,
    broken: Sequence[str] = (),
) -> str:
    """The run in at most about ``budget`` bytes, with so many of the repetitions that gave
    nothing, each reason of at most so many characters."""
    page = Page(run, broken=broken)
    parts = [_top(page), _failures(run, failures, reason)]
    if run.verdict is not None:
        limits = rows(page)
        rest = [row for row in limits if row.word.key == "pass"]
        budget -= sum(len(part.encode()) for part in parts)
        head = _HEAD.format(text(page.sides.value), text(page.sides.value_before))
        first = _table([row for row in limits if row.word.key != "pass"], budget, head)
        budget -= len(first.encode())
        parts += [
            first,
            _folded(plural(len(rest), "limit") + " passed", _table(rest, budget, head)),
        ]
    return "\n".join(part for part in parts if part)


def text(value: str, length: int = NAME_LENGTH) -> str:
    """Text that Markdown and HTML take literally: nothing mentions, links or formats."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match[1])};", short(value, length))


def _top(page: Page) -> str:
    run = page.run
    word, sentence = headline(run)
    told = cause(page, sentence)
    counts = " · ".join(f"{MARKS[kind.key]} {count} {kind.word}" for kind, count in tiles(run))
    facts = [
        f"**Revision** {text(revision_text(run.revision))}",
        f"**Host** {text(run.host.name)}",
        f"**Date** {moment(run.started_ns)}",
    ]
    for fact in FACTS:
        value = first_value(fact, run.environment)
        facts += [f"**{fact.label}** {text(value)}"] if value else []
    lines = [
        f"## {MARKS[word.key]} {text(run.plan.spec_name)}: {word.word}",
        f"**{text(told.headline, 2000)}**",
        *([text(f"{told.detail}. {told.rest}".strip(), 2000)] if told.detail else []),
        counts,
        " · ".join(facts),
    ]
    if lost := damage(page.broken):
        lines.insert(1, f"**Damaged** {text(lost, 2000)} (exit code {int(ExitCode.RUN_FAILED)})")
    if told_of := disturbed_text(run):
        lines.append(f"**Disturbed** {text(told_of, 500)}")
    lines += [f"{label}: {_code(command)}" for label, command in commands(run)]
    return "\n\n".join(lines) + "\n"


def _code(command: str) -> str:
    fence = "`" * (max((len(run) for run in re.findall("`+", command)), default=0) + 1)
    return f"{fence} {command} {fence}"


def _failures(run: Run, most: int, length: int) -> str:
    if not run.failures:
        return ""
    names = {case.id: case.name for case in run.plan.cases}
    shown = [
        f"- {text(names.get(failure.case_id, failure.case_id))}, repetition {failure.repetition}: "
        f"{text(failure.reason, length)}"
        for failure in run.failures[:most]
    ]
    more = len(run.failures) - len(shown)
    shown += [f"- and {more} more"] if more else []
    return "### Not measured\n\n" + "\n".join(shown) + "\n"


def _table(limits: Sequence[Row], budget: int, head: str) -> str:
    """A table of as many rows as the budget (bytes) holds; it says how many it left out."""
    if not limits:
        return ""
    lines: list[str] = []
    used = len(head.encode()) + 200
    for row in limits:
        line = _line(row)
        used += len(line.encode())
        if used > budget:
            break
        lines.append(line)
    left = len(limits) - len(lines)
    more = f"\n{plural(left, 'row')} left out; the report has them all.\n" if left else ""
    return head + "".join(lines) + more


def _line(row: Row) -> str:
    change = f"{row.change.text} {row.change.arrow} {row.change.word}" if row.change else "–"
    cells: Iterable[str] = (
        f"{MARKS[row.word.key]} {row.word.word}",
        text(row.case),
        text(row.metric),
        _below(text(row.limit), text(row.note), text(row.where)),
        _below(row.value, row.value_interval),
        row.baseline,
        _below(change, row.change_interval),
        row.count,
    )
    why = f" <br>{text(row.reason, 1000)}" if row.reason else ""
    first, second, *others = cells
    return f"| {' | '.join((first, second + why, *others))} |\n"


def _below(first: str, *others: str) -> str:
    """The lines of a cell; those that are empty are left out."""
    return " <br>".join((first, *filter(None, others)))


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n" if body else ""
