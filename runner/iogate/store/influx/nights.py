"""Runs as points of a trend, out of InfluxDB."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from iogate.metrics import Metric, is_kept_definition
from iogate.model.measurement import Measurement
from iogate.model.night import Night
from iogate.store.base import NIGHTS
from iogate.store.influx import points
from iogate.store.influx.line import named
from iogate.store.influx.reading import (
    Known,
    known_runs,
    read_facts,
    read_measurements,
    select,
    span,
    with_cases,
)
from iogate.store.median import night_of
from iogate.store.question import Question, extracted_values
from iogate.store.server import Server

Samples = dict[str, dict[tuple[str, str], list[float]]]


def read_nights(server: Server, question: Question) -> list[Night]:
    """The nights, oldest first. See ``store.base.Store.nights``."""
    runs = [run for run in known_runs(server) if _asked_for(run, question)]
    if not runs or not question.case_ids:
        return []
    samples, cases = _samples(server, runs, question)
    facts = read_facts(server, [run for run in runs if run.id in cases])
    single = [run for run in runs if run.id in facts and facts[run.id].is_level]
    runs = _newest(single, question.limit)
    for metric in question.extracted:
        _add_extracted(server, metric, _without(metric, runs, cases, samples), samples)
    return [
        night_of(replace(facts[run.id], ended=run.ended), samples[run.id])
        for run in sorted(runs, key=lambda run: run.age)
    ]


def _asked_for(run: Known, question: Question) -> bool:
    return run.status in NIGHTS and question.host in (None, run.machine_id, run.host)


def _newest(runs: Sequence[Known], limit: int | None) -> list[Known]:
    """At most so many of each host."""
    if limit is None:
        return list(runs)
    newest: list[Known] = []
    by_host = sorted(runs, key=lambda run: run.machine_id)
    for _, group in groupby(by_host, key=lambda run: run.machine_id):
        ordered = sorted(group, key=lambda run: run.age, reverse=True)
        newest.extend(ordered[: max(limit, 0)])
    return newest


def _samples(
    server: Server, runs: Sequence[Known], question: Question
) -> tuple[Samples, dict[str, set[str]]]:
    """What was kept as numbers, by run, case and metric; and which cases each run measured."""
    paths = _paths(server, question)
    ids, wanted = {run.id for run in runs}, set(question.case_ids)
    condition = with_cases(span(runs), question.case_ids)
    fields = ('"run"', *(named(kept_as) for kept_as in paths))
    samples: Samples = defaultdict(lambda: defaultdict(list))
    cases: dict[str, set[str]] = defaultdict(set)
    for row in server.query(
        select(points.REPETITION, fields, condition, ("case_id", "repetition"))
    ):
        run_id, case_id = row["run"], row["case_id"]
        if run_id in ids and case_id in wanted:
            cases[run_id].add(case_id)
            for kept_as, path in paths.items():
                if (value := row[kept_as]) is not None:
                    samples[run_id][case_id, path].append(float(value))
    return samples, cases


def _paths(server: Server, question: Question) -> dict[str, str]:
    """What is asked for, by what it is kept as; without a definition at hand, nothing of what
    specs define."""
    if question.metrics is not None:
        return {metric.kept_as: metric.path for metric in question.metrics}
    rows = server.query(f"SHOW FIELD KEYS FROM {named(points.REPETITION)}")
    paths = [row["fieldKey"] for row in rows if row["fieldType"] == "float"]
    defined = [name for name in paths if is_kept_definition(name)]
    left = set(paths) - set(defined) - {name.rpartition("#")[0] for name in defined}
    return {name: name for name in sorted(left)}


def _without(
    metric: Metric, runs: Sequence[Known], cases: dict[str, set[str]], samples: Samples
) -> Iterator[tuple[Known, Collection[str]]]:
    """What was measured and has no kept number of the metric."""
    for run in runs:
        lacking = {
            case_id for case_id in cases[run.id] if (case_id, metric.path) not in samples[run.id]
        }
        if lacking:
            yield run, lacking


def _add_extracted(
    server: Server,
    metric: Metric,
    missing: Iterator[tuple[Known, Collection[str]]],
    samples: Samples,
) -> None:
    """Fill in, from the documents, what was not kept as a number."""
    for run, case_ids in missing:
        measurements: Sequence[Measurement] = read_measurements(
            server, [run], case_ids, series=True
        ).get(run.id, ())
        for case_id, value in extracted_values(metric, measurements):
            samples[run.id][case_id, metric.path].append(value)
