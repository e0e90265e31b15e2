"""What makes a case the same case: its id.

Histories hang on ids. Where one has to change, the rule that gave it is kept: write the new rule
as a function of its own beside ``_rule_1``, let ``case_id`` call it, and put the rule that was
today's at the front of ``OLDER_RULES``. Each plan then has the ids by older rules among its cases'
``aka``, and every look into a history finds them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from iogate.jobs.options import OPTIONS
from iogate.model.spec import JobSpec, Spec, Target, TargetKind
from iogate.spec.options.values import BadValueError, canonical_value

_ID_DIGITS = 16
_COSMETIC = ("description",)
_ORDERED = ("stonewall", "wait_for")

Rule = Callable[[Sequence[JobSpec], Target, Mapping[str, object]], str]


def case_id(
    jobs: Sequence[JobSpec], target: Target, setup: Mapping[str, object] | None = None
) -> str:
    """The id of a case by today's rule, 16 hex digits. ``setup`` is what is set up for it."""
    return _rule_1(jobs, target, setup or {})


def former_ids(
    jobs: Sequence[JobSpec], target: Target, setup: Mapping[str, object] | None = None
) -> tuple[str, ...]:
    """The other ids that it had by older rules, newest first."""
    ids = dict.fromkeys(rule(jobs, target, setup or {}) for rule in OLDER_RULES)
    ids.pop(case_id(jobs, target, setup), None)
    return tuple(ids)


def _rule_1(jobs: Sequence[JobSpec], target: Target, setup: Mapping[str, object]) -> str:
    """The beginning of the SHA-256 over canonical JSON of the jobs' options, the target, and what
    is set up for it. Names, order and limits do not enter, so history survives changing
    them; the order of jobs does enter where some wait for others."""
    options = [canonical_options(job) for job in jobs]
    if command := jobs[0].command if jobs else None:
        # Where its numbers stand in what it prints does not make it another one.
        setup = {**setup, "command": [command.argv, command.prepare]}
    if not any(key in each for each in options for key in _ORDERED):
        options.sort(key=_canonical_json)
    material = _canonical_json({"jobs": options, "target": _describe(target), **setup})
    return hashlib.sha256(material.encode()).hexdigest()[:_ID_DIGITS]


# Newest first. A rule in it, and all that it calls, stays as it is.
OLDER_RULES: tuple[Rule, ...] = ()


def setup_of(spec: Spec) -> dict[str, object]:
    """What a spec sets up, as far as it may move numbers; empty for a spec that sets up
    nothing, so that its cases keep their ids."""
    setup: dict[str, object] = {}
    if spec.environment and (settings := spec.environment.measured_under):
        setup["environment"] = settings
    if spec.precondition:
        steps = (spec.precondition.fill, spec.precondition.steady_state)
        setup["precondition"] = [canonical_options(step) if step else {} for step in steps]
    return setup


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
            **_devices(target),
            "kind": target.kind.value,
            "device": target.device,
            "type": target.fs_type,
            "mkfs": target.mkfs,
            "mount": target.mount,
            "recreate": target.recreate,
        }
    if target.kind is TargetKind.ARRAY:
        return {**_devices(target), "kind": target.kind.value, "device": target.device}
    return {"kind": target.kind.value, "path": target.path}


def _devices(target: Target) -> dict[str, object]:
    """The devices beside the first, and the array that they are; nothing for one device."""
    told: dict[str, object] = {}
    if target.beside:
        told["beside"] = [[each.role, each.device] for each in target.beside]
    if array := target.array:
        told["array"] = [array.level, array.chunk_bytes, array.bitmap]
    return told


def _canonical_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
