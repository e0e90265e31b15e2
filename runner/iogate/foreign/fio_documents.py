"""fio's JSON (versions 2.1 to 3.42): every document in a text, with text around it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from iogate.engine.base import EngineResult
from iogate.engine.result import parse_result, reason
from iogate.errors import EngineError
from iogate.files.bounds import DOCUMENT_VALUES
from iogate.foreign.base import ForeignResult, read_each
from iogate.foreign.fio_options import job_spec, only_direction, texts, unique_jobs
from iogate.foreign.fio_two import counts, is_of_two, modernised
from iogate.foreign.fio_walls import with_walls
from iogate.model.measurement import TRANSFERS

# Also those of a list. Within a line: to look from each empty line over all others takes for ever.
_START = re.compile(r"^[ \t\r\f\v\[]*\{|(?<=\}),\s*\{", re.MULTILINE)
_NO_NUMBERS = (": nan", ": -nan", ": inf", ": -inf")  # as C prints what is none
_MARK = '"fio version"'
_MOST_FAILURES = 1000
_MOST_READ_AGAIN = 8  # times a text, by attempts that came to nothing
_LEAST_READ_AGAIN = 1 << 20
_NEWEST = (3, 42)
_VERSION = re.compile(r"fio-(\d{1,4})\.(\d{1,4})\b")
_LATENCIES = ("slat_ns", "clat_ns", "lat_ns")
_PARTS = (*TRANSFERS, "mixed")
_COUNTS = ("total_ios", "io_bytes", "runtime", "ctx", "majf", "minf")
_START_ERROR_S = 1.1
_LATEST_S = 2**33
_IDLE: dict[str, Any] = {
    "total_ios": 0, "io_bytes": 0, "runtime": 0, "iops": 0.0, "bw": 0, "bw_bytes": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Document:
    """A result of fio in a text; ``parsed`` is None for one that is cut off."""

    start: int
    text: str
    parsed: dict[str, Any] | None


def read_documents(text: str) -> Iterator[ForeignResult]:
    """The results in a text. Of the documents that --status-interval appends, the last of
    each run counts. EngineError, after all others, for results that cannot be read."""
    for none in _NO_NUMBERS:
        text = text.replace(none, ": NaN")
    documents: list[_Document] = []
    problem = None
    try:
        for document in _documents(text):
            if documents and _goes_on(documents[-1].parsed, document.parsed):
                documents.pop()
            documents.append(document)
    except EngineError as error:
        problem = error
    yield from read_each(documents, lambda document: _result(document, text))
    if problem:
        raise problem


def _documents(text: str) -> Iterator[_Document]:
    """Each JSON object that is a result of fio, or the beginning of one. EngineError for a text
    that takes too much memory or time."""
    decoder = json.JSONDecoder()
    at, failures, left = 0, 0, max(_MOST_READ_AGAIN * len(text), _LEAST_READ_AGAIN)
    if _MARK not in text:
        return
    _check_size(text)
    while (match := _START.search(text, at)) and failures < _MOST_FAILURES:
        start = match.end() - 1
        try:
            document, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            failures += 1
            at = start + 1
            left -= (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - start
            if left < 0:
                raise _too_much(
                    "more of it begins like JSON and is none than can be read"
                ) from None
            if isinstance(error, json.JSONDecodeError) and _is_fio(text, start, error.pos):
                yield _Document(start, "", None)
            continue
        if isinstance(document, dict) and "fio version" in document:
            yield _Document(start, text[start:at], document)


def _check_size(text: str) -> None:
    """EngineError for a text with too many values, which take far more memory than the text."""
    if sum(map(text.count, ",[{")) > DOCUMENT_VALUES:
        raise _too_much(f"it holds more than {DOCUMENT_VALUES:,} values")


def _too_much(why: str) -> EngineError:
    return EngineError(why, remedy="take the results of fio out of it, or import it in parts")


def _is_fio(text: str, start: int, end: int) -> bool:
    return text.find(_MARK, start, end) >= 0


def _goes_on(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> bool:
    """Whether two documents are looks at the same run, the second the later one."""
    if before is None or after is None:
        return False
    try:
        return (
            [row["jobname"] for row in _rows(before)] == [row["jobname"] for row in _rows(after)]
            and _elapsed_s(before) <= _elapsed_s(after)
            and abs(_began_s(before) - _began_s(after)) <= _same_start_s(before, after)
            and (_has_ramp(after) or _has_grown(before, after))
        )
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError):
        return False


def _same_start_s(*documents: Mapping[str, Any]) -> float:
    """How far the starts of two looks may be apart: what elapsed is in whole seconds."""
    return _START_ERROR_S + (0 if all("timestamp_ms" in each for each in documents) else 1)


def _has_ramp(document: Mapping[str, Any]) -> bool:
    """Whether counts may begin anew within a run."""
    shared = document.get("global options", {})
    return any("ramp_time" in {**shared, **row.get("job options", {})} for row in _rows(document))


def _has_grown(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether no count is lower than before, and no latency of as many I/Os another: jobs of half
    a second, one call of fio after the other, begin as close together as looks seem to."""
    return all(
        _is_later(old, new) and all(_is_later_part(old.get(n), new.get(n)) for n in _PARTS)
        for old, new in zip(_rows(before), _rows(after), strict=True)
    )


def _is_later(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return all(old.get(name, 0) <= new.get(name, 0) for name in _COUNTS)


def _is_later_part(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> bool:
    old, new = old or {}, new or {}
    if old.get("total_ios", 0) == new.get("total_ios", 0):
        return _is_later(old, new) and all(old.get(n) == new.get(n) for n in _LATENCIES)
    return _is_later(old, new)


def _began_s(document: Mapping[str, Any]) -> float:
    return _ended_s(document) - _elapsed_s(document)


def _ended_s(document: Mapping[str, Any]) -> float:
    if "timestamp_ms" in document:
        return float(document["timestamp_ms"]) / 1000
    return float(document.get("timestamp", 0))


def _elapsed_s(document: Mapping[str, Any]) -> float:
    return max((float(row.get("elapsed", 0)) for row in _rows(document)), default=0.0)


def _rows(document: Mapping[str, Any]) -> list[Any]:
    """The rows of jobs; a server's clients report theirs elsewhere, with a sum of all."""
    rows = document.get("jobs") or document.get("client_stats") or []
    return [row for row in rows if row.get("jobname") != "All clients"]


def _result(raw: _Document, text: str) -> ForeignResult:
    document = raw.parsed
    if document is None:
        line = text.count("\n", 0, raw.start) + 1
        raise EngineError(
            f"the result of fio that begins in line {line} is cut off, or has other text in it",
            remedy="mend it, if the rest is known; else measure again",
        )
    try:
        ended_s, elapsed_s = _likely(_ended_s(document)), _likely(_elapsed_s(document))
        result = _of_something(_parsed(document))
        return ForeignResult(
            result=result,
            jobs=_jobs(document),
            ended_ns=int(ended_s * 1e9) or None,
            elapsed_ns=int(elapsed_s * 1e9) or _longest_ns(result),
            text=raw.text,
            form="fio json",
            clients=_clients(document),
        )
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise EngineError(
            f"a result of fio cannot be read: {reason(error)}",
            remedy="iogate reads the JSON of fio 2.1 to 3.42: convert it, or leave it out",
        ) from None


def _longest_ns(result: EngineResult) -> int:
    """How long at least it took, where nothing says what elapsed, as of a server's clients."""
    spans = [part.runtime_ns for job in result.jobs for part in job.directions.values()]
    return max(spans, default=0)


def _clients(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Their names, one that ran at two ports twice."""
    rows = [row for row in document.get("client_stats") or [] if "hostname" in row]
    places = {(str(row["hostname"]), str(row.get("port"))) for row in rows}
    return tuple(host for host, _ in sorted(places))


def _likely(seconds: float) -> float:
    if not 0 <= seconds < _LATEST_S:
        raise ValueError(f"{seconds:g} s are no time")
    return seconds


def _parsed(document: Mapping[str, Any]) -> EngineResult:
    options = document.get("global options", {})
    named = [row for row in _rows(document) if "jobname" in row]
    old = [_told_apart(row, options) for row in named]
    result = parse_result({
        **document, "jobs": [_completed(row) for row in old], "global options": options,
    })  # fmt: skip
    worked_out = [
        f"{row['jobname']}: the number of {name}s is worked out from its rate"
        for row in old
        for name in TRANSFERS
        if not counts(row.get(name) or {"total_ios": 0})
    ]
    warnings = (*result.warnings, *_newer(document), *worked_out)
    return replace(result, warnings=tuple(dict.fromkeys(warnings)))


def _newer(document: Mapping[str, Any]) -> Iterator[str]:
    """What to tell of a version that nobody has seen yet: it is read as the newest known one."""
    found = _VERSION.match(str(document["fio version"]))
    if found and (int(found[1]), int(found[2])) > _NEWEST:
        known = ".".join(map(str, _NEWEST))
        yield f"fio {found[1]}.{found[2]} is newer than {known}, as whose its result is read"


def _of_something(result: EngineResult) -> EngineResult:
    if not any(job.directions or job.error for job in result.jobs):
        names = ", ".join(dict.fromkeys(job.name for job in result.jobs))
        raise EngineError(
            f"the result of {names} holds no I/O: nothing was measured",
            remedy="see what fio said on stderr, and measure again",
        )
    return result


def _told_apart(row: Mapping[str, Any], shared: Mapping[str, Any]) -> Mapping[str, Any]:
    """With unified_rw_reporting a row has one part for all, which is that of the direction where
    the job had one. ``both`` keeps the others beside it."""
    if not row.get("mixed") or any(row.get(name) for name in TRANSFERS):
        return row
    only = only_direction({**shared, **row.get("job options", {})})
    if only is None:
        raise EngineError(
            f"job {row['jobname']} has one sum for its reads and writes (unified_rw_reporting=1):"
            " they cannot be told apart",
            remedy="measure it with unified_rw_reporting=both, which gives each as well",
        )
    return {**row, only: row["mixed"]}


def _completed(row: Mapping[str, Any]) -> dict[str, Any]:
    """What earlier versions left out, from what they wrote."""
    parts = {name: _completed_part(row.get(name) or {}) for name in TRANSFERS}
    runtime = max(part["runtime"] for part in parts.values())
    absent = dict.fromkeys(("error", "ctx", "majf", "minf"), 0)
    unknown = {"usr_cpu": math.nan, "sys_cpu": math.nan}
    return {**absent, **unknown, "job_runtime": runtime, **row, **parts}


def _completed_part(told: Mapping[str, Any]) -> dict[str, Any]:
    part = {**_IDLE, **(modernised(told) if is_of_two(told) else told)}
    if not part["bw_bytes"]:
        part["bw_bytes"] = part["bw"] * 1024
    for name in _LATENCIES:
        latency = part.get(name)
        if latency and "N" not in latency:
            part[name] = {**latency, "N": part["total_ios"] if latency["max"] else 0}
    return part


def _jobs(document: Mapping[str, Any]) -> tuple[Any, ...]:
    shared = texts(document.get("global options"))
    rows = [row for row in _rows(document) if "jobname" in row]
    jobs = [
        job_spec(str(row["jobname"]), [*shared, *texts(row.get("job options"))]) for row in rows
    ]
    return unique_jobs(with_walls(rows, jobs))
