"""The median, where there are very many small samples."""

from __future__ import annotations


def median(values: list[float]) -> float:
    """As ``stats.robust.median``, of finite values, at a fraction of its price. Sorts them."""
    if len(values) == 1:
        return values[0]
    values.sort()
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return low / 2 + high / 2
