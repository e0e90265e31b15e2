"""What will run: a spec expanded into cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from iogate.model.comparison import Comparison
from iogate.model.environment import Environment
from iogate.model.names import is_spec_case_id
from iogate.model.pool import Pool, pools_among
from iogate.model.spec import (
    BaselineRule,
    Command,
    DefinedMetric,
    Endpoint,
    JobSpec,
    OnMissingBaseline,
    Precondition,
    Repetitions,
    Target,
    Threshold,
)
from iogate.model.validity import Validity


@dataclass(frozen=True, slots=True)
class Case:
    """One fully resolved point of a workload's matrix on one target.

    ``id`` is the first 16 hex digits of the SHA-256 of the canonical resolved case (its
    jobs' options, its target's description, and what the spec sets up for it: the settings of
    ``environment``, a precondition, and what of the ``network`` it may reach), so history
    survives reordering and renaming. ``name`` is for people: ``workload/bs=4k,iodepth=32``.
    """

    id: str
    name: str
    workload: str
    target: Target
    jobs: tuple[JobSpec, ...]
    parameters: Mapping[str, str]
    repetitions: Repetitions
    thresholds: tuple[Threshold, ...]
    description: str = ""
    tags: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    chart: Mapping[str, str] = field(default_factory=dict)
    environment: Environment | None = None
    network: tuple[Endpoint, ...] = ()

    @property
    def command(self) -> Command | None:
        """The program that it runs; None for one whose jobs are fio's."""
        return self.jobs[0].command if self.jobs else None

    @property
    def ids(self) -> tuple[str, ...]:
        """All that a history may have it under, its own id first. In plans of earlier versions
        ``aka`` holds names, too; ``Run.ids_of`` knows which id that was in a run."""
        return (self.id, *filter(is_spec_case_id, self.aka))


@dataclass(frozen=True, slots=True)
class Plan:
    """All cases of a spec, in the order they run. ``spec_sha256`` is of the spec's text;
    one that is not ``exclusive`` is measured beside others of that kind."""

    spec_name: str
    spec_file: str
    spec_sha256: str
    spec_text: str
    cases: tuple[Case, ...]
    description: str = ""
    overrides: tuple[str, ...] = ()
    baseline: BaselineRule = field(default_factory=BaselineRule)
    on_missing_baseline: OnMissingBaseline = OnMissingBaseline.WARN
    on_inconclusive: OnMissingBaseline = OnMissingBaseline.WARN
    comparison: Comparison | None = None
    metrics: tuple[DefinedMetric, ...] = ()
    precondition: Precondition | None = None
    validity: Validity = field(default_factory=Validity)
    exclusive: bool = True
    pools: tuple[Pool, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """For people, what an id stands for: a case or a pool."""
        pools = {pool.id: pool.name for pool in self.pools}
        return {case.id: case.name for case in self.cases} | pools

    def with_cases(self, cases: tuple[Case, ...]) -> Plan:
        """The plan of some of its cases, and of the pools that they leave."""
        ids = {case.id: case.id for case in cases}
        return replace(self, cases=cases, pools=pools_among(self.pools, ids))
