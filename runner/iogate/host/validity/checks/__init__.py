"""Checks of validity, a file each; ``CHECKS`` is the list of them. To add one: a file, and a line
here."""

from __future__ import annotations

from iogate.host.validity.base import Check
from iogate.host.validity.checks import (
    clock,
    clocksource,
    cpu,
    drive,
    io,
    memory,
    pressure,
    run_delay,
    runnable,
    saturation,
    steal,
    temperature,
    throttling,
)

CHECKS: tuple[Check, ...] = (
    cpu.CHECK,
    io.CHECK,
    memory.CHECK,
    steal.CHECK,
    clock.CHECK,
    clocksource.CHECK,
    throttling.CHECK,
    drive.CHECK,
    temperature.CHECK,
    saturation.CHECK,
    runnable.CHECK,
    run_delay.CHECK,
    *pressure.CHECKS,
)
BY_NAME = {check.name: check for check in CHECKS}
