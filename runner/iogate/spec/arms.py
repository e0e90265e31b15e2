"""The section ``compare``, and a spec as one of its arms sees it."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from iogate.errors import SpecError, UsageError
from iogate.jobs.estimate import parse_seconds
from iogate.model.axes import MKFS, MOUNT
from iogate.model.comparison import Arm, CompareRule
from iogate.model.environment import laid_over
from iogate.model.filesystem import BadArgumentError, check_beside, mount_words
from iogate.model.plan import Case, Plan
from iogate.model.pool import pools_among
from iogate.model.spec import Spec, Target, TargetKind, Workload
from iogate.spec.build.environment import build_environment
from iogate.spec.build.texts import texts_of
from iogate.spec.plan import make_plan
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.scalars import whole_number
from iogate.spec.text.tree import Mapping, Node, Scalar

_OWN_KEYS = ("engine", "mkfs", "mount", "kernel", "module", "library")
_OF_SPECS = ("targets", "environment", "prepare", "set")  # keys of an arm that a text cannot have
_EXAMPLES = {
    "engine": "/path/iogate-engine",
    "kernel": "6.12",
    "module": "./foo.ko",
    "library": "./libaio.so.1",
}
AS_WRITTEN = "spec"  # the name of the arm without any change
NO_BOOTS = "neither arm is a kernel or a module, so there are no boots to repeat anything in"
MORE_BLOCKS = "leave per_boot out: without boots a further block tells more and costs no more"


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
    arms = tuple(_arm(name, entry.value, problems) for name, entry in entries.items())
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
    rule = _how_long(CompareRule(arms, roles["base"], roles["candidate"]), node)
    _check_boots(rule, node, problems)
    return rule


def _check_boots(rule: CompareRule, node: Mapping, problems: Problems) -> None:
    """Note a comparison that the spec names, with several repetitions a boot and no boots."""
    named = [arm for arm in rule.arms if arm.name in (rule.base, rule.candidate)]
    per_boot = node.get("per_boot")
    booted = any(arm.boots for arm in named)
    if per_boot and rule.per_boot > 1 and rule.candidate and not booted:
        problems.add(f"per_boot: {NO_BOOTS}", per_boot.where, MORE_BLOCKS)


def _how_long(rule: CompareRule, node: Mapping) -> CompareRule:
    """The rule with what the section says of its blocks and the time that they may take."""
    blocks, sees, budget = (node.get(key) for key in ("blocks", "sees", "budget"))
    if isinstance(per_boot := node.get("per_boot"), Scalar):
        rule = replace(rule, per_boot=whole_number(per_boot))
    if isinstance(blocks, Scalar):
        rule = replace(rule, blocks=whole_number(blocks))
    if isinstance(sees, Scalar):
        rule = replace(rule, sees=float(sees.text))
    if isinstance(budget, Scalar):
        rule = replace(rule, budget_s=parse_seconds(budget.text))
    return rule


def _arm(name: str, node: Node, problems: Problems) -> Arm:
    def pairs(key: str) -> dict[str, str]:
        section = node.get(key) if isinstance(node, Mapping) else None
        entries = section.entries if isinstance(section, Mapping) else {}
        return {key: _text(entry.value) for key, entry in entries.items()}

    def words(key: str) -> tuple[str, ...] | None:
        value = node.get(key) if isinstance(node, Mapping) else None
        return texts_of(value) if value else None

    section = node if isinstance(node, Mapping) else Mapping(node.where)
    return Arm(
        name,
        tuple(f"{key}={value}" for key, value in pairs("set").items()),
        pairs("targets"),
        _text(section.get("engine")),
        _text(section.get("prepare")),
        build_environment(section.get("environment"), problems),
        words("mkfs"),
        words("mount"),
        _text(section.get("kernel")),
        *_module(section.get("module")),
        _text(section.get("library")),
    )


def _module(node: Node | None) -> tuple[str, tuple[str, ...]]:
    """The file of a module, and its parameters."""
    if not isinstance(node, Mapping):
        return _text(node), ()
    section = node.get("parameters")
    entries = section.entries if isinstance(section, Mapping) else {}
    parameters = tuple(f"{name}={_text(entry.value)}" for name, entry in entries.items())
    return _text(node.get("file")), parameters


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
        _check_text(wanted, role, {workload.name for workload in spec.workloads})
        return _arm_of_text(wanted, role)
    names = [*(arm.name for arm in spec.compare.arms), AS_WRITTEN]
    what = f"there is no arm {wanted!r}" if wanted else f"no arm is named as the {role}"
    known = f"name one of {', '.join(names)}, or " if spec.compare.arms else ""
    raise UsageError(
        f"--{role}: {what}",
        remedy=suggest(wanted, names) or f"{known}write changes such as iodepth=32",
    )


def _check_text(text: str, role: str, workloads: Container[str]) -> None:
    """UsageError for a change that only an arm of a spec can make."""
    for part in text.split(";"):
        key = part.partition("=")[0].strip().partition(".")[0]
        if key in _OF_SPECS and key not in workloads:
            raise UsageError(
                f"--{role} {text}: an arm with {key} cannot be written here",
                remedy=f"name it in the spec, compare: {{ arms: {{ NAME: {{ {key}: … }} }} }}, and"
                f" write --{role} NAME",
            )


def _arm_of_text(text: str, role: str) -> Arm:
    parts = [part.strip() for part in text.split(";") if part.strip()]
    own = dict(part.split("=", 1) for part in parts if part.partition("=")[0] in _OWN_KEYS)
    for key, example in _EXAMPLES.items():
        if key in own and not own[key].strip():
            raise UsageError(
                f"--{role} {text}: {key} has no value", remedy=f"such as {key}={example}"
            )
    kernel = own.get("kernel", "").strip()
    module, *parameters = own.get("module", "").split() or [""]
    overrides = tuple(part for part in parts if part.partition("=")[0] not in _OWN_KEYS)
    mkfs, mount = (
        tuple(filter(None, [own[key].strip()])) if key in own else None for key in ("mkfs", "mount")
    )
    return Arm(
        text,
        overrides,
        engine=own.get("engine", ""),
        mkfs=mkfs,
        mount=mount,
        kernel=kernel,
        module=module,
        parameters=tuple(parameters),
        library=own.get("library", "").strip(),
    )


def make_sides(spec: Spec, base: Arm, candidate: Arm, overrides: Sequence[str]) -> Sides:
    """The plan of a comparison. Its cases have ids of their own, so that a comparison never
    becomes a baseline or a night of the case. Limits ``vs case`` are not in it: blocks end when
    the arms are told apart. UsageError when the arms' cases do not match."""
    plans = [_named_plan(spec, arm, overrides) for arm in (base, candidate)]
    first, second = (plan.cases for plan in plans)
    if len(first) != len(second):
        raise UsageError(
            f"arm {base.name} has {len(first)} cases and arm {candidate.name} {len(second)}",
            remedy="an arm may not set an option that is an axis of a matrix",
        )
    cases = tuple(
        replace(
            case,
            id=compared_id(case, other, base, candidate),
            aka=(),
            thresholds=tuple(each for each in case.thresholds if not each.limit.case),
        )
        for case, other in zip(first, second, strict=True)
    )
    as_compared = [
        tuple(replace(case, id=own.id) for case, own in zip(plan.cases, cases, strict=True))
        for plan in plans
    ]
    ids = {case.id: own.id for case, own in zip(first, cases, strict=True)}
    pools = pools_among(plans[0].pools, ids)
    plan = replace(plans[0], cases=cases, pools=pools, overrides=tuple(overrides))
    return Sides(plan, *as_compared)


def _named_plan(spec: Spec, arm: Arm, overrides: Sequence[str]) -> Plan:
    """As ``arm_plan``; what is wrong in it is told with the arm, unless that changes nothing."""
    try:
        return arm_plan(spec, arm, overrides)
    except SpecError as error:
        if replace(arm, name="") == Arm(""):
            raise
        problems = Problems()
        problems.take(error, arm=arm.name)
        problems.check()
        raise


def arm_plan(spec: Spec, arm: Arm, overrides: Sequence[str]) -> Plan:
    """The spec as the arm runs it. UsageError, naming the arm, where it cannot be."""
    names = dict.fromkeys(name for workload in spec.workloads for name in workload.targets)
    used = {name: spec.targets[arm.targets.get(name, name)] for name in names}
    _check_filesystems(arm, used.values())
    _check_axes(arm, spec.workloads)
    spec = replace(
        spec,
        environment=laid_over(spec.environment, arm.environment),
        targets={
            **spec.targets,
            **{name: _arm_target(target, arm) for name, target in used.items()},
        },
    )
    try:
        return make_plan(spec, overrides=(*overrides, *arm.overrides))
    except UsageError as error:
        if error.where or not any(f"--set {own}" in error.what for own in arm.overrides):
            raise
        what = error.what.removeprefix("--set ").removeprefix(f"{arm.name}: ")
        raise UsageError(f"arm {arm.name}: {what}", remedy=error.remedy) from None


def _check_filesystems(arm: Arm, targets: Iterable[Target]) -> None:
    """UsageError for an arm that makes or mounts what no workload uses: both arms would be one."""
    changed = arm.mkfs is not None or arm.mount is not None
    if changed and not any(target.kind is TargetKind.FILESYSTEM for target in targets):
        raise UsageError(
            f"arm {arm.name}: no workload is on a filesystem that mkfs or mount could change",
            remedy="measure on a target with filesystem:, or leave them out",
        )


def _check_axes(arm: Arm, workloads: Iterable[Workload]) -> None:
    """UsageError for an arm that changes what the matrix says: both arms would be one."""
    changed = {MKFS: arm.mkfs is not None, MOUNT: arm.mount is not None}
    for workload in workloads:
        for key in (key for key in workload.matrix if changed.get(key)):
            raise UsageError(
                f"arm {arm.name}: {key} is an axis of workload {workload.name!r}",
                remedy="leave it out of the arm, or of the matrix",
            )


def _arm_target(target: Target, arm: Arm) -> Target:
    """A filesystem as the arm makes and mounts it. It has a name of its own, as both arms'
    may be made in one run."""
    changed = arm.mkfs is not None or arm.mount is not None
    if target.kind is not TargetKind.FILESYSTEM or not changed:
        return target
    made = replace(
        target,
        name=f"{target.name}@{arm.name}",
        mkfs=target.mkfs if arm.mkfs is None else arm.mkfs,
        mount=target.mount if arm.mount is None else arm.mount,
    )
    try:
        check_beside(made.fs_type or "", made.mkfs, made.roles)
        mount_words(made.mount)
    except BadArgumentError as error:
        raise UsageError(f"arm {arm.name}: {error.what}", remedy=error.remedy) from None
    return made


def compared_id(case: Case, other: Case, base: Arm, candidate: Arm) -> str:
    """The id of a pair of cases under two arms; arms by what they change, not by name."""
    parts = [case.id, other.id, base.engine, candidate.engine, base.prepare, candidate.prepare]
    if base.kernel or candidate.kernel:
        parts += [base.kernel, candidate.kernel]
    if base.library or candidate.library:
        parts += ["library", base.library, candidate.library]
    if base.module or candidate.module:
        parts += [" ".join((arm.module, *arm.parameters)) for arm in (base, candidate)]
    return hashlib.sha256("\0".join(("compare", *parts)).encode()).hexdigest()[:16]


def canary_id(case: Case) -> str:
    """The id under which a case was compared with itself."""
    return compared_id(case, case, Arm(""), Arm(""))


def canary_ids(case: Case) -> tuple[str, ...]:
    """One for each id that the case has had."""
    return tuple(canary_id(replace(case, id=each)) for each in case.ids)
