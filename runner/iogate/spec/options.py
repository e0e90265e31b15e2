"""fio options of a spec: their keys, their values, and what a target does not let them say."""

from __future__ import annotations

from collections.abc import Collection

from iogate.errors import Location, SpecError
from iogate.spec.fio_options import canonical_key, known_keys
from iogate.spec.fio_values import BadValueError, read_value
from iogate.spec.problems import suggest
from iogate.spec.variables import expand

PLACES = ("directory", "filename")  # where I/O goes: the target's business
_MISPLACED = {
    "exclude": "exclude stands beside matrix, under strategy",
    "include": "include stands beside matrix, under strategy",
    "repetitions": "repetitions stands beside fio, in the workload",
    "thresholds": "thresholds stands beside fio, in the workload",
}
_NO_PROGRAMS = "a spec describes I/O, it runs no programs"
_REFUSED = {
    "name": "a job is named by its workload, or by its key under jobs",
    "opendir": "it reaches files outside of the target",
    "filename_format": "it can name files outside of the target; give filename, or neither",
    "read_iolog": "a log names files outside of the target",
    "merge_blktrace_file": "a trace names files outside of the target",
    "replay_redirect": "the target says where I/O goes",
    "allow_mounted_write": "iogate never writes to what is mounted",
    "exec_prerun": _NO_PROGRAMS,
    "exec_postrun": _NO_PROGRAMS,
    "program": _NO_PROGRAMS,
    "arguments": _NO_PROGRAMS,
    "uid": "a run is its user's own",
    "gid": "a run is its user's own",
    "cgroup": "it changes the host",
    "profile": "it makes jobs that the spec does not show",
    "ioscheduler": "it changes the host and leaves it changed; see environment:",
}

_LOGS = frozenset(
    ("write_bw_log", "write_hist_log", "write_iolog", "write_iops_log", "write_lat_log")
)


def read_key(key: str, where: Location | None) -> str:
    """The canonical name of an option; SpecError for what is none or is refused."""
    name = canonical_key(key)
    if name is None:
        raise unknown_option(key, where)
    if name in _REFUSED:
        raise SpecError(f"{key} cannot be set here", remedy=_REFUSED[name], where=where)
    return name


def unknown_option(key: str, where: Location | None) -> SpecError:
    """The error for a key that fio does not have."""
    hint = _MISPLACED.get(key) or suggest(key, known_keys()) or "see man fio for its options"
    return SpecError(f"unknown fio option {key!r}", remedy=hint, where=where)


def read_option(name: str, text: str, where: Location | None) -> str:
    """The value of an option by its canonical name, with ${VARIABLES} replaced."""
    try:
        value = read_value(name, expand(text, where))
    except BadValueError as error:
        raise SpecError(error.what, remedy=error.remedy, where=where) from None
    if name in _LOGS and ("/" in value or value.startswith(".")):
        raise SpecError(
            f"{name} {value} leads out of the run folder",
            remedy="give a plain name: logs are kept in the folder of the run",
            where=where,
        )
    if name == "ioengine" and (value == "exec" or "/" in value or ":" in value):
        raise SpecError(f"ioengine {value} runs a program", remedy=_NO_PROGRAMS, where=where)
    if name == "mem" and ":" in value:
        raise SpecError(
            f"mem {value} leads out of the target",
            remedy="give the kind of memory alone: its file is then one that nobody has",
            where=where,
        )
    return value


def split_key(key: str, jobs: Collection[str]) -> tuple[str, str] | None:
    """``option`` or ``job.option`` as (job or "", canonical option); None for neither."""
    whole = canonical_key(key)
    if whole:
        return "", whole
    job, dot, option = key.rpartition(".")
    name = canonical_key(option)
    return (job, name) if dot and job in jobs and name else None
