"""What is said where a history holds nothing of what is asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from iogate.cli.table import printable
from iogate.errors import UsageError

if TYPE_CHECKING:
    from iogate.history.trends import Question
    from iogate.model.run import Run

_NAMED = 8


def nothing_held(what: str, known: Collection[str]) -> UsageError:
    """``this history holds {what}``, and the specs that it holds nights of."""
    return UsageError(
        f"this history holds {what}",
        remedy=f"it holds nights of: {_some(known)}"
        if known
        else "measure with 'iogate run SPEC', or name another history with --store",
    )


def check_asked(runs: Sequence[Run], question: Question) -> None:
    """UsageError where there are runs, and none of the host and branch that are asked for."""
    if not runs or any(_is_asked(run, question) for run in runs):
        return
    asked = {"--host": question.host, "--branch": question.branch}
    said = " ".join(f"{name} {value}" for name, value in asked.items() if value is not None)
    hosts = _some({run.host.name for run in runs})
    branches = _some({run.revision.branch or "none" for run in runs})
    raise UsageError(
        f"this history holds no run of {runs[0].plan.spec_name} with {printable(said)}",
        remedy=f"its hosts are: {hosts}; its branches: {branches}",
    )


def check_across(runs: Sequence[Run], question: Question) -> None:
    """UsageError for a pattern of facts that these runs know none of, as it is when mistyped.
    Runs that were imported may know no fact at all."""
    known = {name for run in runs for name in run.environment}
    for pattern in question.across if known else ():
        if not any(fnmatchcase(name, pattern) for name in known):
            raise UsageError(
                f"--across {printable(pattern)}: no run here knows a fact of that name",
                remedy="'iogate history show RUN --json' tells them, such as kernel.release",
            )


def _is_asked(run: Run, question: Question) -> bool:
    host, branch = question.host, question.branch
    on_host = host in (None, run.host.name, run.host.machine_id)
    return on_host and (branch is None or fnmatchcase(run.revision.branch, branch))


def _some(names: Collection[str]) -> str:
    more = ", …" if len(names) > _NAMED else ""
    return ", ".join(printable(name) for name in sorted(names)[:_NAMED]) + more


def check_patterns(kept: Collection[str], metrics: Sequence[str]) -> None:
    """UsageError for a pattern that none of these metrics of the nights matches, as it is when
    mistyped."""
    from iogate.history.trends import is_pattern

    for pattern in metrics if kept else ():
        if is_pattern(pattern) and not any(fnmatchcase(name, pattern) for name in kept):
            raise UsageError(
                f"--metric {pattern}: no metric that was kept matches it",
                remedy="--metric '*' shows all of them",
            )
