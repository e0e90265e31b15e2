"""fio options of a spec: their keys, their values, and what a target does not let them say."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from iogate.errors import Location, SpecError
from iogate.jobs.job_file import NAME_KEYWORDS
from iogate.jobs.options import canonical_key, known_keys
from iogate.spec.options.reach import (
    ENGINES_REFUSED,
    MEMORIES,
    NETWORK_ENGINE,
    OF_ENDPOINTS,
    REFUSED,
)
from iogate.spec.options.values import BadValueError, read_value
from iogate.spec.text.problems import suggest
from iogate.spec.text.variables import expand

PLACES = ("directory", "filename", "filename_format")  # where I/O goes: the target's business
_MISPLACED = {
    "exclude": "exclude stands beside matrix, under strategy",
    "include": "include stands beside matrix, under strategy",
    "repetitions": "repetitions stands beside fio, in the workload",
    "thresholds": "thresholds: stands beside fio, in the workload",
}
_LOGS = frozenset(
    ("write_bw_log", "write_hist_log", "write_iolog", "write_iops_log", "write_lat_log")
)
_LOG_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)
# What a run folder holds beside logs: a log that takes such a name would stand in its place.
_NO_LOG = (".json", ".jsonl", ".html", ".xml", ".md", ".txt", ".yaml", ".fio")


def read_key(key: str, where: Location | None, *, network: bool = False) -> str:
    """The canonical name of an option; SpecError for what is none or is refused. ``network``: it
    is of a workload that declares endpoints."""
    name = canonical_key(key)
    if name is None:
        raise unknown_option(key, where)
    if name in REFUSED and not (network and name in OF_ENDPOINTS):
        raise SpecError(f"{key} cannot be set here", remedy=REFUSED[name], where=where)
    return name


def unknown_option(key: str, where: Location | None) -> SpecError:
    """The error for a key that fio does not have."""
    hint = _MISPLACED.get(key) or suggest(key, known_keys()) or "see man fio for its options"
    return SpecError(f"unknown fio option {key!r}", remedy=hint, where=where)


def read_option(name: str, text: str, where: Location | None, *, network: bool = False) -> str:
    """The value of an option by its canonical name, with ${VARIABLES} replaced; SpecError for
    one that leads out of the target, or without ``network`` to one."""
    keep = NAME_KEYWORDS if name == "filename_format" else ()
    try:
        value = read_value(name, expand(text, where, keep=keep))
    except BadValueError as error:
        raise SpecError(error.what, remedy=error.remedy, where=where) from None
    if network and (name, value) == ("ioengine", NETWORK_ENGINE):
        return value
    check = _CHECKS.get(name)
    if why := check(value) if check else None:
        raise SpecError(f"{name} {value} {why[0]}", remedy=why[1], where=where)
    return value


def _log(value: str) -> tuple[str, str] | None:
    """What is wrong with the name of a log, and what to do; None where nothing is."""
    if not _LOG_NAME.fullmatch(value):
        return (
            "leads out of the run folder",
            "give a plain name: logs are kept in the folder of the run",
        )
    if value.lower().endswith(_NO_LOG):
        return "is a name that the run folder keeps", "end it with .log, or with nothing"
    return None


def _ioengine(value: str) -> tuple[str, str] | None:
    """fio takes more after a colon: of ``external`` the library that it loads."""
    word, colon, _ = value.partition(":")
    if word in ENGINES_REFUSED:
        runs = word in ("exec", "external")
        says = "runs a program" if runs else "leads out of the target"
        return says, ENGINES_REFUSED[word]
    if colon or "/" in value:
        return "runs a program", ENGINES_REFUSED["external"]
    return None


def _memory(value: str) -> tuple[str, str] | None:
    if value in MEMORIES:
        return None
    remedy = f"give the kind of memory alone, one of {', '.join(MEMORIES)}"
    return "leads out of the target", remedy


def _pattern(value: str) -> tuple[str, str] | None:
    """Text in single quotes is the name of a file that is read."""
    if "'" not in value:
        return None
    return "reads a file", 'write the pattern itself: a number, or text in "double quotes"'


_CHECKS: dict[str, Callable[[str], tuple[str, str] | None]] = {
    **dict.fromkeys(_LOGS, _log),
    "ioengine": _ioengine,
    "mem": _memory,
    "buffer_pattern": _pattern,
    "verify_pattern": _pattern,
}


def split_key(key: str, jobs: Collection[str]) -> tuple[str, str] | None:
    """``option`` or ``job.option`` as (job or "", canonical option); None for neither."""
    whole = canonical_key(key)
    if whole:
        return "", whole
    job, dot, option = key.rpartition(".")
    name = canonical_key(option)
    return (job, name) if dot and job in jobs and name else None
