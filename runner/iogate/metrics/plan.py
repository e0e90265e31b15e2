"""What a plan itself asks for."""

from __future__ import annotations

from contextlib import suppress

from iogate.errors import UsageError
from iogate.metrics.base import Metric
from iogate.metrics.expression import ExpressionError
from iogate.metrics.path import metric
from iogate.model.plan import Plan


def plan_metrics(plan: Plan) -> tuple[Metric, ...]:
    """What the plan's limits are on and what it defines, each once; what this version does
    not know (a newer one wrote the plan) is left out."""
    limited = [threshold.metric for case in plan.cases for threshold in case.thresholds]
    limited += [member.metric for pool in plan.pools for member in pool.members]
    metrics = []
    for path in dict.fromkeys((*limited, *(each.name for each in plan.metrics))):
        with suppress(UsageError, ExpressionError):
            metrics.append(metric(path, plan.metrics))
    return tuple(metrics)
