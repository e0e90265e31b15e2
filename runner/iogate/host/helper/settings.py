"""The settings that the helper makes: a table of paths, and of the form of their values."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from glob import glob
from typing import Any

from iogate.host.helper.base import (
    CHANGED,
    KEPT,
    Caller,
    DeniedError,
    boot_now,
    note,
    noted,
    text_of,
    thing_of,
)
from iogate.host.helper.devices import check_listed, disk_now, place_of
from iogate.model.kernel_parameters import why_not_set
from iogate.model.tied_settings import (
    CPU,
    chosen,
    disk_of,
    is_back,
    is_tied,
    tied_to,
    undone_by,
)

_NUMBER = re.compile(r"-?[0-9]{1,19}( -?[0-9]{1,19}){0,7}", re.ASCII)
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}( [a-z]{1,16})?", re.ASCII)
_SWITCHES = (
    (re.compile(CPU + r"/cpufreq/policy[0-9]{1,4}/scaling_governor"), re.compile("[a-z]{1,20}")),
    (re.compile(CPU + r"/(intel_pstate/no_turbo|cpufreq/boost)"), re.compile("[01]")),
    (re.compile(CPU + r"/smt/control"), re.compile("on|off")),
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
    if _was_so(path, value):
        return path, value
    if form is None:
        raise DeniedError("path is not a setting that the helper makes")
    is_number = form is _WORD and _NUMBER.fullmatch(value)
    if not is_number and not form.fullmatch(value):
        raise DeniedError("value does not have the form of that setting")
    return path, value


def _may_set(caller: Caller, parameter: str) -> bool:
    return parameter in PARAMETERS or (
        parameter in caller.parameters and not why_not_set(parameter)
    )


def _was_so(path: str, value: str) -> bool:
    """Whether a setting was like this before: a run puts back what changed with another, too."""
    return any(
        entry.get("set") == path
        and entry["before"] == value
        and entry["boot"] == boot_now()
        and place_of(entry, durable=False) == path
        for journal in (CHANGED, KEPT)
        for entry in noted(journal)
    )


def set_value(caller: Caller, request: dict[str, Any]) -> dict[str, Any]:
    """Write one setting, after a note of what it was."""
    path, value = _check_setting(caller, request["path"], request["value"])
    if path.endswith("/drop_caches"):
        os.sync()
    else:
        kept = _CACHE.fullmatch(path) or _name_of(path) in caller.durable
        back = undone_by(path, current)
        tied = [_entry(each) for each in _tied(path) if not kept or each != back]
        _note_new(CHANGED, [each for each in tied if not _is_brought(each)])
        own = _entry(back)
        own |= {"brought": True} if _is_brought(own) else {}
        _note_new(KEPT if kept else CHANGED, [own])
    write_setting(path, value)
    return {}


def _note_new(journal: str, entries: list[dict[str, Any]]) -> None:
    """Note what the journal does not say yet: what was first is put back."""
    known = {thing_of(entry) for entry in noted(journal) if entry["boot"] == boot_now()}
    if fresh := [entry for entry in entries if thing_of(entry) not in known]:
        note(journal, *fresh)


def _is_brought(entry: dict[str, Any]) -> bool:
    """Whether a setting was not there before another was changed, with which it goes: the tuning of
    a scheduler that a run has chosen."""
    return any(
        "set" in cause
        and cause["boot"] == boot_now()
        and cause.get("disk") == entry.get("disk")
        and is_tied(entry["set"], cause["set"])
        and not is_back(cause["set"], cause["before"], current)
        for journal in (CHANGED, KEPT)
        for cause in noted(journal)
        if thing_of(cause) != thing_of(entry)
    )


def _name_of(path: str) -> str:
    queue, sysctl = _QUEUE.fullmatch(path), _SYSCTL.fullmatch(path)
    if queue:
        return f"block.{queue[2]}"
    return f"sysctl.{sysctl[1].replace('/', '.')}" if sysctl else ""


def _entry(path: str) -> dict[str, Any]:
    """A setting as it is."""
    disk = {"disk": disk_now(path)} if disk_of(path) else {}
    return {"set": path, "before": current(path), **disk}


def _tied(path: str) -> Iterator[str]:
    """What a change of the setting changes as well, where it can be written."""
    for pattern in tied_to(path):
        for each in sorted(glob(pattern)):
            says = text_of(each)
            if says and says != "<unsupported>" and os.stat(each).st_mode & 0o200:
                yield each


def current(path: str) -> str:
    """What a setting says."""
    return chosen(text_of(path))


def write_setting(path: str, value: str) -> None:
    """Write a file of the kernel's; an empty value is a line of its own there."""
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.write(handle, (value or "\n").encode())
    finally:
        os.close(handle)
