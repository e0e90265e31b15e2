"""How sure an interval is of what it says, where nobody asks for more or less."""

from __future__ import annotations

USUAL_CONFIDENCE = 0.95
"""Of every interval that is told: of a change, of a level, of the range of a change."""
ALL_LOOKS_CONFIDENCE = 0.80
"""Of the interval of a change in a comparison, at all of its looks together, where nobody asks for
another. At a single look it has 91 to 98 %."""
