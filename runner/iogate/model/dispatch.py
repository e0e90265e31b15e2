"""What came of a spec that was measured on several hosts at once."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.model.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Part:
    """A run on one host of the cases that fell to it. ``host`` is as it was asked for, ``name`` and
    ``machine_id`` as it calls itself. Without a ``run`` nothing was measured there, and
    ``sentence`` says why. ``left`` are cases (by id) that were measured elsewhere afterwards, as
    the host was lost: outcome and exit code are then those of the others. ``came_from`` is the
    host that was lost with these cases before. ``word`` is the outcome for people (``not judged``
    where it vouches for nothing), empty in documents of before."""

    host: str
    cases: tuple[str, ...]
    folder: str
    exit_code: int
    sentence: str
    run: str = ""
    name: str = ""
    machine_id: str = ""
    outcome: Outcome | None = None
    left: tuple[str, ...] = ()
    came_from: str = ""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """All parts, and the one verdict that they come to."""

    spec_name: str
    spec_file: str
    started_ns: int
    finished_ns: int
    exit_code: int
    outcome: Outcome | None
    sentence: str
    parts: tuple[Part, ...]
