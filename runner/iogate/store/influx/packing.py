"""Documents and histograms as text fields.

A field holds at most 64 KiB by InfluxDB's word, so a long text goes on in ``name_1``,
``name_2`` …; ``name_parts`` says how many there are.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from iogate.files.bounded import inflate, parse_json
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.store.packing import pack, unpack

_PART = 60_000
_MOST_PARTS = DOCUMENT_BYTES // _PART
_PREFIX = "histogram."


def packed(name: str, document: Any) -> dict[str, str | int]:
    """The fields of a JSON-ready document: base64 of zlib of JSON, in parts. None has none."""
    text = "" if document is None else base64.b64encode(pack(document)).decode()
    parts = [text[at : at + _PART] for at in range(0, len(text), _PART)]
    fields: dict[str, str | int] = {f"{name}_parts": len(parts)}
    return fields | dict(zip(part_names(name, len(parts)), parts, strict=True))


def unpacked(name: str, fields: Mapping[str, Any]) -> Any:
    """Its inverse, also None where a part is missing: then the point is not whole yet."""
    count = int(fields.get(f"{name}_parts") or 0)
    if count > _MOST_PARTS:
        raise ValueError(f"{name} has more than {_MOST_PARTS:,} parts")
    parts = [fields.get(part) for part in part_names(name, count)]
    if not count or None in parts:
        return None
    return unpack(base64.b64decode("".join(str(part) for part in parts)))


def pattern(*names: str) -> str:
    """What selects the fields of documents in InfluxQL."""
    return f"/^({'|'.join(names)})(_parts|_[0-9]+)?$/"


def part_names(name: str, count: int) -> list[str]:
    """The fields that hold a document of so many parts."""
    return [f"{name}_{number}" if number else name for number in range(count)]


def take_histograms(document: Mapping[str, Any]) -> dict[str, str]:
    """Remove the histograms from a measurement's document, and give them as fields: one for
    each direction and kind of latency, with the jobs in their order."""
    histograms: dict[str, list[Any]] = {}
    for number, name, latency in _latencies(document):
        bins = latency.pop("histogram", None)
        if bins is not None:
            jobs = histograms.setdefault(_PREFIX + name, [])
            jobs.extend([None] * (number - len(jobs)))
            jobs.append(_steps(bins))
    return {name: _text(jobs) for name, jobs in histograms.items()}


def put_histograms(document: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    """Its inverse."""
    parsed = {
        name.removeprefix(_PREFIX): _jobs(text)
        for name, text in fields.items()
        if name.startswith(_PREFIX) and text
    }
    for number, name, latency in _latencies(document):
        jobs = parsed.get(name, [])
        if number < len(jobs) and jobs[number] is not None:
            values, counts = jobs[number]
            pairs = zip(accumulate(values), counts, strict=True)
            latency["histogram"] = [list(pair) for pair in pairs]


HISTOGRAMS = f"/^{_PREFIX.replace('.', '[.]')}/"


def _latencies(document: Mapping[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    for number, job in enumerate(document["jobs"]):
        for direction, measured in job["directions"].items():
            for kind, latency in measured.items():
                if isinstance(latency, dict):
                    yield number, f"{direction}.{kind}", latency


def _steps(bins: list[list[int]]) -> tuple[list[int], list[int]]:
    """Bucket middles as the steps between them, which are small and alike; and the counts."""
    values = [value for value, _ in bins]
    steps = [here - before for here, before in zip(values, [0, *values], strict=False)]
    return steps, [count for _, count in bins]


def _text(jobs: list[Any]) -> str:
    return base64.b64encode(
        zlib.compress(json.dumps(jobs, separators=(",", ":")).encode())
    ).decode()


def _jobs(text: str) -> Any:
    return parse_json(inflate(base64.b64decode(text)))
