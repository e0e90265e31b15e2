"""What this host is, as a flat map of dotted facts. What cannot be read is left out."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from iogate.errors import RunError
from iogate.host.devices.block_devices import Device, device_under, find_device, serial_digest
from iogate.host.devices.mounts import mount_of, swaps
from iogate.host.filesystems import made_as
from iogate.model.run import Host
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut

Fact = str | int | float | bool
_GNU_BUILD_ID = 3


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


def collect_facts(sut: Sut, targets: Mapping[str, tuple[Target, str]]) -> dict[str, Fact]:
    """All facts of the host and of each target, given with the place it is measured at."""
    facts: dict[str, Fact] = {
        **_from_files(sut, "", _FILES),
        "kernel.build_id": _kernel_build_id(sut),
        **_system(sut),
        **_cpu(sut),
        **_memory(sut),
        **_load(sut),
    }
    for name, (target, place) in targets.items():
        facts |= target_facts(sut, name, target, place)
    return {key: value for key, value in sorted(facts.items()) if value != ""}


def target_facts(sut: Sut, name: str, target: Target, place: str) -> dict[str, Fact]:
    """The facts of one target, by its name in the spec."""
    found = _target(sut, target, place)
    return {f"target.{name}.{key}": value for key, value in found.items() if value != ""}


def this_host(sut: Sut) -> Host:
    """Name and machine id. The id is a digest, because /etc/machine-id is to be kept
    private; $IOGATE_HOST_ID replaces it where runners are made anew for each job."""
    machine = sut.about()
    name = machine.host_name
    source = (
        machine.variables.get("IOGATE_HOST_ID")
        or (sut.read_text("/etc/machine-id") or "").strip()
        or (sut.read_text("/sys/class/dmi/id/product_uuid") or "").strip()
        or name
    )
    return Host(name=name, machine_id=hashlib.sha256(f"iogate {source}".encode()).hexdigest()[:16])


def virtualization(sut: Sut) -> str:
    """``none``, ``vm`` or ``container``, by the signs that each leaves."""
    if sut.stat("/.dockerenv") or sut.stat("/run/.containerenv"):
        return "container"
    return "vm" if "hypervisor" in _cpu_flags(sut) else "none"


def _kernel_build_id(sut: Sut) -> str:
    """What the linker gave this kernel: two builds of one release differ in it."""
    try:
        dump = sut.run(["od", "-An", "-v", "-tx1", "/sys/kernel/notes"])
    except RunError:
        return ""
    return build_id(bytes.fromhex("".join(dump.stdout.split()))) if dump.status == 0 else ""


def build_id(notes: bytes) -> str:
    """The GNU build id in ELF notes (each: sizes of name and value, type, name, value, padded
    to four bytes; little-endian); empty when there is none."""
    at = 0
    while at + 12 <= len(notes):
        name_size, value_size, kind = struct.unpack_from("<III", notes, at)
        value_at = at + 12 + (name_size + 3) // 4 * 4
        if kind == _GNU_BUILD_ID and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[value_at : value_at + value_size].hex()
        at = value_at + (value_size + 3) // 4 * 4
    return ""


def _from_files(
    sut: Sut, base: str, table: tuple[tuple[str, str, Callable[[str], Fact]], ...]
) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    for name, path, convert in table:
        text = sut.read_text(base + path)
        if text is None:
            continue
        try:
            found[name] = convert(" ".join(text.split()))
        except ValueError:
            continue
    return found


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
        "Mitigation" in (sut.read_text(f"/sys/devices/system/cpu/vulnerabilities/{name}") or "")
        for name in sut.list_dir("/sys/devices/system/cpu/vulnerabilities")
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
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, separator, value = line.partition(":")
        if separator:
            found.setdefault(key.strip(), value.strip())
    return found


def target_device(sut: Sut, target: Target, place: str) -> Device | None:
    """The device that a target's I/O ends on, as far as the kernel tells."""
    if target.kind is TargetKind.DEVICE:
        return find_device(sut, place)
    return device_under(sut, place if sut.stat(place) else str(PurePosixPath(place).parent))


def _target(sut: Sut, target: Target, place: str) -> dict[str, Fact]:
    facts: dict[str, Fact] = {"kind": target.kind.value}
    if target.kind is not TargetKind.DEVICE and (mount := mount_of(sut, place)):
        facts |= {"filesystem": mount.fs_type, "mount_options": mount.options}
        facts["mkfs"] = made_as(sut, mount)
    if device := target_device(sut, target, place):
        facts |= _device(sut, device)
    return facts


def _device(sut: Sut, device: Device) -> dict[str, Fact]:
    found: dict[str, Fact] = {
        "device": device.name,
        "size_bytes": device.size_bytes,
        "model": device.model,
        "serial_digest": serial_digest(device.serial),
        "firmware": device.firmware,
        **_from_files(sut, f"/sys/block/{device.disk}/", _DISK_FILES),
    }
    return {key: value for key, value in found.items() if value != ""}
