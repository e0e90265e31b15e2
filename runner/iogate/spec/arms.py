"""The section ``compare``, and a spec as one of its arms sees it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iogate.errors import UsageError
from iogate.model.comparison import Arm, CompareRule
from iogate.model.plan import Case, Plan
from iogate.model.spec import Spec
from iogate.spec.plan import make_plan
from iogate.spec.problems import Problems, suggest
from iogate.spec.scalars import whole_number
from iogate.spec.tree import Mapping, Node, Scalar

AS_WRITTEN = "spec"  # the name of the arm without any change


@dataclass(frozen=True, slots=True)
class Sides:
    """A plan to compare, and each of its cases as either arm runs it, in the same order."""

    plan: Plan
    base: tuple[Case, ...]
    candidate: tuple[Case, ...]


def build_compare(node: Node | None, targets: Sequence[str], problems: Problems) -> CompareRule:
    """The section as a rule. Unknown targets and arms are noted."""
    if not isinstance(node, Mapping):
        return CompareRule()
    section = node.get("arms")
    entries = section.entries if isinstance(section, Mapping) else {}
    arms = tuple(_arm(name, entry.value) for name, entry in entries.items())
    names = [arm.name for arm in arms]
    for arm in arms:
        for name in (*arm.targets, *arm.targets.values()):
            if name not in targets:
                remedy = suggest(name, targets)
                problems.add(f"arm {arm.name!r}: there is no target {name!r}", node.where, remedy)
    roles = {role: _text(node.get(role)) for role in ("base", "candidate")}
    for role, name in roles.items():
        if name and name not in (*names, AS_WRITTEN):
            problems.add(f"{role}: there is no arm {name!r}", node.where, suggest(name, names))
    blocks = node.get("blocks")
    rule = CompareRule(arms, roles["base"], roles["candidate"])
    return replace(rule, blocks=whole_number(blocks)) if isinstance(blocks, Scalar) else rule


def _arm(name: str, node: Node) -> Arm:
    def pairs(key: str) -> dict[str, str]:
        section = node.get(key) if isinstance(node, Mapping) else None
        entries = section.entries if isinstance(section, Mapping) else {}
        return {key: _text(entry.value) for key, entry in entries.items()}

    def text(key: str) -> str:
        return _text(node.get(key)) if isinstance(node, Mapping) else ""

    overrides = tuple(f"{key}={value}" for key, value in pairs("set").items())
    return Arm(name, overrides, pairs("targets"), text("engine"), text("prepare"))


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def find_arm(spec: Spec, text: str, role: str) -> Arm:
    """The arm that ``--base`` or ``--candidate`` names: one of the spec's, ``spec`` for the
    spec as it is written, or changes such as ``iodepth=32;engine=/path``. Without a text,
    what the spec says for the role; the base is then the spec as written."""
    wanted = text or (spec.compare.base if role == "base" else spec.compare.candidate)
    wanted = wanted or (AS_WRITTEN if role == "base" else "")
    for arm in spec.compare.arms:
        if arm.name == wanted:
            return arm
    if wanted == AS_WRITTEN:
        return Arm(AS_WRITTEN)
    if "=" in wanted:
        return _arm_of_text(wanted)
    names = [*(arm.name for arm in spec.compare.arms), AS_WRITTEN]
    what = f"there is no arm {wanted!r}" if wanted else f"no arm is named as the {role}"
    raise UsageError(
        f"--{role}: {what}",
        remedy=suggest(wanted, names)
        or f"name one of {', '.join(names)}, or write changes such as iodepth=32",
    )


def _arm_of_text(text: str) -> Arm:
    parts = [part.strip() for part in text.split(";") if part.strip()]
    engines = [part.removeprefix("engine=") for part in parts if part.startswith("engine=")]
    overrides = tuple(part for part in parts if not part.startswith("engine="))
    return Arm(text, overrides, engine=engines[-1] if engines else "")


def make_sides(spec: Spec, base: Arm, candidate: Arm, overrides: Sequence[str]) -> Sides:
    """The plan of a comparison. Its cases have ids of their own, so that a comparison never
    becomes a baseline or a night of the case. UsageError when the arms' cases do not match."""
    plans = [_arm_plan(spec, arm, overrides) for arm in (base, candidate)]
    first, second = (plan.cases for plan in plans)
    if len(first) != len(second):
        raise UsageError(
            f"arm {base.name} has {len(first)} cases and arm {candidate.name} {len(second)}",
            remedy="an arm may not set an option that is an axis of a matrix",
        )
    cases = tuple(
        replace(one, id=compared_id(one, other, base, candidate), aka=())
        for one, other in zip(first, second, strict=True)
    )
    as_compared = [
        tuple(replace(case, id=own.id) for case, own in zip(plan.cases, cases, strict=True))
        for plan in plans
    ]
    return Sides(replace(plans[0], cases=cases, overrides=tuple(overrides)), *as_compared)


def _arm_plan(spec: Spec, arm: Arm, overrides: Sequence[str]) -> Plan:
    workloads = tuple(
        replace(workload, target=arm.targets.get(workload.target, workload.target))
        for workload in spec.workloads
    )
    return make_plan(replace(spec, workloads=workloads), overrides=(*overrides, *arm.overrides))


def compared_id(one: Case, other: Case, base: Arm, candidate: Arm) -> str:
    """The id of a pair of cases under two arms; arms by what they change, not by name."""
    parts = [one.id, other.id, base.engine, candidate.engine, base.prepare, candidate.prepare]
    return hashlib.sha256("\0".join(("compare", *parts)).encode()).hexdigest()[:16]


def canary_id(case: Case) -> str:
    """The id under which a case was compared with itself."""
    return compared_id(case, case, Arm(""), Arm(""))
