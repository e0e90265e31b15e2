"""What a trend asks of a history, whatever the backend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from iogate.metrics import Metric, is_always_kept
from iogate.model.measurement import Measurement, undisturbed


@dataclass(frozen=True, slots=True)
class Question:
    """See ``store.base.Store.nights``."""

    case_ids: Sequence[str]
    metrics: Sequence[Metric] | None
    host: str | None
    limit: int | None

    @property
    def extracted(self) -> tuple[Metric, ...]:
        """Those of its metrics that may be in the documents alone, and in no column of numbers."""
        return tuple(each for each in self.metrics or () if not is_always_kept(each.path))


def extracted_values(
    metric: Metric, measurements: Iterable[Measurement]
) -> Iterator[tuple[str, float]]:
    """The metric of each repetition that has it, as (case id, finite value); of what was
    disturbed, as of what was kept as a number, none."""
    for measurement in undisturbed(measurements):
        value = metric.extract(measurement)
        if value is not None and math.isfinite(value):
            yield measurement.case_id, value
