"""What the subcommands of ``iogate history`` share: how a run, a table and an import are shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from iogate import exits
from iogate.archive import Tally
from iogate.cli.say import say
from iogate.cli.table import cell_of, columns_of, counted, duration, printable, table
from iogate.foreign import is_imported
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate.store import Store
from iogate.store.base import Delivery

SHORT_ID = 12
_MOST_NOTES = 5
_LEAST_FOLDED = 20  # columns: a date, an id and a verdict have fewer
_AIR = 3  # columns between two of a table
_COLOURS = {"pass": "green", "warn": "yellow", "fail": "red", "failed": "red"}
Command = TypeVar("Command", bound=Callable[..., Any])


def started(run: Run) -> datetime:
    """In the reader's own time zone."""
    return datetime.fromtimestamp(run.started_ns / 1e9, tz=UTC).astimezone()


def took(run: Run) -> str:
    """How long it ran; empty while it does, – where nobody knows."""
    if not run.finished_ns:
        return ""
    return "–" if run.took_ns is None else duration(run.took_ns / 1e9)


def revision_text(run: Run) -> str:
    """The commit, with a + when there were changes beside it, and the label."""
    revision = run.revision
    commit = revision.commit[:SHORT_ID] + ("+" if revision.commit and revision.dirty else "")
    return " ".join(part for part in (commit, revision.label) if part)


def nothing_kept(spec: str | None, host: str | None, before: datetime | None = None) -> str:
    """What is said where no run is of that spec and host, and from before that day."""
    asked = [f"of spec {spec}"] * (spec is not None) + [f"on host {host}"] * (host is not None)
    asked += [f"from before {before:%Y-%m-%d}"] if before else []
    if not asked:
        return "no runs are kept here yet: measure with 'iogate run SPEC'"
    return printable(f"no runs {' '.join(asked)} are kept here; 'iogate history' lists what is")


def without_arms(
    head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """A table without its second column, the arm, where that is empty: nothing was compared."""
    if any(row[1] for row in rows):
        return head, rows
    return (head[0], *head[2:]), [(row[0], *row[2:]) for row in rows]


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int]
) -> None:
    """By rich on a terminal that is wide enough, plain text elsewhere."""
    if not (sys.stdout.isatty() and _print_rich(head, rows, right)):
        say(table(head, rows, right=right))


def _print_rich(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> bool:
    """Whether it was printed. Only what is long is folded: an id, a date or a number stays in one
    piece, and where there is no room for that, nothing is printed."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    widths = [max(columns_of(cell_of(row[i])) for row in (head, *rows)) for i in range(len(head))]
    console = Console()
    if sum(min(width, _LEAST_FOLDED) + _AIR for width in widths) > console.width:
        return False
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        justify: Literal["right", "left"] = "right" if number in right else "left"
        whole = widths[number] <= _LEAST_FOLDED
        shown.add_column(name, justify=justify, overflow="fold", no_wrap=whole)
    for row in rows:
        shown.add_row(*(Text(cell_of(cell), style=_COLOURS.get(cell, "")) for cell in row))
    console.print(shown)
    return True


def print_runs(runs: Sequence[Run]) -> None:
    """A line each, as they come."""
    head = ("run", "started", "took", "spec", "cases", "host", "revision", "verdict")
    print_table(head, [_run_row(run) for run in runs], right=(2, 4))


def _run_row(run: Run) -> tuple[str, ...]:
    return (
        run.id[:SHORT_ID],
        f"{started(run):%Y-%m-%d %H:%M}",
        took(run),
        run.plan.spec_name,
        str(len(run.plan.cases)),
        run.host.name,
        revision_text(run),
        _verdict(run),
    )


def _verdict(run: Run) -> str:
    """A run that was imported was not judged, as others may not be: its word says why. Of one
    that did not get to its end only a limit that failed says more than that."""
    if not run.verdict:
        return run.status.value
    if is_imported(run):
        return "imported"
    ended = run.status is RunStatus.COMPLETE or run.verdict.outcome is Outcome.FAIL
    return run.verdict.word if ended else run.status.value


def told(tally: Tally) -> str:
    """What became of an import, in a line."""
    parts = [f"{counted(tally.added, 'run')} added"]
    parts += [f"{tally.known} already here"] if tally.known else []
    parts += [f"{tally.completed} completed"] if tally.completed else []
    parts += [f"{counted(tally.decisions, 'decision')} added"] if tally.decisions else []
    if tally.different:
        names = ", ".join(run_id[:12] for run_id in tally.different[:5])
        parts.append(f"{len(tally.different)} kept as they are here, and different: {names}")
    return ", ".join(parts)


def delivered(store: Store, before: Delivery) -> int:
    """Deliver what was imported, and say what did not get to the server: an import has ended well
    when it is all there. What was refused ``before`` is not of this one. The answer is the exit
    code."""
    now = store.sync()
    notes = replace(now, refused=now.refused[len(before.refused) :]).notes
    for note in notes[:_MOST_NOTES]:
        say(printable(f"iogate: {note}"), err=True)
    if len(notes) > _MOST_NOTES:
        more = len(notes) - _MOST_NOTES
        named = "iogate history sync --store URL"
        say(f"iogate: and {more} more; all are named by: {named}", err=True)
    return int(exits.of_parts(notes))
