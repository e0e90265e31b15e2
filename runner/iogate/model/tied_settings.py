"""Settings of the kernel's that change others with them: what is to be noted before one is written.

Also a part of the helper (``iogate.host.helper``), which reads files its own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable

CPU = "/sys/devices/system/cpu"
# Writing one of a pair sets the other to 0, which cannot always be written back. Where both are
# 0, the first is what can be.
_PAIRS = tuple(
    (f"/proc/sys/vm/{one}", f"/proc/sys/vm/{other}")
    for one, other in (
        ("dirty_ratio", "dirty_bytes"),
        ("dirty_background_ratio", "dirty_background_bytes"),
        ("overcommit_ratio", "overcommit_kbytes"),
    )
)
_OF_QUEUE = ("iosched/*", "read_ahead_kb", "wbt_lat_usec", "async_depth", "nr_requests")
_OF_POLICY = (
    *(f"{governor}/*" for governor in ("conservative", "interactive", "ondemand", "schedutil")),
    "energy_performance_preference",
    "scaling_setspeed",
)
_OF_HOTPLUG = (*_OF_POLICY, "scaling_min_freq", "scaling_max_freq", "scaling_governor")
_WATCHDOGS = ("nmi_watchdog", "soft_watchdog", "watchdog")


def _below(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


# What a change of the first changes as well, in the order to note it: undone is the last first.
# A ``*`` stands for any part of a name.
_TIES = tuple(
    (re.compile(setting, re.ASCII), others)
    for setting, others in (
        (r"(/sys/block/[^/]+/queue)/[a-z0-9_]+", _below(r"\1", _OF_QUEUE)),
        (
            r"(/sys/block/[^/]+)/device/scsi_disk/[0-9:]+/cache_type",
            _below(r"\1/queue", (*_OF_QUEUE, "write_cache")),
        ),
        (
            rf"(({CPU}/cpufreq)/policy[0-9]+)/scaling_governor",
            (*_below(r"\2", _OF_POLICY[:4]), *_below(r"\1", _OF_POLICY)),
        ),
        (rf"({CPU}/intel_pstate)/no_turbo", (r"\1/min_perf_pct", r"\1/max_perf_pct")),
        (
            rf"({CPU}/cpufreq)/boost",
            (r"\1/policy*/scaling_min_freq", r"\1/policy*/scaling_max_freq", r"\1/policy*/boost"),
        ),
        (
            rf"({CPU})/smt/control",
            (
                *_below(r"\1/cpufreq", _OF_POLICY[:4]),
                *_below(r"\1/cpufreq/policy*", _OF_HOTPLUG),
                r"\1/cpu*/online",
            ),
        ),
        (rf"(/proc/sys/kernel)/({'|'.join(_WATCHDOGS)})", _below(r"\1", _WATCHDOGS)),
        (
            r"(/proc/sys/net/ipv4)/tcp_congestion_control",
            (r"\1/tcp_allowed_congestion_control",),
        ),
    )
)
TIED = re.compile(
    rf"{CPU}/cpufreq/policy[0-9]{{1,5}}/(energy_performance_preference|boost"
    r"|scaling_(setspeed|min_freq|max_freq))"
    rf"|{CPU}/cpufreq/(policy[0-9]{{1,5}}/)?(conservative|interactive|ondemand|schedutil)/[a-z0-9_]+"
    rf"|{CPU}/intel_pstate/m(in|ax)_perf_pct|{CPU}/cpu[0-9]{{1,5}}/online"
    r"|/sys/block/[A-Za-z0-9_!.-]{1,64}/queue/iosched/[a-z][a-z0-9_]{0,63}",
    re.ASCII,
)
"""Files that no spec names, and that are written to put them back."""
_BLOCK = re.compile(r"/sys/block/([^/]+)/.*", re.ASCII)


def tied_to(path: str) -> tuple[str, ...]:
    """Patterns of the files that the kernel changes with ``path``, in the order to note them
    before it."""
    for setting, others in _TIES:
        if found := setting.fullmatch(path):
            return tuple(found.expand(other) for other in others)
    return ()


def form_of(pattern: str) -> re.Pattern[str]:
    """What a pattern of such files matches."""
    return re.compile(re.escape(pattern).replace(r"\*", "[^/]*"))


def is_tied(path: str, setting: str) -> bool:
    """Whether the kernel changes the file ``path`` with ``setting``. As such files are noted before
    the setting is written, one that was not there then was brought by that."""
    return any(form_of(pattern).fullmatch(path) for pattern in tied_to(setting))


def pair_of(path: str) -> tuple[str, ...]:
    """Two settings of which one is 0 at most times, or this one alone."""
    return next((pair for pair in _PAIRS if path in pair), (path,))


def undone_by(path: str, read: Callable[[str], str]) -> str:
    """The file that, written as it is now, puts ``path`` back: itself, or the other of its pair.
    ``read`` gives what a file says."""
    pair = pair_of(path)
    return next((each for each in pair if read(each) not in ("", "0")), pair[0])


def is_back(path: str, before: str, read: Callable[[str], str]) -> bool:
    """Whether a setting is what it was. Of a pair that was 0 and 0, the other may be not."""
    others = [read(each) for each in pair_of(path) if each != path] if before == "0" else []
    return same(read(path), before) and all(each in ("", "0") for each in others)


def disk_of(path: str) -> str:
    """The name of the disk that a setting is of; empty for none."""
    found = _BLOCK.fullmatch(path)
    return found[1] if found else ""


def chosen(text: str) -> str:
    """What a file of the kernel's says: the choice in brackets of several, blanks as one."""
    _, bracket, rest = text.partition("[")
    return " ".join((rest.partition("]")[0] if bracket else text).split())


def same(says: str, wanted: str) -> bool:
    """Whether two texts of a setting mean the same: as words, or as numbers."""
    says, wanted = " ".join(says.split()), " ".join(wanted.split())
    if says == wanted:
        return True
    try:
        return float(says) == float(wanted)
    except ValueError:
        return False
