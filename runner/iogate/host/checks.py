"""Is this host fit to measure? One function a check; ``CHECKS`` is the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from iogate.host.devices.block_devices import Device, device_under, find_device
from iogate.host.devices.mounts import MOUNTS, mount_of, swaps
from iogate.host.facts import active_choice, read_places, virtualization
from iogate.host.read_ahead import ReadAhead
from iogate.host.targets.by_path import refused_at, unwritten_at
from iogate.sut.base import Sut

_CPU = "/sys/devices/system/cpu"
_CLOCK = "/sys/devices/system/clocksource/clocksource0"
_LOOKED = (
    MOUNTS, "/proc/cpuinfo", "/proc/loadavg", "/proc/swaps", "/.dockerenv", "/run/.containerenv",
    f"{_CPU}/cpu0/cpufreq/scaling_governor", f"{_CPU}/intel_pstate/no_turbo",
    f"{_CPU}/cpufreq/boost", f"{_CPU}/cpu0/thermal_throttle/package_throttle_count",
    "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/fs/aio-max-nr",
    "/proc/sys/fs/aio-nr", "/proc/sys/kernel/io_uring_disabled",
    f"{_CLOCK}/current_clocksource", f"{_CLOCK}/available_clocksource",
    "/sys/class/thermal", "/sys/class/thermal/*/temp",
    "/sys/class/power_supply", "/sys/class/power_supply/*/status", "/proc", "/proc/*/comm",
)  # fmt: skip
_FREE_BAD, _FREE_WARN = 256 << 20, 2 << 30
_BUSY_SAMPLE_S = 0.5
_BUSY_WARN = 0.05
_LOAD_WARN, _LOAD_BAD = 0.25, 1.0  # of the number of CPUs
_MEMLOCK_WARN = 64 << 20
_AIO_SPARE_WARN = 8192
_HOT_MILLIDEGREES = 85_000


class Severity(StrEnum):
    """What a finding means for measuring here: nothing, noise, or misleading results."""

    OK = "ok"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: how bad, in words, and the command that changes it."""

    severity: Severity
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """What is to be measured, and the device below it where there is one."""

    path: str
    device: Device | None


@dataclass(frozen=True, slots=True)
class Check:
    """``look`` answers None where the check does not apply to this host."""

    id: str
    what: str
    look: Callable[[Sut, Examined], Finding | None]


def examine(sut: Sut, path: str) -> tuple[tuple[Check, Finding], ...]:
    """Every check that applies here, in the order of the table."""
    known = read_places(ReadAhead(sut), [path], _LOOKED, ("queue/scheduler", "queue/rotational"))
    place = Examined(path, find_device(known, path) or device_under(known, path))
    looked = ((check, check.look(known, place)) for check in CHECKS)
    return tuple((check, finding) for check, finding in looked if finding)


def _ok(what: str) -> Finding:
    return Finding(Severity.OK, what)


def _warn(what: str, remedy: str) -> Finding:
    return Finding(Severity.WARN, what, remedy)


def _bad(what: str, remedy: str) -> Finding:
    return Finding(Severity.BAD, what, remedy)


def _word(sut: Sut, path: str) -> str | None:
    text = sut.read_text(path)
    return None if text is None else text.strip()


def _number(sut: Sut, path: str) -> int | None:
    text = _word(sut, path)
    return int(text) if text and text.lstrip("-").isdigit() else None


def _writable(sut: Sut, place: Examined) -> Finding | None:
    if refused := refused_at(sut, place.path):
        return _bad(*refused)
    if why := unwritten_at(sut, place.path):
        return _warn(f"{why[0]}: a run may only read it", why[1])
    return _ok(place.path)


def _free_space(sut: Sut, place: Examined) -> Finding | None:
    status, space = sut.stat(place.path), sut.space(place.path)
    if not status or not (status.is_directory or status.is_file):
        return None
    if not space or not space.total_bytes:  # of a filesystem that has no files to keep
        return None
    text = f"{space.free_bytes / (1 << 30):.1f} GiB free"
    if space.free_bytes < _FREE_BAD:
        return _bad(text, f"free space on the filesystem of {place.path}")
    if space.free_bytes < _FREE_WARN:
        return _warn(text, "keep test files small (--set size=256m), or free space")
    return _ok(text)


def _in_memory(sut: Sut, place: Examined) -> Finding | None:
    mount = mount_of(sut, place.path) if sut.stat(place.path) else None
    if mount and mount.fs_type in ("tmpfs", "ramfs"):
        what = f"{place.path} is {mount.fs_type}: memory, not a disk"
        return _warn(what, "choose a directory on a disk")
    return None


def _governor(sut: Sut, _place: Examined) -> Finding | None:
    governor = _word(sut, f"{_CPU}/cpu0/cpufreq/scaling_governor")
    if governor is None:
        return None
    if governor == "performance":
        return _ok(governor)
    knob = f"{_CPU}/cpu*/cpufreq/scaling_governor"
    return _warn(f"{governor}: the clock speed follows the load", f"echo performance | tee {knob}")


def _turbo(sut: Sut, _place: Examined) -> Finding | None:
    no_turbo = _number(sut, f"{_CPU}/intel_pstate/no_turbo")
    boost = _number(sut, f"{_CPU}/cpufreq/boost")
    if no_turbo == 0:
        return _warn("turbo is on: speed depends on heat", f"echo 1 > {_CPU}/intel_pstate/no_turbo")
    if boost == 1:
        return _warn("boost is on: speed depends on heat", f"echo 0 > {_CPU}/cpufreq/boost")
    return None if no_turbo is None and boost is None else _ok("off")


def _load(sut: Sut, _place: Examined) -> Finding | None:
    words = (sut.read_text("/proc/loadavg") or "").split()
    if not words:
        return None
    average, cpus = float(words[0]), sut.about().cpus
    text = f"{average:.2f} on {cpus} CPUs"
    if average > _LOAD_BAD * cpus:
        return _bad(text, "something else uses this host: see top, stop it, and try again")
    if average > _LOAD_WARN * cpus:
        return _warn(text, "see top for what else runs")
    return _ok(text)


def _other_io(sut: Sut, place: Examined) -> Finding | None:
    if not place.device:
        return None
    stat = f"/sys/block/{place.device.disk}/stat"
    before, began = _busy_ms(sut, stat), time.monotonic()
    time.sleep(_BUSY_SAMPLE_S)
    after, ended = _busy_ms(sut, stat), time.monotonic()
    if before is None or after is None:
        return None
    busy = (after - before) / 1000 / (ended - began)
    text = f"{place.device.disk} busy {busy:.0%} of the time"
    if busy > _BUSY_WARN:
        return _warn(text, "see iotop or pidstat -d for who does it")
    return _ok(text)


def _busy_ms(sut: Sut, stat: str) -> int | None:
    fields = (sut.read_text(stat) or "").split()
    return int(fields[9]) if len(fields) > 9 else None


def _scheduler(sut: Sut, place: Examined) -> Finding | None:
    if not place.device:
        return None
    queue = f"/sys/block/{place.device.disk}/queue"
    text = _word(sut, f"{queue}/scheduler")
    if not text:
        return None
    active, rotational = active_choice(text), _number(sut, f"{queue}/rotational")
    if active != "none" and rotational == 0 and "none" in text:
        return _warn(f"{active} on a drive without moving parts", f"echo none > {queue}/scheduler")
    return _ok(active)


def _swap(sut: Sut, _place: Examined) -> Finding | None:
    if in_use := swaps(sut):
        return _warn(f"in use: {', '.join(in_use)}", "swapoff -a, while measuring")
    return _ok("none")


def _hugepages(sut: Sut, _place: Examined) -> Finding | None:
    path = "/sys/kernel/mm/transparent_hugepage/enabled"
    text = _word(sut, path)
    if text is None:
        return None
    if (active := active_choice(text)) == "always":
        return _warn("always: buffers move while measuring", f"echo madvise > {path}")
    return _ok(active)


def _aio(sut: Sut, _place: Examined) -> Finding | None:
    used, limit = _number(sut, "/proc/sys/fs/aio-nr"), _number(sut, "/proc/sys/fs/aio-max-nr")
    if used is None or limit is None:
        return _bad("this kernel has no asynchronous I/O", "use ioengine: io_uring or psync")
    text = f"{used} of {limit} in use"
    if limit - used < _AIO_SPARE_WARN:
        return _warn(text, f"sysctl fs.aio-max-nr={max(limit * 2, 1 << 20)}")
    return _ok(text)


def _io_uring(sut: Sut, _place: Examined) -> Finding | None:
    disabled = _number(sut, "/proc/sys/kernel/io_uring_disabled")
    if disabled in (None, 0):
        return _ok("allowed")
    if disabled == 1 and sut.about().user == 0:
        return _ok("allowed for root")
    return _warn("disabled", "sysctl kernel.io_uring_disabled=0, or use ioengine: libaio")


def _memlock(sut: Sut, _place: Examined) -> Finding | None:
    machine = sut.about()
    soft = machine.locked_bytes
    if machine.user == 0 or soft is None or soft >= _MEMLOCK_WARN:
        return _ok("enough for fixed buffers")
    return _warn(f"{soft >> 10} KiB", "ulimit -l unlimited, or LimitMEMLOCK=infinity in the unit")


def _clocksource(sut: Sut, _place: Examined) -> Finding | None:
    current = _word(sut, f"{_CLOCK}/current_clocksource")
    if current is None:
        return None
    if current in ("tsc", "arch_sys_counter", "kvm-clock"):
        return _ok(current)
    offered = (_word(sut, f"{_CLOCK}/available_clocksource") or "").split()
    remedy = (
        f"echo tsc > {_CLOCK}/current_clocksource"
        if "tsc" in offered
        else "boot with tsc=reliable, if the hardware allows"
    )
    return _warn(f"{current}: reading the clock is slow", remedy)


def _virtual(sut: Sut, _place: Examined) -> Finding | None:
    kind = virtualization(sut)
    if kind == "none":
        return _ok("real hardware")
    return _warn(f"{kind}: neighbours and the hypervisor add noise", "measure on real hardware")


def _temperature(sut: Sut, _place: Examined) -> Finding | None:
    base = "/sys/class/thermal"
    read = [_number(sut, f"{base}/{zone}/temp") for zone in sut.list_dir(base)]
    hottest = max((value for value in read if value), default=0)
    if not hottest:
        return None
    text = f"{hottest / 1000:.0f} °C"
    return _warn(text, "let it cool, see to the fans") if hottest > _HOT_MILLIDEGREES else _ok(text)


def _throttled(sut: Sut, _place: Examined) -> Finding | None:
    path = f"{_CPU}/cpu0/thermal_throttle/package_throttle_count"
    count = _number(sut, path)
    if count is None:
        return None
    return _warn(f"{count} times since boot", "see to the cooling") if count else _ok("never")


def _battery(sut: Sut, _place: Examined) -> Finding | None:
    base = "/sys/class/power_supply"
    states = [_word(sut, f"{base}/{name}/status") for name in sut.list_dir(base)]
    if "Discharging" in states:
        return _bad("running on battery", "plug in the power supply")
    return _ok("on mains") if any(states) else None


def _time_sync(sut: Sut, _place: Examined) -> Finding | None:
    daemons = ("chronyd", "ntpd", "systemd-timesync", "phc2sys")
    names = {_word(sut, f"/proc/{pid}/comm") for pid in sut.list_dir("/proc") if pid.isdigit()}
    running = next((name for name in daemons if name in names), None)
    if running:
        return _ok(running)
    return _warn("no time daemon: runs may be ordered wrongly", "apt-get install chrony")


CHECKS: tuple[Check, ...] = (
    Check("target", "target can be written", _writable),
    Check("space", "free space", _free_space),
    Check("memory-filesystem", "target is on a disk", _in_memory),
    Check("governor", "CPU frequency governor", _governor),
    Check("turbo", "CPU turbo", _turbo),
    Check("load", "load average", _load),
    Check("other-io", "other I/O on the device", _other_io),
    Check("scheduler", "I/O scheduler", _scheduler),
    Check("swap", "swap", _swap),
    Check("hugepages", "transparent huge pages", _hugepages),
    Check("aio", "asynchronous I/O contexts", _aio),
    Check("io-uring", "io_uring", _io_uring),
    Check("memlock", "locked memory", _memlock),
    Check("clocksource", "kernel clock", _clocksource),
    Check("virtual", "virtual machine", _virtual),
    Check("temperature", "temperature", _temperature),
    Check("throttled", "thermal throttling", _throttled),
    Check("battery", "power", _battery),
    Check("time-sync", "time synchronisation", _time_sync),
)
