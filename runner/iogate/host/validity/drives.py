"""What a drive logs of its heat, where the tool that asks it is installed."""

from __future__ import annotations

import re
from typing import Any

from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.sut.base import Sut

_TIMEOUT_S = 5.0
_KELVIN = 200  # no drive is so hot in °C, nor so cold in K
_NVME = re.compile(r"(nvme\d+)(?:c\d+)?n\d+")
# Times that an NVMe drive went into a state of less power because of its temperature.
_TRANSITIONS = ("thm_temp1_trans_count", "thm_temp2_trans_count")


def drive_counts(sut: Sut, disk: str) -> dict[str, float]:
    """``throttled``: how often the drive has slowed itself; ``temperature`` in °C. Empty for a
    disk that cannot be asked."""
    match = _NVME.fullmatch(disk)
    if match and sut.which("nvme"):
        return nvme_counts(_said(sut, "nvme", "smart-log", "-o", "json", f"/dev/{match[1]}"))
    physical = match or disk.startswith("sd")
    if physical and sut.which("smartctl"):
        return smart_counts(_said(sut, "smartctl", "-j", "-n", "standby", "-A", f"/dev/{disk}"))
    return {}


def nvme_counts(text: str) -> dict[str, float]:
    """Of what ``nvme smart-log -o json`` says."""
    log = _parsed(text)
    counts = {}
    times = [log[name] for name in _TRANSITIONS if isinstance(log.get(name), int | float)]
    if times:
        counts["throttled"] = float(sum(times))
    degrees = log.get("temperature")
    if isinstance(degrees, int | float) and degrees > 0:
        counts["temperature"] = float(degrees - 273 if degrees > _KELVIN else degrees)
    return counts


def smart_counts(text: str) -> dict[str, float]:
    """Of what ``smartctl -j -A`` says: SATA drives keep no count of their throttling."""
    document = _parsed(text)
    now = document.get("temperature")
    current = now.get("current") if isinstance(now, dict) else None
    return {"temperature": float(current)} if isinstance(current, int) else {}


def _said(sut: Sut, *argv: str) -> str:
    try:
        return sut.run(argv, timeout_s=_TIMEOUT_S).stdout
    except RunError:
        return ""


def _parsed(text: str) -> dict[str, Any]:
    try:
        document = parse_json(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
