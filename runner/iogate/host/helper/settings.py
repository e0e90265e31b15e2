"""The settings that the helper makes: a table of paths, and of the form of their values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from iogate.host.helper.base import CHANGED, KEPT, Caller, DeniedError, note, text_of
from iogate.host.helper.devices import check_listed

_NUMBER = re.compile(r"-?[0-9]{1,19}( -?[0-9]{1,19}){0,7}", re.ASCII)
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}( [a-z]{1,16})?", re.ASCII)
_CPU = "/sys/devices/system/cpu"
_SWITCHES = (
    (re.compile(_CPU + r"/cpufreq/policy[0-9]{1,4}/scaling_governor"), re.compile("[a-z]{1,20}")),
    (re.compile(_CPU + r"/(intel_pstate/no_turbo|cpufreq/boost)"), re.compile("[01]")),
    (re.compile(_CPU + r"/smt/control"), re.compile("on|off")),
    (re.compile(r"/proc/sys/vm/drop_caches"), re.compile("[123]")),
)
_QUEUE = re.compile(r"/sys/block/([A-Za-z0-9_!-]{1,32})/queue/([a-z0-9_]{1,32})", re.ASCII)
_CACHE = re.compile(r"/sys/block/([A-Za-z0-9_!-]{1,32})/device/scsi_disk/[0-9:]{1,32}/cache_type")
_QUEUE_NAMES = frozenset(
    "scheduler nr_requests read_ahead_kb max_sectors_kb rq_affinity nomerges wbt_lat_usec iostats "
    "add_random io_poll io_poll_delay rotational write_cache".split()
)
_SYSCTL = re.compile(r"/proc/sys/([a-z0-9_]+(/[A-Za-z0-9_-]+){1,6})", re.ASCII)
PARAMETERS = frozenset(
    "vm.dirty_background_bytes vm.dirty_background_ratio vm.dirty_bytes vm.dirty_ratio "
    "vm.dirty_expire_centisecs vm.dirty_writeback_centisecs vm.swappiness vm.vfs_cache_pressure "
    "vm.page-cluster vm.stat_interval vm.laptop_mode vm.zone_reclaim_mode kernel.numa_balancing "
    "kernel.nmi_watchdog kernel.watchdog kernel.soft_watchdog kernel.timer_migration "
    "fs.aio-max-nr".split()
)
# What not even root's own list can name: it runs programs, guards something, or acts once.
NEVER = re.compile(
    r"(kernel\.(core|modprobe|modules|hotplug|poweroff|usermodehelper|sysrq|yama|unpriv|kexec|dmesg"
    r"|kptr|ns_last_pid|panic|randomize|perf_event_paranoid|io_uring_disabled|cad_pid|seccomp|tainted"
    r"|ftrace|keys|acct|printk)|fs\.(binfmt_misc|suid_dumpable|protected_|verity)|user\."
    r"|vm\.(mmap_|compact_|stat_refresh|drop_|panic|memfd|unpriv|legacy)|debug\.|crypto\.|dev\.tty)"
)
_DRAGGED = {"scheduler": ("nr_requests", "wbt_lat_usec")}


def _check_setting(caller: Caller, path: object, value: object) -> tuple[str, str]:
    if not isinstance(path, str) or not isinstance(value, str):
        raise DeniedError("path and value are texts")
    form = next((form for known, form in _SWITCHES if known.fullmatch(path)), None)
    if queue := _QUEUE.fullmatch(path):
        form = _WORD if queue[2] in _QUEUE_NAMES else None
        check_listed(caller, queue[1])
    elif cache := _CACHE.fullmatch(path):
        form = _WORD
        check_listed(caller, cache[1])
    elif form is None and (sysctl := _SYSCTL.fullmatch(path)):
        form = _NUMBER if _may_set(caller, sysctl[1].replace("/", ".")) else None
    if form is None:
        raise DeniedError("path is not a setting that the helper makes")
    is_number = form is _WORD and _NUMBER.fullmatch(value)
    if not is_number and not form.fullmatch(value):
        raise DeniedError("value does not have the form of that setting")
    return path, value


def _may_set(caller: Caller, parameter: str) -> bool:
    return parameter in PARAMETERS or (
        parameter in caller.parameters and not NEVER.match(parameter)
    )


def set_value(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Write one setting, after a note of what it was."""
    path, value = _check_setting(caller, request["path"], request["value"])
    if path.endswith("/drop_caches"):
        os.sync()
    else:
        kept = _CACHE.fullmatch(path) or _name_of(path) in caller.durable
        for each in (*_beside(path), _undone_by(path)):
            note(KEPT if kept else CHANGED, {"set": each, "before": current(each)})
    write_setting(path, value)
    return {}


def _name_of(path: str) -> str:
    queue, sysctl = _QUEUE.fullmatch(path), _SYSCTL.fullmatch(path)
    if queue:
        return f"block.{queue[2]}"
    return f"sysctl.{sysctl[1].replace('/', '.')}" if sysctl else ""


def _beside(path: str) -> Iterator[str]:
    """What a change of the setting changes as well."""
    folder, _, name = path.rpartition("/")
    for other in _DRAGGED.get(name, ()):
        if os.path.exists(f"{folder}/{other}"):
            yield f"{folder}/{other}"


def _undone_by(path: str) -> str:
    """Of vm.dirty_bytes and vm.dirty_ratio one is 0, which cannot be written back."""
    ends = (("_bytes", "_ratio"), ("_ratio", "_bytes"))
    for end, other in ends if path.startswith("/proc/sys/vm/dirty_") else ():
        if path.endswith(end) and current(path) == "0":
            return path.removesuffix(end) + other
    return path


def current(path: str) -> str:
    """The choice in brackets of several, blanks as one."""
    text = text_of(path)
    _, bracket, rest = text.partition("[")
    return " ".join((rest.partition("]")[0] if bracket else text).split())


def write_setting(path: str, value: str) -> None:
    """Write a file of the kernel's."""
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)
