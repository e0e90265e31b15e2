"""The patterns of all metrics that the commands of a spec print: whether each is a regular
expression with the one group that it needs. Making one of a text of 200 characters may take
seconds, so all of a spec are made in one process that has so many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from iogate.errors import Location, SpecError
from iogate.files.bounded import parse_json
from iogate.files.bounds import PATTERN_CHARACTERS, PATTERNS_SECONDS
from iogate.files.limited import work
from iogate.spec.text.problems import Problems
from iogate.spec.text.tree import Mapping, Scalar

# A line for each pattern, as soon as it is known: the one without a line is where it ended.
_PROGRAM = """
import json, re, warnings
warnings.simplefilter("ignore")
for pattern in json.load(sys.stdin):
    try:
        said = [re.compile(pattern).groups, "", None]
    except (re.error, ValueError, RecursionError, OverflowError) as error:
        said = [0, str(error), getattr(error, "pos", None)]
    print(json.dumps(said), flush=True)
"""


def check_patterns(workloads: Mapping, problems: Problems) -> None:
    """Note what is wrong with the patterns of all workloads."""
    nodes: dict[str, list[Scalar]] = {}
    for node in _patterns(workloads):
        if len(node.text) > PATTERN_CHARACTERS:
            problems.take(_too_long(node))
        else:
            nodes.setdefault(node.text, []).append(node)
    if not nodes:
        return
    printed = work(_PROGRAM, json.dumps(list(nodes)), PATTERNS_SECONDS).text
    lines = printed.split("\n")[:-1]  # the last is empty, or was not printed whole
    for same, line in zip(nodes.values(), lines, strict=False):
        for node in same:
            _note(node, *parse_json(line), problems=problems)
    for same in list(nodes.values())[len(lines) : len(lines) + 1]:
        problems.take(_too_costly(same[0]))


def _note(node: Scalar, groups: int, error: str, offset: int | None, *, problems: Problems) -> None:
    if error:
        problems.take(_no_expression(node, error, offset))
    elif groups != 1:
        problems.take(_not_one_group(node, groups))


def _patterns(workloads: Mapping) -> Iterator[Scalar]:
    for workload in workloads.entries.values():
        metrics = workload.value.get("metrics") if isinstance(workload.value, Mapping) else None
        for metric in metrics.entries.values() if isinstance(metrics, Mapping) else ():
            node = metric.value.get("pattern") if isinstance(metric.value, Mapping) else None
            if isinstance(node, Scalar):
                yield node


def _too_long(node: Scalar) -> SpecError:
    return SpecError(
        f"the pattern has more than {PATTERN_CHARACTERS} characters",
        remedy="it matches within a line: write what stands right before and after the number",
        where=node.where,
    )


def _no_expression(node: Scalar, error: str, offset: int | None) -> SpecError:
    return SpecError(
        f"the pattern {node.text!r} is no regular expression: {error}",
        remedy="put a backslash before a character that is meant as it is, such as \\( or \\.",
        where=_place(node, offset),
    )


def _not_one_group(node: Scalar, groups: int) -> SpecError:
    return SpecError(
        f"the pattern {node.text!r} has {groups or 'no'} groups, and one is needed",
        remedy="put the number in one pair of parentheses, such as 'Throughput ([0-9.]+) MB'; "
        "others begin with (?:",
        where=node.where,
    )


def _too_costly(node: Scalar) -> SpecError:
    return SpecError(
        f"up to the pattern {node.text!r}, those of this spec take more than {PATTERNS_SECONDS} s"
        " of CPU time to read, or too much memory",
        remedy="write them without (?i) and without large ranges, such as [\\u0100-\\uffff]",
        where=node.where,
    )


def _place(node: Scalar, offset: int | None) -> Location:
    """Where a character of a pattern is, as far as one line without quotes tells."""
    told = node.plain and "\n" not in node.text and offset is not None
    return replace(node.where, column=node.where.column + (offset or 0)) if told else node.where
