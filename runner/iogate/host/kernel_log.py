"""What the kernel says while something is measured: the lines of its log that tell of trouble."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from iogate.host.devices.own_stack import OwnStack, names_a_device
from iogate.model.measurement import KernelTrouble, Whose
from iogate.sut.base import Sut

LINES = 3
"""So many lines of a kind are kept, that differ; the others are counted."""
LONGEST = 240
_LOST = "lines lost"

_FILESYSTEM_ERROR = "filesystem error"
_FILESYSTEM = "(EXT[234]-fs|XFS|BTRFS|F2FS-fs|FAT-fs|bcachefs|gfs2|ocfs2|overlayfs)"
# A line is of the first kind that any of its patterns finds.
_KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "hung task",
        (r"blocked for more than \d+", "soft lockup", "[Hh]ard LOCKUP", r"detected .*\bstall"),
    ),
    (
        "out of memory",
        ("[Oo]ut of memory", "oom-kill", "oom_reaper", "page allocation failure"),
    ),
    (
        "throttling",
        (
            "temperature (is )?above threshold",
            "clock (is )?throttled",
            "critical temperature",
            "thermal throttl",
            "power limit notification",
        ),
    ),
    (
        "hardware error",
        (
            r"\[Hardware Error\]",
            "[Mm]achine [Cc]heck",
            r"EDAC .*\b[CU]E\b",
            "AER: .*error",
            "PCIe Bus Error",
        ),
    ),
    (
        "device failure",
        (
            "Disk failure",
            "Device offlined",
            "offline device",
            "controller is down",
            "Removing after probe fail",
            "device is dead",
            "Device not ready; aborting",
        ),
    ),
    (
        "I/O error",
        (
            "I/O error",
            "critical (medium|target|nexus|space allocation) error",
            "lost (async|sync) page write",
            "[Uu]nrecovered read error",
            "protection error",
            r"Add\. Sense: ",
        ),
    ),
    (
        "device reset",
        (
            r"\breset(ting)? (controller|link|device|bus|host|\S+-speed|SuperSpeed)",
            r"\b(controller|link|device|bus|host|target|LUN) reset\b",
            "(hard|soft) resetting",
            "timeout, (aborting|reset|completion polled|disable)",
            "timing out command",
            "exception Emask",
            "failed command:",
            "attempting task abort",
        ),
    ),
    (
        _FILESYSTEM_ERROR,
        (
            rf"{_FILESYSTEM}\b.*\berror\b",
            rf"{_FILESYSTEM}\b.*([Cc]orrupt|[Ss]hut ?down|critical|forced readonly)",
            "[Aa]borting journal",
            "[Rr]emounting filesystem read-only",
        ),
    ),
    ("clock unstable", ("[Cc]locksource .*(unstable|skewed)", "TSC unstable")),
    (
        "kernel bug",
        (r"\bBUG: ", r"\bOops: ", "kernel BUG at", "general protection fault", r"\bWARNING: .*:\d"),
    ),
)
_OF_DEVICES = ("device failure", "I/O error", "device reset", _FILESYSTEM_ERROR)
_PROPERTY = re.compile(r"^ DEVICE=(?:b|\+\w+:)(\S+)$", re.MULTILINE)
_Key = tuple[str, Whose | None]
_PATTERNS = tuple((kind, re.compile("|".join(texts))) for kind, texts in _KINDS)


class KernelWatch:
    """Follows the kernel's log from when it is made."""

    def __init__(self, sut: Sut) -> None:
        self._log = sut.kernel_log()

    @property
    def records(self) -> partial[list[str] | None]:
        """The call that gives what came since the last one; None where the log cannot be read."""
        return partial(self._log.records if self._log else _none)

    def close(self) -> None:
        """Follow it no longer."""
        if self._log:
            self._log.close()


def _none() -> list[str] | None:
    """Of a machine whose log is kept from this user."""
    return None


def seen(
    records: Iterable[str] | None, own: OwnStack | None = None
) -> tuple[KernelTrouble, ...] | None:
    """The troubles of a log that was read; None where it could not be."""
    return None if records is None else troubles(records, own)


def troubles(records: Iterable[str], own: OwnStack | None = None) -> tuple[KernelTrouble, ...]:
    """Those of records of /dev/kmsg that tell of one, by kind and by whose they are, in the
    order they came. ``own`` tells what is of the target."""
    counts: dict[_Key, int] = {}
    lines: dict[_Key, list[str]] = {}
    for record in records:
        text = _text(record)
        kind = _kind(text) if record else _LOST
        if not kind:
            continue
        key = kind, None if own is None else _whose(kind, record, own)
        counts[key] = counts.get(key, 0) + 1
        kept = lines.setdefault(key, [])
        if text and text not in kept and len(kept) < LINES:
            kept.append(text)
    return tuple(KernelTrouble(k[0], n, tuple(lines[k]), k[1]) for k, n in counts.items())


def _whose(kind: str, record: str, own: OwnStack) -> Whose:
    """Memory, processors and tasks that hang are the host's: any device may be behind them,
    or none. The properties of a record may name a device that its text does not."""
    if kind not in _OF_DEVICES:
        return Whose.HOST
    about = f"{_text(record)} {' '.join(_PROPERTY.findall(record))}"
    if own.owns(about, of_filesystem=kind == _FILESYSTEM_ERROR):
        return Whose.TARGET
    return Whose.ELSEWHERE if names_a_device(about) else Whose.HOST


def in_words(told: Sequence[KernelTrouble]) -> str:
    """The first line of each kind in a sentence, for the reason of a failure."""
    return "; ".join(
        trouble.lines[0] if trouble.lines else trouble.kind for trouble in told[:LINES]
    )


def _text(record: str) -> str:
    """``6,339,5140900,-;the text`` without what is before it, and the properties below it."""
    return record.partition(";")[2].partition("\n")[0].strip()[:LONGEST]


def _kind(text: str) -> str:
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), "")
