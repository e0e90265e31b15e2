"""What a spec requires of the host before it is measured."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.errors import RefusedError, RunError
from iogate.model.environment import Environment
from iogate.sut.base import Sut

_THERMAL = "/sys/class/thermal"
_HWMON = "/sys/class/hwmon"
_CPU = "/sys/devices/system/cpu"
_COUNTERS = ("core_throttle_count", "package_throttle_count")
THROTTLED = tuple(f"{_CPU}/*/thermal_throttle/{name}" for name in _COUNTERS)
TEMPERATURES = (f"{_THERMAL}/*/temp", f"{_HWMON}/*/temp*_input")
"""What ``throttled`` and ``temperatures`` read."""


def check_requirements(sut: Sut, environment: Environment) -> None:
    """RefusedError for the first thing that does not hold, or that this host cannot tell."""
    require, where = environment.require, environment.where
    _check_cpus(sut, environment)
    if (most := require.max_loadavg) is not None:
        load = float((sut.read_text("/proc/loadavg") or "inf").split()[0])
        if load > most:
            raise RefusedError(
                f"the load average of this host is {load:g}, and the spec allows {most:g}",
                remedy="see top for what runs, and wait a minute after it has ended",
                where=where,
            )
    if (hottest := require.max_temperature_c) is not None:
        warmest = max(temperatures(sut), default=None)
        if warmest is None or warmest > hottest:
            says = "does not say its temperature" if warmest is None else f"has {warmest:.0f} °C"
            raise RefusedError(
                f"this host {says}, and the spec allows {hottest} °C",
                remedy="leave max_temperature out"
                if warmest is None
                else "let it cool, see to the fans",
                where=where,
            )
    if require.no_throttle and throttled(sut) is None:
        raise RefusedError(
            "this host does not say whether its CPU is throttled, and the spec asks",
            remedy="leave no_throttle out, or measure on real hardware",
            where=where,
        )


def _check_cpus(sut: Sut, environment: Environment) -> None:
    online = _cpus(sut.read_text(f"{_CPU}/online") or "")
    missing = _cpus(environment.cpus_allowed) - online
    if missing and online:
        raise RefusedError(
            f"environment: cpu.cpus_allowed names CPU {min(missing)}, which is not online",
            remedy=f"see lscpu; name some of the {len(online)} that are",
            where=environment.where,
        )


def _cpus(text: str) -> set[int]:
    """``0,2-9`` as a set."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1)) if part else set()
    return cpus


def throttled(sut: Sut) -> int | None:
    """How often CPUs were throttled since boot; None where nothing counts it."""
    read = sut.read_many(THROTTLED)
    texts = (entry.data.strip() for entry in read.values() if entry.data)
    counts = [int(text) for text in texts if text.isdigit()]
    return sum(counts) if counts else None


class Throttling:
    """Looks whether the CPU was throttled while something was measured."""

    def __init__(self, sut: Sut) -> None:
        self._sut = sut
        self._before = 0

    def check_from_here(self) -> None:
        """What comes after this counts."""
        self._before = throttled(self._sut) or 0

    def check(self) -> None:
        """RunError when it was."""
        times = (throttled(self._sut) or 0) - self._before
        if times > 0:
            raise RunError(
                f"the CPU was throttled {times} times meanwhile, and the spec forbids it",
                remedy="see to the cooling, or lower the clock: environment.cpu.turbo: false",
            )


def temperatures(sut: Sut) -> Iterator[float]:
    """In degrees Celsius, of every sensor that works."""
    read = sut.read_many(TEMPERATURES)
    for entry in read.values():
        text = (entry.data or b"").strip()
        if text.lstrip(b"-").isdigit() and int(text) > 0:
            yield int(text) / 1000
