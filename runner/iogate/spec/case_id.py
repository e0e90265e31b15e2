"""What makes a case the same case: its id."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from iogate.jobs.options import OPTIONS
from iogate.model.spec import JobSpec, Spec, Target, TargetKind
from iogate.spec.options.values import BadValueError, canonical_value

_ID_DIGITS = 16
_COSMETIC = ("description",)
_ORDERED = ("stonewall", "wait_for")


def case_id(
    jobs: Sequence[JobSpec], target: Target, setup: Mapping[str, object] | None = None
) -> str:
    """The first 16 hex digits of the SHA-256 over canonical JSON of the jobs' options, the
    target, and what is set up for it. Names, order and limits do not enter, so history
    survives changing them; the order of jobs does enter where some wait for others."""
    options = [canonical_options(job) for job in jobs]
    if not any(key in each for each in options for key in _ORDERED):
        options.sort(key=_canonical_json)
    material = _canonical_json({"jobs": options, "target": _describe(target), **(setup or {})})
    return hashlib.sha256(material.encode()).hexdigest()[:_ID_DIGITS]


def setup_of(spec: Spec) -> dict[str, object]:
    """What a spec sets up, as far as it may move numbers; empty for a spec that sets up
    nothing, so that its cases keep their ids."""
    found: dict[str, object] = {}
    if spec.environment and (settings := spec.environment.measured_under):
        found["environment"] = settings
    if spec.precondition:
        steps = (spec.precondition.fill, spec.precondition.steady_state)
        found["precondition"] = [canonical_options(step) if step else {} for step in steps]
    return found


def canonical_options(job: JobSpec) -> dict[str, str]:
    """What a job does, in the one spelling that equal jobs share."""
    return {key: _spelled(key, job.options[key]) for key in job.options if key not in _COSMETIC}


@lru_cache(maxsize=4096)  # of a thousand results and of a wide matrix most are the same
def _spelled(key: str, value: str) -> str:
    """Jobs of a spec hold known options alone; those of an imported result hold what ran."""
    try:
        return canonical_value(key, value) if key in OPTIONS else value
    except BadValueError:
        return value


def _describe(target: Target) -> dict[str, object]:
    if target.kind is TargetKind.FILESYSTEM:
        return {
            "kind": target.kind.value,
            "device": target.device,
            "type": target.fs_type,
            "mkfs": target.mkfs,
            "mount": target.mount,
            "recreate": target.recreate,
        }
    return {"kind": target.kind.value, "path": target.path}


def _canonical_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
