"""Which reading is too much: what the spec says, else what is usual on this host, else what is
usual anywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from iogate.errors import RefusedError
from iogate.files.bounded import parse_json
from iogate.host.validity.base import Check
from iogate.host.validity.checks import BY_NAME, CHECKS
from iogate.model.validity import Validity
from iogate.sut.base import Sut
from iogate.sut.state_folder import state_folder

SCHEMA = "validity-limits/1"
_NAME = "validity.json"
_LONGEST = 65536
_LEAST_READINGS = 8
_ROOM = 3.0  # times what 19 of 20 repetitions with nothing else on the host read
_LOWEST, _HIGHEST = 0.5, 3.0  # of the limit that is usual anywhere


def limits_of(sut: Sut, validity: Validity) -> dict[str, float]:
    """The limit of each check by its name; infinite for one that is off."""
    host = host_limits(sut)
    limits = {check.name: host.get(check.name, check.limit) for check in CHECKS}
    limits |= {name: value for name, value in validity.limits.items() if name in limits}
    off = BY_NAME if "all" in validity.off else validity.off
    return limits | {name: math.inf for name in off if name in limits}


def counts(check: Check, validity: Validity) -> bool:
    """Whether a reading beyond the limit takes the repetition: always where the spec set it."""
    return check.counts or check.name in validity.limits


def host_limits(sut: Sut) -> dict[str, float]:
    """What a canary has found usual here; empty where none has, or the file is not this user's."""
    with suppress(RefusedError):
        return parse_limits(sut.read_own(place(sut)) or "")
    return {}


def parse_limits(text: str) -> dict[str, float]:
    """The limits of a text as ``write_host_limits`` writes it; none of any other."""
    try:
        document: Any = parse_json(text) if text and len(text) <= _LONGEST else {}
        limits = document.get("limits", {}) if document.get("schema") == SCHEMA else {}
        return {
            str(name): math.inf if value == "off" else float(value)
            for name, value in limits.items()
            if value == "off" or (isinstance(value, int | float) and value >= 0)
        }
    except (ValueError, AttributeError):
        return {}


def usual(readings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Limits for a host on which repetitions read this with nothing else running: enough room
    that hardly any of them would be marked, and not so much that everything is usual."""
    limits = {}
    for check in CHECKS:
        values = sorted(each[check.name] for each in readings if check.name in each)
        if not check.counts or check.limit <= 0 or len(values) < _LEAST_READINGS:
            continue
        typical = values[min(math.ceil(0.95 * len(values)), len(values)) - 1]
        least, most = _LOWEST * check.limit, _HIGHEST * check.limit
        limits[check.name] = round(min(max(_ROOM * typical, least), most), 4)
    return limits


def write_host_limits(sut: Sut, limits: Mapping[str, float], run_id: str) -> str:
    """Keep what is usual here; where it stands. What was turned off stays off. RunError when
    that cannot be written."""
    path = place(sut)
    off = {name: value for name, value in host_limits(sut).items() if math.isinf(value)}
    limits = {**limits, **off}
    kept = {name: "off" if math.isinf(value) else value for name, value in limits.items()}
    document = {"schema": SCHEMA, "run": run_id, "limits": kept}
    sut.put(path, (json.dumps(document, indent=1) + "\n").encode())
    return path


def place(sut: Sut) -> str:
    """The file in this user's state folder."""
    return f"{state_folder(sut)}/{_NAME}"
