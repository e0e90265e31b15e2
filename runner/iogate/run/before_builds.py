"""What can be refused before the first build of what is measured: one may take an hour."""

from __future__ import annotations

from iogate.engine.base import Stop
from iogate.errors import AbsentFileError, SpecError
from iogate.host.locks.host_lock import Patience
from iogate.host.own_host import own_host
from iogate.model.plan import Plan
from iogate.run.measure import Observer
from iogate.run.request import Request, make_request_plan
from iogate.spec import require_trust


def plan_before_builds(request: Request) -> Plan | None:
    """The plan, which is trusted; None where a build is to bring a file that the spec names.
    Errors as for ``make_request_plan`` and ``require_trust``."""
    try:
        plan = make_request_plan(request)
    except SpecError as error:
        if all(isinstance(each, AbsentFileError) for each in (error, *error.others)):
            return None
        raise
    require_trust(plan, trusted=request.trusted)
    return plan


def check_host_is_free(
    request: Request, plan: Plan | None, observer: Observer, stop: Stop, name: str
) -> None:
    """HeldError where a run holds the host for longer than the request waits. It is not held
    meanwhile: what is built first disturbs nothing that is measured here."""
    patience = Patience(request.wait_s, observer.waiting, lambda: stop.requested)
    shared = plan is not None and not plan.exclusive
    with own_host(request.sut, name, patience, observer, shared=shared):
        pass
