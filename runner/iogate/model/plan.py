"""What will run: a spec expanded into cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iogate.model.comparison import Comparison
from iogate.model.environment import Environment
from iogate.model.spec import (
    BaselineRule,
    DefinedMetric,
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
    ``environment`` and a precondition), so history survives reordering and
    renaming. ``name`` is for people: ``workload/bs=4k,iodepth=32``.
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
