"""Several calls in one round trip, where a machine is at the end of a line; here one after the
other. ``partial(sut.clocks)`` is a call."""

from __future__ import annotations

from functools import partial
from typing import Any

from iogate.sut.far import FarCall


def together(*calls: partial[Any]) -> tuple[Any, ...]:
    """What each gives, done in this order. The first that goes wrong is raised; those after it
    are not done."""
    far = [each.func for each in calls if isinstance(each.func, FarCall)]
    if len(far) < len(calls) or len({id(each.line) for each in far}) > 1:
        return tuple(each() for each in calls)
    messages = [
        asked.message(each.args, each.keywords) for asked, each in zip(far, calls, strict=True)
    ]
    said = far[0].line.ask_all(messages) if far else []
    return tuple(asked.value(one) for asked, one in zip(far, said, strict=True))


def later(call: partial[None]) -> None:
    """A call that gives nothing, done at once on a machine here, else with whatever is asked next,
    and before that. What goes wrong is raised then."""
    if isinstance(call.func, FarCall):
        call.func.line.later(call.func.message(call.args, call.keywords))
    else:
        call()
