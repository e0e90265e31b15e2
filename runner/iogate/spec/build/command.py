"""A workload that is a program: ``command``, what it ``prepare``s, and the ``metrics`` in what it
prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from iogate.errors import SpecError
from iogate.model.axes import is_option
from iogate.model.spec import Command, DefinedMetric, JobSpec, Target, TargetKind, Workload
from iogate.model.units import Better, Unit
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar, Sequence

PREFIX = "command."
_TARGET = "{target}"
_ONLY_WITH = ("prepare", "metrics")
_NOT_WITH = ("fio", "jobs", "jobfile", "network", "chart")
_PROGRAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", re.ASCII)
_FOLDERS = (TargetKind.DIRECTORY, TargetKind.FILESYSTEM)
_ARGUMENT_CHARACTERS = 4096

UNITS: dict[str, tuple[Unit, float]] = {
    **{unit: (Unit.NANOSECONDS, scale) for unit, scale in
       (("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))},
    **{f"{p}B/s": (Unit.BYTES_PER_SECOND, 1000.0**n)
       for n, p in enumerate(("", "k", "M", "G", "T"))},
    **{f"{p}iB/s": (Unit.BYTES_PER_SECOND, 1024.0**n) for n, p in enumerate("KMGT", 1)},
    "1/s": (Unit.PER_SECOND, 1.0),
    "k/s": (Unit.PER_SECOND, 1e3),
    "M/s": (Unit.PER_SECOND, 1e6),
    "%": (Unit.PERCENT, 1.0),
    "count": (Unit.COUNT, 1.0),
    "ratio": (Unit.RATIO, 1.0),
}  # fmt: skip
"""Units that a program may print a number in: what they are kept in, and how many of that."""


def is_command(node: Mapping) -> bool:
    """Whether the section of a workload says anything of a command."""
    return any(key in node.entries for key in ("command", *_ONLY_WITH))


def build_command(
    name: str, entry: Entry, targets: Iterable[Target], problems: Problems
) -> JobSpec:
    """The one job of a workload that is a command. SpecError where there is none; what is wrong
    with it otherwise is noted."""
    node = entry.value
    assert isinstance(node, Mapping)
    command = node.get("command")
    if command is None:
        lone = next(key for key in _ONLY_WITH if key in node.entries)
        raise SpecError(
            f"workload {name!r} has {lone} and no command",
            remedy=f"add command: with the program to measure, or leave {lone} out",
            where=node.entries[lone].key_at,
        )
    for key in _NOT_WITH:
        if key in node.entries:
            problems.add(
                f"workload {name!r} has command and {key}",
                node.entries[key].key_at,
                "a command has no options of fio: make two workloads of it",
            )
    for target in (each for each in targets if each.kind not in _FOLDERS):
        problems.add(
            f"target {target.name!r} of command workload {name!r} is a {target.kind.value}",
            entry.key_at,
            "a command works in a folder: name a target with directory: or filesystem:",
        )
    argv = _argv(command, problems)
    prepare = tuple(_argv(item, problems) for item in _items(node.get("prepare")))
    if not any(_TARGET in word for words in (argv, *prepare) for word in words):
        problems.add(
            f"the command of workload {name!r} does not name its target",
            command.where,
            f'put "{_TARGET}" where the folder stands, such as [dbench, -D, "{_TARGET}", "4"]',
        )
    metrics = tuple(_metrics(node.get("metrics"), problems))
    return JobSpec(name, {}, entry.key_at, command=Command(argv, prepare, metrics))


def _argv(node: Node, problems: Problems) -> tuple[str, ...]:
    items = _items(node)
    words = tuple(item.text if isinstance(item, Scalar) else "" for item in items)
    for item, word in zip(items, words, strict=True):
        if "\0" in word or len(word) > _ARGUMENT_CHARACTERS:
            problems.add(
                f"an argument has more than {_ARGUMENT_CHARACTERS} characters, or a zero byte",
                item.where,
                "write it shorter",
            )
    if words and not _PROGRAM.fullmatch(words[0]):
        problems.add(
            f"{words[0][:80]!r} is no name of a program",
            items[0].where,
            "name it without a folder: it is looked up where the system keeps its programs",
        )
    return words


def _items(node: Node | None) -> tuple[Node, ...]:
    return tuple(node.items) if isinstance(node, Sequence) else ()


def _metrics(node: Node | None, problems: Problems) -> Iterable[DefinedMetric]:
    for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
        try:
            yield _metric(name, entry)
        except SpecError as error:
            problems.take(error)


def _metric(name: str, entry: Entry) -> DefinedMetric:
    node = entry.value
    assert isinstance(node, Mapping)
    pattern, unit, better = (node.get(key) for key in ("pattern", "unit", "better"))
    description = node.get("description")
    assert isinstance(pattern, Scalar)
    assert isinstance(unit, Scalar)
    assert isinstance(better, Scalar)
    if unit.text not in UNITS:
        raise SpecError(
            f"{unit.text!r} is no unit of a metric",
            remedy=suggest(unit.text, UNITS) or f"units that fit: {', '.join(UNITS)}",
            where=unit.where,
        )
    base, scale = UNITS[unit.text]
    return DefinedMetric(
        name=PREFIX + name,
        expression="",
        unit=base,
        better=Better(better.text),
        description=description.text if isinstance(description, Scalar) else "",
        where=entry.key_at,
        pattern=pattern.text,
        scale=scale,
    )


def check_axes(
    name: str,
    jobs: tuple[JobSpec, ...],
    points: Iterable[Iterable[str]],
    strategy: Mapping,
    problems: Problems,
) -> None:
    """Note what varies in a command's matrix, or is added to it, and is an option of fio."""
    if jobs[0].command is None:
        return
    for key in dict.fromkeys(key for point in points for key in point):
        if is_option(key):
            problems.add(
                f"{key} is an axis of workload {name!r}, which is a command",
                strategy.where,
                "a command has no options of fio: make a workload of each",
            )


def printed_metrics(workloads: Iterable[Workload], problems: Problems) -> tuple[DefinedMetric, ...]:
    """The metrics that the commands of all workloads print, each once; those that are another
    thing in another workload are noted."""
    metrics: dict[str, DefinedMetric] = {}
    for workload in workloads:
        for each in printed_by(workload.jobs):
            first = metrics.setdefault(each.name, each)
            if replace(first, where=None) != replace(each, where=None):
                problems.add(
                    f"{each.name} of workload {workload.name!r} is not the one at {first.where}",
                    each.where,
                    "name it otherwise, or give both the same pattern, unit and better",
                )
    return tuple(metrics.values())


def printed_by(jobs: tuple[JobSpec, ...]) -> tuple[DefinedMetric, ...]:
    """The metrics that a workload's command prints; none for jobs of fio's."""
    command = jobs[0].command
    return command.metrics if command else ()
