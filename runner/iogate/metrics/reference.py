"""The reference page of the metrics, made from the table."""

from __future__ import annotations

from iogate.metrics.base import Row
from iogate.metrics.table import TABLE
from iogate.model.units import Unit

_HEAD = """\
# Metrics

<!-- made by scripts/generate.py from the table in runner/iogate/metrics/table.py -->

Limits, charts and the history name a metric by its path:

- `DIR.NAME[.STAT]`, such as `write.clat.p99` or `read.iops`;
- a name alone, such as `cpu_per_io`;
- either after `jobs.JOB.`, which restricts it to the job (or the clones) of that name:
  `jobs.bgwriter.write.iops`.

DIR is `read`, `write`, `trim`, `sync` or `all` (read, write and trim together). STAT is
`mean` (also when it is left out), `min`, `max`, `stdev`, or a percentile from `p0` to `p100`
with any decimals, such as `p99.99`. How a spec defines metrics is described below.
"""

_TAIL = """\

## How the numbers are made

- A metric has one value for each repetition. A direction without I/O has none: a limit on it is
  inconclusive, never a pass.
- Latency percentiles come from the histogram, interpolated inside its bucket, and never lie
  outside the smallest and largest latency seen. Where the engine kept no histogram there is
  no value.
- Engines keep the histogram of `clat` unasked, those of `lat` and `slat` with `lat_percentiles`
  and `slat_percentiles`. Where a limit or a metric of the spec's own is on a percentile of these,
  iogate sets the option in the job file (the case stays the same one for the history), and with
  it set to 0 in the spec such a limit is an error. The moments (`lat.mean`) need neither.
- `clat` and `lat` begin when an I/O is issued. When a job with a rate (`rate`, `rate_iops`)
  stalls, it issues later I/Os too late, and their wait is in neither metric: of a stall of a second
  they show only the few I/Os that were in flight. `intended_lat` begins when the I/O was due. It
  has a value for jobs with a rate, measured by `iogate-engine`; without one a limit on it is an
  error. Where users wait for the I/O, set the limit on it and not on `clat`.
- Several jobs are measured as one: rates are summed, histograms are merged exactly, means and
  standard deviations are pooled over all I/Os, and the longest runtime counts.
- `min`, `max`, `stdev` and percentiles of `iops` and `bw` are over the intervals of the time
  series. A lower `stdev` is better, whatever the metric. No engine keeps a time series of syncs:
  `sync.iops` has its mean alone, and a limit on another statistic of it is an error.
- CPU is the share of the jobs' own time: two jobs that each keep half a core busy show 50 %.
  `cpu_per_io` adds user and kernel time of all jobs and divides by reads, writes and trims;
  `iops_per_core` is its reciprocal.
- `stalls` counts intervals in which no job completed anything in that direction. It has a value
  where the time series has intervals of 100 ms or less: `iogate-engine` keeps at most 400 intervals
  and then makes them twice as wide, so jobs that run for more than 40 seconds (`ramp_time` not
  counted) have none, and a limit on it is an error where `runtime` says so beforehand. fio keeps
  no time series: with `--engine fio` limits on what is made of it are errors.
- `errors` and `kernel_errors` count faults: a limit on them is compared with the worst
  repetition, and a repetition that failed has a value, too ([faults](verdict.md#faults)).
- `slope` is the least-squares line through the IOPS of the time series, from five intervals on.
  Over a few seconds it is mostly noise: it is meant for runs of minutes.

## What a command prints

A workload that is a [command](spec.md#commands) has `command.NAME` for each of its `metrics`, in
the unit and with the direction that it gives there; `runtime`, which is the time that the program
took; `cpu.usr` and `cpu.sys`, which are the CPU time of it and of what it waited for, in per cent
of that time; `errors` and `kernel_errors`. It has no other metric.

## A metric of your own

A spec can define metrics as arithmetic over these:

```yaml
metrics:
  amplification:
    value: write.bw / jobs.client.write.bw
    unit: ratio
    better: low
    description: bytes that reach the disk for each that the client wrote
```

`value` has metrics, numbers, `+ - * /` and parentheses; a path with other characters than
letters, digits, dots and underscores stands between backquotes. `unit` is one of %(units)s,
and `better` is `low` or `high`. The name is then a metric like any other: for a limit, in the
report, in `iogate trend`. It has no value where a part of it has none, and none where it
divides by zero. Everything is checked when the spec is read.

Another `value` under the same name is another metric: trends and baselines compute it anew for
the nights before, from the documents, which takes some milliseconds a night. One made of
percentiles is held against a baseline only where each of them has
[enough I/Os](statistics.md#the-unit-is-a-run).
"""


def markdown() -> str:
    """The whole page."""
    head = ["| path | directions | unit | better | what it is |", "|---|---|---|---|---|"]
    units = ", ".join(f"`{unit}`" for unit in Unit)
    tail = _TAIL.replace("%(units)s", units)
    return "\n".join([_HEAD, *head, *(_line(row) for row in TABLE)]) + "\n" + tail


def _line(row: Row) -> str:
    stat = "[.STAT]" if row.stats else ""
    path = f"DIR.{row.name}{stat}" if row.directions else row.name
    directions = " ".join(row.directions) or "–"
    return f"| `{path}` | {directions} | {row.unit} | {row.better} | {row.help} |"
