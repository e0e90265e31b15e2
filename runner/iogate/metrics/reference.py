"""The reference page of the metrics, made from the table."""

from __future__ import annotations

from iogate.metrics.base import Row
from iogate.metrics.table import TABLE

_HEAD = """\
# Metrics

<!-- made by scripts/generate.py from the table in runner/iogate/metrics/table.py -->

A threshold, a chart and the history name a metric by its path:

- `DIR.NAME[.STAT]`, such as `write.clat.p99` or `read.iops`;
- a name alone, such as `cpu_per_io`;
- either after `jobs.JOB.`, which restricts it to the job (or the clones) of that name:
  `jobs.bgwriter.write.iops`.

DIR is `read`, `write`, `trim`, `sync` or `all` (read, write and trim together). STAT is
`mean` (also when it is left out), `min`, `max`, `stdev`, or a percentile from `p0` to `p100`
with any decimals, such as `p99.99`.
"""

_TAIL = """\

## How the numbers are made

- A metric has one value a repetition. A direction without I/O has none: a threshold on it is
  inconclusive, never a pass.
- Latency percentiles come from the histogram, interpolated inside its bucket, and never lie
  outside the smallest and largest latency seen. Where the engine kept no histogram there is
  no value.
- Several jobs are seen as one: rates are summed, histograms are merged exactly, means and
  standard deviations are pooled over all I/Os, and the longest runtime counts.
- `min`, `max`, `stdev` and percentiles of `iops` and `bw` are over the intervals of the time
  series. `stdev` is better low, whatever it is of.
- CPU is the share of the jobs' own time: two jobs that each keep half a core busy show 50 %.
  `cpu_per_io` adds user and kernel time of all jobs and divides by reads, writes and trims.
"""


def markdown() -> str:
    """The whole page."""
    head = ["| path | directions | unit | better | what it is |", "|---|---|---|---|---|"]
    return "\n".join([_HEAD, *head, *(_line(row) for row in TABLE)]) + "\n" + _TAIL


def _line(row: Row) -> str:
    path = f"DIR.{row.name}[.STAT]" if row.directions else row.name
    directions = " ".join(row.directions) or "–"
    return f"| `{path}` | {directions} | {row.unit} | {row.better} | {row.help} |"
