"""Whether the host is quiet before anything is measured."""

from __future__ import annotations

import time

from iogate.errors import RefusedError
from iogate.host.validity.base import TargetDisks
from iogate.host.validity.watch import Surroundings
from iogate.model.environment import Environment

LOOK_S = 2.0


def require_quiet(around: Surroundings, environment: Environment, disks: TargetDisks) -> None:
    """Look for a while; RefusedError, naming what runs, when something would disturb a
    repetition."""
    watch = around.watch(disks, environment.cpus_allowed)
    time.sleep(LOOK_S)
    disturbing = [
        disturbance.text for disturbance in watch.ended().disturbances if disturbance.counts
    ]
    if disturbing:
        raise RefusedError(
            f"this host is not quiet: in {LOOK_S:g} s {'; '.join(disturbing)}",
            remedy="stop what runs there and try again, or leave require: quiet out",
            where=environment.where,
        )
