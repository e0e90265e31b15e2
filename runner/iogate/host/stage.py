"""What is set up around the repetitions of a run: settings, filesystems, and an empty cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from iogate.errors import RefusedError, RunError
from iogate.host.devices.block_devices import find_device
from iogate.host.devices.own_stack import OwnStack, own_stack
from iogate.host.devices.unwritten import Unwritten, look_for_unwritten
from iogate.host.facts import Fact, collect_facts, target_device, target_facts
from iogate.host.foreseen import foreseen_with
from iogate.host.kernel_log import KernelWatch, seen
from iogate.host.requirements import Throttling, check_requirements
from iogate.host.settings.entries import Setting
from iogate.host.settings.journal import Journal, unrestored
from iogate.host.settings.knobs import knobs_of
from iogate.host.settings.tuning import Tuning
from iogate.host.targets.check import Use, directory_of, overwritten, prepared, resolved
from iogate.host.targets.footing import Footing
from iogate.host.targets.mount_watch import MountWatch
from iogate.host.targets.volumes import Volumes
from iogate.host.validity import Surroundings, Watch
from iogate.host.validity.base import TargetDisks
from iogate.host.validity.disks import target_disks
from iogate.host.validity.quiet import require_quiet
from iogate.jobs import estimate
from iogate.model.environment import DropCaches, Environment
from iogate.model.measurement import KernelTrouble
from iogate.model.place import Place
from iogate.model.plan import Case, Plan
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut

_DROP = "/proc/sys/vm/drop_caches"
_SYNC_TIMEOUT_S = 3600.0


@dataclass(slots=True)
class Stage:
    """The host as the cases of a run want it. ``footing`` knows where each target is;
    ``unwritten`` is what the case that is ready now would read of what was never written."""

    sut: Sut
    footing: Footing
    uses: Sequence[Use]
    tuning: Tuning
    volumes: Volumes
    throttling: Throttling
    kernel: KernelWatch
    mounts: MountWatch
    surroundings: Surroundings
    unwritten: Unwritten = field(default_factory=Unwritten)
    _last: str | None = None
    _own: dict[str, OwnStack] = field(default_factory=dict)
    _disks: dict[str, TargetDisks] = field(default_factory=dict)

    @property
    def places(self) -> Mapping[str, Place]:
        """Where each target is measured, by name."""
        return self.footing.places

    def ready(self, case: Case, *, anew: bool = False) -> None:
        """Everything as the case wants it, right before a repetition. ``anew``: also what is
        only made anew now and then, as for each run of an arm. RunError when that fails,
        RefusedError when a target is no longer what it was, or may no longer be written."""
        look = self.footing.confirm(case.target)
        self.tuning.hold(case.environment)
        target, writes = self.footing.target(case.target), estimate.writes(case)
        made = self.volumes.ready(target, case.id, anew=anew, writes=writes)
        if case.environment and self._drops(case, case.environment, anew=anew):
            drop_caches(self.sut)
        changed = made or case.environment is not None or not self.volumes.idle
        now = None if changed else look
        self.footing.arrive(case.target, made=made, look=now)
        self._last = case.id
        place = self.places[case.target.name].path
        self.unwritten = look_for_unwritten(now or self.sut, case, place)
        self.mounts.begin(case.target, place)
        if case.environment and case.environment.require.no_throttle:
            self.throttling.check_from_here()

    def _drops(self, case: Case, environment: Environment, *, anew: bool) -> bool:
        first = {
            DropCaches.BEFORE_RUN: self._last is None,
            DropCaches.BEFORE_CASE: anew or self._last != case.id,
            DropCaches.BEFORE_REPETITION: True,
        }
        return environment.drop_caches in first and first[environment.drop_caches]

    def watch(self, case: Case) -> Watch:
        """Look at the host from now on, until a repetition has ended."""
        target = self.footing.target(case.target)
        if target.name not in self._disks:
            place = self.places[target.name].path
            self._disks[target.name] = target_disks(self.sut, target, place)
        return self.surroundings.watch(self._disks[target.name], estimate.cpus_of(case))

    def measured(self, case: Case) -> None:
        """RunError when what was just measured does not count by the spec's own rule."""
        if case.environment and case.environment.require.no_throttle:
            self.throttling.check()

    def seen(self, case: Case) -> tuple[KernelTrouble, ...] | None:
        """What the kernel told since the last look, and whether the case's target has become
        read-only; None where its log cannot be read."""
        target = case.target
        place = self.places[target.name].path
        if target.name not in self._own:
            self._own[target.name] = own_stack(self.sut, target, place)
        look, records = foreseen_with(self.sut, f"mount {target.name}", self.kernel.records)
        told = seen(records, self._own[target.name])
        of_mounts = self.mounts.seen(look, target, place)
        return (*(told or ()), *of_mounts) if of_mounts else told

    def rehearse(self, plan: Plan) -> None:
        """Apply each environment of the plan once, the first case's last: a setting that this
        host does not take is told before anything is measured."""
        for case in (*plan.cases[1:], *plan.cases[:1]):
            self.tuning.hold(case.environment)

    def facts(self) -> dict[str, Fact]:
        """What this host is, and each target; filesystems and arrays are made for it."""
        made = [use.target for use in self.uses if use.target.is_made]
        targets = {use.target.name: use.target for use in self.uses if use.target not in made}
        facts = collect_facts(self.sut, {name: self._placed(targets[name]) for name in targets})
        for target in made:  # one by one: two may be made on the same device
            self.volumes.make(target)
            self.footing.arrive(target, made=True)
            facts |= target_facts(self.sut, {target.name: self._placed(target)})
        return dict(sorted(facts.items()))

    def _placed(self, target: Target) -> tuple[Target, str]:
        return target, self.places[target.name].path

    def devices(self) -> tuple[Target, ...]:
        """As ``devices_of``, of the targets of the run."""
        return devices_of(self.sut, self.uses)

    def claim(self, target: Target) -> None:
        """Make sure once more that a device may be overwritten, and take what this run has
        made on it away. RefusedError when it may not, or is another one."""
        self.footing.device(target)
        self.volumes.claim(target)


def devices_of(sut: Sut, uses: Sequence[Use]) -> tuple[Target, ...]:
    """The devices that may be overwritten, as targets: those measured, and those that a
    filesystem is made on."""
    devices = {}
    for target in (each for use in uses for each in use.target.made_on or (use.target,)):
        is_device = target.kind is TargetKind.DEVICE and target.destroy
        if device := find_device(sut, target.path) if is_device else None:
            devices[device.path] = Target(
                target.name, TargetKind.DEVICE, device.path, target.destroy
            )
    return tuple(devices.values())


def check_stage(sut: Sut, plan: Plan, uses: Sequence[Use]) -> None:
    """What ``staged`` would refuse, as far as it can be known without a change: a setting
    that the host has and does not take is only found by setting it. RefusedError."""
    environments = _environments(plan)
    for environment in environments:
        check_requirements(sut, environment)
    uses = resolved(sut, uses)
    places = {use.target.name: directory_of(sut, use.target) for use in uses}
    disks = _disks(sut, uses, places, needed=any(e.block for e in environments))
    for environment in environments:
        knobs_of(sut, environment, disks)


def _environments(plan: Plan) -> tuple[Environment, ...]:
    """Each environment of the plan once."""
    environments: list[Environment] = []
    for case in plan.cases:
        if case.environment and case.environment not in environments:
            environments.append(case.environment)
    return tuple(environments)


def _check_quiet(stage: Stage, plan: Plan) -> None:
    """RefusedError where a case wants a quiet host, and this one is not."""
    looked: list[tuple[Environment | None, str]] = []
    for case in plan.cases:
        key = case.environment, case.target.name
        if case.environment and case.environment.require.quiet and key not in looked:
            looked.append(key)
            target = stage.footing.target(case.target)
            disks = target_disks(stage.sut, target, stage.places[target.name].path)
            require_quiet(stage.surroundings, case.environment, disks)


@contextmanager
def staged(
    sut: Sut,
    plan: Plan,
    uses: Sequence[Use],
    run_id: str,
    on_left: Callable[[str], None] = lambda _text: None,
) -> Iterator[Stage]:
    """The stage of a run; on leaving, everything is put back as it was, and ``on_left`` is told
    of what could not be removed. RefusedError for what this host does not have, and for a
    setting that a killed run has left and that could not be put back."""
    environments = _environments(plan)
    for environment in environments:
        check_requirements(sut, environment)
    journal = Journal(sut, run_id)
    uses = resolved(sut, uses)
    with closing(KernelWatch(sut)) as kernel, prepared(sut, uses, run_id[:12], on_left) as places:
        try:
            paths = {name: place.path for name, place in places.items()}
            disks = _disks(sut, uses, paths, needed=any(e.block for e in environments))
            _check_left(sut, environments, disks)
            keep, kin = plan.precondition is not None, overwritten(sut, uses)
            volumes = Volumes(sut, journal, paths, keep_blocks=keep, kin=kin)
            tuning = Tuning(sut, journal, disks)
            footing = Footing(sut, uses, places)
            around = Surroundings(sut, plan.validity)
            watches = Throttling(sut), kernel, MountWatch(sut), around
            stage = Stage(sut, footing, uses, tuning, volumes, *watches)
            _check_quiet(stage, plan)
            stage.rehearse(plan)
            yield stage
        finally:
            for text in journal.undo():
                on_left(text)


def _check_left(sut: Sut, environments: Sequence[Environment], disks: tuple[str, ...]) -> None:
    """RefusedError where what a killed run has left changed is what this one measures with: a
    setting of its disks, or one that it sets itself."""
    own = tuple(f"/sys/block/{disk}/" for disk in disks)
    for left in unrestored(sut):
        if not isinstance(left.entry, Setting):
            continue  # what is mounted keeps its device from being taken, and nothing else
        path = left.entry.path
        wanted = {knob.path for each in environments for knob in knobs_of(sut, each, disks)}
        if path.startswith(own) or path in wanted:
            raise RefusedError(
                f"{path} is not what it was, and could not be put back",
                remedy=f"write {left.entry.before!r} to it by hand, and remove {left.journal}",
            )


def _disks(
    sut: Sut, uses: Sequence[Use], places: Mapping[str, str], *, needed: bool
) -> tuple[str, ...]:
    """Names of the targets' disks. RefusedError, when they are ``needed``, for a target on
    none."""
    disks = []
    for use in uses:
        target = use.target
        devices = [find_device(sut, part.path) for part in target.made_on]
        devices = devices or [target_device(sut, target, places[target.name])]
        if found := [device.disk for device in devices if device]:
            disks += found
        elif needed:
            raise RefusedError(
                f"target {target.name} is on no block device, and environment.block sets one",
                remedy="leave block out, or name a target on a disk",
                where=target.where,
            )
    return tuple(dict.fromkeys(disks))


def drop_caches(sut: Sut) -> None:
    """Write everything out, and forget what was read. RunError when that is not allowed."""
    done = sut.run(["sync"], timeout_s=_SYNC_TIMEOUT_S)
    if done.status:
        raise RunError(f"sync failed: {done.stderr.strip()}")
    sut.write_text(_DROP, "3\n")
