"""The case that a limit ``vs case target=ext4`` names."""

from __future__ import annotations

from collections.abc import Mapping as Map
from collections.abc import Sequence

from iogate.errors import Location, SpecError
from iogate.spec.build.matrix import point_key, read_text
from iogate.spec.matrix import same_value
from iogate.spec.text.problems import listed, suggest

Axes = Map[str, tuple[str, ...]]


def axes_of(matrix: Axes, include: Sequence[Map[str, str]]) -> dict[str, tuple[str, ...]]:
    """Every key that a case may have, with all of its values."""
    axes = {key: list(values) for key, values in matrix.items()}
    for point in include:
        for key, value in point.items():
            axes.setdefault(key, []).append(value)
    return {key: tuple(dict.fromkeys(values)) for key, values in axes.items()}


def read_case(text: str, jobs: set[str], axes: Axes, where: Location) -> dict[str, str]:
    """``target=ext4,bs=4k`` as values of the matrix, spelled as they are there. SpecError for an
    axis or a value that it does not have."""
    if not axes:
        raise SpecError(
            "vs case compares cases of one matrix, and this workload has none",
            remedy="add strategy: { matrix: … }, or compare vs baseline",
            where=where,
        )
    point: dict[str, str] = {}
    for part in _parts(text, jobs, axes):
        written, equals, value = part.partition("=")
        key = _axis(written, jobs)
        if not equals or key not in axes:
            raise SpecError(
                f"{written.strip()!r} is no axis of the matrix"
                if equals
                else f"vs case {text}: which case is that?",
                remedy=(equals and suggest(key, axes)) or f"write vs case {_example(axes)}",
                where=where,
            )
        point[key] = _value(key, value.strip(), axes[key], where)
    return point


def _parts(text: str, jobs: set[str], axes: Axes) -> list[str]:
    """One for each axis: a value may hold commas itself, and then no axis follows them."""
    parts: list[str] = []
    for piece in text.split(","):
        head, equals, _ = piece.partition("=")
        if parts and not (equals and _axis(head, jobs) in axes) and _takes(parts[-1], piece):
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return parts


def _takes(part: str, piece: str) -> bool:
    """Whether a piece without an axis goes on with the value before it."""
    return "=" not in piece or " " in part.strip()


def _axis(text: str, jobs: set[str]) -> str:
    """The key as the matrix has it, or the text where it is no key at all."""
    try:
        return point_key(text.strip(), jobs, Location("", 0, 0))
    except SpecError:
        return text.strip()


def _value(key: str, text: str, values: Sequence[str], where: Location) -> str:
    wanted = read_text(key, text, where)
    for value in values:
        if same_value(key, value, wanted):
            return value
    raise SpecError(
        f"no case has {key}={text}",
        remedy=suggest(text, values) or f"{key} is {listed(values)}",
        where=where,
    )


def _example(axes: Axes) -> str:
    key, values = next(iter(axes.items()))
    return f"{key}={values[0]}"
