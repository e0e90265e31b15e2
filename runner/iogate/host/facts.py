"""What this host is, as a flat map of dotted facts. What cannot be read is left out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from iogate.boot.standing import build_id
from iogate.host.devices.arrays import array_facts
from iogate.host.devices.block_devices import (
    Device,
    device_under,
    find_device,
    paths_of_device,
    paths_of_numbers,
    serial_digest,
    slaves,
)
from iogate.host.devices.mounts import MOUNTS, mount_of, swaps
from iogate.host.filesystems import made_as
from iogate.host.read_ahead import ReadAhead
from iogate.model.array import PART
from iogate.model.filesystem import MEMBER
from iogate.model.run import Host
from iogate.model.spec import Target
from iogate.sut.base import Sut

Fact = str | int | float | bool


def active_choice(text: str) -> str:
    """The bracketed one of sysfs's ``none [mq-deadline] kyber``; the text when there is none."""
    _, bracket, rest = text.partition("[")
    return rest.partition("]")[0] if bracket else text


# fact, file, how to read it. One value a file.
_FILES: tuple[tuple[str, str, Callable[[str], Fact]], ...] = (
    ("kernel.release", "/proc/sys/kernel/osrelease", str),
    ("kernel.version", "/proc/sys/kernel/version", str),
    ("kernel.cmdline", "/proc/cmdline", str),
    ("kernel.io_uring_disabled", "/proc/sys/kernel/io_uring_disabled", int),
    ("kernel.clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", str),
    ("kernel.tainted", "/proc/sys/kernel/tainted", int),
    ("cpu.online", "/sys/devices/system/cpu/online", str),
    ("cpu.smt", "/sys/devices/system/cpu/smt/control", str),
    ("cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", str),
    ("cpu.driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", str),
    ("cpu.no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", int),
    ("cpu.boost", "/sys/devices/system/cpu/cpufreq/boost", int),
    ("memory.transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled", active_choice),
    ("vm.dirty_ratio", "/proc/sys/vm/dirty_ratio", int),
    ("vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio", int),
    ("vm.dirty_bytes", "/proc/sys/vm/dirty_bytes", int),
    ("vm.dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes", int),
    ("vm.dirty_expire_centisecs", "/proc/sys/vm/dirty_expire_centisecs", int),
    ("vm.dirty_writeback_centisecs", "/proc/sys/vm/dirty_writeback_centisecs", int),
    ("vm.swappiness", "/proc/sys/vm/swappiness", int),
    ("fs.aio_max_nr", "/proc/sys/fs/aio-max-nr", int),
)

# A name of a device, which may be another's tomorrow.
_DEVICE_OPTION = re.compile(r"\b(logdev|rtdev)=[^,]+")

# The same, relative to the sysfs folder of a target's disk.
_DISK_FILES: tuple[tuple[str, str, Callable[[str], Fact]], ...] = (
    ("rotational", "queue/rotational", int),
    ("scheduler", "queue/scheduler", active_choice),
    ("nr_requests", "queue/nr_requests", int),
    ("read_ahead_kb", "queue/read_ahead_kb", int),
    ("max_sectors_kb", "queue/max_sectors_kb", int),
    ("logical_block_size", "queue/logical_block_size", int),
    ("physical_block_size", "queue/physical_block_size", int),
    ("write_cache", "queue/write_cache", str),
    ("wbt_lat_usec", "queue/wbt_lat_usec", int),
)


_DISK_PATHS = tuple(path for _, path, _ in _DISK_FILES)

# What else is looked at.
_NOTES = "/sys/kernel/notes"
_IDS = ("/etc/machine-id", "/sys/class/dmi/id/product_uuid")
_VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities"
_OTHERS = (
    _NOTES, "/etc/os-release", "/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/proc/swaps",
    MOUNTS, "/sys/class/dmi/id/product_name", "/sys/class/dmi/id/bios_version",
    "/.dockerenv", "/run/.containerenv", _VULNERABILITIES, f"{_VULNERABILITIES}/*",
)  # fmt: skip


def collect_facts(sut: Sut, targets: Mapping[str, tuple[Target, str]]) -> dict[str, Fact]:
    """All facts of the host and of each target, given with the place it is measured at."""
    ahead = ReadAhead(sut)
    machine = _read(ahead, targets, [*(path for _, path, _ in _FILES), *_OTHERS])
    facts: dict[str, Fact] = {
        **_from_files(machine, "", _FILES),
        "kernel.build_id": build_id(ahead.read_bytes(_NOTES)),
        **_system(machine),
        **_cpu(machine),
        **_memory(machine),
        **_load(machine),
        **_targets(machine, targets),
    }
    return {key: value for key, value in sorted(facts.items()) if value != ""}


def target_facts(sut: Sut, targets: Mapping[str, tuple[Target, str]]) -> dict[str, Fact]:
    """The facts of each target, by its name in the spec."""
    return _targets(_read(ReadAhead(sut), targets, [MOUNTS]), targets)


def _read(
    ahead: ReadAhead, targets: Mapping[str, tuple[Target, str]], others: Sequence[str]
) -> Sut:
    return read_places(ahead, (place for _, place in targets.values()), others, _DISK_PATHS)


def _targets(sut: Sut, targets: Mapping[str, tuple[Target, str]]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for name, (target, place) in targets.items():
        own = _target(sut, target, place)
        facts |= {f"target.{name}.{key}": value for key, value in own.items() if value != ""}
    return facts


def read_places(
    ahead: ReadAhead, places: Iterable[str], others: Sequence[str], of_disks: Sequence[str]
) -> Sut:
    """The machine with ``others`` and the places read, then which devices these are on, then
    what those are, and what stands at ``of_disks`` below their disks in sysfs."""
    places = list(places)
    parents = [str(PurePosixPath(place).parent) for place in places]
    known = ahead.read(others, [*places, *parents])
    numbers = tuple(dict.fromkeys(n for place in places for n in _numbers(known, place)))
    if not numbers:
        return known
    known = ahead.read(paths_of_numbers(numbers))
    return ahead.read([p for number in numbers for p in paths_of_device(known, number, of_disks)])


def _numbers(sut: Sut, place: str) -> tuple[str, ...]:
    """Of the device that a place is, or that its filesystem may be on."""
    status = sut.stat(place) or sut.stat(str(PurePosixPath(place).parent))
    if status is None:
        return ()
    return (status.rdev,) if status.is_block else (status.device,)


def this_host(sut: Sut) -> Host:
    """Name and machine id. The id is a digest, because /etc/machine-id is to be kept
    private; $IOGATE_HOST_ID replaces it where runners are made anew for each job."""
    machine, ids = sut.about(), ReadAhead(sut).read(_IDS)
    name = machine.host_name
    source = (
        machine.variables.get("IOGATE_HOST_ID")
        or (ids.read_text(_IDS[0]) or "").strip()
        or (ids.read_text(_IDS[1]) or "").strip()
        or name
    )
    return Host(name=name, machine_id=hashlib.sha256(f"iogate {source}".encode()).hexdigest()[:16])


def virtualization(sut: Sut) -> str:
    """``none``, ``vm`` or ``container``, by the signs that each leaves."""
    if sut.stat("/.dockerenv") or sut.stat("/run/.containerenv"):
        return "container"
    return "vm" if "hypervisor" in _cpu_flags(sut) else "none"


def _from_files(
    sut: Sut, base: str, table: tuple[tuple[str, str, Callable[[str], Fact]], ...]
) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for name, path, convert in table:
        text = sut.read_text(base + path)
        if text is None:
            continue
        try:
            facts[name] = convert(" ".join(text.split()))
        except ValueError:
            continue
    return facts


def _system(sut: Sut) -> dict[str, Fact]:
    release = dict(
        line.partition("=")[::2] for line in (sut.read_text("/etc/os-release") or "").splitlines()
    )
    return {
        "os.name": release.get("PRETTY_NAME", "").strip('"'),
        "os.architecture": sut.about().architecture,
        "host.virtualization": virtualization(sut),
        "host.product": (sut.read_text("/sys/class/dmi/id/product_name") or "").strip(),
        "host.bios": (sut.read_text("/sys/class/dmi/id/bios_version") or "").strip(),
    }


def _cpu(sut: Sut) -> dict[str, Fact]:
    info = sut.read_text("/proc/cpuinfo") or ""
    fields = _fields(info)
    mitigations = sum(
        "Mitigation" in (sut.read_text(f"{_VULNERABILITIES}/{name}") or "")
        for name in sut.list_dir(_VULNERABILITIES)
    )
    return {
        "cpu.model": fields.get("model name", fields.get("CPU part", "")),
        "cpu.microcode": fields.get("microcode", ""),
        "cpu.count": sum(line.startswith("processor") for line in info.splitlines()),
        "cpu.mitigations": mitigations,
    }


def _cpu_flags(sut: Sut) -> list[str]:
    return _fields(sut.read_text("/proc/cpuinfo") or "").get("flags", "").split()


def _memory(sut: Sut) -> dict[str, Fact]:
    total = _fields(sut.read_text("/proc/meminfo") or "").get("MemTotal", "").split()
    facts: dict[str, Fact] = {"memory.swap_areas": len(swaps(sut))}
    if total and total[0].isdigit():
        facts["memory.total_bytes"] = int(total[0]) * 1024
    return facts


def _load(sut: Sut) -> dict[str, Fact]:
    words = (sut.read_text("/proc/loadavg") or "").split()
    return {"load.average_1m": float(words[0])} if words else {}


def _fields(text: str) -> dict[str, str]:
    """``key : value`` lines; the first of each key."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator:
            fields.setdefault(key.strip(), value.strip())
    return fields


def target_device(sut: Sut, target: Target, place: str) -> Device | None:
    """The device that a target's I/O ends on, as far as the kernel tells."""
    if target.is_block:
        return find_device(sut, place)
    return device_under(sut, place if sut.stat(place) else str(PurePosixPath(place).parent))


def _target(sut: Sut, target: Target, place: str) -> dict[str, Fact]:
    facts: dict[str, Fact] = {"kind": target.kind.value}
    if not target.is_block and (mount := mount_of(sut, place)):
        options = _DEVICE_OPTION.sub(r"\1", mount.options)
        facts |= {"filesystem": mount.fs_type, "mount_options": options}
        facts["mkfs"] = made_as(sut, mount)
    first = next((find_device(sut, part.path) for part in target.made_on), None)
    if device := first or target_device(sut, target, place):
        facts |= _device(sut, device)
    return facts | _beside(sut, target) | _joined(sut, target, place)


def _joined(sut: Sut, target: Target, place: str) -> dict[str, Fact]:
    """The array that a target is, or is on."""
    device = target_device(sut, target, place) if target.array else None
    if device is None:
        return {}
    facts: dict[str, Fact] = dict(array_facts(sut, device.name, len(slaves(sut, device))))
    return {**facts, "array.device": device.name, "array.size_bytes": device.size_bytes}


def _beside(sut: Sut, target: Target) -> dict[str, Fact]:
    """The devices of a filesystem beside the first: ``journal.model``, ``member2.model``."""
    facts: dict[str, Fact] = {}
    for number, (each, part) in enumerate(zip(target.beside, target.made_on[1:], strict=True), 2):
        name = f"member{number}" if each.role in (MEMBER, PART) else each.role
        if device := find_device(sut, part.path):
            facts |= {f"{name}.{key}": value for key, value in _device(sut, device).items()}
    return facts


def _device(sut: Sut, device: Device) -> dict[str, Fact]:
    facts: dict[str, Fact] = {
        "device": device.name,
        "size_bytes": device.size_bytes,
        "model": device.model,
        "serial_digest": serial_digest(device.serial),
        "firmware": device.firmware,
        **_from_files(sut, f"/sys/block/{device.disk}/", _DISK_FILES),
    }
    return {key: value for key, value in facts.items() if value != ""}
