"""All repetitions of a spec, for one revision, on one host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from iogate.model.measurement import KernelTrouble, Measurement, undisturbed
from iogate.model.origin import Origin
from iogate.model.plan import Case, Plan
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict


class RunStatus(StrEnum):
    """How far a run got."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Revision:
    """What is under test: the commit of the code being gated, or a label given by hand."""

    commit: str = ""
    subject: str = ""
    branch: str = ""
    dirty: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """Where a run was measured; histories are told apart by ``machine_id``."""

    name: str
    machine_id: str


@dataclass(frozen=True, slots=True)
class CaseFailure:
    """A repetition that gave no measurement. ``errors`` are those of each job by the name of
    their errno, as far as the engine told them, and ``kernel_log`` what the kernel did.
    ``faultless``: it was stopped, or refused by a check of iogate's own, and so says nothing
    about what is measured. ``again``: only its own disk failed, and so it was measured again;
    its faults are judged, and it does not make the case a failed one."""

    case_id: str
    repetition: int
    reason: str
    errors: Mapping[str, Mapping[str, int]] = field(default_factory=dict, hash=False)
    kernel_log: tuple[KernelTrouble, ...] | None = None
    faultless: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """``environment`` maps a dotted fact (``kernel.release``) to its value. ``started_ns``
    and ``finished_ns`` are Unix time, the latter 0 while it runs. ``origin`` is the job of a CI
    system that asked for it, None outside of one, and in runs of earlier versions."""

    id: str
    plan: Plan
    host: Host
    revision: Revision
    started_ns: int
    finished_ns: int
    status: RunStatus
    environment: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    failures: tuple[CaseFailure, ...] = ()
    verdict: RunVerdict | None = None
    folder: str = ""
    preconditions: tuple[DevicePrecondition, ...] = ()
    origin: Origin | None = None

    @property
    def is_level(self) -> bool:
        """Whether it measured what is on a branch: no two arms, and nothing that is only proposed,
        as in a pull request."""
        return self.plan.comparison is None and not (self.origin and self.origin.proposal)

    @property
    def took_ns(self) -> int | None:
        """How long it ran; None while it does, and where nobody knows: what was killed before it
        had a repetition has its beginning for an end."""
        took_ns = self.finished_ns - self.started_ns
        return took_ns if took_ns > 0 else None

    def measurements_of(self, case_id: str) -> tuple[Measurement, ...]:
        """The repetitions of one case that count, in the order they ran: not those that were
        disturbed."""
        return undisturbed(m for m in self.measurements if m.case_id == case_id)

    def arms_of(self, case_id: str) -> tuple[tuple[str, tuple[Measurement, ...]], ...]:
        """Of a comparison each arm, by its name, with its repetitions of one case that count; of
        any other run all of them, by no name."""
        own, compared = self.measurements_of(case_id), self.plan.comparison
        if compared is None:
            return (("", own),)
        return tuple(
            (arm.name, tuple(each for each in own if each.arm == arm.name)) for arm in compared.arms
        )

    def ids_of(self, case: Case) -> tuple[str, ...]:
        """The ids that a case, of this run or another one, may have here, its own first: also
        those of cases here whose name it is known as."""
        former = frozenset(case.aka)
        if not former:
            return case.ids
        named = (other.id for other in self.plan.cases if other.name in former)
        return tuple(dict.fromkeys((*case.ids, *named)))
