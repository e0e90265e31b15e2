"""What a metric is: a row of the table in ``iogate.metrics``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iogate.model.measurement import Measurement
from iogate.model.units import Better, Unit


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric by its full path (``write.clat.p99``, ``jobs.bgwriter.write.iops``).

    ``extract`` gives the value of one repetition in ``unit``, or None where the
    repetition has none (no I/O in that direction).
    """

    path: str
    unit: Unit
    better: Better
    help: str
    extract: Callable[[Measurement], float | None]
