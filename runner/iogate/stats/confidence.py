"""How sure an interval is of what it says, where nobody asks for more or less."""

from __future__ import annotations

USUAL_CONFIDENCE = 0.95
"""Of every interval that is told: of a change, of a level, of the range of a change."""
ALL_LOOKS_CONFIDENCE = 0.80
"""Of the interval of a change in a comparison, at all of its looks together, where nobody asks for
another and the limit is not wide. At a single look it has 91 to 98 %."""
_WIDE, _WIDEST = 0.10, 0.20
_LESS_SURE = 0.06


def limit_confidence(limit: float) -> float:
    """Of that interval where the limit is this change (a fraction). Three points past a wide limit
    are a smaller part of what is compared than past a narrow one: from +10 to +20 % it falls to
    74 %, so that they are found as often (``What a fail means`` in docs/statistics.md)."""
    wide = min(max(limit, _WIDE), _WIDEST) - _WIDE
    return round(ALL_LOOKS_CONFIDENCE - _LESS_SURE * wide / (_WIDEST - _WIDE), 2)
