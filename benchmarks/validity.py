"""What it costs to watch a repetition."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from measure import Comparison

from iogate.host.validity import Surroundings, TargetDisks
from iogate.model.validity import Validity
from iogate.sut import open_sut

SECONDS = 10.0
_TICK_S = 0.2  # as often as an engine that runs is looked at
_SHARE = 0.005


def comparisons(rounds: int) -> Iterator[Comparison]:
    """Every comparison of this file."""
    times_ms = [watching_ms() for _ in range(rounds)]
    what = f"CPU time of watching, beside {SECONDS:g} s of a repetition"
    yield Comparison(what, "ms", median(times_ms), SECONDS * 1000, _SHARE)


def watching_ms() -> float:
    """CPU time of the looks before, during and after a repetition of so many seconds."""
    around = Surroundings(open_sut(), Validity())
    began = time.process_time()
    watch = around.watch(TargetDisks())
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        watch.tick()
        time.sleep(_TICK_S)
    watch.ended()
    return (time.process_time() - began) * 1000
