"""How long a ``steady_state`` looks, and how often: what its options say, or what is usual."""

from __future__ import annotations

from collections.abc import Mapping

from iogate.jobs.estimate import parse_seconds
from iogate.stats.steady import SNIA, SNIA_ROUNDS

SNIA_MOST_ROUNDS = 25
_USUAL_TIMEOUT = "1h"
_USUAL_WINDOW_S = 60.0
_USUAL_ROUND_S = {True: 60.0, False: 1.0}
_LAST_ROUND_S = 5.0


def round_length_s(options: Mapping[str, str]) -> float:
    """How long a rate is averaged before it is looked at."""
    usual = _USUAL_ROUND_S[options.get("steadystate") == SNIA]
    return _seconds(options, "steadystate_check_interval", usual)


def window_s(options: Mapping[str, str]) -> float:
    """What has to be steady, up to now."""
    if options.get("steadystate") == SNIA:
        return SNIA_ROUNDS * round_length_s(options)
    return _seconds(options, "steadystate_duration", _USUAL_WINDOW_S)


def ramp_s(options: Mapping[str, str]) -> float:
    """What is left out at the start."""
    return _seconds(options, "steadystate_ramp_time", 0.0)


def timeout_of(options: Mapping[str, str]) -> str:
    """When writing is given up, in fio's words: an hour, or SNIA's 25 rounds."""
    if "runtime" in options:
        return options["runtime"]
    if options["steadystate"] != SNIA:
        return _USUAL_TIMEOUT
    most_s = ramp_s(options) + SNIA_MOST_ROUNDS * round_length_s(options) + _LAST_ROUND_S
    return f"{most_s:.0f}s"


def _seconds(options: Mapping[str, str], key: str, usual: float) -> float:
    seconds = parse_seconds(options[key]) if key in options else None
    return usual if seconds is None else seconds
