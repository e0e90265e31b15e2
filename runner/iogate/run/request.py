"""What is asked for, and the plan that it comes to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from iogate.errors import UsageError
from iogate.model.plan import Case, Plan
from iogate.model.spec import Repetitions
from iogate.spec import check_doable, check_engine, load_spec, make_plan
from iogate.sut.base import Sut


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: which spec, which part of it, on which machine, with what, and where
    to. ``sut`` is open, and whoever made the request closes it."""

    spec: Path
    sut: Sut
    overrides: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    engine: str = "native"
    store: str | None = None
    no_store: bool = False  # judged by the history, and kept out of it
    output: Path | None = None
    repetitions: int | None = None
    fail_fast: bool = False
    timeout_s: float | None = None
    wait_s: float = 0.0
    revision: str | None = None
    label: str = ""
    command: tuple[str, ...] = ()
    trusted: bool = False
    unconfined: bool = False
    precondition: bool = False  # also where an earlier one still holds


def make_request_plan(request: Request) -> Plan:
    """The spec as a plan, cut down to what the request selects."""
    spec = load_spec(request.spec)
    plan = make_plan(spec, overrides=request.overrides)
    check_doable(plan)
    check_engine(plan, request.engine)
    cases = tuple(_resized(case, request) for case in plan.cases if selected(case, request))
    if not cases:
        raise nothing_selected(request, plan)
    return plan.with_cases(cases)


def nothing_selected(request: Request, plan: Plan) -> UsageError:
    """What is said when no case is left."""
    asked = " and ".join(
        name for name, given in (("--case", request.cases), ("--tag", request.tags)) if given
    )
    return UsageError(
        f"no case of {request.spec} is selected by {asked}",
        remedy=f"its cases are: {', '.join(case.name for case in plan.cases[:20])}",
    )


def selected(case: Case, request: Request) -> bool:
    """Whether ``--case`` and ``--tag`` leave the case in."""
    named = not request.cases or any(
        fnmatchcase(case.name, pattern) or case.id.startswith(pattern) for pattern in request.cases
    )
    return named and (not request.tags or any(tag in case.tags for tag in request.tags))


def _resized(case: Case, request: Request) -> Case:
    n = request.repetitions
    return case if n is None else replace(case, repetitions=Repetitions(min=n, max=n))
