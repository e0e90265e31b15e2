"""The section ``precondition``."""

from __future__ import annotations

import re
from dataclasses import replace

from iogate.errors import Location, SpecError
from iogate.jobs import estimate
from iogate.jobs.steady_times import ramp_s, round_length_s, window_s
from iogate.model.spec import JobSpec, Precondition, Target, TargetKind
from iogate.spec.build.jobs import read_options
from iogate.spec.options.check import PLACES
from iogate.spec.text.problems import Problems
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar
from iogate.stats.steady import LEAST_ROUNDS, SNIA, SNIA_ROUNDS

STEADY = "steadystate"
_RULE = re.compile(rf"(iops|bw)(_slope)?:[0-9]+(\.[0-9]+)?%?|{SNIA}", re.ASCII)
_STEPS = {"fill": "write", "steady_state": "randwrite"}
_LEAST_ROUND_S = 1.0


def build_precondition(node: Node | None, problems: Problems) -> Precondition | None:
    """The section as jobs; None where it says nothing. What is wrong is noted."""
    if not isinstance(node, Mapping):
        return None
    jobs = {key: _job(key, entry, problems) for key, entry in node.entries.items() if key in _STEPS}
    keep = _keep(node.get("keep"), problems)
    if not jobs:
        return None
    built = Precondition(jobs.get("fill"), jobs.get("steady_state"))
    return built if keep is None else replace(built, keep_s=keep)


def _keep(node: Node | None, problems: Problems) -> float | None:
    if not isinstance(node, Scalar):
        return None
    seconds = estimate.parse_seconds(node.text)
    if seconds is None:
        problems.add(
            f"keep is how long a precondition counts, and {node.text!r} is not a time",
            node.where,
            "write 12h or 7d; 0 makes it anew for each run",
        )
    return seconds


def _job(step: str, entry: Entry, problems: Problems) -> JobSpec:
    written = read_options(entry.value, problems)
    options = {key: value for key, (value, _place) in written.items()}
    places = {key: place for key, (_value, place) in written.items()}
    where = entry.key_at
    for key in PLACES:
        if key in options:
            problems.add(
                f"{key} cannot be set here", where, "the device targets of the spec are meant"
            )
    options = {"rw": _STEPS[step], "direct": "1", **options}
    if not options["rw"].startswith(("write", "randwrite")):
        problems.add(f"{step} does not write: rw is {options['rw']}", where, "write or randwrite")
    job = JobSpec(f"precondition-{step.replace('_', '-')}", options, where, places)
    _check_rule(step, job, problems)
    return job


def _check_rule(step: str, job: JobSpec, problems: Problems) -> None:
    """Note a rule that cannot be followed, and what goes with another one."""
    where, rule = job.where, job.options.get(STEADY, "")
    assert where is not None
    if step == "fill":
        if rule:
            what = "fill ends when it has written all"
            problems.add(what, where, f"{STEADY} is for steady_state")
        return
    if not _RULE.fullmatch(rule):
        problems.add(
            f"{STEADY} says when the device is steady, and {rule!r} does not",
            where,
            f'such as {STEADY}: "iops_slope:0.3%", or iops, bw or bw_slope; or {SNIA}',
        )
    if rule != SNIA:
        _check_window(job, where, problems)
    elif f"{STEADY}_duration" in job.options:
        problems.add(
            f"with {STEADY}: {SNIA} the window is {SNIA_ROUNDS} rounds, and ss_dur says another",
            job.places.get(f"{STEADY}_duration", where),
            "leave ss_dur out; ss_interval is how long a round is (60s)",
        )
    _check_round(job, where, problems)
    _check_timeout(job, where, problems)


def _check_round(job: JobSpec, where: Location, problems: Problems) -> None:
    key = f"{STEADY}_check_interval"
    text = job.options.get(key, "60s")
    length_s = estimate.parse_seconds(text)
    if length_s is not None and length_s < _LEAST_ROUND_S:
        problems.add(
            f"ss_interval is at least {_LEAST_ROUND_S:g}s, not {text}",
            job.places.get(key, where),
            "the engine says its rate once a second",
        )


def _check_window(job: JobSpec, where: Location, problems: Problems) -> None:
    """Note one with too few rounds for a rate to be seen steady in it."""
    round_s, whole_s = round_length_s(job.options), window_s(job.options)
    if whole_s < LEAST_ROUNDS * round_s:
        problems.add(
            f"ss_dur is {whole_s:g}s, less than {LEAST_ROUNDS} rounds of ss_interval "
            f"({round_s:g}s): no rate is seen steady in that",
            job.places.get(f"{STEADY}_duration", where),
            f"write ss_dur: {LEAST_ROUNDS * round_s:g}s or more, or a shorter ss_interval",
        )


def _check_timeout(job: JobSpec, where: Location, problems: Problems) -> None:
    """Note one that is over before the first window is."""
    most_s = estimate.parse_seconds(job.options.get("runtime", "0"))
    least_s = ramp_s(job.options) + window_s(job.options)
    if most_s and most_s < least_s:
        problems.add(
            f"timeout ({most_s:g}s) ends before the first window does, after {least_s:g}s",
            job.places.get("runtime", where),
            "give it several times as long, or a shorter window",
        )


def check_precondition(node: Node | None, targets: dict[str, Target], problems: Problems) -> None:
    """Note a precondition that nothing can be done with: it works on devices that may be
    destroyed, not on files."""
    devices = [t for t in targets.values() if t.kind is TargetKind.DEVICE and t.destroy]
    if isinstance(node, Mapping) and any(key in _STEPS for key in node.entries) and not devices:
        problems.take(
            SpecError(
                "a precondition overwrites devices, and no target is a device with destroy:",
                remedy="add destroy: to a device target, or leave precondition out",
                where=node.where,
            )
        )
