"""From the text of a metric's path to the metric."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from iogate.errors import UsageError
from iogate.metrics.base import Metric, Row
from iogate.metrics.expression import parse_expression
from iogate.metrics.table import TABLE
from iogate.model.measurement import JobMeasurement, Measurement
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better

_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,6})?|100)", re.ASCII)
_HASH_DIGITS = 8
_KEPT_DEFINED = re.compile(rf"#[0-9a-f]{{{_HASH_DIGITS}}}$")
_SUGGESTED_STATS = ("p50", "p90", "p95", "p99", "p99.9", "p99.99", "p99.999")
_SYNONYMS = {
    "latency": "lat",
    "bandwidth": "bw",
    "throughput": "bw",
    "avg": "mean",
    "average": "mean",
    "median": "p50",
    "stddev": "stdev",
    "std": "stdev",
    "usr_cpu": "cpu.usr",
    "sys_cpu": "cpu.sys",
    "cpu.user": "cpu.usr",
    "cpu.system": "cpu.sys",
    "fsync": "sync",
    "intended": "intended_lat",
}


@lru_cache(maxsize=4096)
def metric(path: str, defined: tuple[DefinedMetric, ...] = ()) -> Metric:
    """The metric of a path such as ``write.clat.p99`` or ``jobs.log.write.iops``, or of the
    name of one that a spec defines (``plan.metrics``).

    Raises UsageError, with the nearest metrics that exist, when there is none.
    """
    own = next((each for each in defined if each.name == path), None)
    if own is not None:
        return make_defined(own)
    return _of_table(path, defined)


def make_defined(definition: DefinedMetric) -> Metric:
    """A metric that a spec defines. ExpressionError for an expression that is none."""
    if definition.pattern:
        return _printed(definition)
    value = parse_expression(definition.expression, lambda path: metric(path).extract)
    return Metric(
        definition.name,
        definition.unit,
        definition.better,
        definition.description or definition.expression,
        value,
        hashlib.sha256(definition.expression.encode()).hexdigest()[:_HASH_DIGITS],
    )


def _printed(definition: DefinedMetric) -> Metric:
    """A metric that a command prints. Its repetitions have it under what it is kept as, so that
    what another pattern found is never taken for it."""
    meaning = f"{definition.pattern}\0{definition.scale!r}\0{definition.unit}"
    digest = hashlib.sha256(meaning.encode()).hexdigest()[:_HASH_DIGITS]
    kept_as = f"{definition.name}#{digest}"

    def extract(measurement: Measurement) -> float | None:
        values = (job.values.get(kept_as) for job in measurement.jobs)
        return next((value for value in values if value is not None), None)

    return Metric(
        definition.name,
        definition.unit,
        definition.better,
        definition.description or f"what the command prints where {definition.pattern} matches",
        extract,
        digest,
    )


def is_kept_definition(name: str) -> bool:
    """Whether a history keeps a metric that a spec defines under this name."""
    return _KEPT_DEFINED.search(name) is not None


def table_paths(path: str, defined: tuple[DefinedMetric, ...] = ()) -> tuple[str, ...]:
    """The paths of the table that a metric is made of: itself, unless a spec defines it."""
    own = next((each for each in defined if each.name == path), None)
    if own is None or own.pattern:
        return (path,)
    paths: dict[str, None] = {}

    def note(part: str) -> Callable[[Measurement], float | None]:
        paths[part] = None
        return metric(part).extract

    parse_expression(own.expression, note)
    return tuple(paths)


def _of_table(path: str, defined: tuple[DefinedMetric, ...]) -> Metric:
    job, rest = _split_job(path)
    resolved = None if job == "" else _resolve(rest)
    if resolved is None or (job is not None and resolved[0].whole is not None):
        near = difflib.get_close_matches(path, [each.name for each in defined], n=1)
        remedy = f"did you mean {near[0]}?" if near else _suggestion(job, rest)
        raise UsageError(f"no metric is named {path!r}", remedy=remedy)
    row, direction, stat = resolved
    better = Better.LOW if stat == "stdev" else row.better

    if row.whole is not None:
        return Metric(path, row.unit, better, row.help, row.whole)

    def extract(measurement: Measurement) -> float | None:
        jobs = _jobs(measurement, job)
        return row.value(jobs, direction, stat) if jobs else None

    return Metric(path, row.unit, better, row.help, extract)


def canonical_paths() -> tuple[str, ...]:
    """Every path without a job, with the usual percentiles: what a suggestion is taken from."""
    paths: list[str] = []
    for row in TABLE:
        stems = [f"{direction}.{row.name}" for direction in row.directions] or [row.name]
        stats = row.stats + (_SUGGESTED_STATS if row.percentiles else ())
        for stem in stems:
            paths += [stem, *(f"{stem}.{stat}" for stat in stats)]
    return tuple(paths)


def _split_job(path: str) -> tuple[str | None, str]:
    """``jobs.NAME.REST`` where NAME may hold dots; at most one NAME leaves a metric."""
    if not path.startswith("jobs."):
        return None, path
    dots = [match.start() for match in re.finditer(r"\.", path)][1:]
    for dot in dots:
        if dot > len("jobs.") and _resolve(path[dot + 1 :]) is not None:
            return path[len("jobs.") : dot], path[dot + 1 :]
    name, _, rest = path[len("jobs.") :].partition(".")
    return name, rest


def _resolve(path: str) -> tuple[Row, str, str] | None:
    for row in TABLE:
        if not row.directions:
            if path == row.name:
                return row, "", ""
            continue
        direction, _, rest = path.partition(".")
        name, dot, stat = rest.partition(".")
        if direction in row.directions and name == row.name:
            stat = stat if dot else row.default_stat
            fits = _is_stat(row, stat) and not rest.endswith(".")
            return (row, direction, stat) if fits else None
    return None


def _is_stat(row: Row, stat: str) -> bool:
    if not row.stats:
        return not stat
    return stat in row.stats or (row.percentiles and _PERCENTILE.fullmatch(stat) is not None)


def _jobs(measurement: Measurement, name: str | None) -> Sequence[JobMeasurement]:
    if name is None:
        return measurement.jobs
    return [job for job in measurement.jobs if job.name == name]


def _suggestion(job: str | None, path: str) -> str:
    prefix = f"jobs.{job}." if job else ""
    near = [prefix + name for name in _near(path)]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return (
        "metrics are DIR.NAME[.STAT], such as write.clat.p99 or read.iops (DIR read write trim "
        "sync all; NAME iops bw slat clat lat intended_lat; STAT mean min max stdev p50 … "
        "p99.999), DIR.tail DIR.stalls DIR.slope, or cpu.usr cpu.sys cpu_per_io iops_per_core "
        "ctx_per_io errors kernel_errors runtime; jobs.NAME. before one restricts it to one job"
    )


def _near(path: str) -> list[str]:
    if re.fullmatch(r"(?:iops|bw|slat|clat|lat|intended_lat)(?:\..*)?", path):
        whole = [f"{direction}.{path}" for direction in ("read", "write", "all")]
        if all(_resolve(name) for name in whole):
            return whole
    plain = _without_synonyms(path.lower())
    if _resolve(plain) is not None:
        return [plain]
    return difflib.get_close_matches(plain, canonical_paths(), n=3, cutoff=0.7)


def _without_synonyms(path: str) -> str:
    """``write.latency.p999`` → ``write.lat.p99.9``."""
    path = _SYNONYMS.get(path, path)
    words = [_SYNONYMS.get(word, word) for word in path.split(".")]
    return re.sub(r"\bp(\d\d)(9+)$", r"p\1.\2", ".".join(words))
