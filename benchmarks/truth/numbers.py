"""What needs no disk: the histogram against the log, merging, the clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from truth.measure import Row, engine, equal, logged, percentile

from iogate.engine.result import parse_result
from iogate.metrics.latency import percentile_ns

PERCENTILES = "0.1:1:5:10:25:50:75:90:95:99:99.5:99.9:99.95:99.99:100"


def _middle(value_ns: int) -> int:
    shift = max(value_ns.bit_length() - 7, 0)
    return (value_ns >> shift << shift) + (1 << shift >> 1 if shift else 0)


def histogram(folder: Path) -> Iterator[Row]:
    """Percentiles and bins of a group of clones against all of their logged I/Os."""
    document = engine(
        folder,
        "rw=randread size=64m ioengine=libaio iodepth=8 numjobs=4 group_reporting "
        f"write_lat_log=x log_offset=1 percentile_list={PERCENTILES}",
    )
    clat = document["jobs"][0]["read"]["clat_ns"]
    values = sorted(ns for n in range(1, 5) for _, ns in logged(folder / f"x_clat.{n}.log"))
    yield equal("I/Os of 4 clones in their logs", len(values), clat["N"])
    said = {float(percent): float(said_value) for percent, said_value in clat["percentile"].items()}
    yield _worst(f"worst of 15 percentiles of {len(values):,} I/Os", said, values, 128)
    latency = parse_result(document).jobs[0].directions["read"].clat
    assert latency
    taken = {percent: percentile_ns(latency, percent) or 0.0 for percent in said}
    yield _worst("the same, interpolated in their buckets, as in verdicts", taken, values, 64)
    bins = {int(ns): count for ns, count in clat["bins"].items()}
    expected = Counter(_middle(value) for value in values)
    wrong = sum(1 for key in bins.keys() | expected.keys() if bins.get(key) != expected.get(key))
    yield equal("buckets of the merged histogram that differ", 0, wrong)


def _worst(what: str, reported: Mapping[float, float], values: Sequence[int], parts: int) -> Row:
    """Percentiles that may be off by one of so many parts: a bucket is a 64th wide, and the
    engine names its middle."""
    exact = {percent: percentile(values, percent) for percent in reported}
    worst = max(abs(value - exact[percent]) / exact[percent] for percent, value in reported.items())
    return Row(
        what, "the sorted log", f"{worst:.3%} off", "", f"1/{parts} ({1 / parts:.3%})",
        worst <= 1 / parts,
    )  # fmt: skip


def clock(document: dict[str, Any]) -> Iterator[Row]:
    """How far the engine's clock ran from the kernel's over a minute."""
    facts = document["iogate"]["clock"]
    yield Row(
        f"clock ({facts['source']}) over {document['jobs'][0]['job_runtime'] / 1000:.0f} s",
        "CLOCK_MONOTONIC_RAW", f"{facts['error_ppm']:.3f} ppm", "", "20 ppm",
        abs(facts["error_ppm"]) <= 20,
    )  # fmt: skip
