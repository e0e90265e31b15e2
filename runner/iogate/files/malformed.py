"""What is wrong with a text that is no YAML: where it is noticed, and where it began."""

from __future__ import annotations

import re

import yaml

from iogate.errors import Location, SpecError
from iogate.files.indentation import misplaced

ODD = (ValueError, OverflowError, IndexError, AttributeError, RecursionError)
"""What PyYAML lets out of Python's own errors on some dates, numbers, escapes and directives."""
_BARE_LIMIT = re.compile(r">=?[ \t]*[0-9][^\s,}\]#]*")
_BARE_VARIABLE = re.compile(r"[^\s,\[\]{}\"':]*\$\{[^{}\s]*\}[^\s,\[\]{}\"']*")
_VALUE = re.compile(r"[^:]*:[ \t]+(.*?)[ \t]*(?: #.*)?$")
_WHOLE = re.compile(r"([^\s,}\]#]+)")
_KEPT = re.compile("found character ('.') that cannot start any token")
_OUTSIDE = re.compile(r"expected <block end>, but found '([,}\]])'")
_FLOWS = {"while parsing a flow mapping": ("{", "}"), "while parsing a flow sequence": ("[", "]")}


def malformed(error: yaml.MarkedYAMLError, text: str, file: str) -> SpecError:
    """The error for a text that PyYAML cannot read."""
    known = _bare_limit(error, text, file) or _bare_variable(error, text, file)
    known = known or _unclosed(error, file) or misplaced(error, text, file)
    known = known or _bare_value(error, text, file) or _stray(error, file)
    return known or _other(error, file)


def _other(error: yaml.MarkedYAMLError, file: str) -> SpecError:
    mark = error.problem_mark or error.context_mark
    where = _place(mark, file) if mark else Location(file, 1, 1)
    problem = error.problem or "this is not YAML"
    if "'\\t'" in problem:
        return SpecError("a tab cannot indent YAML", remedy="use spaces", where=where)
    begun = _place(error.context_mark, file) if error.context_mark else where
    since = f", which begins at {begun}" if begun != where else ""
    context = f" ({error.context}{since})" if error.context else ""
    return SpecError(f"{problem}{context}", remedy="see the YAML around it", where=where)


def _unclosed(error: yaml.MarkedYAMLError, file: str) -> SpecError | None:
    """For what is begun and not ended: it is noticed lines below, and mended where it began."""
    begun, noticed = error.context_mark, error.problem_mark
    if begun is None or noticed is None or begun.line == noticed.line:
        return None
    where, seen = _place(begun, file), _place(noticed, file)
    context = error.context or ""
    if context in _FLOWS:
        start, end = _FLOWS[context]
        return SpecError(
            f"the {start} here is not closed: at {seen} there is neither a comma nor {end}",
            remedy=f"close it with {end}, or put a comma between its parts",
            where=where,
        )
    if context == "while scanning a quoted scalar":
        return SpecError(
            f"the quote that begins here is not closed: nothing closes it before {seen}",
            remedy="close it with the same quote",
            where=where,
        )
    if context == "while scanning a simple key":
        return SpecError(
            f"there is no ':' behind this key: at {seen} something else begins",
            remedy="write KEY: VALUE",
            where=where,
        )
    return None


def _bare_limit(error: yaml.MarkedYAMLError, text: str, file: str) -> SpecError | None:
    """For a value such as ``>= 10`` without quotes: a ``>`` begins a block of text."""
    lines = text.split("\n")
    for mark in (error.context_mark, error.problem_mark):
        line = lines[mark.line] if mark and mark.line < len(lines) else ""
        if mark and (match := _BARE_LIMIT.match(line, mark.column)):
            return SpecError(
                f"{match[0].rstrip()} is not quoted, and > has a meaning of its own in YAML",
                remedy=f'quote the limit: "{match[0].rstrip()}"',
                where=_place(mark, file),
            )
    return None


def _bare_variable(error: yaml.MarkedYAMLError, text: str, file: str) -> SpecError | None:
    """For ``${NAME}`` without quotes inside of braces, where its own begin a mapping."""
    mark, lines = error.problem_mark, text.split("\n")
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    for match in _BARE_VARIABLE.finditer(line):
        if mark and match.start() < mark.column < match.end():
            return SpecError(
                f"{match[0]} is not quoted, and {{ has a meaning of its own in YAML",
                remedy=f'quote the value: "{match[0]}"',
                where=Location(file, mark.line + 1, match.start() + 1),
            )
    return None


def _stray(error: yaml.MarkedYAMLError, file: str) -> SpecError | None:
    """For what would end or divide something in braces, outside of any."""
    match = _OUTSIDE.fullmatch(error.problem or "")
    if match is None or error.problem_mark is None:
        return None
    return SpecError(
        f"{match[1]} stands here outside of braces",
        remedy="leave it out, or quote the value that it belongs to",
        where=_place(error.problem_mark, file),
    )


def _bare_value(error: yaml.MarkedYAMLError, text: str, file: str) -> SpecError | None:
    """For a value with ``: `` in it, or that begins with a character that YAML keeps to itself."""
    mark, lines = error.problem_mark, text.split("\n")
    if mark is None or mark.line >= len(lines):
        return None
    if error.problem == "mapping values are not allowed here":
        what = "': ' ends a key in YAML, and this value is not quoted"
        value = _VALUE.match(lines[mark.line])
    elif match := _KEPT.fullmatch(error.problem or ""):
        what = f"{match[1]} has a meaning of its own in YAML, and this value is not quoted"
        value = _WHOLE.match(lines[mark.line], mark.column)
    else:
        return None
    quoted = f': "{value[1]}"' if value and not set(value[1]) & set('"\\') else ""
    return SpecError(what, remedy=f"quote the value{quoted}", where=_place(mark, file))


def _place(mark: yaml.Mark, file: str) -> Location:
    return Location(file, mark.line + 1, mark.column + 1)
