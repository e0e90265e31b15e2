"""What is known of a result that another program wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from iogate.engine.base import EngineResult
from iogate.errors import EngineError
from iogate.foreign.fio_odd import odd_numbers
from iogate.model.run import Host, Revision
from iogate.model.spec import JobSpec

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ForeignResult:
    """One invocation of the other program. ``jobs`` are its jobs with their resolved
    options, as far as the result tells. ``ended_ns`` is Unix time, None when unknown;
    ``text`` is the result itself, which tells it from others; ``form`` names its format.
    ``clients`` are the hosts that ran the jobs at once, where a server gathered it from them."""

    result: EngineResult
    jobs: tuple[JobSpec, ...]
    ended_ns: int | None
    elapsed_ns: int
    text: str
    form: str
    clients: tuple[str, ...] = ()


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


def read_each(
    parts: Iterable[T], read: Callable[[T], ForeignResult | None]
) -> Iterator[ForeignResult]:
    """The results of the parts of a text that hold one. EngineError, after all others, for those
    that cannot be read."""
    problems = []
    for part in parts:
        try:
            result = read(part)
            result = result and _likely(result)
        except EngineError as error:
            problems.append(error)
            continue
        if result:
            yield result
    if problems:
        more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
        raise EngineError(f"{problems[0].what}{more}", remedy=problems[0].remedy)


def _likely(found: ForeignResult) -> ForeignResult:
    """The same, with a warning for each number that is none; EngineError for one below zero."""
    try:
        told = odd_numbers(found.result)
    except ValueError as error:
        raise EngineError(
            f"a result of fio cannot be read: {error}", remedy="leave it out, and measure again"
        ) from None
    warnings = tuple(dict.fromkeys((*found.result.warnings, *told)))
    return replace(found, result=replace(found.result, warnings=warnings))
