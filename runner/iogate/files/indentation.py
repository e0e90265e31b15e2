"""What is said of a line of YAML that is indented as nothing above it is."""

from __future__ import annotations

import yaml

from iogate.errors import Location, SpecError

_BEGINS = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_ITEM, _KEY = "while parsing a block collection", "while parsing a block mapping"
_NO_VALUE_HERE = "mapping values are not allowed here"


def misplaced(error: yaml.MarkedYAMLError, text: str, file: str) -> SpecError | None:
    """The error for a line that belongs to nothing above it; None where that is not the mistake."""
    mark, problem = error.problem_mark, error.problem or ""
    line = _line(text, mark.line) if mark else ""
    starts = len(line) - len(line.lstrip(" "))
    if mark is None or not problem.startswith(("expected <block end>", _NO_VALUE_HERE)):
        return None
    if problem != _NO_VALUE_HERE and mark.column != starts:
        return None
    where, levels = Location(file, mark.line + 1, starts + 1), _levels(text, mark.line)
    if starts not in levels:
        return _indented(starts, levels, where) if levels else None
    return _mixed(error, where)


def _indented(spaces: int, levels: list[int], where: Location) -> SpecError:
    lower = [level for level in levels if level < spaces][-1:]
    upper = [level for level in levels if level > spaces][:1]
    fitting = " or by ".join(str(level) for level in (*lower, *upper))
    return SpecError(
        f"this line is indented by {_spaces(spaces)}, and fits nothing above it",
        remedy=f"indent it by {fitting}, as lines above it are",
        where=where,
    )


def _mixed(error: yaml.MarkedYAMLError, where: Location) -> SpecError | None:
    """Items of a list and keys, which cannot stand beside each other."""
    if error.context == _ITEM:
        return SpecError(
            "a key stands here beside items of a list",
            remedy="begin it with '- ', or indent it as the key that has the list",
            where=where,
        )
    if error.context == _KEY and "'-'" in (error.problem or ""):
        return SpecError(
            "an item of a list stands here beside keys",
            remedy="leave out the '-', or indent it as the list that it belongs to",
            where=where,
        )
    return None


def _levels(text: str, line: int) -> list[int]:
    """By how many spaces what is begun above a line is indented, from the outside in."""
    levels: list[int] = []
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            mark = event.start_mark
            if mark is None or mark.line >= line:
                break
            column = mark.column
            if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                levels = [level for level in levels if level <= column]
            elif isinstance(event, _BEGINS) and not event.flow_style:
                levels = [*(level for level in levels if level < column), column]
    except yaml.YAMLError:
        pass  # the mistake that is being told
    return levels


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number] if number < len(lines) else ""


def _spaces(number: int) -> str:
    return "1 space" if number == 1 else f"{number or 'no'} spaces"
