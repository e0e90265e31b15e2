"""How a series hops, in words: the same on a terminal and on a page."""

from __future__ import annotations

from iogate.model.trend import Hopping
from iogate.model.units import Unit, format_value


def hops_text(hopping: Hopping, unit: Unit) -> str:
    """``hops between 800 /s (40 %) and 1.00 k/s (60 %); usually 5 nights on one``."""
    levels = [
        f"{format_value(level, unit)} ({share * 100:.0f} %)"
        for level, share in zip(hopping.levels, hopping.shares, strict=True)
    ]
    last = f" and {levels[-1]}" if len(levels) > 1 else ""
    stay = hopping.typical_stay
    nights = f"{stay:.3g} night{'' if stay == 1 else 's'}"
    verb = "hops" if hopping.until is None else "hopped"
    return f"{verb} between {', '.join(levels[:-1]) or levels[0]}{last}; usually {nights} on one"
