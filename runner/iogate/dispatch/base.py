"""What brings cases to hosts, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from iogate.engine.base import Stop
from iogate.model.plan import Plan

Tell = Callable[[str], None]
"""Takes a line for people on how it goes."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What every host is asked for. ``words`` are the options of ``iogate run`` that all have in
    common; run folders are made in ``folder``. With ``shared`` each case is measured on one host,
    else every case on every host. ``labels`` are what the spec asks of a host."""

    spec: Path
    words: tuple[str, ...]
    store: str | None
    folder: Path
    shared: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """Cases (by id) that are measured together in one run. ``host`` is empty where a queue chooses
    it; ``came_from`` is the host that was lost with them."""

    host: str
    cases: tuple[str, ...]
    folder: Path
    came_from: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a share: where it was measured, the exit code there (negative: the signal
    that ended it), and the last that was said. ``replaceable``: where the host was lost with it,
    another one may do it."""

    share: Share
    host: str
    code: int
    said: str = ""
    replaceable: bool = True


class Carrier(Protocol):
    """A way to hosts."""

    def shares(self, plan: Plan) -> Sequence[Share]:
        """Which cases are measured together, and where, if that is known before."""

    def measure(self, shares: Sequence[Share], tell: Tell, stop: Stop) -> Sequence[Ended]:
        """Measure them all, one at a time a host. It returns when all have ended; nothing of
        them is left running, also when it raises."""

    def elsewhere(self, lost: Sequence[Ended], plan: Plan) -> Sequence[Share]:
        """Where the cases of ``plan``, which are those that lost hosts have left, go now."""
