"""What is known of a result that another program wrote."""

from __future__ import annotations

from dataclasses import dataclass, field

from iogate.engine.base import EngineResult
from iogate.model.run import Host, Revision
from iogate.model.spec import JobSpec


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """One invocation of the other program. ``jobs`` are its jobs with their resolved
    options, as far as the result tells. ``ended_ns`` is Unix time, None when unknown;
    ``text`` is the result itself, which tells it from others; ``form`` names its format."""

    result: EngineResult
    jobs: tuple[JobSpec, ...]
    ended_ns: int | None
    elapsed_ns: int
    text: str
    form: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What a result does not say of itself. ``file`` is where it was read, ``ended_ns``
    stands in where it has no date. An empty ``spec`` is named after the jobs; ``directory``
    is where they ran, where their options do not say."""

    file: str
    host: Host
    ended_ns: int
    spec: str = ""
    directory: str = ""
    revision: Revision = field(default_factory=Revision)
